/* SPDX-License-Identifier: MIT */
/*
 * text_profile.c - see text_profile.h.
 */
#include "text/text_profile.h"

enum { NS_IN_MS = 1000000 };

static bool is_cut(uint64_t part, uint64_t whole, double cutoff)
{
	return cutoff > 0 && (double)part < cutoff * (double)whole;
}

/* Writes " 12.34%" and the sum so far. */
static void put_shares(struct text_writer *w, uint64_t part, uint64_t so_far,
		       uint64_t whole)
{
	text_put(w, " ");
	text_put_share(w, part, whole);
	text_put(w, " ");
	text_put_share(w, so_far, whole);
}

/* ---- allocations --------------------------------------------------------- */

size_t text_sites_shown(const struct text_sites *sites)
{
	size_t n = 0;

	while (n < sites->count && !is_cut(sites->rows[n].live_bytes,
					   sites->live_bytes, sites->cutoff))
		n++;
	return n;
}

void text_put_sites(struct text_writer *w, const struct text_sites *sites)
{
	const size_t shown = text_sites_shown(sites);
	uint64_t whole = sites->by_allocation ? sites->allocated_bytes
					      : sites->live_bytes;
	uint64_t so_far = 0;

	text_put(w, "SITES BEGIN (ordered by %s) ",
		 sites->by_allocation ? "allocated bytes" : "live bytes");
	text_put_time(w, sites->time_ms);
	text_put(w, "          percent          live          alloc'ed  "
		    "stack class\n"
		    " rank   self  accum     bytes objs     bytes  objs "
		    "trace name\n");
	for (size_t i = 0; i < shown; i++) {
		const struct text_site *row = &sites->rows[i];
		uint64_t part = sites->by_allocation ? row->allocated_bytes
						     : row->live_bytes;

		so_far += part;
		text_put(w, "%5u", (uint64_t)i + 1);
		put_shares(w, part, so_far, whole);
		text_put(w, " %9u %4u %9u %5u %5u %s\n", row->live_bytes,
			 row->live_objects, row->allocated_bytes,
			 row->allocated_objects, (uint64_t)row->trace_serial,
			 row->class_name ? row->class_name : "<Unknown Class>");
	}
	text_put(w, "SITES END\n");
}

/* ---- time ---------------------------------------------------------------- */

size_t text_costs_shown(const struct text_costs *costs)
{
	size_t n = 0;

	while (n < costs->count &&
	       !is_cut(costs->rows[n].cost, costs->total, costs->cutoff))
		n++;
	return n;
}

static void put_method(struct text_writer *w, const struct text_cost *row)
{
	if (!row->class_name && !row->method)
		text_put(w, " <empty trace>\n");
	else
		text_put(w, " %s.%s\n",
			 row->class_name ? row->class_name : "<Unknown Class>",
			 row->method ? row->method : "<Unknown Method>");
}

static void put_monitor(struct text_writer *w, const struct text_cost *row)
{
	text_put(w, " %s (Java)\n",
		 row->class_name ? row->class_name : "<Unknown Class>");
}

/* NAMED is the head of the last column, PUT_NAME its text with the line end. */
static void put_costs(struct text_writer *w, const struct text_costs *costs,
		      const char *named,
		      void (*put_name)(struct text_writer *w,
				       const struct text_cost *row))
{
	const size_t shown = text_costs_shown(costs);
	uint64_t so_far = 0;

	text_put_time(w, costs->time_ms);
	if (shown > 0)
		text_put(w, "rank   self  accum   count trace %s\n", named);
	for (size_t i = 0; i < shown; i++) {
		const struct text_cost *row = &costs->rows[i];

		so_far += row->cost;
		text_put(w, "%4u", (uint64_t)i + 1);
		put_shares(w, row->cost, so_far, costs->total);
		text_put(w, " %7u %5u", row->count,
			 (uint64_t)row->trace_serial);
		put_name(w, row);
	}
}

void text_put_samples(struct text_writer *w, const struct text_costs *costs)
{
	text_put(w, "CPU SAMPLES BEGIN (total = %u) ", costs->total);
	put_costs(w, costs, "method", put_method);
	text_put(w, "CPU SAMPLES END\n");
}

void text_put_times(struct text_writer *w, const struct text_costs *costs)
{
	text_put(w, "CPU TIME (ms) BEGIN (total = %u) ",
		 costs->total / NS_IN_MS);
	put_costs(w, costs, "method", put_method);
	text_put(w, "CPU TIME (ms) END\n");
}

void text_put_monitor_times(struct text_writer *w,
			    const struct text_costs *costs)
{
	text_put(w, "MONITOR TIME BEGIN (total = %u ms) ",
		 costs->total / NS_IN_MS);
	put_costs(w, costs, "monitor", put_monitor);
	text_put(w, "MONITOR TIME END\n");
}

/* ---- cpu=old ------------------------------------------------------------- */

static void put_party(struct text_writer *w, const struct hprof_stack_frame *f,
		      const char *unknown)
{
	if (!f->class_name)
		text_put(w, "%s ", unknown);
	else
		text_put(w, "%s.%s%s ", f->class_name,
			 f->method ? f->method : "<Unknown Method>",
			 f->signature ? f->signature : "");
}

void text_put_calls(struct text_writer *w, const struct text_call *rows,
		    size_t count)
{
	text_put(w, "count callee caller time\n");
	for (size_t i = 0; i < count; i++) {
		text_put(w, "%u ", rows[i].count);
		put_party(w, &rows[i].callee, "<unknown callee>");
		put_party(w, &rows[i].caller, "<unknown caller>");
		text_put(w, "%u\n", rows[i].time_ns / NS_IN_MS);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * render_strengths.c - how much of the heap is reachable, and by what strength.
 *
 * Of the strengths, only those that some object has are listed; what is
 * reachable, garbage and the sum always are.
 */
#include "tools/common/prose.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/render.h"

static void put_total(struct table *table, const char *name,
		      const struct hprof_strength_total *total, uint64_t whole)
{
	char text[UNITS_MAX];

	table_text(table, name);
	table_count(table, total->objects);
	table_count(table, total->shallow);
	table_share(table, total->shallow, whole);
	table_text(table, total->shallow >= 1024
				  ? units_bytes(total->shallow, text)
				  : "");
}

static bool has_no_roots(const struct hprof_summary *summary)
{
	return !summary->roots && summary->objects;
}

static bool is_damaged(const struct hprof_summary *summary)
{
	return summary->errors || summary->input.truncated;
}

const char *render_no_roots_line(const struct hprof_summary *summary)
{
	if (!has_no_roots(summary))
		return NULL;
	return is_damaged(summary)
		       ? "none could be read: live cannot be told from garbage"
		       : "the dump has none: live cannot be told from garbage";
}

const char *render_no_roots(const struct report *report)
{
	if (!has_no_roots(report->summary))
		return NULL;
	return is_damaged(report->summary)
		       ? "No GC root could be read: what is live cannot be "
			 "told from garbage. Only classes of the boot loader, "
			 "and what these hold, count as live here."
		       : "The dump has no GC roots: what is live cannot be "
			 "told from garbage. Only classes of the boot loader, "
			 "and what these hold, count as live here.";
}

void render_strengths(FILE *out, const struct report *report)
{
	static const struct table_column columns[] = {
		{ "", TABLE_LEFT },	  { "objects", TABLE_RIGHT },
		{ "bytes", TABLE_RIGHT }, { "share", TABLE_RIGHT },
		{ "", TABLE_RIGHT },
	};
	static const char *const names[HPROF_STRENGTHS] = {
		"",
		"reachable",
		"only softly",
		"only for a finalizer",
		"only weakly",
		"only as phantoms",
		"garbage",
	};
	const struct hprof_graph_totals *totals = report->graph;
	struct hprof_strength_total all;
	struct table *table;

	if (!totals ||
	    (!report->retained && !report->leaks && !report->garbage))
		return;
	all = (struct hprof_strength_total){ totals->objects, totals->shallow };
	table = table_new(columns, 5);
	for (unsigned i = HPROF_STRENGTH_STRONG; i < HPROF_STRENGTHS; i++)
		if (totals->by_strength[i].objects ||
		    i == HPROF_STRENGTH_STRONG || i == HPROF_STRENGTH_GARBAGE)
			put_total(table, names[i], &totals->by_strength[i],
				  totals->shallow);
	put_total(table, "all objects", &all, totals->shallow);
	putc('\n', out);
	table_print(table, out, 0);
	table_free(table);
	if (render_no_roots(report)) {
		putc('\n', out);
		prose_lines(out, 0, render_no_roots(report));
	}
}

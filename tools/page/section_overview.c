/* SPDX-License-Identifier: MIT */
/*
 * section_overview.c - what kind of dump it is, in figures: the file, the JVM, the
 * heap by strength and by kind of object, memory outside of it, and what is wrong
 * with the dump.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/page/sections.h"

/* ---- facts --------------------------------------------------------------- */

/* Frees TEXT. */
static void put_fact(struct html *html, const char *name, char *text)
{
	html_put(html, "<dt>");
	html_text(html, name);
	html_put(html, "</dt><dd>");
	html_own(html, text);
	html_put(html, "</dd>\n");
}

static char *describe_size(uint64_t bytes)
{
	char human[UNITS_MAX];

	return describe_format("%s", units_bytes(bytes, human));
}

static char *describe_number(uint64_t number)
{
	char text[UNITS_MAX];

	return describe_format("%s", units_count(number, text));
}

static void put_file(struct html *html, const struct report *report)
{
	const struct hprof_summary *summary = report->summary;
	const struct hprof_reader_info *input = &summary->input;
	char size[UNITS_MAX], time[UNITS_MAX];

	put_fact(html, "File", describe_kind(report->path, false));
	if (input->member)
		put_fact(html, "Member", describe_kind(input->member, false));
	units_bytes(input->file_size ? input->file_size : input->bytes_read,
		    size);
	put_fact(html, "Size",
		 describe_format("%s, %s", size, input->container));
	if (hprof_time_text(summary->header.time_ms, ' ', time))
		put_fact(html, "Taken", describe_format("%s", time));
}

static void put_jvm(struct html *html, const struct report *report)
{
	const char *name = render_property(report->properties, "java.vm.name");
	const char *java = render_property(report->properties, "java.version");
	char *vm;

	if (!name && !java)
		return;
	vm = describe_kind(name ? name : "unknown", false);
	if (java) {
		char *version = describe_kind(java, false);

		put_fact(html, "JVM",
			 describe_format("%s, Java %s", vm, version));
		free(version);
		free(vm);
	} else {
		put_fact(html, "JVM", vm);
	}
}

static void put_facts(struct html *html, const struct report *report)
{
	const struct hprof_summary *summary = report->summary;
	char *outside = render_outside_text(report->outside);

	html_put(html, "<dl class=\"facts\">\n");
	put_file(html, report);
	put_jvm(html, report);
	put_fact(html, "All objects", describe_size(summary->shallow));
	if (report->graph)
		put_fact(html, "Live objects",
			 describe_size(report->graph->reachable_shallow));
	put_fact(html, "Number of objects", describe_number(summary->objects));
	put_fact(html, "Classes", describe_number(summary->classes));
	put_fact(html, "Threads", describe_number(summary->threads));
	put_fact(html, "GC roots", describe_number(summary->roots));
	if (report->native && report->native->bytes)
		put_fact(html, "Outside of the heap, as far as known",
			 render_native_sum(report->native));
	else if (outside)
		put_fact(html, "Outside of the heap",
			 describe_format("%s", outside));
	free(outside);
	html_put(html, "</dl>\n");
}

static void put_no_roots(struct html *html, const struct report *report)
{
	const char *text = render_no_roots(report);

	if (text)
		html_warning(html, text);
}

/* ---- tables -------------------------------------------------------------- */

static void put_strengths(struct html *html,
			  const struct hprof_graph_totals *totals)
{
	static const struct html_column columns[] = {
		{ "reachable", HTML_NAME, false },
		{ "objects", HTML_COUNT, false },
		{ "size", HTML_BYTES, false },
		{ "share", HTML_SHARE, false },
	};
	struct html_table table;

	html_table_begin(&table, html, "Objects by how they are held", columns,
			 4, 0, totals->shallow);
	for (unsigned i = HPROF_STRENGTH_STRONG; i < HPROF_STRENGTHS; i++) {
		const struct hprof_strength_total *total =
			&totals->by_strength[i];

		if (!total->objects)
			continue;
		html_cell_text(&table,
			       describe_strength((enum hprof_strength)i));
		html_cell_number(&table, total->objects);
		html_cell_number(&table, total->shallow);
		html_cell_number(&table, total->shallow);
	}
	html_table_end(&table);
}

static void put_kinds(struct html *html, const struct hprof_summary *summary)
{
	static const struct html_column columns[] = {
		{ "kind", HTML_NAME, false },
		{ "objects", HTML_COUNT, false },
	};
	static const char *const names[] = { "instances", "object arrays",
					     "primitive arrays",
					     "class objects" };
	const uint64_t counts[] = { summary->instances, summary->obj_arrays,
				    summary->prim_arrays, summary->classes };
	struct html_table table;

	html_table_begin(&table, html, "Objects by kind", columns, 2, 0, 0);
	for (size_t i = 0; i < 4; i++) {
		html_cell_text(&table, names[i]);
		html_cell_number(&table, counts[i]);
	}
	for (size_t i = 0; i < summary->tag_count; i++) {
		const struct hprof_tag_row *row = &summary->tag_rows[i];

		if (!hprof_tag_is_root(row->tag))
			continue;
		html_cell_own(&table,
			      describe_format("GC root: %s",
					      hprof_root_name(row->tag)));
		html_cell_number(&table, row->count);
	}
	html_table_end(&table);
}

void section_overview(struct page *page, const struct report *report)
{
	struct html *html = &page->body;
	char *sizes;

	if (!page_section(page, PAGE_OVERVIEW, "Overview"))
		return;
	section_damage(html, report->summary);
	put_no_roots(html, report);
	page_lead(page);
	put_facts(html, report);
	if (report->graph)
		put_strengths(html, report->graph);
	section_outside(page, report);
	put_kinds(html, report->summary);
	html_put(html, "<p class=\"soft\">");
	sizes = describe_format("Sizes: %s.", report->summary->convention.text);
	html_own(html, sizes);
	html_put(html, "</p>\n");
	page_section_end(page);
}

/* SPDX-License-Identifier: MIT */
/*
 * sections.c - the sections of a page in their order.
 *
 * What a dump has nothing for is left out, unless somebody asked for it: who gets
 * no answer cannot tell whether there is nothing or whether it was forgotten.
 */
#include "tools/page/sections.h"

#include "tools/common/cli.h"

static const char no_objects[] = "the dump has no objects";

static const struct {
	const char *title;
	const char *reason; /* why it can be empty; NULL: it never is */
} parts[PAGE_PARTS] = {
	[PAGE_GROWTH] = { "Growth",
			  "only one dump was given, and growth is what differs "
			  "between two or more" },
	[PAGE_SUSPECTS] = { "Leak suspects", no_objects },
	[PAGE_TREE] = { "Dominator tree", no_objects },
	[PAGE_CLASSES] = { "Classes", no_objects },
	[PAGE_BIGGEST] = { "Biggest objects", no_objects },
	[PAGE_THREADS] = { "Threads", "the dump has no threads" },
	[PAGE_LOADERS] = { "Class loaders", no_objects },
	[PAGE_WASTE] = { "Waste", no_objects },
	[PAGE_STRINGS] = { "Duplicate strings",
			   "the dump has no strings or arrays with the same "
			   "content" },
	[PAGE_PROPERTIES] = { "System properties",
			      "the dump has no system properties of a JVM" },
	[PAGE_PROFILES] = { "Profiles",
			    "the dump has no CPU samples and no sites of "
			    "allocations; hprof-prof takes them" },
};

static const char *reason_of(unsigned part)
{
	return parts[part].reason ? parts[part].reason
				  : "the dump has nothing for it";
}

/* Of a dump that has only samples, or was cut before its heap. */
static bool has_nothing_for(const struct report *report, enum page_part part)
{
	if (parts[part].reason == no_objects)
		return !report->summary->objects;
	/* Of all others, the section itself knows. */
	return part == PAGE_THREADS && report->threads &&
	       !report->threads->count;
}

static bool is_missing(const struct page *page, unsigned part)
{
	return page->options.named & ~page->shown & 1u << part;
}

static void add_reason(struct page *page, enum page_part part)
{
	if (!is_missing(page, part))
		return;
	page->missing |= 1u << part;
	page_section(page, part,
		     parts[part].title ? parts[part].title
				       : page_part_words[part]);
	html_put(&page->body, "<p>This section is empty: ");
	html_text(&page->body, reason_of(part));
	html_put(&page->body, ".</p>\n");
	page_section_end(page);
}

void sections_add(struct page *page, const struct report *report)
{
	static const struct {
		enum page_part part;
		void (*add)(struct page *page, const struct report *report);
	} sections[] = {
		{ PAGE_OVERVIEW, section_overview },
		{ PAGE_SUSPECTS, section_suspects },
		{ PAGE_TREE, section_tree },
		{ PAGE_CLASSES, section_classes },
		{ PAGE_BIGGEST, section_biggest },
		{ PAGE_THREADS, section_threads },
		{ PAGE_LOADERS, section_loaders },
		{ PAGE_WASTE, section_waste },
		{ PAGE_STRINGS, section_strings },
		{ PAGE_PROPERTIES, section_properties },
		{ PAGE_PROFILES, section_profiles },
	};

	add_reason(page, PAGE_GROWTH); /* which comes before all others */
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (!has_nothing_for(report, sections[i].part))
			sections[i].add(page, report);
		add_reason(page, sections[i].part);
	}
}

void sections_print_missing(const struct page *page, const char *path)
{
	for (unsigned i = 0; i < PAGE_PARTS; i++)
		if (page->missing & 1u << i)
			cli_message("%s: section %s is empty: %s", path,
				    page_part_words[i], reason_of(i));
}

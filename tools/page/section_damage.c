/* SPDX-License-Identifier: MIT */
/*
 * section_damage.c - what is wrong with a dump, at the head of the overview: what
 * the program also prints, with offsets, since those who read a page have not seen
 * that.
 *
 * A damaged dump can have thousands of faults. The summary keeps the first few of
 * each code, of which the page has fewer, and the number of the others.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/page/sections.h"

enum { OF_A_CODE = 5 };

/* The first of those with the code of number INDEX: it knows how many there are. */
static const struct hprof_kept_diagnostic *
first_like(const struct hprof_summary *summary, size_t index)
{
	const struct hprof_kept_diagnostic *all = summary->diagnostics;
	size_t i = 0;

	while (strcmp(all[i].code, all[index].code) != 0)
		i++;
	return &all[i];
}

/* How many of those before number INDEX have its code. */
static size_t count_like(const struct hprof_summary *summary, size_t index)
{
	const struct hprof_kept_diagnostic *all = summary->diagnostics;
	size_t count = 0;

	for (size_t i = 0; i < index; i++)
		count += strcmp(all[i].code, all[index].code) == 0;
	return count;
}

static void put_one(struct html *html,
		    const struct hprof_kept_diagnostic *diagnostic)
{
	html_put(html, "<li>");
	if (diagnostic->offset != UINT64_MAX)
		html_putf(html, "at 0x%" PRIx64 ": ", diagnostic->offset);
	html_text(html, diagnostic->text);
	html_put(html, "</li>\n");
}

/* After the last of a code that is shown. */
static void put_more(struct html *html,
		     const struct hprof_kept_diagnostic *first, size_t shown)
{
	char more[UNITS_MAX];

	if (first->count > shown)
		html_putf(html, "<li>%s more like this (%s)</li>\n",
			  units_count(first->count - shown, more), first->code);
}

static bool is_last_shown(const struct hprof_summary *summary, size_t index,
			  size_t before)
{
	const struct hprof_kept_diagnostic *all = summary->diagnostics;

	if (before + 1 == OF_A_CODE)
		return true;
	for (size_t i = index + 1; i < summary->diagnostic_count; i++)
		if (strcmp(all[i].code, all[index].code) == 0)
			return false;
	return true;
}

static void put_head(struct html *html, const struct hprof_summary *summary)
{
	const struct hprof_reader_info *input = &summary->input;
	char *errors = describe_count(summary->errors, "error", "errors");
	char read[UNITS_MAX];

	html_put(html, input->truncated ? "<strong>The dump is cut short"
					: "<strong>The dump is damaged");
	html_put(html, "</strong>: ");
	html_own(html, errors);
	html_putf(html,
		  " in %s. This page has what could be read; what was lost "
		  "can hold objects that are missing here.",
		  units_bytes(input->bytes_read, read));
}

void section_damage(struct html *html, const struct hprof_summary *summary)
{
	if (!summary->errors && !summary->input.truncated)
		return;
	html_put(html, "<div class=\"warn\" role=\"note\">\n<p>");
	put_head(html, summary);
	html_put(html, "</p>\n<ul>\n");
	for (size_t i = 0; i < summary->diagnostic_count; i++) {
		size_t before = count_like(summary, i);

		if (summary->diagnostics[i].severity != HPROF_ERROR ||
		    before >= OF_A_CODE)
			continue;
		put_one(html, &summary->diagnostics[i]);
		if (is_last_shown(summary, i, before))
			put_more(html, first_like(summary, i), before + 1);
	}
	html_put(html, "</ul></div>\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * object_selector.c - see object_selector.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/glob.h"
#include "tools/common/object_selector.h"

#define SUGGESTIONS 8

static bool parse_id(const char *text, uint64_t *ret_id)
{
	bool hex = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);
	const char *digits = hex ? text + 2 : text;
	char *end;

	if (!*digits || strspn(digits, hex ? "0123456789abcdefABCDEF"
					   : "0123456789") != strlen(digits))
		return false;
	errno = 0;
	*ret_id = strtoull(digits, &end, hex ? 16 : 10);
	return !errno;
}

static bool find_object(struct object_selector *selector,
			const struct hprof_heap *heap, const char *id_text,
			const char *text)
{
	uint64_t id = 0;

	if (!parse_id(id_text, &id)) {
		cli_message("'%s' is not an identifier like @0x7f0010", text);
		return false;
	}
	selector->object = hprof_heap_find(heap, id);
	if (selector->object == HPROF_NO_OBJECT)
		cli_message("there is no object %s in the dump", text);
	return selector->object != HPROF_NO_OBJECT;
}

/* ---- classes ------------------------------------------------------------ */

static void add_row(struct object_selector *selector, size_t row)
{
	selector->rows = cli_realloc(selector->rows, selector->row_count + 1,
				     sizeof(selector->rows[0]));
	selector->rows[selector->row_count++] = row;
}

/* True if NAME ends in TEXT, and a dot or a dollar sign precedes it. */
static bool is_short_for(const char *text, const char *name)
{
	size_t size = strlen(text), whole = strlen(name);

	return whole > size && !strcmp(name + whole - size, text) &&
	       strchr(".$", name[whole - size - 1]);
}

static void find_rows(struct object_selector *selector,
		      const struct hprof_summary *summary, const char *text,
		      bool whole)
{
	for (size_t i = 0; i < summary->class_count; i++) {
		const char *name = summary->class_rows[i].name;

		if (name &&
		    (whole ? !strcmp(name, text) : is_short_for(text, name)))
			add_row(selector, i);
	}
}

static bool have_one_name(const struct object_selector *selector,
			  const struct hprof_summary *summary)
{
	for (size_t i = 1; i < selector->row_count; i++)
		if (strcmp(summary->class_rows[selector->rows[0]].name,
			   summary->class_rows[selector->rows[i]].name) != 0)
			return false;
	return true;
}

static void suggest_rows(const struct object_selector *selector,
			 const struct hprof_summary *summary)
{
	for (size_t i = 0; i < selector->row_count && i < SUGGESTIONS; i++)
		cli_message("  %s",
			    summary->class_rows[selector->rows[i]].name);
	if (selector->row_count > SUGGESTIONS)
		cli_message("  and %zu more",
			    selector->row_count - SUGGESTIONS);
}

static void suggest(const struct object_selector *selector,
		    const struct hprof_summary *summary, const char *text)
{
	cli_message("there is no class %s in the dump%s", text,
		    selector->row_count ? "; there are" : "");
	suggest_rows(selector, summary);
}

static bool find_matching(struct object_selector *selector,
			  const struct hprof_summary *summary, const char *text,
			  bool several)
{
	for (size_t i = 0; i < summary->class_count; i++) {
		const char *name = summary->class_rows[i].name;

		if (name && glob_matches(text, name))
			add_row(selector, i);
	}
	if (!selector->row_count) {
		cli_message("no class in the dump matches %s", text);
		return false;
	}
	if (have_one_name(selector, summary))
		return true;
	selector->pattern = text;
	if (several)
		return true;
	cli_message("several classes match %s:", text);
	suggest_rows(selector, summary);
	return false;
}

static bool find_class(struct object_selector *selector,
		       const struct hprof_heap *heap, const char *text,
		       bool several)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	if (strpbrk(text, "*?"))
		return find_matching(selector, summary, text, several);
	find_rows(selector, summary, text, true);
	if (selector->row_count)
		return true;
	find_rows(selector, summary, text, false);
	if (selector->row_count && have_one_name(selector, summary))
		return true;
	suggest(selector, summary, text);
	return false;
}

bool object_selector_find(struct object_selector *selector,
			  const struct hprof_heap *heap, const char *text,
			  bool several)
{
	const char *at = strrchr(text, '@');

	*selector = (struct object_selector){ .object = HPROF_NO_OBJECT };
	if (at)
		return find_object(selector, heap, at + 1, text);
	return find_class(selector, heap, text, several);
}

void object_selector_done(struct object_selector *selector)
{
	free(selector->rows);
}

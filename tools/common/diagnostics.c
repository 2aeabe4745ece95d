/* SPDX-License-Identifier: MIT */
/*
 * diagnostics.c - see diagnostics.h.
 *
 * A damaged dump can have thousands of faults. The first few of each code are
 * printed, for the others only their number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/diagnostics.h"
#include "tools/common/json.h"

/* Lines that are printed for a code. */
#define LINES_MAX 5

const char *diagnostics_severity(enum hprof_severity severity)
{
	static const char *const names[] = { "note", "warning", "error" };

	return names[severity];
}

static bool is_shown(const struct hprof_kept_diagnostic *diagnostic, bool quiet)
{
	if (diagnostic->severity == HPROF_ERROR)
		return true;
	if (quiet)
		return false;
	return diagnostic->severity == HPROF_WARNING ||
	       !strcmp(diagnostic->code, "several-dumps");
}

static void print_one(const char *path,
		      const struct hprof_kept_diagnostic *diagnostic)
{
	char offset[32] = "";

	if (diagnostic->offset != UINT64_MAX)
		snprintf(offset, sizeof(offset), "0x%" PRIx64 ": ",
			 diagnostic->offset);
	cli_message("%s: %s%s: %s [%s]", path, offset,
		    diagnostics_severity(diagnostic->severity),
		    diagnostic->text, diagnostic->code);
}

static void print_more(const char *path,
		       const struct hprof_kept_diagnostic *first,
		       uint64_t count)
{
	cli_message("%s: %s: %" PRIu64 " more like this [%s]", path,
		    diagnostics_severity(first->severity), count, first->code);
}

/* How many of the diagnostics before INDEX have its code. */
static size_t count_before(const struct hprof_kept_diagnostic *diagnostics,
			   size_t index, size_t *ret_first)
{
	size_t count = 0;

	*ret_first = index;
	for (size_t i = index; i-- > 0;) {
		if (strcmp(diagnostics[i].code, diagnostics[index].code))
			continue;
		*ret_first = i;
		count++;
	}
	return count;
}

static bool is_last_of_code(const struct hprof_kept_diagnostic *diagnostics,
			    size_t count, size_t index)
{
	for (size_t i = index + 1; i < count; i++)
		if (!strcmp(diagnostics[i].code, diagnostics[index].code))
			return false;
	return true;
}

void diagnostics_print(const char *path,
		       const struct hprof_kept_diagnostic *diagnostics,
		       size_t count, bool quiet)
{
	for (size_t i = 0; i < count; i++) {
		size_t first, before = count_before(diagnostics, i, &first);
		uint64_t all = diagnostics[first].count;

		if (!is_shown(&diagnostics[i], quiet))
			continue;
		if (before < LINES_MAX)
			print_one(path, &diagnostics[i]);
		before = before + 1 < LINES_MAX ? before + 1 : LINES_MAX;
		if (is_last_of_code(diagnostics, count, i) && all > before)
			print_more(path, &diagnostics[first], all - before);
	}
}

void diagnostics_json(struct json *json,
		      const struct hprof_kept_diagnostic *diagnostic)
{
	json_begin_object(json, NULL, JSON_LINE);
	json_string(json, "severity",
		    diagnostics_severity(diagnostic->severity));
	json_string(json, "code", diagnostic->code);
	if (diagnostic->offset == UINT64_MAX)
		json_null(json, "offset");
	else
		json_id(json, "offset", diagnostic->offset);
	json_string(json, "text", diagnostic->text);
	if (diagnostic->count)
		json_number(json, "count", diagnostic->count);
	json_end(json);
}

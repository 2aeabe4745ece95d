/* SPDX-License-Identifier: MIT */
/*
 * reader_finish.c - behind the last record: reports what a complete dump would
 * have and this one lacks, and part files that HotSpot leaves when it is killed
 * while it dumps.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "stream/reader.h"
#include "base/utf8.h"

/* Reports a decompressor's failure, now that all data before it was read. */
static enum hprof_status say_source(struct hprof_reader *r)
{
	const struct hp_window *w = &r->window;
	const struct hp_source *source = r->source;

	if (w->status == HPROF_E_TRUNCATED || w->status == HPROF_E_CORRUPT) {
		bool cut = w->status == HPROF_E_TRUNCATED;
		r->seen.truncation = true;
		return hp_reader_say(r, HPROF_ERROR,

				     cut ? HP_DIAG_TRUNCATED
					 : HP_DIAG_BAD_COMPRESSION,
				     w->offset, "%s", w->error.text);
	}
	if (!r->units.is_unit && source->warning[0])
		return hp_reader_say(r, HPROF_WARNING, source->warning_code,
				     HP_NO_OFFSET, "%s", source->warning);
	return HPROF_OK;
}

enum { MOST_PARTS = 1024 };

/* Returns N if NAME is part N of the dump BASE, else MOST_PARTS. */
static unsigned part_number(const char *name, const char *base)
{
	size_t size = strlen(base);
	unsigned number = 0;

	if (strncmp(name, base, size) != 0 ||
	    strncmp(name + size, ".p", 2) != 0)
		return MOST_PARTS;
	name += size + 2;
	if (!*name || (name[0] == '0' && name[1]))
		return MOST_PARTS;
	for (; *name >= '0' && *name <= '9' && number < MOST_PARTS; name++)
		number = 10 * number + (unsigned)(*name - '0');
	return *name || number > MOST_PARTS ? MOST_PARTS : number;
}

/*
 * Marks the parts that are beside the dump. Reads the directory, since testing
 * each possible name took a millisecond for each dump without an end.
 */
static void find_parts(const char *path, bool there[static MOST_PARTS + 1])
{
	const char *slash = strrchr(path, '/');
	size_t size = slash ? (size_t)(slash - path) + 1 : 0;
	char *folder = hp_alloc(size + 2);
	const struct dirent *entry;
	DIR *dir;

	if (!folder)
		return; /* no memory: do without the hint */
	memcpy(folder, path, size);
	memcpy(folder + size, ".", 2);
	dir = opendir(folder);
	hp_free(folder);
	while (dir && (entry = readdir(dir)) != NULL)
		there[part_number(entry->d_name, path + size)] = true;
	if (dir)
		closedir(dir);
	there[MOST_PARTS] = false;
}

/* HotSpot's parallel dump, killed before the parts were joined (Q37). */
static enum hprof_status say_parts(struct hprof_reader *r)
{
	bool there[MOST_PARTS + 1] = { false };
	unsigned first = 0, parts = 0;

	find_parts(r->path, there);
	/* The JVM joins parts in order and removes each one when it is done. */
	while (first < MOST_PARTS && !there[first])
		first++;
	while (there[first + parts])
		parts++;
	if (parts == 0)
		return HPROF_OK;
	char shown[512];
	hp_text_escape(r->path, strlen(r->path), shown, sizeof shown);
	return hp_reader_say(r, HPROF_ERROR, HP_DIAG_PART_FILES, HP_NO_OFFSET,
			     "the dump was not finished: %u part file%s beside "
			     "it (%s.p%u%s) hold%s the rest",
			     parts, parts == 1 ? "" : "s", shown, first,
			     parts == 1 ? "" : " ...", parts == 1 ? "s" : "");
}

/*
 * The file has no heap record. That is right for a profile of the old agents,
 * and for a dump with a HEAP_DUMP_END. Any other file was truncated, which may
 * have been reported already.
 */
static enum hprof_status say_no_heap(struct hprof_reader *r)
{
	if (!r->seen.heap_dump_end && !r->seen.profile && !r->seen.truncation) {
		r->seen.truncation = true;
		return hp_reader_say(r, HPROF_ERROR, HP_DIAG_NO_HEAP,
				     r->window.offset,
				     "the file ends before its heap dump");
	}
	return hp_reader_say(r, HPROF_NOTE, HP_DIAG_NO_HEAP, r->window.offset,
			     "the file holds no heap dump");
}

static enum hprof_status say_dumps(struct hprof_reader *r)
{
	if (r->dumps.chosen > r->dumps.current &&
	    (r->dumps.chosen > 1 || r->dumps.current > 0))
		return r->status = hp_fail(
			       &r->error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "there is no dump %u in the file, it holds %u",
			       r->dumps.chosen, r->dumps.current);
	if (r->dumps.current <= 1 || r->options.exact)
		return HPROF_OK;
	return hp_reader_say(r, HPROF_NOTE, HP_DIAG_SEVERAL_DUMPS, HP_NO_OFFSET,
			     "the file holds %u dumps, this is number %u; "
			     "append '#N' to its name for another",
			     r->dumps.current, r->dumps.chosen);
}

enum hprof_status hp_reader_finish(struct hprof_reader *r)
{
	HP_TRY(say_source(r));
	if (r->units.is_unit)
		return HPROF_OK;
	hp_reader_note_whole(r);
	if (r->dumps.current == 0)
		HP_TRY(say_no_heap(r));
	else if (r->dumps.state == DUMP_SEGMENTS && !r->seen.truncation)
		HP_TRY(hp_reader_say(r, HPROF_NOTE, HP_DIAG_NO_END,
				     r->window.offset,
				     "no HEAP_DUMP_END behind the segments"));
	if (r->path && r->dumps.state != DUMP_ENDED)
		HP_TRY(say_parts(r));
	return say_dumps(r);
}

/* SPDX-License-Identifier: MIT */
/*
 * guard.c - see guard.h.
 */
#include "agent/fork/guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ag_refusal_text(enum ag_refusal refusal)
{
	switch (refusal) {
	case AG_MAY_FORK:
		break;
	case AG_UNKNOWN_JVM:
		return "only HotSpot of JDK 11, and of 17 or later, is known "
		       "to survive a fork";
	case AG_UNKNOWN_LIBC:
		return "memory can be allocated after a fork only with glibc";
	case AG_NO_FILTER:
		return "the kernel has no filter for system calls (seccomp)";
	case AG_SHARED_HEAP:
		return "its heap is shared memory (ZGC has no other): a "
		       "forked process would change it";
	case AG_HUGE_PAGES:
		return "its heap is of huge pages, or a file: a forked "
		       "process could end it";
	case AG_UNKNOWN_HEAP:
		return "its heap is not among its mappings";
	case AG_CHAINED_SIGNALS:
		return "libjsig is loaded, and would keep the signal handlers "
		       "of the forked process";
	case AG_LITTLE_MEMORY:
		return "a forked process might need more memory than there is";
	case AG_CANNOT_FORK:
		return "it cannot fork";
	}
	return "";
}

/* ---- mappings ------------------------------------------------------------ */

struct mapping {
	uint64_t from, to;
	char mode[5];
	const char *name;
	size_t name_size;
};

/* One line of maps; false if it is none. */
static bool read_mapping(const char *line, size_t size, struct mapping *ret)
{
	int used = 0;

	/* The offset, the device and the inode are of no interest. */
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s%n",
		   &ret->from, &ret->to, ret->mode, &used) < 3 ||
	    used == 0 || (size_t)used > size)
		return false;
	while ((size_t)used < size && line[used] == ' ')
		used++;
	ret->name = line + used;
	ret->name_size = size - (size_t)used;
	return true;
}

static bool has(const struct mapping *m, const char *word)
{
	return memmem(m->name, m->name_size, word, strlen(word)) != NULL;
}

/*
 * A part of the JVM's archive of classes, which is mapped into a heap of ordinary
 * pages? Its pages are copied when they are written to, as all others; full
 * collections move objects into it.
 */
static bool is_archive(const struct mapping *m, const struct mapping *before)
{
	return before->to == m->from && before->name_size == 0 &&
	       strcmp(before->mode, "rw-p") == 0 && !has(m, "hugepage");
}

static void take_mapping(const struct mapping *m, const struct mapping *before,
			 uint64_t address, struct ag_maps *ret)
{
	const bool is_shared = m->mode[3] == 's';

	if (m->from <= address && address < m->to) {
		ret->found = true;
		ret->is_shared = is_shared;
		ret->is_file = m->name_size > 0 && m->name[0] != '[' &&
			       !is_archive(m, before);
	}
	if (is_shared && has(m, "memfd:java_heap"))
		ret->has_shared_heap = true;
	if (has(m, "/libjsig.so"))
		ret->has_libjsig = true;
	if (is_shared && m->mode[1] == 'w' && has(m, "/hsperfdata_")) {
		ret->counters = m->from;
		ret->counters_end = m->to;
	}
}

void ag_maps_read(const char *text, uint64_t address, struct ag_maps *ret)
{
	struct mapping before = { .mode = "" };

	*ret = (struct ag_maps){ 0 };
	while (*text) {
		struct mapping m;
		size_t size = strcspn(text, "\n");

		if (read_mapping(text, size, &m)) {
			take_mapping(&m, &before, address, ret);
			before = m;
		}
		text += size + (text[size] == '\n');
	}
}

enum ag_refusal ag_maps_judge(const struct ag_maps *maps)
{
	if (maps->has_shared_heap || (maps->found && maps->is_shared))
		return AG_SHARED_HEAP;
	if (!maps->found)
		return AG_UNKNOWN_HEAP;
	if (maps->is_file)
		return AG_HUGE_PAGES;
	return maps->has_libjsig ? AG_CHAINED_SIGNALS : AG_MAY_FORK;
}

/* ---- memory -------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t ag_memory_line(const char *text, const char *name, uint64_t absent)
{
	const size_t size = strlen(name);

	while (text && *text) {
		if (strncmp(text, name, size) == 0) {
			char *end;
			uint64_t n = strtoull(text + size, &end, 10);

			return strncmp(end, " kB", 3) == 0 ? n * 1024 : n;
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return absent;
}

uint64_t ag_system_room(const char *meminfo, const char *overcommit)
{
	uint64_t room = ag_memory_line(meminfo, "MemAvailable:", AG_UNLIMITED);

	/* Mode 2: every private page counts, used or not. */
	if (overcommit && overcommit[0] == '2')
		room = least(room,
			     less(ag_memory_line(meminfo,
						 "CommitLimit:", AG_UNLIMITED),
				  ag_memory_line(meminfo, "Committed_AS:", 0)));
	return room;
}

uint64_t ag_group_room(const char *most, const char *used, const char *stat)
{
	uint64_t limit, in_use, cache;

	if (!most || !used || most[0] < '0' || most[0] > '9')
		return AG_UNLIMITED; /* "max" */
	limit = strtoull(most, NULL, 10);
	in_use = strtoull(used, NULL, 10);
	/* Pages of files that nobody needs just now make room. */
	cache = ag_memory_line(stat, "total_inactive_file ", 0);
	if (cache == 0)
		cache = ag_memory_line(stat, "inactive_file ", 0);
	return less(limit, less(in_use, cache));
}

/* Is "memory" in the list of controllers? */
static bool has_memory(const char *list, size_t size)
{
	static const char word[] = "memory";
	const size_t length = sizeof word - 1;

	for (size_t at = 0; at + length <= size; at++)
		if (memcmp(list + at, word, length) == 0 &&
		    (at == 0 || list[at - 1] == ',') &&
		    (at + length == size || list[at + length] == ','))
			return true;
	return false;
}

const char *ag_group_path(const char *text, size_t *ret_size, bool *ret_old)
{
	const char *found = NULL;

	while (text && *text) {
		size_t size = strcspn(text, "\n");
		const char *list = memchr(text, ':', size);
		const char *path =
			list ? memchr(list + 1, ':',
				      size - (size_t)(list + 1 - text))
			     : NULL;

		if (path) {
			bool is_old =
				has_memory(list + 1, (size_t)(path - list - 1));
			if (is_old || (!found && path == list + 1)) {
				found = path + 1;
				*ret_size = size - (size_t)(path + 1 - text);
				*ret_old = is_old;
			}
			if (is_old)
				return found;
		}
		text += size + (text[size] == '\n');
	}
	return found;
}

uint64_t ag_memory_needed(uint64_t resident)
{
	const uint64_t spare = (uint64_t)64 << 20;

	/*
	 * Every page may be copied, and the JVM's table of tags may become half
	 * as large as the heap.
	 */
	return resident + resident / 2 + spare;
}

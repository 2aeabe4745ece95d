/* SPDX-License-Identifier: MIT */
/*
 * guard.h - whether a JVM may be forked, judged by what /proc and the control
 * groups say. Nothing here opens a file: the texts are passed in.
 */
#ifndef AG_GUARD_H
#define AG_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Why a dump was not made by a forked process. The numbers are also what
 * Agent_OnAttach returns, see hprof-agent(7): they do not change.
 */
enum ag_refusal {
	AG_MAY_FORK = 0,
	AG_UNKNOWN_JVM = 10,
	AG_UNKNOWN_LIBC = 11,
	AG_NO_FILTER = 12,
	AG_SHARED_HEAP = 13,
	AG_HUGE_PAGES = 14,
	AG_UNKNOWN_HEAP = 15,
	AG_CHAINED_SIGNALS = 16,
	AG_LITTLE_MEMORY = 17,
	AG_CANNOT_FORK = 18
};

/* A sentence without a full stop. */
const char *ag_refusal_text(enum ag_refusal refusal);

/* What /proc/PID/maps says. */
struct ag_maps {
	bool found;	      /* the address is in a mapping, of which: */
	bool is_shared;	      /* writes are seen by other processes */
	bool is_file;	      /* it has a name: a file, or huge pages */
	bool has_shared_heap; /* some mapping is a heap of ZGC */
	bool has_libjsig;
	/* The counters that the JVM shares with tools; 0 if there are none. */
	uint64_t counters, counters_end;
};

/* TEXT ends with a NUL. ADDRESS is that of an object. */
void ag_maps_read(const char *text, uint64_t address, struct ag_maps *ret);
enum ag_refusal ag_maps_judge(const struct ag_maps *maps);

#define AG_UNLIMITED UINT64_MAX

/*
 * The number behind NAME, as in "MemAvailable:  1234 kB", in bytes; ABSENT if
 * there is none.
 */
uint64_t ag_memory_line(const char *text, const char *name, uint64_t absent);

/*
 * How much memory can be had: MEMINFO is /proc/meminfo, OVERCOMMIT
 * /proc/sys/vm/overcommit_memory.
 */
uint64_t ag_system_room(const char *meminfo, const char *overcommit);

/*
 * How much a control group still gives. MOST is its memory.max or
 * memory.limit_in_bytes, USED its memory.current or memory.usage_in_bytes, STAT
 * its memory.stat; each may be NULL.
 */
uint64_t ag_group_room(const char *most, const char *used, const char *stat);

/*
 * Finds the path of the process's memory control group in /proc/PID/cgroup. It
 * points into TEXT and has *RET_SIZE bytes; NULL if there is none. *RET_OLD is
 * set for version 1.
 */
const char *ag_group_path(const char *text, size_t *ret_size, bool *ret_old);

/*
 * What a forked process may need in the worst case, if the JVM has RESIDENT
 * bytes of private memory.
 */
uint64_t ag_memory_needed(uint64_t resident);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * check.c - see check.h.
 */
#include "agent/fork/check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/common/hotspot.h"
#include "base/mem.h"

enum { FILE_MOST = 64 << 20 };

/* ---- files --------------------------------------------------------------- */

static ssize_t read_some(int fd, char *out, size_t room)
{
	ssize_t n;

	do
		n = read(fd, out, room);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Reads a file that has no size beforehand; NULL if it cannot be read. */
static char *read_file(const char *path)
{
	size_t room = 64 << 10, used = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? hp_alloc(room) : NULL;

	while (text) {
		ssize_t n = read_some(fd, text + used, room - used - 1);

		if (n <= 0)
			break;
		used += (size_t)n;
		if (room - used > 4096)
			continue;
		char *more = room < FILE_MOST ? hp_realloc(text, room *= 2, 1)
					      : NULL;
		if (!more) {
			hp_free(text);
			text = NULL;
			break;
		}
		text = more;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[used] = '\0';
	return text;
}

/* ---- memory -------------------------------------------------------------- */

static char *read_in(const char *folder, const char *name)
{
	char path[4352];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return read_file(path);
}

static uint64_t room_in(const char *folder, bool is_old)
{
	char *most = read_in(folder,
			     is_old ? "memory.limit_in_bytes" : "memory.max");
	char *used = read_in(folder, is_old ? "memory.usage_in_bytes"
					    : "memory.current");
	char *stat = read_in(folder, "memory.stat");
	uint64_t room = ag_group_room(most, used, stat);

	hp_free(most);
	hp_free(used);
	hp_free(stat);
	return room;
}

/*
 * The least room in the group of this process and those above it. In a
 * container the path may be that of the host, and only its root is there.
 */
static uint64_t groups_room(void)
{
	char *text = read_file("/proc/self/cgroup");
	uint64_t room = AG_UNLIMITED;
	char folder[4096];
	bool is_old = false;
	size_t size = 0;
	const char *path = ag_group_path(text, &size, &is_old);
	const char *root = is_old ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";

	if (path && size < sizeof folder - 64) {
		snprintf(folder, sizeof folder, "%s%.*s", root, (int)size,
			 path);
		while (strlen(folder) >= strlen(root)) {
			uint64_t here = room_in(folder, is_old);

			if (here < room)
				room = here;
			*strrchr(folder, '/') = '\0';
		}
	}
	hp_free(text);
	return room;
}

static void check_memory(struct ag_check *c)
{
	char *status = read_file("/proc/self/status");
	char *meminfo = read_file("/proc/meminfo");
	char *overcommit = read_file("/proc/sys/vm/overcommit_memory");
	uint64_t groups = groups_room();

	c->needed = ag_memory_needed(ag_memory_line(status, "RssAnon:", 0));
	c->room = ag_system_room(meminfo, overcommit);
	if (groups < c->room)
		c->room = groups;
	if (c->room < c->needed)
		c->refusal = AG_LITTLE_MEMORY;
	hp_free(status);
	hp_free(meminfo);
	hp_free(overcommit);
}

/* ---- the heap ------------------------------------------------------------ */

/*
 * Where an object lies: a local reference points to the address. Should some
 * JVM do it in another way, then this is no address in a mapping of its own,
 * and the fork is refused.
 */
static uint64_t address_of(jobject object)
{
	uintptr_t address = 0;

	if (object && ((uintptr_t)object & (sizeof address - 1)) == 0)
		memcpy(&address, (const void *)object, sizeof address);
	return address;
}

static void check_heap(jvmtiEnv *jvmti, JNIEnv *jni, struct ag_check *c)
{
	jthread thread = NULL;
	struct ag_maps maps;
	char *text;

	if ((*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE)
		thread = NULL;
	text = read_file("/proc/self/maps");
	ag_maps_read(text ? text : "", address_of(thread), &maps);
	hp_free(text);
	if (thread)
		(*jni)->DeleteLocalRef(jni, thread);
	c->refusal = ag_maps_judge(&maps);
	c->counters = maps.counters;
	c->counters_end = maps.counters_end;
}

/* ---- the rest ------------------------------------------------------------ */

/*
 * Forks in a row and killed children were tried with 11, 17, 21, 25 and 28. 12 to
 * 16 are forgotten and were not tried; their table of tags changed meanwhile.
 */
static bool is_known(jvmtiEnv *jvmti)
{
	jint version;

	if (!ag_is_hotspot(jvmti) ||
	    (*jvmti)->GetVersionNumber(jvmti, &version) != JVMTI_ERROR_NONE)
		return false;
	version = (version & JVMTI_VERSION_MASK_MAJOR) >>
		  JVMTI_VERSION_SHIFT_MAJOR;
	return version == 11 || version >= 17;
}

static bool has_glibc(void)
{
#ifdef __GLIBC__
	return true;
#else
	return false;
#endif
}

static bool has_filter(void)
{
	uint32_t action = SECCOMP_RET_TRAP;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

void ag_check_fork(jvmtiEnv *jvmti, JNIEnv *jni, struct ag_check *ret)
{
	*ret = (struct ag_check){ .refusal = AG_MAY_FORK };
	if (!is_known(jvmti))
		ret->refusal = AG_UNKNOWN_JVM;
	else if (!has_glibc())
		ret->refusal = AG_UNKNOWN_LIBC;
	else if (!has_filter())
		ret->refusal = AG_NO_FILTER;
	else
		check_heap(jvmti, jni, ret);
	if (ret->refusal == AG_MAY_FORK)
		check_memory(ret);
}

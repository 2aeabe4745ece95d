/* SPDX-License-Identifier: MIT */
/* target_files.c - see target_files.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/capture/target_files.h"

/* ---- paths -------------------------------------------------------------- */

/* Which way openat2 resolves a path. */
enum { IN_ROOT = 0x10, BENEATH = 0x08 };

/*
 * For kernels without openat2: component by component, and no links at all. The
 * path must not have "..".
 */
static int open_without_links(int base, const char *path, int flags)
{
	char name[256];
	int at = fcntl(base, F_DUPFD_CLOEXEC, 0);

	while (at >= 0) {
		size_t length;
		bool last;
		path += strspn(path, "/");
		length = strcspn(path, "/");
		last = path[length + strspn(path + length, "/")] == '\0';
		if (length >= sizeof(name) ||
		    (length == 2 && strncmp(path, "..", 2) == 0)) {
			close(at);
			errno = ELOOP;
			return -1;
		}
		memcpy(name, path, length);
		name[length] = '\0';
		int next = openat(at, length ? name : ".",
				  (last ? flags : O_PATH | O_DIRECTORY) |
					  O_NOFOLLOW | O_CLOEXEC);
		int why = errno;
		close(at);
		errno = why;
		if (last)
			return next;
		at = next;
		path += length;
	}
	return -1;
}

static int open_below(int base, const char *path, int flags, uint64_t resolve)
{
#ifdef SYS_openat2
	struct {
		uint64_t flags, mode, resolve;
	} how = { (uint64_t)(unsigned)flags, 0, resolve };
	long fd = syscall(SYS_openat2, base, path, &how, sizeof(how));

	if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
		return (int)fd;
#else
	(void)resolve;
#endif
	return open_without_links(base, path, flags);
}

/*
 * The links /proc/PID/root and cwd are followed with our own rights: they lead
 * to one directory, whatever its name is, and may be closed to the ids of the
 * process itself.
 */
static int open_base(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int target_open(pid_t pid, const struct target_ids *ids, const char *path,
		int flags)
{
	bool absolute = *path == '/';
	int base = open_base(pid, absolute ? "root" : "cwd"), fd = -1, why;
	struct own_ids own;

	if (base < 0)
		return -1;
	if (target_ids_assume(ids, &own)) {
		fd = open_below(base, path, flags | O_CLOEXEC,
				absolute ? IN_ROOT : BENEATH);
		target_ids_restore(&own);
	}
	why = errno;
	close(base);
	errno = why;
	return fd;
}

/* ---- contents ----------------------------------------------------------- */

/*
 * Opens for reading what FD, which was opened with O_PATH, is. To open a pipe
 * or a device would have effects, so the caller looks at it before.
 */
static int reopen(int fd, const struct target_ids *ids)
{
	char path[40];
	struct own_ids own;
	int result;

	if (!target_ids_assume(ids, &own))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	target_ids_restore(&own);
	return result;
}

static int open_regular(pid_t pid, const struct target_ids *ids,
			const char *path, bool only_its_own)
{
	int flags = O_PATH | (only_its_own ? O_NOFOLLOW : 0);
	int found = target_open(pid, ids, path, flags), fd = -1;
	struct stat info;

	if (found < 0)
		return -1;
	if (fstat(found, &info) == 0 && S_ISREG(info.st_mode) &&
	    (!only_its_own || info.st_uid == ids->uid))
		fd = reopen(found, ids);
	close(found);
	return fd;
}

static bool read_some(int fd, char *out, size_t most, size_t *ret_size)
{
	size_t used = 0;

	while (used < most) {
		ssize_t n = read(fd, out + used, most - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	out[used] = '\0';
	*ret_size = used;
	return true;
}

char *target_read(pid_t pid, const struct target_ids *ids, const char *path,
		  bool only_its_own, size_t most, size_t *ret_size)
{
	int fd = open_regular(pid, ids, path, only_its_own);
	char *bytes;

	if (fd < 0)
		return NULL;
	bytes = malloc(most + 1);
	if (bytes && !read_some(fd, bytes, most, ret_size)) {
		free(bytes);
		bytes = NULL;
	}
	close(fd);
	return bytes;
}

bool target_can_load(pid_t pid, const struct target_ids *ids, const char *path)
{
	struct stat ours, its;
	struct statvfs system;
	int fd = open_regular(pid, ids, path, false);
	bool can = fd >= 0 && fstat(fd, &its) == 0 && stat(path, &ours) == 0 &&
		   its.st_dev == ours.st_dev && its.st_ino == ours.st_ino &&
		   fstatvfs(fd, &system) == 0 && !(system.f_flag & ST_NOEXEC);

	if (fd >= 0)
		close(fd);
	return can;
}

/* SPDX-License-Identifier: MIT */
/* proc_file.c - see proc_file.h. */
#include "tools/capture/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int proc_open(pid_t pid, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, flags | O_CLOEXEC);
}

/* Reads FD to its end, up to ROOM - 1 bytes, and adds a NUL; -1 on failure. */
static ssize_t read_all(int fd, char *out, size_t room)
{
	size_t used = 0;

	while (used < room - 1) {
		ssize_t n = read(fd, out + used, room - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		used += (size_t)n;
	}
	out[used] = '\0';
	return (ssize_t)used;
}

ssize_t proc_read(pid_t pid, const char *name, char *out, size_t room)
{
	int fd = proc_open(pid, name, O_RDONLY);
	ssize_t size = -1;

	if (fd >= 0) {
		size = read_all(fd, out, room);
		close(fd);
	}
	return size;
}

/* SPDX-License-Identifier: MIT */
/*
 * agent_copy.c - see agent_copy.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/capture/agent_copy.h"

static const char prefix[] = "libhprof-agent-";

static ssize_t read_piece(int from, void *piece, size_t size)
{
	ssize_t n;

	do {
		n = read(from, piece, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

bool agent_copy_name(int from, char ret_name[AGENT_COPY_NAME])
{
	unsigned char piece[65536];
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
	ssize_t n;

	while ((n = read_piece(from, piece, sizeof(piece))) > 0)
		for (ssize_t i = 0; i < n; i++)
			hash = (hash ^ piece[i]) * 0x100000001b3;
	if (n < 0 || lseek(from, 0, SEEK_SET) != 0)
		return false;
	snprintf(ret_name, AGENT_COPY_NAME, "%s%016" PRIx64 ".so", prefix,
		 hash);
	return true;
}

bool agent_copy_is_name(const char *name)
{
	return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* A line of /proc/PID/maps: the path of a copy, whose name is gone, to RET. */
static bool is_copy(char *line, const char *name,
		    char ret_path[AGENT_COPY_PATH])
{
	static const char gone[] = " (deleted)";
	char *path = strstr(line, " /tmp/hprof-dump-");
	char *end = path ? strstr(path, gone) : NULL;
	size_t length = strlen(name);

	if (!end || end - ++path < (ssize_t)length ||
	    end - path >= AGENT_COPY_PATH ||
	    memcmp(end - length, name, length) != 0)
		return false;
	*end = '\0';
	strcpy(ret_path, path);
	return true;
}

bool agent_copy_find(pid_t pid, enum jvm_libc libc, const char *name,
		     char ret_path[AGENT_COPY_PATH])
{
	char maps[32], *line = NULL;
	size_t room = 0;
	bool found = false;
	FILE *file;

	if (libc != JVM_LIBC_GLIBC)
		return false;
	snprintf(maps, sizeof(maps), "/proc/%ld/maps", (long)pid);
	file = fopen(maps, "re");
	while (file && !found && getline(&line, &room, file) > 0)
		found = is_copy(line, name, ret_path);
	free(line);
	if (file)
		fclose(file);
	return found;
}

static bool copy_file(int from, int to)
{
	char piece[65536];
	ssize_t n;

	while ((n = read_piece(from, piece, sizeof(piece))) > 0) {
		for (ssize_t done = 0; done < n;) {
			ssize_t m = write(to, piece + done, (size_t)(n - done));
			if (m < 0 && errno == EINTR)
				continue;
			if (m <= 0)
				return false;
			done += m;
		}
	}
	return n == 0;
}

bool agent_copy_make(int from, int folder, const char *name)
{
	int to = openat(folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	bool good;

	if (to < 0)
		return false;
	good = copy_file(from, to) && fchmod(to, 0500) == 0;
	int why = errno;
	if (close(to) != 0 && good)
		return false;
	errno = why;
	return good;
}

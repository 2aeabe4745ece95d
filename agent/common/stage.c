/* SPDX-License-Identifier: MIT */
/*
 * stage.c - see stage.h.
 */
#include "agent/common/stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct path {
	char text[PATH_MAX + sizeof ".d"];
};

static struct path name_of(const char *part)
{
	struct path path;

	snprintf(path.text, sizeof path.text, "%s.d", part);
	return path;
}

/* Returns -1 unless it is a directory that nobody else can write to. */
static int open_own(const struct path *path)
{
	struct stat info;
	int fd = open(path->text,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
	    (info.st_mode & 077) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Is it the heap, or a part of it? */
static bool is_heap(const char *name)
{
	const size_t size = strlen(AG_STAGE_HEAP);

	return strncmp(name, AG_STAGE_HEAP, size) == 0 &&
	       (name[size] == '\0' || name[size] == '.');
}

/* Takes over the descriptor. */
static void clear(int fd)
{
	const struct dirent *entry;
	DIR *list = fdopendir(fd);

	if (!list) {
		close(fd);
		return;
	}
	while ((entry = readdir(list)) != NULL)
		if (is_heap(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	closedir(list);
}

void ag_stage_remove(const char *part)
{
	struct path path = name_of(part);
	int fd = open_own(&path);

	if (fd < 0)
		return;
	clear(fd);
	rmdir(path.text);
}

int ag_stage_open(const char *part)
{
	struct path path = name_of(part);

	if (mkdir(path.text, 0700) != 0)
		return -1;
	return open_own(&path);
}

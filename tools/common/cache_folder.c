/* SPDX-License-Identifier: MIT */
/* cache_folder.c - see cache_folder.h. */
#include "tools/common/cache_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/cli.h"

static char *join(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = cli_calloc(size, 1);

	snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* By the XDG Base Directory Specification; NULL: there is no home either. */
static char *users_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* Relative paths there are to be ignored. */
	if (cache && *cache == '/')
		return join(cache, "hprof");
	return home && *home ? join(home, ".cache/hprof") : NULL;
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder;

	if (!slash)
		return cli_strdup(".");
	folder = cli_strdup(path);
	folder[slash == path ? 1 : slash - path] = 0;
	return folder;
}

/* Creates PATH and what is missing above it, for the user alone. */
static bool create(char *path)
{
	struct stat info;

	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = 0;
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			*p = '/';
			return false;
		}
		*p = '/';
	}
	if (mkdir(path, 0700) == 0)
		return true;
	if (errno != EEXIST || stat(path, &info) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(info.st_mode);
}

char *cache_folder(const char *word, const char *path)
{
	char *folder;

	if (strcmp(word, "beside") == 0)
		return folder_of(path);
	folder = *word ? cli_strdup(word) : users_folder();
	if (!folder) {
		cli_message("--cache: there is no $HOME; nothing is kept");
		return NULL;
	}
	if (create(folder))
		return folder;
	cli_message("%s: %s; nothing is kept", folder, strerror(errno));
	free(folder);
	return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * agent_file.c - see agent_file.h.
 *
 * The agent will run with the rights of the JVM, so its place must be as safe as
 * that of the program. Somebody else can make a hard link to the program
 * wherever there is a directory to write to, and put an agent beside it: then
 * the agent has another owner than the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/capture/agent_file.h"

#define AGENT "libhprof-agent.so"

struct search {
	uid_t owner;		/* of the program */
	char parent[PATH_MAX];	/* of the folder of the program; "": unknown */
	char build[PATH_MAX];	/* its build tree; "": none */
	char refused[PATH_MAX]; /* an agent that is not safe; "": none */
};

/* Cuts off the last component of PATH. */
static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

static bool ends_with(const char *path, const char *end)
{
	size_t length = strlen(path), end_length = strlen(end);

	return length >= end_length &&
	       strcmp(path + length - end_length, end) == 0;
}

/* ---- safety ------------------------------------------------------------- */

static bool is_trusted(const struct search *search, const struct stat *info)
{
	return (info->st_uid == search->owner || info->st_uid == 0) &&
	       !(info->st_mode & S_IWOTH);
}

/* Can nobody replace a folder in PATH? In a sticky one others cannot. */
static bool has_safe_parents(const char *path)
{
	char folder[PATH_MAX];
	struct stat info;

	snprintf(folder, sizeof(folder), "%s", path);
	do {
		cut_name(folder);
		if (stat(*folder ? folder : "/", &info) != 0 ||
		    (info.st_mode & S_IWOTH && !(info.st_mode & S_ISVTX)))
			return false;
	} while (*folder);
	return true;
}

/* PATH is canonical. */
static bool is_safe(const struct search *search, const char *path)
{
	char folder[PATH_MAX];
	struct stat info;

	if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
	    !is_trusted(search, &info))
		return false;
	snprintf(folder, sizeof(folder), "%s", path);
	cut_name(folder);
	return stat(*folder ? folder : "/", &info) == 0 &&
	       is_trusted(search, &info) && has_safe_parents(path);
}

/* ---- places ------------------------------------------------------------- */

static bool try_folder(struct search *search, const char *base,
		       const char *folder, char out[PATH_MAX])
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s/" AGENT, base, folder) >=
		    (int)sizeof(path) ||
	    !realpath(path, out) || access(out, R_OK) != 0)
		return false;
	if (is_safe(search, out))
		return true;
	if (!search->refused[0])
		snprintf(search->refused, sizeof(search->refused), "%s", out);
	return false;
}

/* The configured library directory relative to the prefix, or NULL. */
static const char *configured_below_prefix(void)
{
	size_t length = strlen(EXEC_PREFIX);

	return strncmp(LIBDIR, EXEC_PREFIX, length) == 0 &&
			       LIBDIR[length] == '/'
		       ? &LIBDIR[length]
		       : NULL;
}

static bool try_beside(struct search *search, char out[PATH_MAX])
{
	const char *configured = configured_below_prefix();

	return try_folder(search, search->parent, "/lib", out) ||
	       (MULTIARCH[0] &&
		try_folder(search, search->parent, "/lib/" MULTIARCH, out)) ||
	       (configured &&
		try_folder(search, search->parent, configured, out));
}

/*
 * In the build tree the program is .../tools/hprof-dump or
 * .../tools/.libs/hprof-dump, and the agent is in .../agent/.libs/. Any
 * directory may be called tools, so this one must also be in a configured
 * build.
 */
static bool is_build(const struct search *search)
{
	char path[PATH_MAX];
	struct stat info;

	return snprintf(path, sizeof(path), "%s/config.status", search->build) <
		       (int)sizeof(path) &&
	       stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
	       is_trusted(search, &info);
}

static void begin(struct search *search)
{
	char folder[PATH_MAX] = "";
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	struct stat program;

	*search = (struct search){ .owner = geteuid() };
	if (length <= 0 || folder[0] != '/' ||
	    stat("/proc/self/exe", &program) != 0)
		return;
	search->owner = program.st_uid;
	folder[length] = '\0';
	cut_name(folder);
	snprintf(search->parent, sizeof(search->parent), "%s", folder);
	cut_name(search->parent);
	if (ends_with(folder, "/.libs"))
		cut_name(folder);
	if (!ends_with(folder, "/tools"))
		return;
	cut_name(folder);
	snprintf(search->build, sizeof(search->build), "%s", folder);
	if (!is_build(search))
		search->build[0] = '\0';
}

bool agent_file_find(char out[PATH_MAX], struct reason *reason)
{
	struct search search;
	char path[PATH_MAX];

	begin(&search);
	if (try_beside(&search, path) ||
	    (search.build[0] &&
	     try_folder(&search, search.build, "/agent/.libs", path)) ||
	    try_folder(&search, "", LIBDIR, path)) {
		strcpy(out, path);
		return true;
	}
	if (search.refused[0])
		return reason_set(reason,
				  "the agent %s is not safe to load: others "
				  "may write there (--agent)",
				  search.refused);
	return reason_set(reason,
			  "cannot find the agent " AGENT " in %s/lib or " LIBDIR
			  " (--agent)",
			  search.parent);
}

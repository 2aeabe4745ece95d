/* SPDX-License-Identifier: MIT */
/*
 * tempfile.c - see tempfile.h.
 */
#include "base/tempfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/utf8.h"

const char *hp_tempfile_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/var/tmp";
}

uint64_t hp_tempfile_room(void)
{
	struct statvfs fs;

	if (statvfs(hp_tempfile_folder(), &fs) != 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

enum hprof_status hp_tempfile_full(uint64_t bytes, struct hprof_error *error)
{
	const char *folder = hp_tempfile_folder();
	char shown[256];

	hp_text_escape(folder, __builtin_strlen(folder), shown, sizeof shown);
	if (!bytes)
		return hp_fail_errno(
			error, "no room for temporary files in '%s'", shown);
	return hp_fail_errno(error,
			     "no room for %llu MiB of temporary files in '%s'",
			     (unsigned long long)(bytes >> 20) + 1, shown);
}

enum hprof_status hp_tempfile_open(int *ret_fd, struct hprof_error *error)
{
	const char *folder = hp_tempfile_folder();
	char name[4096], shown[256];
	int fd = -1;

#ifdef O_TMPFILE
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
	if (fd < 0 && snprintf(name, sizeof name, "%s/hprofXXXXXX", folder) <
			      (int)sizeof name) {
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0)
			unlink(name);
	}
	if (fd >= 0) {
		*ret_fd = fd;
		return HPROF_OK;
	}
	hp_text_escape(folder, __builtin_strlen(folder), shown, sizeof shown);
	return hp_fail_errno(error, "cannot make a temporary file in '%s'",
			     shown);
}

/* SPDX-License-Identifier: MIT */
/*
 * export_part.c - a part file or directory that a form fills.
 *
 * As the library's part files, it is always created, locked while it is
 * written, and synced before it gets its name; an unfinished one is removed. If
 * a process was killed, the part that it left is removed by the next one. From
 * such a directory only tables are removed, so that nobody loses other files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/common/output_file.h"
#include "tools/export/export_heap.h"

static bool fail(const struct export_job *job, const char *what)
{
	cli_message("%s: %s: %s", job->out, what, strerror(errno));
	return false;
}

/* Is it the name of a table, such as "class.csv", or of an unfinished one? */
static bool is_table(const char *name)
{
	static const char *const ends[] = { ".csv", ".csv.part" };

	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		size_t size = strlen(hprof_table_info(i)->name);

		if (strncmp(hprof_table_info(i)->name, name, size) == 0 &&
		    (strcmp(name + size, ends[0]) == 0 ||
		     strcmp(name + size, ends[1]) == 0))
			return true;
	}
	return false;
}

/* Does FOLDER have only files that this program writes? */
static bool has_only_tables(const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	bool good = entries != NULL;

	while (good && (entry = readdir(entries)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0 &&
		    !is_table(entry->d_name)) {
			errno = ENOTEMPTY;
			good = false;
		}
	if (entries) {
		int why = errno;
		closedir(entries);
		errno = why;
	}
	return good;
}

/* Removes FOLDER and the tables in it. */
static bool remove_folder(const char *folder)
{
	int fd;
	char name[64];

	if (!has_only_tables(folder))
		return false;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		snprintf(name, sizeof(name), "%s.csv",
			 hprof_table_info(i)->name);
		unlinkat(fd, name, 0);
		snprintf(name, sizeof(name), "%s.csv.part",
			 hprof_table_info(i)->name);
		unlinkat(fd, name, 0);
	}
	close(fd);
	return rmdir(folder) == 0;
}

bool export_part_remove(const char *path, bool directory)
{
	return directory ? remove_folder(path) : unlink(path) == 0;
}

/* ---- beginning ----------------------------------------------------------- */

/* True if nothing has that name, or what has it may be replaced. */
static bool name_is_free(const struct export_part *part)
{
	struct stat info;

	if (stat(part->out, &info) != 0)
		return errno == ENOENT;
	errno = EEXIST;
	if (!part->force)
		return false;
	if (S_ISDIR(info.st_mode) != part->directory)
		errno = part->directory ? ENOTDIR : EISDIR;
	else if (S_ISDIR(info.st_mode))
		return has_only_tables(part->out);
	else if (S_ISREG(info.st_mode))
		return true;
	return false;
}

/* Whoever may read the directory may also search it. */
static mode_t folder_mode(mode_t mode)
{
	return mode | (mode & 0444) >> 2;
}

static int make(const struct export_part *part)
{
	mode_t mode = part->mode ? part->mode : 0666;

	if (!part->directory)
		return open(part->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			    mode);
	if (mkdir(part->part, folder_mode(mode)) != 0)
		return -1;
	return open(part->part,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Removes an old part unless a process is writing it. True if it is gone. */
static bool clear_old_part(const struct export_part *part)
{
	int fd = open(part->part,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool gone;

	if (fd < 0)
		return errno == ENOENT;
	gone = flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	       export_part_remove(part->part, part->directory);
	close(fd);
	return gone;
}

static bool make_part(struct export_part *part)
{
	part->fd = make(part);
	if (part->fd < 0 && errno == EEXIST && clear_old_part(part))
		part->fd = make(part);
	return part->fd >= 0 && flock(part->fd, LOCK_EX | LOCK_NB) == 0;
}

static void release(struct export_part *part)
{
	if (part->fd >= 0)
		close(part->fd);
	free(part->out);
	free(part->part);
}

bool export_part_begin(struct export_part *part, const struct export_job *job,
		       bool directory)
{
	*part = (struct export_part){ .fd = -1,
				      .directory = directory,
				      .force = job->force,
				      .mode = job->packing.mode };
	part->out = output_file_final(job->out);
	part->part = output_file_part(job->out);
	if (name_is_free(part) && make_part(part))
		return true;
	fail(job, directory ? "cannot create the directory"
			    : "cannot create the file");
	release(part);
	return false;
}

/* ---- the end ------------------------------------------------------------- */

static char *with_suffix(const char *out, const char *suffix)
{
	size_t size = strlen(out) + strlen(suffix) + 1;
	char *name = cli_calloc(size, 1);

	snprintf(name, size, "%s%s", out, suffix);
	return name;
}

/* Exchanges two names atomically, on file systems that can do that. */
static bool exchange(const char *a, const char *b)
{
#ifdef SYS_renameat2
	const unsigned exchanged = 2;

	return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, exchanged) == 0;
#else
	(void)a;
	(void)b;
	return false;
#endif
}

/*
 * The old directory is renamed, and renamed back if the new one cannot take its
 * place. Nothing is removed before the new one has its name.
 */
static bool replace_folder(const struct export_part *part)
{
	char *old = with_suffix(part->out, ".old");
	bool done = false;
	int why;

	if (rename(part->out, old) == 0) {
		done = rename(part->part, part->out) == 0;
		why = errno;
		if (done)
			remove_folder(old);
		else
			rename(old, part->out);
		errno = why;
	}
	why = errno;
	free(old);
	errno = why;
	return done;
}

static bool take_folder_name(const struct export_part *part)
{
	struct stat info;

	if (lstat(part->out, &info) != 0)
		return errno == ENOENT && rename(part->part, part->out) == 0;
	errno = EEXIST;
	if (!part->force || !has_only_tables(part->out))
		return false;
	if (!exchange(part->part, part->out))
		return replace_folder(part);
	remove_folder(part->part);
	return true;
}

/*
 * Does not replace a file that was created meanwhile, unless that is allowed.
 */
static bool take_name(const struct export_part *part)
{
	if (part->directory)
		return take_folder_name(part);
	if (part->force)
		return rename(part->part, part->out) == 0;
	if (link(part->part, part->out) == 0) {
		unlink(part->part);
		return true;
	}
	if (errno == EEXIST)
		return false;
	return access(part->out, F_OK) != 0 &&
	       rename(part->part, part->out) == 0;
}

/* Some file systems cannot sync. There the data are as safe as they can be. */
static bool is_on_disk(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	return result == 0 || errno == EINVAL || errno == ENOSYS ||
	       errno == ENOTSUP;
}

int export_part_end(struct export_part *part, const struct export_job *job,
		    int status)
{
	if (status != CLI_TROUBLE && !is_on_disk(part->fd)) {
		fail(job, "cannot write");
		status = CLI_TROUBLE;
	}
	if (status != CLI_TROUBLE && !take_name(part)) {
		fail(job, "cannot rename");
		status = CLI_TROUBLE;
	}
	if (status == CLI_TROUBLE)
		export_part_remove(part->part, part->directory);
	release(part);
	return status;
}

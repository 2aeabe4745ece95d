/* SPDX-License-Identifier: MIT */
/*
 * sink_file.c - a file that appears whole or not at all, a descriptor, a
 * callback.
 *
 * The file is written as PATH.part, which is locked meanwhile: a part file left
 * by a killed process is removed, one that is being written is not touched. The
 * part file is always created anew, so that no existing file, mode or link is
 * used. It is synced before it is renamed: after a power failure, file systems
 * may have kept the new name but not the data.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "io/sink.h"

struct file_sink {
	struct hp_sink sink;
	int fd;
	bool owned;
	char *part; /* NULL: written directly */
	char *path;
	bool new_only;
	bool keep_part;
	bool no_sync;
	bool written; /* at least one byte */
	bool given_up;
};

static enum hprof_status file_write(struct hp_sink *sink, const void *bytes,
				    size_t size)
{
	struct file_sink *f = (struct file_sink *)sink;
	const char *p = bytes;

	while (size > 0) {
		ssize_t n = write(f->fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hp_fail_errno(&sink->error, "cannot write");
		p += n;
		size -= (size_t)n;
		f->written = true;
	}
	return HPROF_OK;
}

/*
 * Creates TO as a new, empty file, which fails if the name is taken, and then
 * replaces it.
 */
static bool rename_over_own(const char *from, const char *to)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	close(fd);
	if (rename(from, to) == 0)
		return true;
	int why = errno;
	unlink(to);
	errno = why;
	return false;
}

/* Not every C library has renameat2. */
static bool rename_exclusively(const char *from, const char *to)
{
#ifdef SYS_renameat2
	const unsigned no_replace = 1;

	return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to,
		       no_replace) == 0;
#else
	(void)from;
	(void)to;
	errno = ENOSYS;
	return false;
#endif
}

/*
 * Renames without ever replacing a file. Not every kernel and file system can
 * do that atomically, and not every file system has hard links. False: see
 * errno.
 */
static bool rename_new(const char *from, const char *to)
{
	if (rename_exclusively(from, to))
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (link(from, to) == 0) {
		unlink(from);
		return true;
	}
	return errno != EEXIST && rename_over_own(from, to);
}

static bool take_name(const struct file_sink *f)
{
	return f->new_only ? rename_new(f->part, f->path)
			   : rename(f->part, f->path) == 0;
}

/*
 * Some file systems report a full disk only in close(). A duplicate descriptor
 * is closed here, so that the lock is kept.
 */
static bool all_is_written(int fd)
{
	int copy = dup(fd);

	return copy < 0 || close(copy) == 0;
}

/* Syncs FD. File systems that cannot sync do not count as a failure. */
static bool is_on_disk(int fd)
{
	int result;

	do
		result = fsync(fd);
	while (result != 0 && errno == EINTR);
	return result == 0 || errno == EINVAL || errno == ENOSYS ||
	       errno == ENOTSUP;
}

static enum hprof_status file_finish(struct hp_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (!f->owned)
		return HPROF_OK;
	bool named = f->part && !f->given_up;
	if (!all_is_written(f->fd) ||
	    (named && !f->no_sync && !is_on_disk(f->fd)))
		return hp_fail_errno(&sink->error, "cannot write");
	if (named && !take_name(f))
		return hp_fail_errno(&sink->error, "cannot rename");
	hp_free(f->part);
	f->part = NULL;
	close(f->fd);
	f->fd = -1;
	return HPROF_OK;
}

static void file_close(struct hp_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (f->part && f->fd >= 0 && !(f->keep_part && f->written))
		unlink(f->part);
	if (f->owned && f->fd >= 0)
		close(f->fd);
	hp_free(f->part);
	hp_free(f->path);
	hp_free(f);
}

static const struct hp_sink_ops file_ops = { file_write, file_finish,
					     file_close };

enum hprof_status hp_sink_fd(int fd, struct hp_sink **ret,
			     struct hprof_error *error)
{
	struct file_sink *f = hp_calloc(1, sizeof *f);

	if (!f)
		return hp_no_memory(error);
	f->sink.ops = &file_ops;
	f->fd = fd;
	*ret = &f->sink;
	return HPROF_OK;
}

/* True if FD, which was opened as PATH, is still the file at PATH. */
static bool is_named(int fd, const char *path)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 && lstat(path, &named) == 0 &&
	       open_one.st_dev == named.st_dev &&
	       open_one.st_ino == named.st_ino;
}

/* File systems without locks do not count as a failure. */
static enum hprof_status lock_part(int fd, struct hprof_error *error)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return HPROF_OK;
	return hp_fail_errno(error, "the part file is being written by another "
				    "process");
}

/* Removes an old part file, unless it is locked or not a regular file. */
static enum hprof_status remove_old_part(const char *part,
					 struct hprof_error *error)
{
	struct stat info;
	enum hprof_status status;
	int fd = open(part, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT
			       ? HPROF_OK
			       : hp_fail_errno(error, "cannot open the old "
						      "part file");
	status = lock_part(fd, error);
	if (status == HPROF_OK && fstat(fd, &info) == 0 &&
	    !S_ISREG(info.st_mode)) {
		errno = EEXIST;
		status = hp_fail_errno(error, "the part file is no file");
	}
	/* Its owner may just have renamed it. */
	if (status == HPROF_OK && is_named(fd, part) && unlink(part) != 0)
		status =
			hp_fail_errno(error, "cannot remove the old part file");
	close(fd);
	return status;
}

/* Makes and locks the part file. */
static enum hprof_status open_part(struct file_sink *f, mode_t mode,
				   struct hprof_error *error)
{
	enum { TRIES = 100 }; /* other processes may do the same */

	for (unsigned i = 0; i < TRIES; i++) {
		int fd = open(f->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			      mode);
		if (fd < 0 && errno != EEXIST)
			return hp_fail_errno(error, "cannot create the file");
		if (fd < 0) {
			HP_TRY(remove_old_part(f->part, error));
			continue;
		}
		enum hprof_status status = lock_part(fd, error);
		if (status == HPROF_OK && is_named(fd, f->part)) {
			f->fd = fd;
			return HPROF_OK;
		}
		close(fd);
		HP_TRY(status);
	}
	errno = EBUSY;
	return hp_fail_errno(error, "cannot create the file");
}

/* The file gets exactly MODE, or 0666 less the umask if MODE is -1. */
static enum hprof_status make_part(struct file_sink *f, int mode,
				   struct hprof_error *error)
{
	size_t size = strlen(f->path) + sizeof ".part";

	f->part = hp_alloc(size);
	if (!f->part)
		return hp_no_memory(error);
	snprintf(f->part, size, "%s.part", f->path);
	/* It must never be readable by more users than in the end. */
	HP_TRY(open_part(f, mode < 0 ? 0666 : 0600, error));
	if (mode >= 0 && fchmod(f->fd, (mode_t)mode) != 0)
		return hp_fail_errno(error, "cannot set the file's mode");
	return HPROF_OK;
}

/* Resolves symbolic links, so that their target is replaced, not the link. */
static enum hprof_status follow_links(struct file_sink *f,
				      struct hprof_error *error)
{
	char target[PATH_MAX];
	struct stat info;

	if (lstat(f->path, &info) != 0 || !S_ISLNK(info.st_mode))
		return HPROF_OK;
	if (!realpath(f->path, target))
		return hp_fail_errno(error, "cannot follow the link");
	hp_free(f->path);
	f->path = hp_strdup(target);
	if (!f->path)
		return hp_no_memory(error);
	return HPROF_OK;
}

static enum hprof_status open_file(struct file_sink *f, unsigned new_mode,
				   struct hprof_error *error)
{
	struct stat info;

	if (f->new_only && lstat(f->path, &info) == 0) {
		errno = EEXIST;
		return hp_fail_errno(error, "cannot create the file");
	}
	bool exists = stat(f->path, &info) == 0;
	if (!exists && (errno != ENOENT || !*f->path))
		return hp_fail_errno(error, "cannot create the file");
	if (exists && S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		return hp_fail_errno(error, "cannot create the file");
	}
	if (exists && !S_ISREG(info.st_mode)) {
		f->fd = open(f->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return f->fd >= 0 ? HPROF_OK
				  : hp_fail_errno(error, "cannot open");
	}
	HP_TRY(follow_links(f, error));
	return make_part(f,
			 exists	    ? (int)(info.st_mode & 0777)
			 : new_mode ? (int)new_mode
				    : -1,
			 error);
}

bool hp_sink_path_give_up(struct hp_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (sink->ops != &file_ops)
		return false;
	f->given_up = true;
	return f->part != NULL;
}

int hp_sink_path_descriptor(const struct hp_sink *sink)
{
	return ((const struct file_sink *)sink)->fd;
}

const char *hp_sink_path_part(const struct hp_sink *sink)
{
	return ((const struct file_sink *)sink)->part;
}

/* FD is locked before it has the name: the part file is never without lock. */
static bool replace_part(const struct file_sink *f, int fd, int directory,
			 const char *name)
{
	struct stat info;

	flock(fd, LOCK_EX | LOCK_NB); /* nobody else knows the file */
	return fstat(f->fd, &info) == 0 &&
	       fchmod(fd, info.st_mode & 0777) == 0 &&
	       is_named(f->fd, f->part) &&
	       renameat(directory, name, AT_FDCWD, f->part) == 0;
}

enum hprof_status hp_sink_path_adopt(struct hp_sink *sink, int directory,
				     const char *name)
{
	struct file_sink *f = (struct file_sink *)sink;
	int fd = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	assert(f->part && !f->written);
	if (fd >= 0 && replace_part(f, fd, directory, name)) {
		close(f->fd);
		f->fd = fd;
		return HPROF_OK;
	}
	hp_fail_errno(&sink->error, "cannot take over the file");
	if (fd >= 0)
		close(fd);
	return sink->error.status;
}

enum hprof_status hp_sink_path_amend(struct hp_sink *sink, uint64_t at,
				     const void *bytes, size_t size)
{
	const struct file_sink *f = (const struct file_sink *)sink;
	const char *p = bytes;

	assert(f->part);
	while (size > 0) {
		ssize_t n = pwrite(f->fd, p, size, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return hp_fail_errno(&sink->error, "cannot write");
		p += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return HPROF_OK;
}

enum hprof_status hp_sink_path_cut(struct hp_sink *sink, uint64_t end)
{
	const struct file_sink *f = (const struct file_sink *)sink;

	assert(f->part);
	if (ftruncate(f->fd, (off_t)end) == 0 &&
	    lseek(f->fd, (off_t)end, SEEK_SET) >= 0)
		return HPROF_OK;
	return hp_fail_errno(&sink->error, "cannot write");
}

enum hprof_status hp_sink_path(const char *path,
			       const struct hprof_writer_options *options,
			       struct hp_sink **ret, struct hprof_error *error)
{
	struct file_sink *f = hp_calloc(1, sizeof *f);
	enum hprof_status status;

	if (f)
		f->path = hp_strdup(path);
	if (!f || !f->path) {
		hp_free(f);
		return hp_no_memory(error);
	}
	f->sink.ops = &file_ops;
	f->owned = true;
	f->new_only = options->new_only;
	f->keep_part = options->keep_part;
	f->no_sync = options->no_sync;
	f->fd = -1;
	status = open_file(f, options->mode, error);
	if (status != HPROF_OK) {
		file_close(&f->sink);
		return status;
	}
	*ret = &f->sink;
	return HPROF_OK;
}

/* ---- callback ------------------------------------------------------------ */

struct callback_sink {
	struct hp_sink sink;
	hprof_write_fn *write;
	void *user;
};

static enum hprof_status callback_write(struct hp_sink *sink, const void *bytes,
					size_t size)
{
	struct callback_sink *c = (struct callback_sink *)sink;

	if (c->write(c->user, bytes, size) == 0)
		return HPROF_OK;
	return hp_fail_errno(&sink->error, "cannot write");
}

static enum hprof_status callback_finish(struct hp_sink *sink)
{
	(void)sink;
	return HPROF_OK;
}

static void callback_close(struct hp_sink *sink)
{
	hp_free(sink);
}

static const struct hp_sink_ops callback_ops = { callback_write,
						 callback_finish,
						 callback_close };

enum hprof_status hp_sink_callback(hprof_write_fn *write, void *user,
				   struct hp_sink **ret,
				   struct hprof_error *error)
{
	struct callback_sink *c = hp_calloc(1, sizeof *c);

	if (!c)
		return hp_no_memory(error);
	c->sink.ops = &callback_ops;
	c->write = write;
	c->user = user;
	*ret = &c->sink;
	return HPROF_OK;
}

/*
 * sink_file.c - a file that appears whole or not at all, a descriptor, a
 * callback.
 *
 * The file is written as PATH.part and locked meanwhile, so that a part left
 * by a killed process is taken over, but not one that is being written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "mem.h"
#include "sink.h"

struct file_sink {
	struct hp_sink sink;
	int fd;
	bool owned;
	char *part; /* NULL: written directly */
	char *path;
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
	}
	return HPROF_OK;
}

static enum hprof_status file_finish(struct hp_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;
	int fd = f->fd;

	if (!f->owned)
		return HPROF_OK;
	f->fd = -1;
	/* The name first, while the lock still holds. */
	if (f->part && rename(f->part, f->path) != 0) {
		f->fd = fd;
		return hp_fail_errno(&sink->error, "cannot rename");
	}
	hp_free(f->part);
	f->part = NULL;
	if (close(fd) != 0)
		return hp_fail_errno(&sink->error, "cannot close");
	return HPROF_OK;
}

static void file_close(struct hp_sink *sink)
{
	struct file_sink *f = (struct file_sink *)sink;

	if (f->part && f->fd >= 0)
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
		return hp_fail(error, HPROF_E_NOMEM, HP_NO_OFFSET,
			       "out of memory");
	f->sink.ops = &file_ops;
	f->fd = fd;
	*ret = &f->sink;
	return HPROF_OK;
}

/* Opens and locks the part file. */
static enum hprof_status open_part(struct file_sink *f, mode_t mode,
				   struct hprof_error *error)
{
	f->fd = open(f->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		     mode);
	if (f->fd < 0)
		return hp_fail_errno(error, "cannot create the file");
	if (flock(f->fd, LOCK_EX | LOCK_NB) != 0) {
		enum hprof_status status = hp_fail_errno(
			error, "the part file is being written by another "
			       "process");
		close(f->fd);
		f->fd = -1;
		return status;
	}
	if (ftruncate(f->fd, 0) != 0)
		return hp_fail_errno(error, "cannot create the file");
	return HPROF_OK;
}

static enum hprof_status open_file(struct file_sink *f,
				   struct hprof_error *error)
{
	struct stat info;
	bool exists = stat(f->path, &info) == 0;
	size_t size = strlen(f->path) + sizeof ".part";

	if (exists && S_ISDIR(info.st_mode)) {
		errno = EISDIR;
		return hp_fail_errno(error, "cannot create the file");
	}
	if (exists && !S_ISREG(info.st_mode)) {
		f->fd = open(f->path, O_WRONLY | O_CLOEXEC);
		return f->fd >= 0 ? HPROF_OK :
				    hp_fail_errno(error, "cannot open");
	}
	f->part = hp_alloc(size);
	if (!f->part)
		return hp_fail(error, HPROF_E_NOMEM, HP_NO_OFFSET,
			       "out of memory");
	snprintf(f->part, size, "%s.part", f->path);
	HP_TRY(open_part(f, 0666, error));
	if (exists && fchmod(f->fd, info.st_mode & 07777) != 0)
		return hp_fail_errno(error, "cannot keep the file's mode");
	return HPROF_OK;
}

enum hprof_status hp_sink_path(const char *path, struct hp_sink **ret,
			       struct hprof_error *error)
{
	struct file_sink *f = hp_calloc(1, sizeof *f);
	enum hprof_status status;

	if (f)
		f->path = hp_strdup(path);
	if (!f || !f->path) {
		hp_free(f);
		return hp_fail(error, HPROF_E_NOMEM, HP_NO_OFFSET,
			       "out of memory");
	}
	f->sink.ops = &file_ops;
	f->owned = true;
	f->fd = -1;
	status = open_file(f, error);
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

static enum hprof_status callback_write(struct hp_sink *sink,
					const void *bytes, size_t size)
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
		return hp_fail(error, HPROF_E_NOMEM, HP_NO_OFFSET,
			       "out of memory");
	c->sink.ops = &callback_ops;
	c->write = write;
	c->user = user;
	*ret = &c->sink;
	return HPROF_OK;
}

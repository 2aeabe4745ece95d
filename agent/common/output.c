/* SPDX-License-Identifier: MIT */
/*
 * output.c - see output.h.
 *
 * Dump 0 goes to FILE, the next to FILE.1, FILE.2 ... Without force= a name is
 * skipped if a file has it, or if its .part file is being written or may not be
 * removed. The writer itself makes these checks when it creates the file, so
 * there is no race.
 *
 * A device cannot be numbered: without force= it is refused. A named pipe that
 * exists already is skipped like a file.
 */
#include "agent/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent/common/connection.h"
#include "agent/common/log.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "io/sink.h"
#include "stream/writer.h"

enum {
	NUMBERS = 10000, /* names to try */
	READER_S = 10,	 /* how long to wait for a pipe's reader */
	POLL_MS = 20
};

/*
 * A name under construction. Once it is too long it is incomplete and not used.
 */
struct name {
	char text[PATH_MAX];
	size_t used;
	bool too_long;
};

static __attribute__((format(printf, 2, 3))) void
append(struct name *name, const char *format, ...)
{
	size_t room = sizeof name->text - name->used;
	va_list values;
	int n;

	va_start(values, format);
	n = vsnprintf(name->text + name->used, room, format, values);
	va_end(values);
	if (n < 0 || (size_t)n >= room)
		name->too_long = true;
	else
		name->used += (size_t)n;
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/*
 * Can this name be numbered? Yes for a file or nothing; no for pipes, devices.
 */
static bool is_file(const char *path)
{
	struct stat info;

	return stat(path, &info) != 0 || S_ISREG(info.st_mode);
}

static bool is_device(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 &&
	       (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

static bool is_pipe(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISFIFO(info.st_mode);
}

/*
 * Opening a pipe blocks until it has a reader, which may be never, and
 * meanwhile the JVM could not even exit. So this polls for a reader. The
 * descriptor that it returns keeps the reader from seeing end of file before
 * the writer has opened its own. Returns -1 with the reason if no reader comes
 * in time.
 */
static int wait_for_reader(const char *path, struct hprof_error *error)
{
	const struct timespec pause = { .tv_nsec = POLL_MS * 1000000 };
	int fd;

	for (int waited = 0; waited < READER_S * 1000; waited += POLL_MS) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (errno != ENXIO && errno != EINTR)
			break;
		nanosleep(&pause, NULL);
	}
	if (errno == ENXIO)
		hp_fail(error, HPROF_E_SYS, HP_NO_OFFSET,
			"nobody has read from the pipe for %d seconds",
			READER_S);
	else
		hp_fail_errno(error, "cannot open the pipe");
	return -1;
}

/* Appends FILE, with %p replaced by the process id and %% by %. */
static void expand(struct name *name, const char *file)
{
	for (; *file; file++) {
		if (file[0] == '%' && file[1] == 'p')
			append(name, "%ld", (long)getpid());
		else if (file[0] == '%' && file[1] == '%')
			append(name, "%%");
		else
			append(name, "%c", *file);
		if (file[0] == '%' && (file[1] == 'p' || file[1] == '%'))
			file++;
	}
}

/* The name of the first dump. */
static void make_name(struct name *name, const char *file)
{
	name->used = 0;
	name->too_long = false;
	name->text[0] = '\0';
	expand(name, file ? file : "");
	if (file && !is_directory(name->text))
		return;
	if (file)
		append(name, "/");
	append(name, "java_pid%ld.hprof", (long)getpid());
}

/* A writer or a sink alone; either waits for a reader if PATH is a pipe. */
static enum hprof_status try_open(const char *path,
				  const struct hprof_writer_options *options,
				  bool claim, struct ag_output *out,
				  struct hprof_error *error)
{
	enum hprof_status status;
	int reader = -1;

	if (is_pipe(path) && !options->new_only) {
		reader = wait_for_reader(path, error);
		if (reader < 0)
			return error->status;
	}
	status =
		claim ? hp_sink_path(path, options, &out->claim, error)
		      : hprof_writer_create(path, options, &out->writer, error);
	if (reader >= 0)
		close(reader);
	return status;
}

static enum hprof_status try_path(const char *path, bool force, bool claim,
				  struct ag_output *out,
				  struct hprof_error *error)
{
	const struct hprof_writer_options options = {
		.size = sizeof options,
		.mode = 0600,
		.new_only = !force,
		.no_sync = claim, /* as the JVM itself does not */
	};

	hp_free(out->path);
	out->path = hp_strdup(path);
	if (!out->path)
		return hp_no_memory(error);
	if (is_device(path) && !force)
		return hp_fail(error, HPROF_E_SYS, HP_NO_OFFSET,
			       "it is a device (force=y writes to it)");
	return try_open(path, &options, claim, out, error);
}

/*
 * The name is in use, or being written to just now; or its .part file is not
 * ours to remove: a link, a directory, another user's file.
 */
static bool is_taken(const char *path, const struct hprof_error *error)
{
	char part[PATH_MAX + sizeof ".part"];
	struct stat info;

	if (error->status != HPROF_E_SYS)
		return false;
	if (error->sys_errno == EEXIST || error->sys_errno == EWOULDBLOCK)
		return true;
	snprintf(part, sizeof part, "%s.part", path);
	return (error->sys_errno == ELOOP || error->sys_errno == EISDIR ||
		error->sys_errno == EACCES || error->sys_errno == EPERM) &&
	       lstat(part, &info) == 0;
}

/* The name that is free, with a writer, or the name alone. */
static enum hprof_status take_name(const char *file, bool force, bool claim,
				   unsigned number, struct ag_output *ret,
				   struct hprof_error *error)
{
	struct name name;
	size_t stem;

	*ret = (struct ag_output){ 0 };
	make_name(&name, file);
	if (force && !is_file(name.text))
		number = 0;
	stem = name.used;
	for (unsigned tries = 0; !name.too_long; tries++, number++) {
		enum hprof_status status;

		name.used = stem;
		name.text[stem] = '\0';
		if (number > 0)
			append(&name, ".%u", number);
		if (name.too_long)
			break;
		status = try_path(name.text, force, claim, ret, error);
		if (status == HPROF_OK || force ||
		    !is_taken(name.text, error) || tries == NUMBERS)
			return status;
	}
	errno = ENAMETOOLONG;
	return hp_fail_errno(error, "cannot create the file");
}

enum hprof_status ag_output_open(const char *file, bool force, unsigned number,
				 struct ag_output *ret,
				 struct hprof_error *error)
{
	return take_name(file, force, false, number, ret, error);
}

enum hprof_status ag_output_claim(const char *file, bool force, unsigned number,
				  struct ag_output *ret,
				  struct hprof_error *error)
{
	return take_name(file, force, true, number, ret, error);
}

bool ag_output_is_file(const char *file)
{
	struct name name;

	make_name(&name, file);
	return is_file(name.text);
}

enum hprof_status ag_output_connected(struct ag_connection *connection,
				      struct ag_output *ret,
				      struct hprof_error *error)
{
	enum hprof_status status;

	*ret = (struct ag_output){ .path = hp_strdup(connection->name) };
	if (!ret->path)
		return hp_no_memory(error);
	status = connection->text
			 ? ag_connection_begin_text(connection, &ret->claim,
						    error)
			 : ag_connection_begin(connection, &ret->writer, error);
	if (status == HPROF_OK)
		ret->connection = connection;
	return status;
}

enum hprof_status ag_output_finish(struct ag_output *output)
{
	struct hp_sink *claim = output->claim;
	enum hprof_status status = claim ? claim->ops->finish(claim)
					 : hprof_writer_finish(output->writer);

	output->finished = status == HPROF_OK;
	return status;
}

int ag_output_descriptor(const struct ag_output *output)
{
	return output->connection ? output->connection->fd
				  : hp_writer_descriptor(output->writer);
}

enum hprof_status ag_output_name(struct ag_output *output)
{
	enum hprof_status status = hp_writer_name_part(output->writer);

	output->finished = status == HPROF_OK;
	return status;
}

const char *ag_output_error(const struct ag_output *output)
{
	const struct hprof_error *error =
		output->claim ? &output->claim->error
			      : hprof_writer_error(output->writer);

	return error->status ? error->text : "out of memory";
}

void ag_output_close(struct ag_output *output)
{
	if (output->connection) {
		ag_connection_end(output->connection, output->writer,
				  output->claim, output->finished);
	} else {
		hprof_writer_free(output->writer);
		hp_sink_close(output->claim);
	}
	if (output->nameless > 0)
		close(output->nameless);
	hp_free(output->path);
	*output = (struct ag_output){ 0 };
}

void ag_output_say_failed(const char *what, const char *path, const char *why)
{
	char shown[512];

	hp_text_escape(path ? path : "", path ? strlen(path) : 0, shown,
		       sizeof shown);
	ag_log("%s%sno %s: %s", shown, shown[0] ? ": " : "", what, why);
}

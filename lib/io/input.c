/* SPDX-License-Identifier: MIT */
/*
 * input.c - see input.h.
 *
 * Whether an input can be read twice is found out without reading from it:
 * regular files and memory can be. For a descriptor the position decides, since
 * a file that has been read from before is read in order from there on.
 */
#include "io/input.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/tempfile.h"
#include "base/thread.h"
#include "io/window.h"

/* ---- arguments ----------------------------------------------------------- */

/* What is wrong with INPUT, or NULL. */
static const char *find_fault(const struct hprof_input *input)
{
	static const unsigned char none[sizeof input->reserved];

	if ((unsigned)input->kind > HPROF_INPUT_CALLBACK)
		return "kind is not one that there is";
	if (input->kind == HPROF_INPUT_PATH && !input->path)
		return "path is NULL";
	if (input->kind == HPROF_INPUT_FD && input->fd < 0)
		return "fd is negative";
	if (input->kind == HPROF_INPUT_MEMORY && !input->bytes &&
	    input->byte_count)
		return "bytes is NULL";
	if (input->kind == HPROF_INPUT_MEMORY &&
	    input->byte_count > PTRDIFF_MAX)
		return "byte_count is larger than memory can be";
	if (input->kind == HPROF_INPUT_CALLBACK && !input->read)
		return "read is NULL";
	if (memcmp(input->reserved, none, sizeof none) != 0)
		return "reserved is not 0";
	return NULL;
}

enum hprof_status hp_input_take(const struct hprof_input *given,
				struct hprof_input *ret,
				struct hprof_error *error)
{
	struct hprof_input input;
	const char *fault;

	if (!given)
		return hp_bad_argument(error, "input", "is NULL");
	if (!hp_options_take(given, &input, sizeof input))
		return hp_bad_argument(error, "input",
				       "size is wrong, or it has members that "
				       "this version of the library does not "
				       "know");
	fault = find_fault(&input);
	if (fault)
		return hp_bad_argument(error, "input", fault);
	input.threads = hp_thread_count(input.threads);
	*ret = input;
	return HPROF_OK;
}

void hp_input_split_number(char *path, unsigned *dump)
{
	struct stat info;
	char *hash = strrchr(path, '#');
	char *end;

	if (!hash || hash == path || hash[1] < '0' || hash[1] > '9')
		return;
	if (stat(path, &info) == 0)
		return;
	unsigned long n = strtoul(hash + 1, &end, 10);
	if (*end || n == 0 || n > 1000000)
		return;
	*hash = '\0';
	*dump = (unsigned)n;
}

enum hprof_status hp_input_split(const struct hprof_input *input,
				 char **ret_path, unsigned *ret_dump,
				 struct hprof_error *error)
{
	unsigned dump = 0;
	char *path = NULL;

	if (input->kind == HPROF_INPUT_PATH) {
		path = hp_strdup(input->path);
		if (!path)
			return hp_no_memory(error);
		hp_input_split_number(path, &dump);
		if (strcmp(path, "-") == 0) {
			hp_free(path);
			path = NULL;
		}
	}
	*ret_path = path;
	*ret_dump = input->dump ? input->dump : dump;
	return HPROF_OK;
}

/* ---- opening ------------------------------------------------------------- */

static enum hprof_status open_path(const char *path, struct hp_source **ret,
				   struct hprof_error *error)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (fd < 0)
		return hp_fail_errno(error, "cannot open");
	return hp_source_fd(fd, path != NULL, ret, error);
}

enum hprof_status hp_input_bottom(const struct hprof_input *input,
				  const char *path, struct hp_source **ret,
				  struct hprof_error *error)
{
	switch (input->kind) {
	case HPROF_INPUT_FD:
		return hp_source_fd(input->fd, false, ret, error);
	case HPROF_INPUT_MEMORY:
		return hp_source_memory(input->bytes, (size_t)input->byte_count,
					ret, error);
	case HPROF_INPUT_CALLBACK:
		return hp_source_callback(input->read, input->read_user, ret,
					  error);
	case HPROF_INPUT_PATH:
		break;
	}
	return open_path(path, ret, error);
}

/* ---- reading twice ------------------------------------------------------- */

static enum hprof_status is_regular_path(const struct hprof_input *input,
					 bool *ret_regular,
					 struct hprof_error *error)
{
	struct stat info;
	unsigned dump;
	char *path;

	HP_TRY(hp_input_split(input, &path, &dump, error));
	*ret_regular = path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
	hp_free(path);
	return HPROF_OK;
}

enum hprof_status hp_input_repeatable(const struct hprof_input *input,
				      bool *ret_repeatable,
				      struct hprof_error *error)
{
	struct stat info;

	if (input->kind == HPROF_INPUT_PATH)
		return is_regular_path(input, ret_repeatable, error);
	if (input->kind == HPROF_INPUT_FD)
		*ret_repeatable = fstat(input->fd, &info) == 0 &&
				  S_ISREG(info.st_mode) &&
				  lseek(input->fd, 0, SEEK_CUR) == 0;
	else
		*ret_repeatable = input->kind == HPROF_INPUT_MEMORY;
	return HPROF_OK;
}

enum hprof_status hp_input_progress(const struct hprof_input *input,
				    const char *phase, uint64_t done,
				    uint64_t total, struct hprof_error *error)
{
	if (!input->progress ||
	    input->progress(input->progress_user, phase, done, total))
		return HPROF_OK;
	return hp_cancelled(error);
}

/* Copies all bytes of SOURCE to FD. */
static enum hprof_status copy_source(const struct hprof_input *input,
				     struct hp_source *source, int fd,
				     struct hprof_error *error)
{
	enum { STEP = 4 << 20 };
	struct hp_window window;
	uint64_t next = 0;
	enum hprof_status status = hp_window_init(&window, source, 0);
	size_t n;

	window.copy_fd = fd;
	if (status != HPROF_OK)
		*error = window.error;
	while (status == HPROF_OK && (n = hp_window_need(&window, 1)) > 0) {
		hp_window_consume(&window, n);
		if (window.offset < next)
			continue;
		next = window.offset + STEP;
		status = hp_input_progress(input, "copy", window.offset,
					   source->file_size, error);
	}
	if (status == HPROF_OK && window.status < 0) {
		*error = window.error;
		status = window.status;
	}
	hp_window_done(&window);
	return status;
}

enum hprof_status hp_input_copy(struct hprof_input *input, int *ret_fd,
				struct hprof_error *error)
{
	struct hp_source *source;
	enum hprof_status status;
	unsigned dump;
	char *path;
	int fd;

	HP_TRY(hp_input_split(input, &path, &dump, error));
	status = hp_input_bottom(input, path, &source, error);
	hp_free(path);
	HP_TRY(status);
	status = hp_tempfile_open(&fd, error);
	if (status == HPROF_OK) {
		status = copy_source(input, source, fd, error);
		/* Elsewhere than at its start it would be read in order. */
		if (status == HPROF_OK && lseek(fd, 0, SEEK_SET) != 0)
			status = hp_fail_errno(error, "cannot read the copy");
		if (status != HPROF_OK)
			close(fd);
	}
	hp_source_close(source);
	HP_TRY(status);
	input->kind = HPROF_INPUT_FD;
	input->fd = *ret_fd = fd;
	input->dump = dump;
	return HPROF_OK;
}

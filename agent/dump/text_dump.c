/* SPDX-License-Identifier: MIT */
/*
 * text_dump.c - see text_dump.h.
 *
 * The library's heap takes about a tenth of the memory that the walk's tags
 * took, which are gone by now. It is read in this thread alone.
 */
#include "agent/dump/text_dump.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/profile/text_report.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/tempfile.h"
#include "hprof/heap.h"
#include "io/sink.h"
#include "text/dump_text.h"

/* ---- the binary dump ----------------------------------------------------- */

/* A file in that folder that nobody else can open; -1 with errno. */
static int open_nameless(const char *folder)
{
	char name[4096];
	int fd = -1;

#ifdef O_TMPFILE
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
	if (fd >= 0 || snprintf(name, sizeof name, "%s/hprof-agentXXXXXX",
				folder) >= (int)sizeof name)
		return fd;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Beside a file; otherwise where temporary files are. */
static int open_beside(const struct hp_sink *claim)
{
	const char *part = hp_sink_path_part(claim);
	const char *slash = part ? strrchr(part, '/') : NULL;
	char *folder;
	int fd;

	if (!part)
		return open_nameless(hp_tempfile_folder());
	if (!slash)
		return open_nameless(".");
	folder = hp_strdup(part);
	if (!folder)
		return -1;
	folder[slash == part ? 1 : slash - part] = '\0';
	fd = open_nameless(folder);
	hp_free(folder);
	return fd;
}

enum hprof_status ag_text_dump_open(const struct ag_output *output,
				    struct ag_output *ret,
				    struct hprof_error *error)
{
	const struct hprof_writer_options options = { .size = sizeof options };
	enum hprof_status status;

	*ret = (struct ag_output){ .path = hp_strdup(output->path) };
	if (!ret->path)
		return hp_no_memory(error);
	ret->nameless = open_beside(output->claim);
	if (ret->nameless < 0)
		status = hp_fail_errno(error,
				       "cannot create a file for the dump that "
				       "becomes the text");
	else
		status = hprof_writer_open_fd(ret->nameless, &options,
					      &ret->writer, error);
	if (status != HPROF_OK)
		ag_output_close(ret);
	return status;
}

/* ---- the text ------------------------------------------------------------ */

struct conversion {
	struct hprof_input input;
	struct hp_sink *sink;
	uint64_t bytes;
	struct hprof_error error; /* of the dump */
};

static int write_text(void *user, const void *bytes, size_t size)
{
	struct conversion *c = user;

	c->bytes += size;
	return c->sink->ops->write(c->sink, bytes, size) == HPROF_OK ? 0 : -1;
}

static enum hprof_status put_head(void *user, struct text_writer *w)
{
	struct conversion *c = user;
	struct hprof_reader *reader;
	bool unused;
	enum hprof_status status =
		hprof_reader_open(&c->input, NULL, &reader, &c->error);

	if (status != HPROF_OK)
		return status;
	status = text_put_records(w, reader, &unused);
	if (status < 0)
		hp_fail(&c->error, status, HP_NO_OFFSET, "%s",
			hprof_status_text(status));
	hprof_reader_close(reader);
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status put_heap(void *user, struct text_writer *w)
{
	struct conversion *c = user;
	struct hprof_heap *heap;
	enum hprof_status status =
		hprof_heap_open(&c->input, NULL, &heap, &c->error);

	if (status != HPROF_OK)
		return status;
	status = text_put_heap(w, heap, NULL, NULL, &c->error);
	hprof_heap_close(heap);
	return status;
}

/* The failure's reason: of the dump, or of the text. */
static enum hprof_status fail(enum hprof_status status,
			      const struct conversion *c,
			      const struct ag_output *output,
			      struct hprof_error *error)
{
	if (c->error.status)
		*error = c->error;
	else
		hp_fail(error, status, HP_NO_OFFSET, "%s",
			ag_output_error(output));
	return status;
}

enum hprof_status
ag_text_dump_write(struct ag_output *binary, struct ag_output *output,
		   struct ag_session *session, const struct ag_profile *profile,
		   uint64_t *ret_bytes, struct hprof_error *error)
{
	struct conversion c = { .input = hprof_input_fd(binary->nameless),
				.sink = output->claim };
	const struct ag_text_heap heap = { put_head, put_heap, &c };
	const struct ag_text_order order = {
		.session = session,
		.profile = profile,
		.heap = &heap,
		.goes_on = output->connection != NULL,
	};
	enum hprof_status status = ag_output_finish(binary);

	if (status != HPROF_OK)
		return hp_fail(error, status, HP_NO_OFFSET, "%s",
			       ag_output_error(binary));
	if (lseek(binary->nameless, 0, SEEK_SET) != 0)
		return hp_fail_errno(error, "cannot read the dump again");
	c.input.threads = 1;
	status = ag_text_report(&order, write_text, &c);
	if (status == HPROF_OK)
		status = ag_output_finish(output);
	*ret_bytes = c.bytes;
	return status == HPROF_OK ? status : fail(status, &c, output, error);
}

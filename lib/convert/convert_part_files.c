/* SPDX-License-Identifier: MIT */
/*
 * convert_part_files.c - the part files that HotSpot's parallel dump leaves
 * beside a file when it is killed before they are joined (Q37).
 *
 * Each has whole segments, but for its end, and no header; a reader of its
 * own reads each behind the header of the file, so that what is cut in one
 * does no harm to the next.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "io/input.h"
#include "stream/reader.h"
#include "io/source.h"

struct hp_cv_part_file {
	struct hp_source *source;
	uint8_t header[HPROF_VERSION_MAX + 16];
	size_t header_at, header_size;
};

/* Returns PATH.pN; free it. */
static char *part_name(const struct hp_convert *c, unsigned number)
{
	size_t room = strlen(c->plan->input.path) + sizeof ".p9999";
	char *name = hp_alloc(room);
	unsigned dump = 0;

	if (!name)
		return NULL;
	strcpy(name, c->plan->input.path);
	hp_input_split_number(name, &dump);
	snprintf(name + strlen(name), sizeof ".p9999", ".p%u", number);
	return name;
}

static enum hprof_status open_source(struct hp_convert *c, unsigned number,
				     struct hp_source **ret)
{
	char *name = part_name(c, number);
	struct hp_source *bottom;
	int fd;

	if (!name)
		return hp_no_memory(c->error);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	hp_free(name);
	if (fd < 0)
		return hp_fail_errno(c->error, "cannot open part %u", number);
	HP_TRY(hp_source_fd(fd, true, &bottom, c->error));
	return hp_source_open(bottom, NULL, c->plan->input.threads, ret,
			      c->error);
}

/* ---- which there are ----------------------------------------------------- */

enum part { PART_NONE, PART_OTHER, PART_GOOD };

/* Does it start with a segment and a sub-record in it, as far as it goes? */
static bool is_part(struct hp_convert *c, unsigned number)
{
	enum { HEAD = 9 };
	uint8_t head[HEAD + 1] = { 0 };
	struct hp_source *source;
	size_t size = 0, n = 1;

	if (open_source(c, number, &source) < 0)
		return false;
	while (size < sizeof head && n > 0 &&
	       source->ops->read(source, head + size, sizeof head - size, &n) ==
		       HPROF_OK)
		size += n;
	hp_source_close(source);
	return size == 0 || (head[0] == HPROF_HEAP_DUMP_SEGMENT &&
			     (size <= HEAD ||
			      hprof_record_describe(HPROF_SUB + head[HEAD])));
}

/*
 * Written for the last time before the dump began: an earlier one has left it.
 * Clocks of file servers may differ a little.
 */
static bool is_older(const struct hp_convert *c, const struct stat *part)
{
	enum { SLACK = 60 };
	uint64_t began = hprof_reader_header(c->input.reader)->time_ms / 1000;

	return part->st_mtime >= 0 && (uint64_t)part->st_mtime + SLACK < began;
}

static void say_older(struct hp_convert *c, unsigned number)
{
	char text[120];

	snprintf(text, sizeof text,
		 "part file %u is older than the dump, of another one: it is "
		 "not joined",
		 number);
	hp_cv_say(c, HPROF_WARNING, HP_DIAG_PARTS_OLDER, HP_NO_OFFSET, text);
	c->result.warnings++;
}

static enum part look_at_part(struct hp_convert *c, unsigned number)
{
	char *name = part_name(c, number);
	struct stat info;
	int failed;

	if (!name)
		return PART_OTHER;
	failed = stat(name, &info);
	hp_free(name);
	if (failed)
		return PART_NONE;
	if (is_older(c, &info)) {
		say_older(c, number);
		return PART_OTHER;
	}
	/* Nothing has been written to an empty one. */
	if (S_ISREG(info.st_mode) && info.st_size == 0)
		return PART_GOOD;
	return S_ISREG(info.st_mode) && is_part(c, number) ? PART_GOOD
							   : PART_OTHER;
}

/* Only HotSpot's segments have parts, and those of the last dump only. */
static bool may_have_parts(const struct hp_convert *c)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(c->input.reader, &info);
	return (c->input.reader->dumps.state == DUMP_NONE ||
		c->input.reader->dumps.state == DUMP_SEGMENTS) &&
	       !info.complete && info.dump >= info.dump_count;
}

static void say_joined(struct hp_convert *c)
{
	const struct hp_cv_input *in = &c->input;
	char text[160];

	snprintf(text, sizeof text,
		 "the dump was not finished: joined %u part file%s beside it, "
		 "from .p%u on; move %s away if %s of another dump",
		 in->part_count, in->part_count == 1 ? "" : "s", in->first_part,
		 in->part_count == 1 ? "it" : "them",
		 in->part_count == 1 ? "it is" : "they are");
	hp_cv_say(c, HPROF_WARNING, HP_DIAG_PARTS_JOINED, HP_NO_OFFSET, text);
}

bool hp_cv_find_part_files(struct hp_convert *c)
{
	enum { MOST = 1024 };
	struct hp_cv_input *in = &c->input;
	enum part part = PART_NONE;

	if (in->parts_sought)
		return in->parts_all;
	in->parts_sought = true;
	if (!may_have_parts(c))
		return false;
	/*
	 * The JVM joins the parts in order and removes each: the first may be
	 * gone.
	 */
	while (in->first_part < MOST &&
	       (part = look_at_part(c, in->first_part)) == PART_NONE)
		in->first_part++;
	while (part == PART_GOOD && in->part_count < MOST) {
		in->part_count++;
		part = look_at_part(c, in->first_part + in->part_count);
	}
	if (in->part_count)
		say_joined(c);
	return in->parts_all = in->part_count && part == PART_NONE;
}

/* ---- reading one --------------------------------------------------------- */

static int64_t read_part(void *user, void *buffer, size_t room)
{
	struct hp_cv_part_file *part = user;
	size_t n = part->header_size - part->header_at;

	if (n > 0) {
		n = n < room ? n : room;
		memcpy(buffer, part->header + part->header_at, n);
		part->header_at += n;
		return (int64_t)n;
	}
	n = 0;
	/* If its compressed data are cut, the part ends there. */
	if (part->source->ops->read(part->source, buffer, room, &n) < 0)
		return part->source->error.status == HPROF_E_SYS ? -1 : 0;
	return (int64_t)n;
}

void hp_cv_close_part_file(struct hp_convert *c)
{
	struct hp_cv_part_file *part = c->input.part;

	if (!part)
		return;
	hp_source_close(part->source);
	hp_free(part);
	c->input.part = NULL;
}

enum hprof_status
hp_cv_open_part_file(struct hp_convert *c, unsigned number,
		     const struct hprof_reader_options *options)
{
	struct hprof_input input = c->plan->input;
	struct hp_cv_input *in = &c->input;
	struct hprof_header header = *hprof_reader_header(in->reader);
	struct hp_cv_part_file *part;

	input.kind = HPROF_INPUT_CALLBACK;
	input.dump = 0;
	input.member = NULL;
	hprof_reader_close(in->reader);
	in->reader = NULL;
	hp_cv_close_part_file(c);
	part = in->part = hp_calloc(1, sizeof *part);
	if (!part)
		return hp_no_memory(c->error);
	HP_TRY(hprof_header_encode(&header, part->header, sizeof part->header,
				   &part->header_size));
	HP_TRY(open_source(c, number, &part->source));
	input.read = read_part;
	input.read_user = part;
	HP_TRY(hprof_reader_open(&input, options, &in->reader, c->error));
	in->reader->listener.phase = "convert";
	return HPROF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * convert.c - from one dump to another, in as many passes as that takes.
 *
 * Where nothing is to be changed, an exact copy is tried first, if a file can
 * be read again should it turn out to be damaged: the writer never goes back,
 * so a record that is cut after its length was written can only be mended by
 * beginning anew.
 *
 * What has to be known beforehand (which strings are names, where in an
 * instance the references are, how long the heap will be) is looked for in
 * passes before; nothing of an object is kept in memory. From a pipe there is
 * but one pass: names and classes are learnt on the way.
 */
#include "convert/convert.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "io/sink.h"

/* ---- the same dump -------------------------------------------------------- */

/*
 * The same bytes. *RET_DONE is false if the dump is too damaged for that;
 * nothing has been written then.
 */
static enum hprof_status try_exact(struct hp_convert *c, bool aloud,
				   bool *ret_done)
{
	enum hprof_status status;

	*ret_done = false;
	HP_TRY(hp_cv_open_reader(c, true));
	HP_TRY(hp_cv_open_writer(c, true, aloud));
	status = hp_cv_copy(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK; /* the writer refuses what is damaged */
	HP_TRY(status);
	if (c->result.errors || c->stray)
		return HPROF_OK;
	status = hp_cv_finish(c);
	if (status == HPROF_E_USAGE)
		return HPROF_OK;
	*ret_done = status == HPROF_OK;
	c->result.exact = true;
	return status;
}

/* ---- another dump --------------------------------------------------------- */

/* Passes that only look. */
static enum hprof_status look(struct hp_convert *c)
{
	HP_TRY(hp_cv_pass(c, HP_CV_LOOK, HP_CV_ALL));
	c->looked = true;
	if (c->options.live && c->part_count)
		return hp_cv_fail(c, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
				  "what is alive cannot be found in parts: "
				  "join them first");
	if (c->options.live)
		HP_TRY(hp_cv_find_reachable(c));
	if (c->options.keep_count) {
		c->keeps = true; /* what there is of it is freed */
		if (hp_id_marks_init(&c->kept) != 0)
			return hp_no_memory(c->error);
		HP_TRY(hp_cv_pass(c, HP_CV_MARK, HP_CV_ALL));
		HP_TRY(hp_cv_pass(c, HP_CV_MARK_TEXT, HP_CV_ALL));
	}
	if (c->options.obfuscate)
		HP_TRY(hp_cv_make_names(c));
	return HPROF_OK;
}

/*
 * The text of the header may say anything behind what readers look at: none
 * but the known ones is written. Which one is nearest is told by its start.
 */
static void clean_version(char *version)
{
	static const char *const known[] = { "JAVA PROFILE 1.0.1",
					     "JAVA PROFILE 1.0.3",
					     "JAVA PROFILE 1.0.2" };
	const size_t last = sizeof known / sizeof *known - 1;
	size_t i = 0;

	while (i < last && strncmp(version, known[i], strlen(known[i])) != 0)
		i++;
	strcpy(version, known[i]);
}

static enum hprof_status write_header(struct hp_convert *c)
{
	struct hprof_header header = *hprof_reader_header(c->reader);

	header.id_size = c->to;
	if (c->options.format == HPROF_FORMAT_101)
		strcpy(header.version, "JAVA PROFILE 1.0.1");
	else if (c->standard)
		strcpy(header.version, "JAVA PROFILE 1.0.2");
	else if (c->options.redact)
		clean_version(header.version);
	if (hprof_writer_header(c->writer, &header) < 0)
		return hp_cv_writer_failed(c);
	return c->options.redact ? hp_cv_say_redacted(c) : HPROF_OK;
}

/* All but the heap. In a repaired dump names come first, and frames before
 * stacks. */
static enum hprof_status write_top(struct hp_convert *c)
{
	if (!c->repair)
		return hp_cv_pass(c, HP_CV_WRITE,
				  HP_CV_NAMES | HP_CV_TOP | HP_CV_TRACES);
	HP_TRY(hp_cv_pass(c, HP_CV_WRITE, HP_CV_NAMES));
	HP_TRY(hp_cv_repair_names(c));
	HP_TRY(hp_cv_pass(c, HP_CV_WRITE, HP_CV_TOP));
	return hp_cv_pass(c, HP_CV_WRITE, HP_CV_TRACES);
}

/* In a repaired dump classes come before objects, threads before roots. */
static enum hprof_status write_heap(struct hp_convert *c, enum hp_cv_pass pass)
{
	static const unsigned order[] = { HP_CV_CLASSES, HP_CV_THREADS,
					  HP_CV_ROOTS, HP_CV_OBJECTS };

	if (!c->repair)
		return hp_cv_pass(c, pass,
				  HP_CV_CLASSES | HP_CV_THREADS | HP_CV_ROOTS |
					  HP_CV_OBJECTS);
	HP_TRY(hp_cv_repair_again(c));
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		HP_TRY(hp_cv_pass(c, pass, order[i]));
		if (order[i] == HP_CV_CLASSES)
			HP_TRY(hp_cv_repair_classes(c));
	}
	return HPROF_OK;
}

/*
 * Version 1.0.1 has one HEAP_DUMP, whose length stands before it: it is
 * counted first, and all other records come before it.
 */
static enum hprof_status rewrite_101(struct hp_convert *c)
{
	struct hprof_record r = { .tag = HPROF_HEAP_DUMP };

	HP_TRY(hp_cv_open_writer(c, true, true));
	HP_TRY(write_header(c));
	HP_TRY(write_top(c));
	HP_TRY(write_heap(c, HP_CV_COUNT));
	if (c->heap_bytes > UINT32_MAX)
		return hp_cv_fail(c, HPROF_E_LIMIT, HP_NO_OFFSET,
				  "version 1.0.1 has one heap record, of less "
				  "than 4 GiB, and that would be larger");
	r.u.heap_dump.body.size = c->heap_bytes;
	if (hprof_writer_put(c->writer, &r) < 0)
		return hp_cv_writer_failed(c);
	return write_heap(c, HP_CV_WRITE);
}

static enum hprof_status rewrite_102(struct hp_convert *c)
{
	HP_TRY(hp_cv_open_writer(c, false, true));
	HP_TRY(write_header(c));
	if (!c->repair)
		return hp_cv_pass(c, HP_CV_WRITE, HP_CV_ALL);
	HP_TRY(write_top(c));
	return write_heap(c, HP_CV_WRITE);
}

static enum hprof_status rewrite(struct hp_convert *c)
{
	bool exact = c->options.format == HPROF_FORMAT_101;

	HP_TRY(exact ? rewrite_101(c) : rewrite_102(c));
	if (c->repair)
		hp_cv_repair_tell(c);
	HP_TRY(c->map ? hp_cv_finish_with_map(c) : hp_cv_finish(c));
	c->result.errors += c->lost;
	c->result.warnings += c->part_count > 0;
	c->result.lost = c->lost;
	return HPROF_OK;
}

/* ---- which way ------------------------------------------------------------ */

/* What the input is as a file. False: it is none, or not to be seen. */
static enum hprof_status look_at_input(struct hp_convert *c, struct stat *ret,
				       bool *ret_seen)
{
	unsigned dump;
	char *path;

	HP_TRY(hp_input_split(&c->input, &path, &dump, c->error));
	*ret_seen = c->input.kind == HPROF_INPUT_FD ?
			    fstat(c->input.fd, ret) == 0 :
			    path && stat(path, ret) == 0;
	hp_free(path);
	return HPROF_OK;
}

/* The dump must not be the part file that OUT would be written as. */
static enum hprof_status check_part(struct hp_convert *c, const char *out)
{
	size_t size = strlen(out) + sizeof ".part";
	struct stat a, b;
	char *part;
	bool seen, same;

	HP_TRY(look_at_input(c, &a, &seen));
	part = hp_alloc(size);
	if (!part)
		return hp_no_memory(c->error);
	snprintf(part, size, "%s.part", out);
	same = seen && stat(part, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
	hp_free(part);
	return !same ? HPROF_OK :
		       hp_cv_fail(c, HPROF_E_USAGE, HP_NO_OFFSET,
				  "the dump has the name of the part file "
				  "that would be written: rename it");
}

/* What an earlier run left as OUT.part is a dump to be saved, too. */
static enum hprof_status check_parts(struct hp_convert *c)
{
	if (c->out)
		HP_TRY(check_part(c, c->out));
	return c->options.obfuscate ? check_part(c, c->options.obfuscate) :
				      HPROF_OK;
}

static bool is_plain(struct hp_convert *c)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(c->reader, &info);
	return strcmp(info.container, "plain") == 0;
}

/* What the options come to; the widths of ids need the header. */
static enum hprof_status prepare(struct hp_convert *c)
{
	const struct hprof_convert_options *o = &c->options;
	unsigned dump;
	char *path;

	HP_TRY(hp_input_split(&c->input, &path, &dump, c->error));
	hp_free(path);
	HP_TRY(hp_cv_open_reader(c, false));
	c->from = hprof_reader_header(c->reader)->id_size;
	c->to = o->id_size ? o->id_size : c->from;
	c->repair = o->repair;
	c->standard = o->format != HPROF_FORMAT_SAME || o->repair;
	c->ordered = o->format == HPROF_FORMAT_101 || o->repair;
	if (o->live && o->redact && !is_plain(c))
		return hp_cv_fail(c, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
				  "what is alive is looked for at random, for "
				  "which a compressed dump would be copied to "
				  "a temporary file as it is: decompress it");
	c->values = c->from != c->to || o->redact || o->live;
	c->names = c->values || o->obfuscate || o->repair;
	c->plain = !c->values && !c->names && !c->standard && !o->no_zygote &&
		   !o->deobfuscate && !dump;
	return HPROF_OK;
}

static enum hprof_status need_file(struct hp_convert *c, const char *what)
{
	return hp_cv_fail(c, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
			  "%s reads the dump more than once: this needs a "
			  "file, not a pipe",
			  what);
}

static enum hprof_status prepare_passes(struct hp_convert *c, bool again)
{
	const struct hprof_convert_options *o = &c->options;

	if (!again) {
		if (o->keep_count)
			return need_file(c, "a keep list");
		if (o->obfuscate)
			return need_file(c, "obfuscation");
		if (o->live)
			return need_file(c, "keeping what is alive");
		if (o->repair)
			return need_file(c, "a repair");
		if (o->format == HPROF_FORMAT_101)
			return need_file(c, "version 1.0.1");
	}
	if (c->names || o->deobfuscate)
		HP_TRY(hp_cv_model_init(c));
	if (o->deobfuscate)
		HP_TRY(hp_cv_read_map(c));
	if (o->obfuscate)
		HP_TRY(hp_cv_open_map(c));
	if (o->repair) {
		c->mend.frame_ids = hp_alloc(HP_PIECE);
		if (!c->mend.frame_ids)
			return hp_no_memory(c->error);
		HP_TRY(hp_cv_repair_init(c));
	}
	return c->names && again ? look(c) : HPROF_OK;
}

/* If that is of use, and if no secrets are left on the disk by it. */
static enum hprof_status copy_input(struct hp_convert *c, bool *ret_again)
{
	HP_TRY(hp_input_repeatable(&c->input, ret_again, c->error));
	if (*ret_again || c->input.no_copy || c->options.redact)
		return HPROF_OK;
	HP_TRY(hp_input_copy(&c->input, &c->copy_fd, c->error));
	*ret_again = true;
	return HPROF_OK;
}

static enum hprof_status convert(struct hp_convert *c)
{
	bool again, done = false;

	HP_TRY(check_parts(c));
	HP_TRY(copy_input(c, &again));
	HP_TRY(prepare(c));
	if (c->plain && again) {
		/* What went down a pipe cannot be taken back: see first. */
		if (!c->out)
			HP_TRY(try_exact(c, false, &done));
		if (c->out || done)
			HP_TRY(try_exact(c, true, &done));
		if (done)
			return HPROF_OK;
		c->result.exact = false;
	}
	HP_TRY(prepare_passes(c, again));
	return rewrite(c);
}

static void clean_up(struct hp_convert *c)
{
	hprof_writer_free(c->writer);
	hprof_output_free(c->map);
	hprof_reader_close(c->reader);
	hprof_graph_free(c->live);
	hprof_heap_close(c->live_heap);
	hp_cv_close_part_file(c);
	hp_cv_repair_done(c);
	hp_free(c->mend.frame_ids);
	hp_cv_model_done(c);
	hp_string_map_done(&c->renamed);
	if (c->keeps)
		hp_id_marks_done(&c->kept);
	hp_free(c->piece);
	hp_free(c->in);
	hp_free(c->changed);
	if (c->copy_fd >= 0)
		close(c->copy_fd);
}

/* What is wrong with the options, or NULL. */
static const char *find_fault(const struct hprof_convert_options *o)
{
	if (o->id_size != 0 && o->id_size != 4 && o->id_size != 8)
		return "id_size is not 0, 4 or 8";
	if ((unsigned)o->format > HPROF_FORMAT_102)
		return "format is not one that there is";
	if (o->redact > (HPROF_REDACT_STRINGS | HPROF_REDACT_PRIMITIVES))
		return "redact is not of enum hprof_redact";
	if (o->keep_count && !o->keep)
		return "keep is NULL";
	if (o->keep_count && !o->redact)
		return "keep is for redact";
	return NULL;
}

static enum hprof_status take_options(struct hp_convert *c,
				      const struct hprof_writer_options *output,
				      const struct hprof_convert_options *given)
{
	const char *fault;

	if (!hp_writer_options_take(output, &c->output))
		return hp_bad_argument(c->error, "output",
				       "its size or a member is wrong");
	if (!hp_options_take(given, &c->options, sizeof c->options))
		return hp_bad_options(c->error);
	fault = find_fault(&c->options);
	return fault ? hp_bad_argument(c->error, "options", fault) : HPROF_OK;
}

enum hprof_status hprof_convert(const struct hprof_input *input,
				const char *out, int fd,
				const struct hprof_writer_options *output,
				const struct hprof_convert_options *options,
				struct hprof_convert_result *ret,
				struct hprof_error *ret_error)
{
	struct hprof_error local;
	struct hp_convert c = { .out = out, .fd = fd, .copy_fd = -1,
				.error = ret_error ? ret_error : &local };
	enum hprof_status status;

	HP_TRY(hp_input_take(input, &c.input, c.error));
	if (!out && fd < 0)
		return hp_bad_argument(c.error, "fd",
				       "is negative, and out is NULL");
	HP_TRY(take_options(&c, output, options));
	c.piece = hp_alloc(HP_PIECE);
	status = c.piece ? convert(&c) : hp_no_memory(c.error);
	clean_up(&c);
	if (status == HPROF_OK && ret)
		*ret = c.result;
	return status;
}

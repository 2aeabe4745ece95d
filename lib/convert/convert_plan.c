/* SPDX-License-Identifier: MIT */
/*
 * convert_plan.c - what the options mean for an input, and which of them
 * exclude each other or need another input.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "io/sink.h"

/* ---- arguments ----------------------------------------------------------- */

/* What is wrong with the options, or NULL. */
static const char *find_fault(const struct hprof_convert_options *o)
{
	if (o->id_size != 0 && o->id_size != 4 && o->id_size != 8)
		return "id_size is not 0, 4 or 8";
	if ((unsigned)o->format > HPROF_FORMAT_102)
		return "format is not one that there is";
	if (o->redact > (HPROF_REDACT_STRINGS | HPROF_REDACT_PRIMITIVES))
		return "redact is not of enum hprof_redact";
	if (o->omit > HPROF_OMIT_CONTENTS)
		return "omit is not of enum hprof_omit";
	if (o->keep_count && !o->keep)
		return "keep is NULL";
	if (o->keep_count && !o->redact)
		return "keep is for redact";
	return NULL;
}

enum hprof_status hp_cv_plan_take(struct hp_cv_plan *plan,
				  const struct hprof_input *input,
				  const char *out, int fd,
				  const struct hprof_writer_options *output,
				  const struct hprof_convert_options *options,
				  struct hprof_error *error)
{
	const char *fault;

	HP_TRY(hp_input_take(input, &plan->input, error));
	if (!plan->writer && !out && fd < 0)
		return hp_bad_argument(error, "fd",
				       "is negative, and out is NULL");
	if (!hp_writer_options_take(output, &plan->output))
		return hp_bad_argument(error, "output",
				       "its size or a member is wrong");
	if (!HP_OPTIONS_TAKE(options, &plan->options))
		return hp_bad_options(error);
	plan->out = out;
	plan->fd = fd;
	fault = find_fault(&plan->options);
	if (plan->writer && plan->options.format == HPROF_FORMAT_101)
		fault = "format 1.0.1 is not for a writer";
	return fault ? hp_bad_argument(error, "options", fault) : HPROF_OK;
}

/* ---- files --------------------------------------------------------------- */

/* Describes the file of the input. */
static enum hprof_status look_at_input(const struct hp_cv_plan *plan,
				       struct stat *ret, bool *ret_seen,
				       struct hprof_error *error)
{
	unsigned dump;
	char *path;

	HP_TRY(hp_input_split(&plan->input, &path, &dump, error));
	*ret_seen = plan->input.kind == HPROF_INPUT_FD
			    ? fstat(plan->input.fd, ret) == 0
			    : path && stat(path, ret) == 0;
	hp_free(path);
	return HPROF_OK;
}

/* The dump must not be the part file that OUT would be written as. */
static enum hprof_status check_part(const struct hp_cv_plan *plan,
				    const char *out, struct hprof_error *error)
{
	size_t size = strlen(out) + sizeof ".part";
	struct stat a, b;
	char *part;
	bool seen, same;

	HP_TRY(look_at_input(plan, &a, &seen, error));
	part = hp_alloc(size);
	if (!part)
		return hp_no_memory(error);
	snprintf(part, size, "%s.part", out);
	same = seen && stat(part, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
	hp_free(part);
	return !same ? HPROF_OK
		     : hp_fail(error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "the dump has the name of the part file "
			       "that would be written: rename it");
}

/* Copies the input if that helps, and if it leaves no secrets on the disk. */
static enum hprof_status copy_input(struct hp_cv_plan *plan,
				    struct hprof_error *error)
{
	HP_TRY(hp_input_repeatable(&plan->input, &plan->again, error));
	if (plan->again || plan->input.no_copy || plan->options.redact)
		return HPROF_OK;
	HP_TRY(hp_input_copy(&plan->input, &plan->copy_fd, error));
	plan->again = true;
	return HPROF_OK;
}

/*
 * The dump may be the OUT.part that an earlier run left. It must not be lost.
 */
enum hprof_status hp_cv_plan_files(struct hp_cv_plan *plan,
				   struct hprof_error *error)
{
	if (plan->out)
		HP_TRY(check_part(plan, plan->out, error));
	if (plan->options.obfuscate)
		HP_TRY(check_part(plan, plan->options.obfuscate, error));
	return copy_input(plan, error);
}

/* ---- what follows -------------------------------------------------------- */

static bool is_compressed(struct hprof_reader *reader)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(reader, &info);
	return strcmp(info.container, "plain") != 0;
}

enum hprof_status hp_cv_plan_make(struct hp_cv_plan *plan,
				  struct hprof_reader *reader,
				  struct hprof_error *error)
{
	const struct hprof_convert_options *o = &plan->options;
	unsigned dump;
	char *path;

	HP_TRY(hp_input_split(&plan->input, &path, &dump, error));
	hp_free(path);
	plan->from = hprof_reader_header(reader)->id_size;
	plan->to = o->id_size ? o->id_size : plan->from;
	plan->standard = o->format != HPROF_FORMAT_SAME || o->repair;
	plan->ordered = o->format == HPROF_FORMAT_101 || o->repair;
	if (o->live && o->redact && is_compressed(reader))
		return hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
			       "what is alive is looked for at random, for "
			       "which a compressed dump would be copied to "
			       "a temporary file as it is: decompress it");
	plan->values =
		plan->from != plan->to || o->redact || o->omit || o->live;
	plan->names = plan->values || o->obfuscate || o->repair;
	plan->same = !plan->writer && !plan->values && !plan->names &&
		     !plan->standard && !o->no_zygote && !o->deobfuscate &&
		     !dump;
	return HPROF_OK;
}

/* What needs several passes, or NULL. */
static const char *several_passes(const struct hprof_convert_options *o)
{
	return o->keep_count		       ? "a keep list"
	       : o->obfuscate		       ? "obfuscation"
	       : o->live		       ? "keeping what is alive"
	       : o->repair		       ? "a repair"
	       : o->format == HPROF_FORMAT_101 ? "version 1.0.1"
					       : NULL;
}

enum hprof_status hp_cv_plan_check_passes(const struct hp_cv_plan *plan,
					  struct hprof_error *error)
{
	const char *what = plan->again ? NULL : several_passes(&plan->options);

	return !what ? HPROF_OK
		     : hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
			       "%s reads the dump more than once: this needs "
			       "a file, not a pipe",
			       what);
}

/* SPDX-License-Identifier: MIT */
/*
 * export_recipe.c - a dump as text that a person can edit, and back.
 *
 * A recipe describes whatever bytes a file has, so writing one finds no faults.
 * Therefore the dump is read first, as for other forms: a file that is not a
 * dump is refused, and faults are printed. An input that can be read only once
 * is copied for that.
 */
#include "tools/export/export.h"
#include "tools/common/input.h"

typedef enum hprof_status recipe_fn(const struct hprof_input *input,
				    hprof_write_fn *write, void *user,
				    struct hprof_error *error);

static int put(void *user, const void *bytes, size_t size)
{
	return hprof_output_write(user, bytes, size) < 0 ? -1 : 0;
}

/* CLI_NO stands for damage that was printed before: the text ends there. */
static int judge(const struct export_job *job, int before,
		 enum hprof_status status, const struct hprof_output *output,
		 const struct hprof_error *error)
{
	bool damaged = status == HPROF_E_TRUNCATED || status == HPROF_E_CORRUPT;

	if (status >= 0)
		return before;
	if (hprof_output_error(output)->status < 0) {
		export_output_failed(job, hprof_output_error(output));
		return CLI_TROUBLE;
	}
	if (damaged && before == CLI_NO)
		return CLI_NO;
	/* The offset is one in the text, of which the message has the line. */
	cli_message("%s: %s", job->in, error->text);
	return CLI_TROUBLE;
}

/* PATH is where job->in can be read, BEFORE the result of reading it first. */
static int convert(struct export_job *job, const char *path, int before,
		   recipe_fn *recipe)
{
	const struct hprof_input input = export_input(job, path);
	struct hprof_output *output = export_output(job);
	struct hprof_error error = { 0 };
	enum hprof_status status;

	if (!output)
		return CLI_TROUBLE;
	status = recipe(&input, put, output, &error);
	return export_output_end(job, output,
				 judge(job, before, status, output, &error));
}

/* ---- faults -------------------------------------------------------------- */

static enum hprof_status look_for_faults(struct hprof_reader *reader)
{
	struct hprof_record record;
	enum hprof_status status = HPROF_OK;

	while (status == HPROF_OK)
		status = hprof_reader_next(reader, &record);
	return status;
}

static int run(struct export_job *job)
{
	struct stat info;
	const struct hprof_reader_options how = {
		.size = sizeof(how),
		.keep_copy = !input_is_file(job->in, &info),
	};
	struct hprof_reader *reader = export_reader(job, &how);
	struct hprof_reader_info found;
	enum hprof_status last;
	int status, written = CLI_TROUBLE;
	char path[32];

	if (!reader)
		return CLI_TROUBLE;
	last = look_for_faults(reader);
	hprof_reader_get_info(reader, &found);
	if (last >= 0)
		written = convert(job, export_second_look(job, reader, path),
				  found.errors ? CLI_NO : CLI_FINE,
				  hprof_recipe_write_input);
	status = export_reader_end(job, reader, last);
	return written == CLI_TROUBLE ? CLI_TROUBLE : status;
}

/* ---- back ---------------------------------------------------------------- */

bool export_is_recipe(const struct export_job *job)
{
	struct hprof_input input = export_input(job, job->in);

	input.threads = 1;
	return hprof_recipe_is(&input);
}

int export_assemble(struct export_job *job)
{
	return convert(job, job->in, CLI_FINE, hprof_recipe_assemble_input);
}

const struct export_form export_recipe = {
	.name = "recipe",
	.suffixes = ".recipe",
	.text = true,
	.packs = true,
	.run = run,
};

/*
 * convert_recipe.c - a dump as text that a person can edit, and back.
 */
#include <string.h>

#include "convert.h"

typedef enum hprof_status recipe_fn(const char *path,
				    const struct hprof_recipe_options *options,
				    hprof_write_fn *write, void *user,
				    struct hprof_error *error);

/* The output has said why it failed; else the input is to blame. */
static int judge(const struct convert_job *job, enum hprof_status status,
		 const struct hprof_output *output,
		 const struct hprof_error *error)
{
	if (status >= 0)
		return CLI_FINE;
	if (hprof_output_error(output)->status < 0) {
		convert_output_failed(job, hprof_output_error(output));
		return CLI_TROUBLE;
	}
	/* The offset is that in the text, whose line is told. */
	cli_message("%s: %s", job->in, error->text);
	return CLI_TROUBLE;
}

static int put(void *user, const void *bytes, size_t size)
{
	return hprof_output_write(user, bytes, size) < 0 ? -1 : 0;
}

static int convert(struct convert_job *job, recipe_fn *recipe,
		   bool damage_is_fine)
{
	const struct hprof_recipe_options how = {
		.size = sizeof(how),
		.member = job->member,
		.threads = job->threads ? job->threads : 2,
		.progress = progress_update,
		.progress_user = job->progress,
	};
	struct hprof_output *output = convert_output(job);
	struct hprof_error error = { 0 };
	enum hprof_status status;
	int result;

	if (!output)
		return CLI_TROUBLE;
	status = recipe(job->in, &how, put, output, &error);
	result = judge(job, status, output, &error);
	if (result == CLI_TROUBLE && damage_is_fine &&
	    (status == HPROF_E_TRUNCATED || status == HPROF_E_CORRUPT))
		result = CLI_NO; /* what could be inflated is there */
	return convert_output_end(job, output, result);
}

static int run(struct convert_job *job)
{
	return convert(job, hprof_recipe_write_file, true);
}

bool convert_is_recipe(const struct convert_job *job)
{
	const struct hprof_recipe_options how = { .size = sizeof(how),
						  .member = job->member };

	return hprof_recipe_is(job->in, &how);
}

int convert_assemble(struct convert_job *job)
{
	return convert(job, hprof_recipe_assemble_file, false);
}

const struct convert_form convert_recipe = {
	.name = "recipe",
	.suffixes = ".recipe",
	.text = true,
	.packs = true,
	.run = run,
};

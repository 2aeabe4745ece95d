/* SPDX-License-Identifier: MIT */
/*
 * write.c - see write.h.
 */
#include "tools/page/write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/output_file.h"

/* "overview, leaks, ..." */
static const char *list_words(void)
{
	char *list = cli_strdup(page_part_words[0]);

	for (unsigned i = 1; i < PAGE_PARTS; i++) {
		char *longer =
			describe_format("%s, %s", list, page_part_words[i]);

		free(list);
		list = longer;
	}
	return list;
}

static unsigned part_of(const char *word, size_t length)
{
	for (unsigned i = 0; i < PAGE_PARTS; i++)
		if (strlen(page_part_words[i]) == length &&
		    !strncmp(page_part_words[i], word, length))
			return 1u << i;
	cli_usage_error("no section is called '%.*s'; there are %s",
			(int)length, word, list_words());
}

unsigned page_parts(const char *list)
{
	unsigned parts = 0;

	if (!list)
		return (1u << PAGE_PARTS) - 1;
	for (;; list++) {
		size_t length = strcspn(list, ",");

		parts |= part_of(list, length);
		list += length;
		if (!*list)
			return parts;
	}
}

char **page_command(int argc, char *const *argv)
{
	char **command = cli_calloc((size_t)argc + 1, sizeof(*command));

	memcpy(command, argv, (size_t)argc * sizeof(*command));
	return command;
}

static bool is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

static enum hprof_status open_output(const char *path, bool force,
				     struct hprof_output **ret_output,
				     struct hprof_error *ret_error)
{
	const struct hprof_writer_options how = {
		.size = sizeof(how),
		.new_only = !force && !output_file_is_special(path),
	};

	return hprof_output_create(path, &how, ret_output, ret_error);
}

static void print_failure(const char *path, const struct hprof_error *error)
{
	cli_message("%s: %s", is_stdout(path) ? "standard output" : path,
		    error->text);
}

bool page_output_open(const char *path, bool force,
		      struct hprof_output **ret_output)
{
	struct hprof_error error = { 0 };
	enum hprof_status status =
		is_stdout(path) ? hprof_output_open_fd(STDOUT_FILENO, NULL,
						       ret_output, &error)
				: open_output(path, force, ret_output, &error);

	if (status < 0)
		print_failure(path, &error);
	return status >= 0;
}

bool page_write(struct page *page, const char *name, const char *path,
		struct hprof_output *output)
{
	enum hprof_status status;
	struct html html;

	page_finish(page, name, &html);
	assert(html.size <= PAGE_MOST);
	status = hprof_output_write(output, html.text, html.size);
	if (status >= 0)
		status = hprof_output_finish(output);
	if (status < 0)
		print_failure(path, hprof_output_error(output));
	html_free(&html);
	return status >= 0;
}

bool page_print(struct page *page, const char *name)
{
	struct hprof_output *output = NULL;
	bool done = page_output_open(NULL, false, &output) &&
		    page_write(page, name, NULL, output);

	hprof_output_free(output);
	return done;
}

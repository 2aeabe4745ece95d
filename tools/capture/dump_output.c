/* SPDX-License-Identifier: MIT */
/*
 * dump_output.c - see dump_output.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/capture/dump_output.h"
#include "tools/common/cli.h"
#include "tools/common/output_file.h"

static bool is_stdout(const struct dump_order *order)
{
	return strcmp(order->output, "-") == 0;
}

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

static struct hprof_writer_options options_of(const struct dump_order *order)
{
	struct hprof_writer_options options = order->form;

	options.size = sizeof(options);
	options.exact = !dump_is_changed(order);
	if (is_stdout(order))
		return options;
	options.mode = 0600; /* a heap may hold secrets */
	options.new_only =
		!order->force && !output_file_is_special(order->output);
	options.keep_part = true;
	return options;
}

static bool opened(const struct dump_order *order, enum hprof_status status,
		   const struct hprof_error *error, struct reason *reason)
{
	if (status == HPROF_OK)
		return true;
	if (error->sys_errno == EEXIST && exists(order->output))
		return reason_set(reason, "exists (--force replaces it)");
	return reason_set(reason, "%s", error->text);
}

bool dump_output_open(const struct dump_order *order,
		      struct hprof_writer **ret_writer, struct reason *reason)
{
	const struct hprof_writer_options options = options_of(order);
	struct hprof_error error = { 0 };
	enum hprof_status status =
		is_stdout(order) ? hprof_writer_open_fd(STDOUT_FILENO, &options,
							ret_writer, &error)
				 : hprof_writer_create(order->output, &options,
						       ret_writer, &error);

	return opened(order, status, &error, reason);
}

bool dump_output_open_text(const struct dump_order *order,
			   struct hprof_output **ret_output,
			   struct reason *reason)
{
	struct hprof_writer_options options = options_of(order);
	struct hprof_error error = { 0 };
	enum hprof_status status;

	options.exact = options.keep_part = false;
	status = is_stdout(order)
			 ? hprof_output_open_fd(STDOUT_FILENO, &options,
						ret_output, &error)
			 : hprof_output_create(order->output, &options,
					       ret_output, &error);

	return opened(order, status, &error, reason);
}

bool dump_output_finish(struct hprof_writer *writer, bool *ret_about_output,
			struct reason *reason)
{
	if (hprof_writer_finish(writer) == HPROF_OK)
		return true;
	*ret_about_output = true;
	return reason_set(reason, "%s", hprof_writer_error(writer)->text);
}

bool dump_output_has_part(const struct dump_order *order)
{
	char path[4096];

	return !is_stdout(order) &&
	       snprintf(path, sizeof(path), "%s.part", order->output) <
		       (int)sizeof(path) &&
	       exists(path);
}

uint64_t dump_output_size(const struct dump_order *order)
{
	struct stat info;

	if (is_stdout(order) || stat(order->output, &info) != 0 ||
	    !S_ISREG(info.st_mode))
		return 0;
	return (uint64_t)info.st_size;
}

char *dump_output_folder(const struct dump_order *order)
{
	char *folder, *slash;

	if (is_stdout(order) || output_file_is_special(order->output))
		return NULL;
	folder = cli_strdup(order->output);
	slash = strrchr(folder, '/');
	if (!slash) {
		free(folder);
		return cli_strdup(".");
	}
	slash[slash == folder] = '\0';
	return folder;
}

/* SPDX-License-Identifier: MIT */
/*
 * export_json.c - a line of JSON for each record, in the order of the dump. It
 * takes one pass, so the input may be a pipe.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/export/export.h"
#include "tools/export/json_records.h"
#include "tools/common/units.h"

enum { LOOK = 4096 };

static void put_header(struct json_records *j)
{
	const struct hprof_header *header = hprof_reader_header(j->reader);
	char time[UNITS_MAX];
	const char *text = hprof_time_text(header->time_ms, 'T', time);

	json_lines_literal(&j->lines, "{\"record\":\"header\",\"format\":");
	json_lines_text(&j->lines, header->version, strlen(header->version));
	json_lines_literal(&j->lines, ",\"id_size\":");
	json_lines_number(&j->lines, header->id_size);
	json_lines_literal(&j->lines, ",\"time_ms\":");
	json_lines_number(&j->lines, header->time_ms);
	json_lines_literal(&j->lines, ",\"time\":");
	json_lines_text(&j->lines, text, text ? strlen(text) : 0);
	json_lines_literal(&j->lines, ",\"schema\":1}\n");
}

/*
 * The last line says that the output is complete, and whether the dump was
 * damaged.
 */
static void put_end(struct json_records *j)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(j->reader, &info);
	json_lines_literal(&j->lines, "{\"record\":\"end\",\"size\":");
	json_lines_number(&j->lines, info.bytes_read);
	json_lines_literal(&j->lines, ",\"complete\":");
	json_lines_value(&j->lines, HPROF_TYPE_BOOLEAN, info.complete);
	json_lines_literal(&j->lines, ",\"truncated\":");
	json_lines_value(&j->lines, HPROF_TYPE_BOOLEAN, info.truncated);
	json_lines_literal(&j->lines, ",\"errors\":");
	json_lines_number(&j->lines, info.errors);
	json_lines_literal(&j->lines, "}\n");
}

static enum hprof_status put_records(struct json_records *j)
{
	struct hprof_record record;
	enum hprof_status status = HPROF_OK;

	while (j->lines.status == HPROF_OK) {
		status = hprof_reader_next(j->reader, &record);
		if (status != HPROF_OK)
			break;
		if (hprof_names_learn(j->names, &record) < 0)
			cli_out_of_memory();
		json_records_put(j, &record);
		if (j->status < 0)
			return j->status;
	}
	return status;
}

static int convert(struct export_job *job, struct hprof_output *output)
{
	struct json_records *j = cli_calloc(1, sizeof(*j));
	enum hprof_status last;
	bool written;
	int status;

	j->lines.output = output;
	if (hprof_names_new(&j->names, NULL) < 0)
		cli_out_of_memory();
	j->reader = export_reader(job, NULL);
	if (!j->reader) {
		hprof_names_free(j->names);
		free(j);
		return CLI_TROUBLE;
	}
	j->id_size = hprof_reader_header(j->reader)->id_size;
	put_header(j);
	last = put_records(j);
	if (last >= 0)
		put_end(j);
	json_lines_flush(&j->lines);
	written = j->lines.status == HPROF_OK;
	if (!written)
		export_output_failed(job, hprof_output_error(output));
	status = export_reader_end(job, j->reader, last);
	json_records_free_layouts(j);
	hprof_names_free(j->names);
	free(j);
	return written ? status : CLI_TROUBLE;
}

static int run_json(struct export_job *job)
{
	struct hprof_output *output = export_output(job);

	return output ? export_output_end(job, output, convert(job, output))
		      : CLI_TROUBLE;
}

const struct export_form export_json = {
	.name = "json",
	.suffixes = ".json .jsonl .ndjson",
	.text = true,
	.packs = true,
	.run = run_json,
};

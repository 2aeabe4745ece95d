/* SPDX-License-Identifier: MIT */
/*
 * export_csv.c - tables as CSV (RFC 4180): a file for each table in a
 * directory, or one table to a file or pipe.
 *
 * Numbers are decimal, addresses hexadecimal as the other programs print them.
 * NULL is an empty field, an empty text is a pair of quotes. Text is escaped, so
 * that it harms neither a terminal nor a spreadsheet, unless programs want it
 * as it is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/number_text.h"
#include "tools/common/escape.h"
#include "tools/export/export_heap.h"

/* One file of the result. */
struct sheet {
	struct hprof_output *output; /* NULL: the table is not wanted */
	unsigned width;
};

struct sheets {
	const struct export_job *job;
	struct sheet sheets[HPROF_TABLE_COUNT];
	bool failed;
};

static bool fail(struct sheets *s, const struct hprof_error *error)
{
	if (!s->failed)
		export_output_failed(s->job, error);
	s->failed = true;
	return false;
}

/* ---- cells --------------------------------------------------------------- */

static enum hprof_status put(struct hprof_output *out, const char *text)
{
	return hprof_output_write(out, text, strlen(text));
}

/* As it is, with quotes doubled. */
static enum hprof_status put_raw(struct hprof_output *out, const char *text)
{
	enum hprof_status status = HPROF_OK;

	while (status == HPROF_OK && *text) {
		size_t size = strcspn(text, "\"");
		bool quote = text[size] == '"';

		status = hprof_output_write(out, text, size + quote);
		if (status == HPROF_OK && quote)
			status = put(out, "\"");
		text += size + quote;
	}
	return status;
}

/* How much of TEXT is ASCII that needs no escape: most, so it goes at once. */
static size_t plain_length(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] <= '~' && text[n] != '"' &&
	       text[n] != '\\')
		n++;
	return n;
}

static enum hprof_status put_escaped(struct hprof_output *out, const char *text)
{
	size_t size = strlen(text);
	enum hprof_status status = put(out, escape_csv_guard(text));
	char piece[ESCAPE_MAX];

	while (status == HPROF_OK && size > 0) {
		size_t n = plain_length(text);
		status = hprof_output_write(out, text, n);
		text += n;
		size -= n;
		if (status != HPROF_OK || size == 0)
			break;
		n = escape_next(&text, &size, ESCAPE_CSV, piece);
		status = hprof_output_write(out, piece, n);
	}
	return status;
}

static enum hprof_status put_text(struct hprof_output *out, const char *text,
				  bool raw)
{
	bool quoted = !*text || strpbrk(text, "\",\r\n");
	enum hprof_status status = quoted ? put(out, "\"") : HPROF_OK;

	if (status == HPROF_OK)
		status = raw ? put_raw(out, text) : put_escaped(out, text);
	return status == HPROF_OK && quoted ? put(out, "\"") : status;
}

static size_t put_real(char *out, double real)
{
	if (isnan(real))
		return (size_t)snprintf(out, NUMBER_TEXT_MAX, "NaN");
	if (isinf(real))
		return (size_t)snprintf(out, NUMBER_TEXT_MAX, "%sInfinity",
					real < 0 ? "-" : "");
	return number_text_real(out, real);
}

static enum hprof_status put_cell(struct hprof_output *out,
				  const struct hprof_cell *cell, bool raw)
{
	char digits[NUMBER_TEXT_MAX];
	size_t size = 0;

	switch (cell->kind) {
	case HPROF_CELL_NUMBER:
		size = number_text_signed(digits, cell->number);
		break;
	case HPROF_CELL_ADDRESS:
		memcpy(digits, "0x", 2);
		size = 2 + number_text_hex(digits + 2, (uint64_t)cell->number);
		break;
	case HPROF_CELL_REAL:
		size = put_real(digits, cell->real);
		break;
	case HPROF_CELL_TEXT:
		return put_text(out, cell->text, raw);
	default:
		return HPROF_OK;
	}
	return hprof_output_write(out, digits, size);
}

static bool put_row(void *user, enum hprof_table table,
		    const struct hprof_cell *cells)
{
	struct sheets *s = user;
	struct sheet *sheet = &s->sheets[table];
	enum hprof_status status = HPROF_OK;

	for (unsigned i = 0; i < sheet->width && status == HPROF_OK; i++) {
		status = put_cell(sheet->output, &cells[i], s->job->raw_text);
		if (status == HPROF_OK)
			status = hprof_output_write(
				sheet->output,
				i + 1 < sheet->width ? "," : "\r\n",
				i + 1 < sheet->width ? 1 : 2);
	}
	return status == HPROF_OK || fail(s, hprof_output_error(sheet->output));
}

/* ---- files --------------------------------------------------------------- */

static bool put_titles(struct sheets *s, enum hprof_table table)
{
	const struct hprof_table_column *columns =
		hprof_table_info(table)->columns;
	struct hprof_cell cells[HPROF_TABLE_COLUMNS];

	s->sheets[table].width = hprof_table_width(table);
	for (unsigned i = 0; columns[i].name; i++)
		cells[i] = (struct hprof_cell){ .kind = HPROF_CELL_TEXT,
						.text = columns[i].name };
	return put_row(s, table, cells);
}

static bool fill(struct sheets *s, const struct export_heap *heap)
{
	struct hprof_tables_walk walk = export_heap_walk(heap, s->job);
	struct hprof_error error = { 0 };
	enum hprof_status status;

	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		walk.wanted[i] = s->sheets[i].output != NULL;
		if (walk.wanted[i] && !put_titles(s, (enum hprof_table)i))
			return false;
	}
	walk.row = put_row;
	walk.user = s;
	status = hprof_tables_walk(&walk, &error);
	if (status < 0)
		cli_message("%s: %s", s->job->in, error.text);
	return status == HPROF_OK;
}

/*
 * The files are not synced one by one. The directory gets its name when all of
 * them are on the disk.
 */
static bool open_sheets(struct sheets *s, const char *folder,
			const bool *wanted)
{
	struct hprof_writer_options how = s->job->packing;
	struct hprof_error error;

	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		size_t size =
			strlen(folder) + strlen(hprof_table_info(i)->name) + 6;
		char *path;
		enum hprof_status status;

		if (!wanted[i])
			continue;
		path = cli_calloc(size, 1);
		snprintf(path, size, "%s/%s.csv", folder,
			 hprof_table_info(i)->name);
		status = hprof_output_create(path, &how, &s->sheets[i].output,
					     &error);
		free(path);
		if (status < 0)
			return fail(s, &error);
	}
	return true;
}

static bool close_sheets(struct sheets *s, bool done)
{
	for (unsigned i = 0; i < HPROF_TABLE_COUNT; i++) {
		struct hprof_output *output = s->sheets[i].output;

		if (done && output && hprof_output_finish(output) < 0)
			done = fail(s, hprof_output_error(output));
		hprof_output_free(output);
	}
	return done;
}

static int to_directory(const struct export_job *job,
			const struct export_heap *heap)
{
	struct sheets s = { .job = job };
	struct export_part part;
	struct hprof_tables_walk walk = export_heap_walk(heap, job);
	bool done;

	if (!export_part_begin(&part, job, true))
		return CLI_TROUBLE;
	done = open_sheets(&s, part.part, walk.wanted) && fill(&s, heap);
	done = close_sheets(&s, done);
	return export_part_end(&part, job,
			       done ? export_heap_status(heap) : CLI_TROUBLE);
}

static int to_file(struct export_job *job, const struct export_heap *heap,
		   enum hprof_table table)
{
	struct sheets s = { .job = job };
	struct hprof_output *output = export_output(job);
	int status = export_heap_status(heap);

	if (!output)
		return CLI_TROUBLE;
	s.sheets[table].output = output;
	if (!fill(&s, heap))
		status = CLI_TROUBLE;
	return export_output_end(job, output, status);
}

static int run_csv(struct export_job *job)
{
	enum hprof_table table =
		job->table ? hprof_table_named(job->table) : HPROF_TABLE_COUNT;
	struct export_heap heap;
	int status;

	if (job->table && table == HPROF_TABLE_COUNT)
		cli_usage_error("option '--table': '%s' is no table",
				job->table);
	if (!job->table && strcmp(job->out, "-") == 0)
		cli_usage_error("standard output takes one table: use --table");
	if (!job->table && job->packing.compression != HPROF_PLAIN)
		cli_usage_error("a directory is not compressed");
	if (!export_heap_open(&heap, job))
		return CLI_TROUBLE;
	status = job->table ? to_file(job, &heap, table)
			    : to_directory(job, &heap);
	export_heap_close(&heap);
	return status;
}

const struct export_form export_csv = {
	.name = "csv",
	.suffixes = ".csv",
	.packs = true,
	.run = run_csv,
};

/* SPDX-License-Identifier: MIT */
/*
 * converted.c - see converted.h.
 *
 * The result is read as a stream of records, as a heap, and by the check, each
 * where its options promise something about it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../inputs.h"
#include "converted.h"

#define READERS (HPROF_FOR_JDK | HPROF_FOR_MAT | HPROF_FOR_VISUALVM)

void converted_fail(unsigned bits, const char *what)
{
	fprintf(stderr, "options 0x%x: %s\n", bits, what);
	abort();
}

/* ---- records ------------------------------------------------------------- */

static bool is_text(unsigned type)
{
	return type == HPROF_TYPE_BYTE || type == HPROF_TYPE_CHAR;
}

static void blank_elements(struct hprof_reader *reader,
			   const struct hprof_record *r, unsigned bits)
{
	static const uint8_t zeros[4096];
	const struct hprof_bytes *e = &r->u.prim_array_dump.elements;
	unsigned scope = is_text(r->u.prim_array_dump.type)
				 ? HPROF_REDACT_STRINGS
				 : HPROF_REDACT_PRIMITIVES;
	uint8_t piece[sizeof(zeros)];
	size_t got;

	if (r->tag != HPROF_PRIM_ARRAY_DUMP || !(bits & scope))
		return;
	for (uint64_t i = 0; e->data && i < e->size; i++)
		if (e->data[i])
			converted_fail(bits, "an element is not blank");
	while (!e->data &&
	       hprof_reader_body(reader, piece, sizeof(piece), &got) ==
		       HPROF_OK &&
	       got > 0)
		if (memcmp(piece, zeros, got) != 0)
			converted_fail(bits, "an element is not blank");
}

static void blank_entries(struct hprof_class_cursor cursor, unsigned bits)
{
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		if (entry.type != HPROF_TYPE_OBJECT && entry.value)
			converted_fail(bits,
				       "a static or constant is not blank");
}

static void look_at(struct hprof_reader *reader, const struct hprof_record *r,
		    unsigned bits)
{
	if (!(bits & REDACT) || bits & KEEP)
		return;
	if (bits & HPROF_REDACT_STRINGS && !hprof_record_describe(r->tag))
		converted_fail(bits, "a record that nobody knows");
	blank_elements(reader, r, bits);
	if (r->tag == HPROF_CLASS_DUMP && bits & HPROF_REDACT_PRIMITIVES) {
		blank_entries(hprof_class_constants(r), bits);
		blank_entries(hprof_class_statics(r), bits);
	}
}

/* Codes of errors: static strings of the library. */
struct faults {
	const char *codes[64];
	size_t count;
	/* A record of unknown kind is believed by what follows it. */
	bool has_unknown;
};

static bool has_fault(const struct faults *faults, const char *code)
{
	for (size_t i = 0; i < faults->count; i++)
		if (strcmp(faults->codes[i], code) == 0)
			return true;
	return false;
}

static void note(void *user, const struct hprof_diagnostic *d)
{
	struct faults *faults = user;

	if (strcmp(d->code, "unknown-record") == 0)
		faults->has_unknown = true;
	if (d->severity == HPROF_ERROR && !has_fault(faults, d->code) &&
	    faults->count < 64)
		faults->codes[faults->count++] = d->code;
}

static struct hprof_reader *open_dump(const char *path, struct faults *faults)
{
	struct hprof_reader_options how = { .size = sizeof(how),
					    .diagnostic = note,
					    .user = faults };
	struct hprof_reader *reader;

	if (hprof_reader_open(INPUT_PATH(path), &how, &reader, NULL) !=
	    HPROF_OK)
		return NULL;
	return reader;
}

static struct faults faults_of(const char *path)
{
	struct faults faults = { .count = 0 };
	struct hprof_reader *reader = open_dump(path, &faults);
	struct hprof_record r;

	while (reader && hprof_reader_next(reader, &r) == HPROF_OK)
		;
	hprof_reader_close(reader);
	return faults;
}

/*
 * Every record of it can be read, none has a fault that the input IN has not
 * (but that nothing may be left), and it has the form that was asked for.
 */
static void read_all(const char *in, const char *path, unsigned bits,
		     const struct hprof_convert_options *o)
{
	struct faults had = faults_of(in), has = { .count = 0 };
	struct hprof_reader *reader = open_dump(path, &has);
	const struct hprof_header *header;
	struct hprof_record r;
	enum hprof_status status;

	if (!reader)
		converted_fail(bits, "the result is no dump");
	header = hprof_reader_header(reader);
	if (o->id_size && header->id_size != o->id_size)
		converted_fail(bits, "identifiers of another width");
	if (o->format == HPROF_FORMAT_101 &&
	    strcmp(header->version, "JAVA PROFILE 1.0.1") != 0)
		converted_fail(bits, "another version");
	while ((status = hprof_reader_next(reader, &r)) == HPROF_OK)
		look_at(reader, &r, bits);
	if (status != HPROF_END)
		converted_fail(bits, hprof_reader_error(reader)->text);
	for (size_t i = 0; i < has.count; i++)
		if (!had.has_unknown && !has_fault(&had, has.codes[i]) &&
		    strcmp(has.codes[i], "no-heap") != 0)
			converted_fail(bits, has.codes[i]);
	hprof_reader_close(reader);
}

/* ---- objects ------------------------------------------------------------- */

/* What a java.lang.String may keep. */
static bool is_form(const struct hprof_heap *heap,
		    const struct hprof_field *field)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);

	return strcmp(s->class_rows[field->class_row].name,
		      "java.lang.String") == 0 &&
	       (strcmp(field->name, "coder") == 0 ||
		strcmp(field->name, "offset") == 0 ||
		strcmp(field->name, "count") == 0);
}

static void blank_fields(const struct hprof_heap *heap, unsigned bits)
{
	struct hprof_cursor *cursor;
	struct hprof_object object;
	struct hprof_field field;

	if (hprof_cursor_new(heap, &cursor, NULL) < 0)
		exit(2);
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		if (hprof_cursor_seek(cursor, i, &object) != HPROF_OK)
			converted_fail(bits, "an object cannot be read");
		for (size_t k = 0;
		     hprof_cursor_field(cursor, k, &field) == HPROF_OK; k++)
			if (field.type != HPROF_TYPE_OBJECT && field.value &&
			    !is_form(heap, &field))
				converted_fail(bits, "a field is not blank");
	}
	hprof_cursor_free(cursor);
}

static void all_alive(const struct hprof_heap *heap, unsigned bits)
{
	struct hprof_graph_options how = {
		.size = sizeof(how),
		.hold = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
	};
	struct hprof_graph *graph;

	if (hprof_graph_build(heap, &how, &graph, NULL) != HPROF_OK)
		converted_fail(bits, "no graph");
	if (hprof_graph_totals(graph)->reachable != hprof_heap_count(heap))
		converted_fail(bits, "not everything is alive");
	hprof_graph_free(graph);
}

static bool has_no_fault(const char *path)
{
	struct hprof_check_options how = { .size = sizeof(how) };
	struct hprof_check_result *result;
	bool fine;

	if (hprof_check(INPUT_PATH(path), &how, &result, NULL) < 0)
		return false;
	fine = !result->errors && !result->warnings;
	hprof_check_result_free(result);
	return fine;
}

static void visit(const char *in, const char *path, unsigned bits)
{
	bool blank = (bits & REDACT) == REDACT && !(bits & KEEP);
	/*
	 * What is made up or gone may have held, or not be held; of objects
	 * and classes that come twice one holds, another does not.
	 */
	bool alive = (bits & (LIVE | REPAIR | NO_ZYGOTE)) == LIVE &&
		     has_no_fault(in);
	struct hprof_heap *heap;

	if (!blank && !alive)
		return;
	if (hprof_heap_open(INPUT_PATH(path), NULL, &heap, NULL) != HPROF_OK)
		converted_fail(bits, "the result is no heap");
	if (blank)
		blank_fields(heap, bits);
	if (alive)
		all_alive(heap, bits);
	hprof_heap_close(heap);
}

/* ---- the check ----------------------------------------------------------- */

static void no_fault(const char *path, unsigned bits)
{
	struct hprof_check_options how = { .size = sizeof(how),
					   .readers = READERS };
	struct hprof_check_result *result;

	if (hprof_check(INPUT_PATH(path), &how, &result, NULL) < 0)
		converted_fail(bits, "the result cannot be checked");
	for (size_t i = 0; i < result->code_count; i++)
		if (result->codes[i].severity == HPROF_ERROR)
			converted_fail(bits, result->codes[i].code);
	hprof_check_result_free(result);
}

void converted_check(const char *in, const char *path, unsigned bits,
		     const struct hprof_convert_options *o)
{
	read_all(in, path, bits, o);
	visit(in, path, bits);
	if (bits & REPAIR)
		no_fault(path, bits);
}

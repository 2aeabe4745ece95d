/* SPDX-License-Identifier: MIT */
/*
 * trace.c - see trace.h.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "inputs.h"

static void add(struct trace *trace, uint64_t word)
{
	if (trace->count == trace->room) {
		trace->room = 2 * trace->room + 1024;
		trace->words = realloc(trace->words,
				       trace->room * sizeof *trace->words);
		if (!trace->words)
			abort();
	}
	trace->words[trace->count++] = word;
}

static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ p[i]) * 0x100000001b3;
	return sum;
}

static void add_text(struct trace *trace, const char *text)
{
	add(trace, text ? hash(1, text, strlen(text)) : 0);
}

void trace_free(struct trace *trace)
{
	free(trace->words);
	*trace = (struct trace){ 0 };
}

size_t trace_difference(const struct trace *a, const struct trace *b)
{
	size_t least = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < least; i++)
		if (a->words[i] != b->words[i])
			return i;
	return a->count == b->count ? SIZE_MAX : least;
}

void trace_diagnostic(void *user, const struct hprof_diagnostic *d)
{
	struct trace *trace = user;

	trace->severe[d->severity]++;
	add(trace, UINT64_MAX);
	add(trace, d->severity);
	add(trace, d->offset);
	add_text(trace, d->code);
	add_text(trace, d->text);
}

struct hprof_reader_options trace_options(struct trace *trace)
{
	return (struct hprof_reader_options){
		.size = sizeof(struct hprof_reader_options),
		.diagnostic = trace_diagnostic,
		.user = trace,
	};
}

/* ---- records ------------------------------------------------------------- */

static void add_bytes(struct trace *trace, struct hprof_bytes bytes)
{
	add(trace, bytes.size);
	add(trace, bytes.data ? hash(1, bytes.data, (size_t)bytes.size) : 0);
}

static void add_class(struct trace *trace, const struct hprof_record *record)
{
	struct hprof_class_cursor cursors[] = {
		hprof_class_constants(record),
		hprof_class_statics(record),
		hprof_class_fields(record),
	};
	struct hprof_class_entry entry;

	for (unsigned i = 0; i < 3; i++) {
		while (hprof_class_next(&cursors[i], &entry) == HPROF_OK) {
			add(trace, entry.name_id ^ entry.type ^
					   (uint64_t)entry.index << 32);
			add(trace, entry.value);
		}
	}
}

static void add_field(struct trace *trace, const struct hprof_record *record,
		      const struct hprof_field_info *field)
{
	const char *at = (const char *)record + field->offset;
	struct hprof_bytes bytes;
	uint64_t u8;
	uint32_t u4;
	uint16_t u2;

	switch (field->kind) {
	case HPROF_KIND_ID:
	case HPROF_KIND_U8:
		memcpy(&u8, at, sizeof u8);
		add(trace, u8);
		break;
	case HPROF_KIND_U4:
	case HPROF_KIND_I4:
	case HPROF_KIND_COUNT:
		memcpy(&u4, at, sizeof u4);
		add(trace, u4);
		break;
	case HPROF_KIND_U2:
		memcpy(&u2, at, sizeof u2);
		add(trace, u2);
		break;
	case HPROF_KIND_U1:
	case HPROF_KIND_TYPE:
		add(trace, *(const uint8_t *)at);
		break;
	case HPROF_KIND_CLASS:
		add_class(trace, record);
		break;
	default:
		memcpy(&bytes, at, sizeof bytes);
		add_bytes(trace, bytes);
	}
}

static void add_record(struct trace *trace, const struct hprof_record *record)
{
	const struct hprof_record_info *info =
		hprof_record_describe(record->tag);

	trace->last = trace->count;
	trace->records++;
	if (record->offset > trace->end)
		trace->end = record->offset;
	add(trace, record->tag);
	add(trace, record->offset);
	add(trace, record->id_size);
	add(trace, record->time_us);
	add(trace, record->length);
	add_bytes(trace, record->rest);
	if (!info)
		add_bytes(trace, record->u.unknown.body);
	for (unsigned i = 0; info && i < info->field_count; i++)
		add_field(trace, record, &info->fields[i]);
}

static void add_body(struct trace *trace, struct hprof_reader *reader)
{
	uint8_t piece[1009];
	uint64_t size = 0, sum = 1;
	size_t got;

	while (hprof_reader_body(reader, piece, sizeof piece, &got) ==
		       HPROF_OK &&
	       got > 0) {
		size += got;
		sum = hash(sum, piece, got);
	}
	add(trace, size);
	add(trace, sum);
}

/* ---- readers ------------------------------------------------------------- */

static void add_info(struct trace *trace, struct hprof_reader *reader)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(reader, &info);
	add(trace, info.bytes_read);
	add(trace, info.dump);
	add(trace, info.dump_count);
	add(trace, info.complete);
	add(trace, info.truncated);
	add(trace, info.errors);
	add(trace, info.warnings);
	add(trace, info.notes);
	add_text(trace, info.container);
	add_text(trace, info.member);
}

void trace_read(struct trace *trace, struct hprof_reader *reader, bool bodies,
		bool ends)
{
	struct hprof_record record;

	while ((trace->status = hprof_reader_next(reader, &record)) ==
	       HPROF_OK) {
		add_record(trace, &record);
		if (bodies)
			add_body(trace, reader);
	}
	if (!ends)
		return;
	add(trace, (uint64_t)trace->status);
	add_info(trace, reader);
}

static bool read_unit(struct trace *trace, struct hprof_reader *reader)
{
	struct hprof_reader_options options = trace_options(trace);
	struct hprof_reader *part;
	struct hprof_unit unit;
	bool proved;

	if (hprof_reader_unit(reader, &unit) != HPROF_OK ||
	    hprof_reader_open_unit(reader, &unit, &options, &part, NULL) !=
		    HPROF_OK)
		abort();
	trace_read(trace, part, true, false);
	proved = hprof_reader_unit_proved(part);
	hprof_reader_close(part);
	return proved;
}

bool trace_read_units(struct trace *trace, struct hprof_reader *reader)
{
	struct hprof_record record;

	while ((trace->status = hprof_reader_next(reader, &record)) ==
	       HPROF_OK) {
		if (record.tag == HPROF_UNIT) {
			if (!read_unit(trace, reader))
				return false;
			continue;
		}
		add_record(trace, &record);
		add_body(trace, reader);
	}
	add(trace, (uint64_t)trace->status);
	add_info(trace, reader);
	return true;
}

int64_t pieces_read(void *user, void *buffer, size_t room)
{
	struct pieces *pieces = user;
	size_t n = pieces->size - pieces->at;

	if (n > room)
		n = room;
	if (n > pieces->most)
		n = pieces->most;
	if (n)
		memcpy(buffer, pieces->bytes + pieces->at, n);
	pieces->at += n;
	return (int64_t)n;
}

/* ---- bytes --------------------------------------------------------------- */

struct trace trace_stream(const uint8_t *bytes, size_t size, size_t most)
{
	struct trace trace = { 0 };
	struct hprof_reader_options options = trace_options(&trace);
	struct pieces pieces = { bytes, size, 0, most };
	struct hprof_reader *reader;

	trace.status = hprof_reader_open(INPUT_CALLBACK(pieces_read, &pieces),
					 &options, &reader, NULL);
	if (trace.status == HPROF_OK) {
		trace_read(&trace, reader, true, true);
		hprof_reader_close(reader);
	}
	return trace;
}

bool trace_units(struct trace *trace, const uint8_t *bytes, size_t size)
{
	struct hprof_reader_options options = trace_options(trace);
	struct hprof_reader *reader;
	bool proved;

	options.units = true;
	if (hprof_reader_open(INPUT_MEMORY(bytes, size), &options, &reader,
			      NULL) != HPROF_OK)
		return false;
	proved = trace_read_units(trace, reader);
	hprof_reader_close(reader);
	return proved;
}

/* SPDX-License-Identifier: MIT */
/*
 * trace.h - everything that a reader returns, as a sequence of numbers, so that
 * two ways to read the same bytes can be compared. Used by unit tests and fuzz
 * targets.
 */
#ifndef TRACE_H
#define TRACE_H

#include <hprof.h>

struct trace {
	uint64_t *words;
	size_t count, room;
	size_t last;	    /* start of the last event */
	uint64_t records;   /* top-level records and sub-records */
	uint64_t end;	    /* highest offset of a record */
	unsigned severe[3]; /* diagnostics by severity */
	enum hprof_status status;
};

/* The first place where two traces differ; SIZE_MAX if they are equal. */
size_t trace_difference(const struct trace *a, const struct trace *b);
void trace_free(struct trace *trace);

/* An hprof_diagnostic_fn; USER is a struct trace. */
void trace_diagnostic(void *user, const struct hprof_diagnostic *diagnostic);

/*
 * Reads to the end. If BODIES is set, reads the bodies of long records too, in
 * pieces; if ENDS is set, adds the last status and the reader's info.
 */
void trace_read(struct trace *trace, struct hprof_reader *reader, bool bodies,
		bool ends);

/*
 * The same for a reader that returns units: the records in them are read in
 * place. False if a unit was not confirmed; the trace is of no use then.
 */
bool trace_read_units(struct trace *trace, struct hprof_reader *reader);

/* Options of a reader that add its diagnostics to TRACE. */
struct hprof_reader_options trace_options(struct trace *trace);

/* The trace of BYTES, read as a stream in pieces of at most MOST bytes. */
struct trace trace_stream(const uint8_t *bytes, size_t size, size_t most);

/* Reads BYTES by units to TRACE. False if a unit was not confirmed. */
bool trace_units(struct trace *trace, const uint8_t *bytes, size_t size);

/* An hprof_read_fn that returns memory in pieces. */
struct pieces {
	const uint8_t *bytes;
	size_t size, at;
	size_t most; /* of one piece */
};
int64_t pieces_read(void *user, void *buffer, size_t room);

#endif

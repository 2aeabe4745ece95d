/* SPDX-License-Identifier: MIT */
/*
 * trace.h - all that a reader says, as numbers, so that two ways to read the
 * same bytes can be compared. Used by unit tests and fuzz targets.
 */
#ifndef TRACE_H
#define TRACE_H

#include <hprof.h>

struct trace {
	uint64_t *words;
	size_t count, room;
	size_t last;	    /* where the last event begins */
	uint64_t records;   /* top-level records and sub-records */
	uint64_t end;	    /* highest offset of a record */
	unsigned severe[3]; /* diagnostics by severity */
	enum hprof_status status;
};

/* Where two traces differ first; SIZE_MAX: nowhere. */
size_t trace_difference(const struct trace *a, const struct trace *b);
void trace_free(struct trace *trace);

/* An hprof_diagnostic_fn; USER is a struct trace. */
void trace_diagnostic(void *user, const struct hprof_diagnostic *diagnostic);

/*
 * Reads to the end. With bodies of long records if BODIES, read in pieces.
 * With ENDS the status at the end and the reader's info are part of it.
 */
void trace_read(struct trace *trace, struct hprof_reader *reader, bool bodies,
		bool ends);

/*
 * The same of a reader that hands out units: the records in them are read in
 * place. False if a unit was not proved; the trace is of no use then.
 */
bool trace_read_units(struct trace *trace, struct hprof_reader *reader);

/* Options with trace_diagnostic for TRACE. */
struct hprof_reader_options trace_options(struct trace *trace);

/* Everything, of BYTES as a stream in pieces of at most MOST bytes. */
struct trace trace_stream(const uint8_t *bytes, size_t size, size_t most);

/* The same by units to TRACE. False if a unit was not proved. */
bool trace_units(struct trace *trace, const uint8_t *bytes, size_t size);

/* An hprof_read_fn that hands out memory in pieces. */
struct pieces {
	const uint8_t *bytes;
	size_t size, at;
	size_t most; /* of one piece */
};
int64_t pieces_read(void *user, void *buffer, size_t room);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hprof/arrow.h - the tables of a dump as streams of Arrow columns.
 *
 * The structs are those of Arrow's C data interface and C stream interface, a
 * stable ABI that needs no library: pyarrow, pandas, Polars, DuckDB and others
 * take a stream as it is, without a copy.
 *
 *	struct hprof_tables_walk of = { .size = sizeof of, .heap = heap };
 *	struct ArrowArrayStream stream;
 *
 *	status = hprof_arrow_table(&of, HPROF_TABLE_OBJECT, NULL, &stream,
 *				   &error);
 *
 * Ownership: the caller owns the stream and every schema and array that comes
 * from it, and releases each of them once, by its release function, in any
 * order. Arrays and schemas need neither the stream nor the heap. What the walk
 * points to must outlive the stream.
 *
 * Threads: a stream belongs to one thread at a time; streams of one heap, and
 * parts of one table, may be read by several threads at the same time.
 */
#ifndef HPROF_ARROW_H
#define HPROF_ARROW_H

#include <hprof/tables.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
	const char *format;
	const char *name;
	const char *metadata;
	int64_t flags;
	int64_t n_children;
	struct ArrowSchema **children;
	struct ArrowSchema *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length;
	int64_t null_count;
	int64_t offset;
	int64_t n_buffers;
	int64_t n_children;
	const void **buffers;
	struct ArrowArray **children;
	struct ArrowArray *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

#endif

struct hprof_arrow_options {
	size_t size; /* sizeof(struct hprof_arrow_options) */
	/*
	 * The names of the columns wanted, in the order of the result, NULL after
	 * the last. NULL: all.
	 */
	const char *const *columns;
	/*
	 * The part of the table from position first to below end, which are
	 * numbers of objects, or for tables that do not go by object rows from 0.
	 * hprof_arrow_span says how many there are; end 0: all of them.
	 */
	uint64_t first, end;
	/*
	 * Rows of a batch, 0: 65,536. The rows of one object, or of 4,096
	 * elements of an array, stay together, so a batch may have some more. It
	 * has less if its texts take 64 MiB.
	 */
	size_t batch_rows;
	/*
	 * Called when the stream is released, once nothing of the walk is used
	 * any more. May be NULL.
	 */
	void (*released)(void *user);
	void *released_user;
	uint64_t reserved[2]; /* 0 */
};

/*
 * A table as a stream. Of WALK, the members row, user and wanted are not used.
 * OPTIONS may be NULL. A column that is a row of the table of classes is followed
 * by one with the name of that class: class by class_name. The tables retained and
 * strength need the walk's graph, waste, duplicate and waste_map its waste, loader
 * its loaders, suspect and suspect_path its leaks, site its allocations:
 * HPROF_E_USAGE without. *RET_STREAM is the caller's, and untouched on failure.
 */
HPROF_API enum hprof_status
hprof_arrow_table(const struct hprof_tables_walk *walk, enum hprof_table table,
		  const struct hprof_arrow_options *options,
		  struct ArrowArrayStream *ret_stream,
		  struct hprof_error *ret_error);

/*
 * The objects of the class at CLASS_ROW of the summary, with SUBCLASSES also
 * those of its subclasses, as a stream: object, class, class_name, shallow,
 * length (of arrays), with a graph in the walk retained (needs dominators), and
 * a column for each field of the class, its own first. A field whose name
 * another column has, upper and lower case being the same, gets _ at its end; of
 * more than 1,900 fields, the first are columns. A
 * field that is a number or boolean is an int64, a char its code; one with a
 * fraction a double; a reference the number of the object, or null.
 *
 * Positions are those of hprof_class_index_object, and there are
 * hprof_class_index_count of them. INDEX, which is one of the walk's heap, must
 * outlive the stream. Otherwise as hprof_arrow_table.
 */
HPROF_API enum hprof_status
hprof_arrow_class(const struct hprof_tables_walk *walk,
		  const struct hprof_class_index *index, size_t class_row,
		  bool subclasses, const struct hprof_arrow_options *options,
		  struct ArrowArrayStream *ret_stream,
		  struct hprof_error *ret_error);

/*
 * How many positions the table has, for parts: the number of objects, or
 * UINT64_MAX for tables whose rows are not known before they are made.
 */
HPROF_API uint64_t hprof_arrow_span(const struct hprof_tables_walk *walk,
				    enum hprof_table table);

#ifdef __cplusplus
}
#endif

#endif

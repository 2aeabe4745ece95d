/*
 * hprof/diff.h - what differs between dumps, as plain tables.
 *
 * An id says nothing in another dump: collectors move objects, and each run
 * of a program has ids of its own. So what is compared is matched by name,
 * without the part of it that is another in every run.
 */
#ifndef HPROF_DIFF_H
#define HPROF_DIFF_H

#include <hprof/error.h>
#include <hprof/retained.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The name of a class without what is unique to a run: addresses and numbers
 * of hidden classes ("com.Foo$$Lambda"), of proxies ("jdk.proxy.$Proxy"), of
 * accessors and of classes that well-known libraries generate. Writes at most
 * ROOM bytes, the last one NUL, and returns the length of the whole.
 */
HPROF_API size_t hprof_diff_name(const char *name, char *out, size_t room);

/* ---- rows of the same name -------------------------------------------------- */

/* A class, package ... of one dump. */
struct hprof_diff_item {
	const char *name; /* UTF-8, raw, as in the dump */
	/* What its class loader is called in every run; NULL: not known. */
	const char *loader;
	uint64_t instances, bytes, retained;
};

/* The items of one dump. */
struct hprof_diff_side {
	size_t count;
	const struct hprof_diff_item *items;
};

enum hprof_diff_measure {
	HPROF_DIFF_INSTANCES,
	HPROF_DIFF_BYTES,
	HPROF_DIFF_RETAINED
};
enum { HPROF_DIFF_MEASURES = 3 };

/* The items of one dump that belong to a row. */
struct hprof_diff_cell {
	uint64_t items; /* 0: not in that dump */
	uint64_t values[HPROF_DIFF_MEASURES];
};

struct hprof_diff_row {
	const char *name;   /* as hprof_diff_name says; owned by the table */
	const char *loader; /* NULL: the name is enough */
	bool differs;	    /* some value in some dump */
	/* It grew from each dump to the next, by measure. */
	bool grows[HPROF_DIFF_MEASURES];
	struct hprof_diff_cell *cells; /* one for each side */
};

struct hprof_diff_table {
	size_t side_count;
	size_t count;
	struct hprof_diff_row *rows; /* by name, then loader */
	/* Sums of all rows, one for each side. */
	struct hprof_diff_cell *totals;
	void *impl;
};

/*
 * Puts the items of COUNT dumps side by side. Items of one name are one row,
 * unless in some dump they are from different loaders: then loaders of one
 * name make a row. Nothing of SIDES is needed afterwards. Free it with
 * hprof_diff_table_free.
 */
HPROF_API enum hprof_status
hprof_diff_match(const struct hprof_diff_side *sides, size_t count,
		 struct hprof_diff_table **ret_table,
		 struct hprof_error *ret_error);
HPROF_API void hprof_diff_table_free(struct hprof_diff_table *table);

#ifdef __cplusplus
}
#endif

#endif

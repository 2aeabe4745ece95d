/* SPDX-License-Identifier: MIT */
/*
 * rollup.h - the class table, and its sums by package, superclass or loader.
 */
#ifndef TOOLS_ROLLUP_H
#define TOOLS_ROLLUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof.h>

#include "tools/common/cli.h"

/* In the order of the words of --by. */
enum rollup_by { ROLLUP_CLASS, ROLLUP_PACKAGE, ROLLUP_SUPER, ROLLUP_LOADER };

#define ROLLUP_BY_CHOICES "class|package|super|loader"

/* In the order of the words of --sort. */
enum rollup_sort {
	ROLLUP_SORT_BYTES,
	ROLLUP_SORT_INSTANCES,
	ROLLUP_SORT_LARGEST,
	ROLLUP_SORT_NAME
};

#define ROLLUP_SORT_CHOICES "bytes|instances|largest|name"

struct rollup_options {
	enum rollup_by by;
	enum rollup_sort sort;
	const struct cli_list
		*match; /* patterns, of which one must match; empty: all */
	const struct hprof_loader_table *loaders; /* for ROLLUP_LOADER */
};

struct rollup_row {
	const char *name; /* UTF-8, raw; never NULL */
	/* The class or superclass; NULL for packages and loaders. */
	const struct hprof_class_row *class_row;
	const struct hprof_loader_row
		*loader;    /* NULL: bootstrap, or not known */
	uint64_t id;	    /* of the class or loader object; 0: none */
	bool shared_name;   /* another row has the same name */
	bool shared_loader; /* and the same loader */
	uint64_t classes;   /* that have instances */
	uint64_t instances;
	uint64_t bytes;
	uint64_t largest;
	uint64_t data;
};

struct rollup_table {
	enum rollup_by by;
	size_t count;
	struct rollup_row *rows; /* sorted; equal ones by name, then id */
	struct rollup_row total; /* of all classes that match the patterns */
	uint64_t whole; /* bytes of all classes, of which shares are computed */
	bool filtered;	/* only classes that match the patterns are in it */
	size_t name_count;
	char **names; /* names that do not belong to the summary */
};

/*
 * Which classes match the patterns: an element for each row of the summary, and
 * one more for unknown classes. NULL if there are no patterns. The caller frees
 * it.
 */
bool *rollup_matching(const struct hprof_summary *summary,
		      const struct cli_list *match);

/* SUMMARY and OPTIONS->loaders must outlive the result. */
struct rollup_table *rollup_table_new(const struct hprof_summary *summary,
				      const struct rollup_options *options);
void rollup_table_free(struct rollup_table *table);

/* The loader with ID; NULL if LOADERS is NULL or lacks it. */
const struct hprof_loader_row *
rollup_find_loader(const struct hprof_loader_table *loaders, uint64_t id);

/* The word for COUNT rows: "class", "classes", "packages" … */
const char *rollup_word(enum rollup_by by, uint64_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * rollup.h - the class table, and its roll-ups by package, superclass, loader.
 */
#ifndef TOOLS_ROLLUP_H
#define TOOLS_ROLLUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof.h>

#include "tools/common/cli.h"

/* In the order of the words that --by takes. */
enum group_by { GROUP_CLASS, GROUP_PACKAGE, GROUP_SUPER, GROUP_LOADER };

#define GROUP_BY_CHOICES "class|package|super|loader"

/* In the order of the words that --sort takes. */
enum group_sort {
	GROUP_SORT_BYTES,
	GROUP_SORT_INSTANCES,
	GROUP_SORT_LARGEST,
	GROUP_SORT_NAME
};

#define GROUP_SORT_CHOICES "bytes|instances|largest|name"

struct group_options {
	enum group_by by;
	enum group_sort sort;
	const struct cli_list *match; /* patterns, one must fit; empty: all */
	const struct hprof_loader_table *loaders; /* for GROUP_LOADER */
};

struct group_row {
	const char *name; /* UTF-8, raw; never NULL */
	/* Of a class, superclass; NULL for packages and loaders. */
	const struct hprof_class_row *class_row;
	const struct hprof_loader_row *loader; /* NULL: none, or not known */
	uint64_t id;	    /* of the class or loader object; 0: none */
	bool shared_name;   /* another row has the same name */
	bool shared_loader; /* and the same loader */
	uint64_t classes;   /* that have instances */
	uint64_t instances;
	uint64_t bytes;
	uint64_t largest;
	uint64_t data;
};

struct group_table {
	enum group_by by;
	size_t count;
	struct group_row *rows; /* sorted; ties by name, then id */
	struct group_row total; /* of all classes that fit the patterns */
	uint64_t whole;		/* bytes of all classes: what shares are of */
	bool filtered;		/* by patterns */
	size_t name_count;
	char **names; /* those that are not the summary's */
};

/* Needs SUMMARY and OPTIONS->loaders as long as it lives. */
struct group_table *group_table_new(const struct hprof_summary *summary,
				    const struct group_options *options);
void group_table_free(struct group_table *table);

/* The loader with ID; NULL if LOADERS is NULL or lacks it. */
const struct hprof_loader_row *
group_find_loader(const struct hprof_loader_table *loaders, uint64_t id);

/* What COUNT rows are called: "classes". */
const char *group_word(enum group_by by, uint64_t count);

#endif

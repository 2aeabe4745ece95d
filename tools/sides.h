/*
 * sides.h - the dumps that are compared, read as far as it takes.
 */
#ifndef TOOLS_SIDES_H
#define TOOLS_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include <hprof.h>

#include "group.h"
#include "input.h"

struct side {
	const char *path;
	const struct hprof_summary *summary;
	struct hprof_summary *own_summary;  /* NULL: it is the heap's */
	struct hprof_heap *heap;	    /* NULL: not needed */
	struct hprof_loader_table *loaders; /* NULL: not needed, or not known */
	/* NULL: not wanted. */
	struct hprof_retained_table *retained;
	struct hprof_path_tree *tree;
};

struct sides_wanted {
	bool loaders; /* also where classes' names tell them apart */
	bool retained;
};

struct sides {
	size_t count;
	struct side *items;
	/* Sizes by one convention: that of this dump; SIZE_MAX: by nature. */
	size_t like;
	bool mixed;		/* no common convention could be had */
	const char *convention; /* of all, in words */
};

/*
 * Reads the COUNT dumps at PATHS; false after a message. Done with sides_done
 * in any case.
 */
bool sides_read(struct sides *sides, char *const *paths, size_t count,
		const struct sides_wanted *wanted,
		const struct input_options *options);

void sides_done(struct sides *sides);

/* What is compared, of one dump. */
struct side_items {
	struct hprof_diff_side table;
	struct hprof_diff_item *items;
	char **names; /* those that are nobody else's */
	size_t name_count;
	struct group_table *groups;
};

/* MATCH (NULL: all) chooses classes; not with retained sizes. */
void side_items_make(struct side_items *items, const struct side *side,
		     enum group_by by, const struct cli_list *match);
void side_items_done(struct side_items *items);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * view.h - what a column of the screen shows: rows of numbers and one text,
 * each with what it is about.
 *
 * A kind of view is a table of columns and a function that makes the rows. It
 * makes a limited number of them; if there are more, the last row says so, and
 * opening that one makes the view again with a larger limit. So a view holds
 * what was looked at, not what the heap holds.
 */
#ifndef TOOLS_BROWSE_VIEW_H
#define TOOLS_BROWSE_VIEW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hprof.h>

#include "tools/browse/model.h"

/* What a view is about, and what a row leads to. */
enum target_kind {
	TARGET_NONE,
	TARGET_OVERVIEW,
	TARGET_CLASSES,
	TARGET_PACKAGES,
	TARGET_LOADERS,
	TARGET_IN_PACKAGE,    /* text: its name */
	TARGET_IN_LOADER,     /* number: its id */
	TARGET_CLASSES_NAMED, /* text: a pattern */
	TARGET_INSTANCES,     /* number: the class's row */
	TARGET_DOMINATED,     /* number: the object, or HPROF_NO_OBJECT */
	TARGET_OBJECT,	      /* number: the object, as in what follows */
	TARGET_REFERRERS,
	TARGET_PATH,
	TARGET_SUSPECTS,
	TARGET_SUSPECT, /* number: its index */
	TARGET_THREADS,
	TARGET_THREAD, /* number: its index */
	TARGET_WASTE,
	TARGET_WASTE_KIND, /* number: enum hprof_waste_kind */
	TARGET_NATIVE,
	TARGET_SITES,
	TARGET_SITE,	    /* number: its index */
	TARGET_PROFILE_ROW, /* number: its section and index */
	TARGET_PROPERTIES,
	TARGET_DIAGNOSTICS,
	TARGET_TEXTS, /* text: what strings contain */
	TARGET_MARKS,
	TARGET_HELP,
	TARGET_MORE, /* the same view with more rows */
	TARGETS
};

struct target {
	enum target_kind kind;
	uint64_t number;
	char *text; /* of a view or row: its own; or NULL */
};

#define NO_VALUE UINT64_MAX /* a number that a row does not have */
enum { VIEW_VALUES = 3, LABEL_MOST = 40 };

struct view_row {
	uint64_t values[VIEW_VALUES];
	char *label; /* a short text before the text, escaped; or NULL */
	char *text;  /* escaped */
	bool is_heading;
	bool is_entry;	     /* the label is a key: "=" stands behind it */
	unsigned char depth; /* blanks before label and text */
	struct target target;
	uint64_t object;  /* that it is about, or HPROF_NO_OBJECT */
	size_t class_row; /* likewise; SIZE_MAX: none */
};

enum column_kind { COLUMN_BYTES, COLUMN_COUNT };

struct view_column {
	const char *title; /* NULL: the view has not so many */
	enum column_kind kind;
};

struct view;

struct view_kind {
	struct view_column columns[VIEW_VALUES];
	const char *text_title;
	bool wordy;	/* texts are sentences, which need more room */
	bool has_share; /* of the first value in the view's whole */
	bool sortable;
	bool by_text;  /* sorted by the text at first, not by a value */
	bool improves; /* has more to say when the graph is there */
	bool is_slow;  /* the worker makes the rows */
	enum model_part needs;
	/* Writes title, whole and rows. Runs once at a time. */
	void (*make)(struct view *view);
};

enum view_state { VIEW_WAITS, VIEW_IS_MADE, VIEW_READY };

struct view {
	const struct view_kind *kind;
	struct model *model;
	struct target about;
	enum view_state state;
	struct worker_task task;
	atomic_bool ending; /* a slow one should give up */
	bool had_graph, was_ready;

	/* What MAKE reads and writes. */
	const struct model_tables *tables;
	bool with_graph;
	size_t limit;
	char *title; /* escaped */
	uint64_t whole;
	size_t count, room;
	struct view_row *rows;

	/* What is shown: rows in an order. */
	size_t shown_count;
	size_t *shown;
	char *filter; /* NULL: all rows */
	int sort;     /* the value, or VIEW_VALUES: the text; equal: as made */
	bool ascending;
	size_t cursor, top; /* places in shown */
};

struct view *view_new(struct model *model, const struct view_kind *kind,
		      const struct target *about);
/* Not while it is made. */
void view_free(struct view *view);

/* Makes it when it can be made, or anew; true if that changed something. */
bool view_tick(struct view *view);

/* Has a slow one give up; false: it is not being made. */
bool view_cancel(struct view *view);

/* Shows more rows than before. */
void view_extend(struct view *view);

/* The row at the cursor, or NULL. */
struct view_row *view_current(const struct view *view);
void view_move(struct view *view, size_t to);

/* TEXT may be NULL. */
void view_filter(struct view *view, const char *text);
void view_sort_next(struct view *view);
void view_reverse(struct view *view);

/* Goes to the next row that contains TEXT; false: there is none. */
bool view_search(struct view *view, const char *text, bool forward,
		 bool from_here);

/* ---- for makers ---------------------------------------------------------- */

/* Takes TITLE. */
void view_title(struct view *view, char *title);

/* A blank row at the end, valid until the next one; takes TEXT. */
struct view_row *view_add(struct view *view, char *text);
void view_heading(struct view *view, const char *text);
/* Text of any length, in lines. */
void view_prose(struct view *view, const char *text);
/* The row that stands for MORE rows that are not there; 0: nothing. */
void view_more(struct view *view, uint64_t more);
/* The same where nobody knows how many there are. */
void view_some_more(struct view *view);

/* ROW is about the object: its class, and how to open it. */
void row_about(struct view_row *row, const struct hprof_object_info *info);

struct target target_of(enum target_kind kind, uint64_t number);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * render.h - prints a report about one dump: text, JSON, CSV.
 */
#ifndef TOOLS_RENDER_H
#define TOOLS_RENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <hprof.h>

#include "tools/report/rollup.h"
#include "tools/common/json.h"
#include "tools/common/shared_names.h"

enum thread_sort {
	THREAD_SORT_RETAINED,
	THREAD_SORT_NAME,
	THREAD_SORT_CPU,
	THREAD_SORT_ID
};

struct report {
	const char *path; /* as it was given on the command line */
	const struct hprof_summary *summary;
	const struct rollup_table *groups;
	uint64_t top; /* rows of the class table; 0: all */
	enum thread_sort thread_sort;
	const struct hprof_profile_table *cpu; /* to sort threads by; or NULL */
	/* NULL: not asked for, or not available. */
	const struct hprof_thread_table *threads;
	const struct hprof_property_table *properties;
	const struct hprof_profile_table *profile;
	const struct hprof_outside_table *outside;
	/* The same for what needs the object graph. */
	const struct hprof_graph_totals *graph;
	const struct hprof_retained_table *retained;
	const struct hprof_retained_tree *tree; /* NULL: a list instead */
	const struct hprof_dominator_kinds *kinds;
	const struct hprof_leak_table *leaks;
	const struct hprof_garbage_table *garbage;
	const struct hprof_allocation_table *allocations;
	/* Of what each suspect keeps; NULL: none. */
	struct hprof_allocation_table *const *leak_sites;
	const struct hprof_native_table *native;
	/* Only counted if there is no graph. */
	const struct hprof_resource_table *resources;
	const struct hprof_waste_table *waste;
	const struct hprof_loader_use_table *loaders;
	const struct cli_list *match; /* patterns for classes, or none */
	const struct hprof_thread_locals_table *locals;
	const struct shared_names *names; /* with graph */
	bool all_native; /* the table NATIVE, not only its sum */
};

/* Text for people. Each section but the head starts with an empty line. */
void render_head(FILE *out, const struct report *report);
void render_totals(FILE *out, const struct report *report);
void render_classes(FILE *out, const struct report *report);
void render_records(FILE *out, const struct report *report);
void render_roots(FILE *out, const struct report *report);
void render_threads(FILE *out, const struct report *report);
void render_properties(FILE *out, const struct report *report);
void render_profile(FILE *out, const struct report *report);
void render_backlog_overview(FILE *out, const struct report *report);
void render_backlogs(FILE *out, const struct report *report);
void render_resources(FILE *out, const struct report *report);
/* Whether some objects say that they are closed. */
bool render_resources_closed(const struct hprof_resource_table *resources);
/* What holds the objects of ROW; "" if that is not one object. Free it. */
char *render_resource_owner(const struct hprof_resource_row *row);
void render_strengths(FILE *out, const struct report *report);

/* That figures of live objects mean little, if the dump has no GC roots; else NULL. */
const char *render_no_roots(const struct report *report);
/* The same in a few words; SUMMARY is that of the dump. */
const char *render_no_roots_line(const struct hprof_summary *summary);
void render_retained(FILE *out, const struct report *report);
void render_leak_overview(FILE *out, const struct report *report);
void render_leaks(FILE *out, const struct report *report);
void render_garbage(FILE *out, const struct report *report);
void render_allocations(FILE *out, const struct report *report);
void render_native_line(FILE *out, const struct report *report);
void render_native(FILE *out, const struct report *report);
void render_waste(FILE *out, const struct report *report);
void render_loaders(FILE *out, const struct report *report);

/* Time and memory that each phase of the graph took. */
void render_stats(FILE *out, const struct hprof_graph *graph);

/* For programs. */
void render_json(FILE *out, const struct report *report);
void render_csv(FILE *out, const struct report *report);

/* Parts of render_json. */
void render_json_graph(struct json *json, const struct report *report);
void render_json_outside(struct json *json, const struct report *report);
void render_json_resources(struct json *json, const struct report *report);
void render_json_native(struct json *json, const struct report *report);
void render_json_loaders(struct json *json, const struct report *report);
void render_json_allocations(struct json *json, const struct report *report);
void render_json_waste(struct json *json, const struct report *report);
void render_json_locals(struct json *json,
			const struct hprof_thread_locals *locals);

/* ---- shared by them ----------------------------------------------------- */

/* How many of COUNT rows to print: no more than --top says. */
static inline size_t render_rows(const struct report *report, size_t count)
{
	if (report->top && report->top < count)
		count = (size_t)report->top;
	return count;
}

/* How many rows of the class table to print. */
size_t render_row_count(const struct report *report);

/* What is outside of the heap, in a sentence; free it. NULL: nothing. */
char *render_outside_text(const struct hprof_outside_table *outside);

/*
 * What the locals of the thread at ROW hold, or NULL. Of several with one serial number,
 * which no JVM writes, the one whose object it is has them, or else the first.
 */
const struct hprof_thread_locals *
render_find_locals(const struct hprof_thread_locals_table *locals,
		   const struct hprof_thread_table *threads, size_t row);

/*
 * Prints a path, each line after INDENT blanks. FIRST is a path that was
 * printed before, or NULL: a common end is not printed again.
 */
void render_path(FILE *out, const struct hprof_path *path,
		 const struct hprof_path *first, unsigned indent);

/*
 * Prints the steps of PATH from step FIRST on, without its root;
 * the middle of a long path is left out.
 */
void render_path_from(FILE *out, const struct hprof_path *path, size_t first,
		      unsigned indent);

/*
 * Where PATH begins: a root, or the loader that keeps the first class alive. Of
 * a step the object, and for the value of a ThreadLocal whose it is. Free them.
 */
char *render_path_start(const struct hprof_path *path);
char *render_path_held(const struct hprof_path_step *step);
/* "(ThreadLocal com.acme.Context.CURRENT)"; FIELD may be NULL. */
char *render_path_local(const char *local_class, const char *field);

/* Prints "\tat pkg.Class.method(File.java:12)" and a newline. */
void render_frame(FILE *out, const struct hprof_stack_frame *frame);

/* Where most of what suspect I accumulates was allocated; NULL: not known. */
const struct hprof_allocation *render_leak_site(const struct report *report,
						size_t i);
/* An empty line, "Allocated at, 3 objects of class Foo, 72 bytes:", frames. */
void render_allocated_at(FILE *out, const struct hprof_allocation *site,
			 unsigned indent);
/* The frames, a line each. */
void render_stack(FILE *out, const struct hprof_allocation *site,
		  unsigned indent);
void render_json_site(struct json *json, const char *key,
		      const struct hprof_allocation *site);

/* The rows, most saved first; free the array. */
const struct hprof_waste_row **
render_waste_rows(const struct hprof_waste_table *waste);
/* "direct buffers" */
const char *render_native_kind(enum hprof_native_kind kind);
/* "2.11 MiB, and the JVM's own modules file, 139 MiB"; free it. */
char *render_native_sum(const struct hprof_native_table *native);
/* What holds the memory of ROW, with the field if it is known; free it. */
char *render_native_owner(const struct hprof_native_owner *row);
/* Who holds most of it, if that is worth a line; NULL: nobody. */
const struct hprof_native_owner *
render_native_most(const struct hprof_native_table *native);
/* "12.50 MiB in 200 direct buffers held by static com.acme.Pool.buffers"; free it. */
char *render_native_held(const struct hprof_native_owner *row);
/* "equal strings"; free it. */
char *render_waste_kind(enum hprof_waste_kind kind);
/* "com.acme.Row.country", "static com.acme.Cache.ALL"; free it. */
char *render_waste_holder(const struct hprof_summary *summary,
			  const struct hprof_waste_holder *holder);
/*
 * Labels for people, escaped for a terminal; free them.
 */

/* Classes of the same name are told apart by their identifiers. */
char *render_set_name(const struct report *report,
		      const struct hprof_set_row *row);
/* "(5,998 more java.util.LinkedList$Node)" */
char *render_folded(const struct hprof_tree_row *row);
/* A string in quotes, or "byte[8]@0x7f". */
char *render_waste_content(const struct report *report,
			   const struct hprof_waste_content *content);
char *render_loader_name(const struct hprof_loader_use *use);
/*
 * How the loader is held: by a field of its owner, or by a root. NULL: that is
 * not known, or does not matter.
 */
char *render_loader_holder(const struct hprof_loader_use *use);
/* "leaked", "alive"; a constant. */
const char *render_loader_state(enum hprof_loader_state state);

/* The value of property KEY, or NULL. */
const char *render_property(const struct hprof_property_table *properties,
			    const char *key);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * view_threads.c - threads, and the stack of one with the objects that its
 * frames hold.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/browse/views.h"
#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/report/render.h"
#include "tools/report/show.h"

enum { RETAINED, LOCALS, FRAMES };

static const struct hprof_thread_locals *
locals_of(const struct view *v, const struct hprof_thread_row *thread)
{
	const struct hprof_thread_table *threads = v->tables->threads;

	return render_find_locals(v->tables->locals, threads,
				  (size_t)(thread - threads->rows));
}

/* ---- all ----------------------------------------------------------------- */

static void put_thread(struct view *v, size_t i)
{
	const struct hprof_thread_row *thread = &v->tables->threads->rows[i];
	const struct hprof_thread_locals *locals = locals_of(v, thread);
	char *name = describe_thread_name(thread->name, DESCRIBE_NAME_LIMIT);
	struct view_row *row =
		view_add(v, describe_format("%s  %s", name,
					    thread->has_details
						    ? hprof_thread_state_name(
							      thread->status)
						    : ""));

	free(name);
	row->values[RETAINED] = locals ? locals->retained : 0;
	row->values[LOCALS] = locals ? locals->count : 0;
	row->values[FRAMES] = thread->frame_count;
	row->target = target_of(TARGET_THREAD, i);
	if (thread->object_id)
		row->object =
			hprof_heap_find(v->tables->heap, thread->object_id);
}

static void make_threads(struct view *v)
{
	const struct hprof_thread_table *t = v->tables->threads;

	view_title(v, cli_strdup("Threads"));
	v->whole = hprof_graph_totals(v->tables->graph)->reachable_shallow;
	for (size_t i = 0; t && i < t->count; i++)
		put_thread(v, i);
}

const struct view_kind threads_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES },
		     [LOCALS] = { "locals", COLUMN_COUNT },
		     [FRAMES] = { "frames", COLUMN_COUNT } },
	.text_title = "thread and its state",
	.has_share = true,
	.sortable = true,
	.needs = PART_LOCALS,
	.make = make_threads,
};

/* ---- one ----------------------------------------------------------------- */

static void put_local(struct view *v, struct show *show,
		      const struct hprof_thread_local_row *local)
{
	struct show_value value;
	struct view_row *row;

	show_take_value(show, HPROF_TYPE_OBJECT, local->held.id, &value);
	row = view_add(v, show_value_label(&value));
	row->label = cli_strdup(local->tag == HPROF_ROOT_JAVA_FRAME
					? "local"
					: hprof_root_name(local->tag));
	row->depth = 4;
	row->values[RETAINED] = local->held.retained;
	row_about(row, &local->held);
	show_value_done(&value);
}

/* The locals of FRAME; those from *NEXT on are not shown yet. */
static void put_locals(struct view *v, struct show *show,
		       const struct hprof_thread_locals *locals, int32_t frame,
		       size_t *next)
{
	while (locals && *next < locals->count &&
	       locals->rows[*next].frame <= frame)
		put_local(v, show, &locals->rows[(*next)++]);
}

static void put_stack(struct view *v, struct show *show,
		      const struct hprof_thread_row *thread)
{
	const struct hprof_thread_locals *locals = locals_of(v, thread);
	size_t next = 0;

	put_locals(v, show, locals, -1, &next);
	view_heading(v, thread->frame_count ? "Stack" : "No stack");
	for (size_t i = 0; i < thread->frame_count; i++) {
		char *frame = describe_frame(&thread->frames[i]);

		view_add(v, describe_format("at %s", frame))->depth = 2;
		free(frame);
		put_locals(v, show, locals, (int32_t)i, &next);
	}
	put_locals(v, show, locals, INT32_MAX, &next);
}

static void put_facts(struct view *v, const struct hprof_thread_row *thread)
{
	struct view_row *row;
	uint64_t object = HPROF_NO_OBJECT;

	if (thread->object_id)
		object = hprof_heap_find(v->tables->heap, thread->object_id);
	row = view_add(v, describe_kind(thread->class_name, false));
	row->label = cli_strdup("object");
	row->object = object;
	if (object != HPROF_NO_OBJECT) {
		row->target = target_of(TARGET_OBJECT, object);
		row->values[RETAINED] =
			hprof_graph_retained(v->tables->graph, object);
	}
	if (!thread->has_details)
		return;
	row = view_add(v,
		       describe_format("%s%s, priority %" PRId32,
				       hprof_thread_state_name(thread->status),
				       thread->daemon ? ", daemon" : "",
				       thread->priority));
	row->label = cli_strdup("state");
}

static void make_thread(struct view *v)
{
	const struct hprof_thread_row *thread =
		&v->tables->threads->rows[v->about.number];
	struct show show = { .path = v->tables->path,
			     .heap = v->tables->heap,
			     .graph = v->tables->graph };
	char *name = describe_thread_name(thread->name, DESCRIBE_NAME_LIMIT);

	view_title(v, describe_format("Thread %s", name));
	free(name);
	if (hprof_cursor_new(show.heap, &show.cursor, NULL) != HPROF_OK)
		return;
	put_facts(v, thread);
	put_stack(v, &show, thread);
	hprof_cursor_free(show.cursor);
}

const struct view_kind thread_view = {
	.columns = { [RETAINED] = { "retained", COLUMN_BYTES } },
	.text_title = "frame, and what it holds",
	.needs = PART_LOCALS,
	.make = make_thread,
};

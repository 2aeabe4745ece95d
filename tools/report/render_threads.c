/* SPDX-License-Identifier: MIT */
/*
 * render_threads.c - threads and stacks in a form similar to that of jstack.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/escape.h"
#include "tools/common/describe.h"
#include "tools/report/render.h"
#include "tools/common/units.h"

/* Bits of a JVMTI thread state. */
enum thread_bit {
	THREAD_ALIVE = 0x1,
	THREAD_TERMINATED = 0x2,
	THREAD_RUNNABLE = 0x4,
	THREAD_WAITING_INDEFINITELY = 0x10,
	THREAD_WAITING_WITH_TIMEOUT = 0x20,
	THREAD_SLEEPING = 0x40,
	THREAD_IN_OBJECT_WAIT = 0x100,
	THREAD_PARKED = 0x200,
	THREAD_BLOCKED = 0x400
};

/* The first entry whose bits are all set. The words are HotSpot's. */
const char *render_thread_state(uint32_t status)
{
	static const struct {
		uint32_t bits;
		const char *name;
	} states[] = {
		{ THREAD_TERMINATED, "TERMINATED" },
		{ THREAD_BLOCKED, "BLOCKED (on object monitor)" },
		{ THREAD_SLEEPING, "TIMED_WAITING (sleeping)" },
		{ THREAD_IN_OBJECT_WAIT | THREAD_WAITING_WITH_TIMEOUT,
		  "TIMED_WAITING (on object monitor)" },
		{ THREAD_IN_OBJECT_WAIT, "WAITING (on object monitor)" },
		{ THREAD_PARKED | THREAD_WAITING_WITH_TIMEOUT,
		  "TIMED_WAITING (parking)" },
		{ THREAD_PARKED, "WAITING (parking)" },
		{ THREAD_WAITING_WITH_TIMEOUT, "TIMED_WAITING" },
		{ THREAD_WAITING_INDEFINITELY, "WAITING" },
		{ THREAD_RUNNABLE, "RUNNABLE" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if ((status & states[i].bits) == states[i].bits)
			return states[i].name;
	return status & THREAD_ALIVE ? "UNKNOWN" : "NEW";
}

static void put_text(FILE *out, const char *text, const char *if_null)
{
	char *copy = escape_copy(text ? text : if_null, DESCRIBE_NAME_LIMIT);

	fputs(copy, out);
	free(copy);
}

/* Prints "(File.java:12)". */
static void put_place(FILE *out, const struct hprof_stack_frame *frame)
{
	if (frame->line == -3) {
		fputs("(Native Method)", out);
		return;
	}
	putc('(', out);
	put_text(out, frame->source, "Unknown Source");
	if (frame->source && frame->line > 0)
		fprintf(out, ":%" PRId32, frame->line);
	if (frame->line == -2)
		fputs(", compiled", out);
	putc(')', out);
}

void render_frame(FILE *out, const struct hprof_stack_frame *frame)
{
	fputs("\tat ", out);
	put_text(out, frame->class_name, "(unknown class)");
	putc('.', out);
	put_text(out, frame->method, "(unknown method)");
	put_place(out, frame);
	putc('\n', out);
}

const struct hprof_thread_locals *
render_find_locals(const struct hprof_thread_locals_table *locals,
		   uint32_t thread_serial)
{
	for (size_t i = 0; locals && i < locals->count; i++)
		if (locals->threads[i].thread_serial == thread_serial)
			return &locals->threads[i];
	return NULL;
}

/* Prints "\t- local java.util.ArrayList@0x7f retains 1,024 bytes". */
static void put_local(FILE *out, const struct hprof_thread_local_row *local)
{
	char *object = describe_object(&local->held), bytes[UNITS_MAX];
	bool java = local->tag == HPROF_ROOT_JAVA_FRAME;

	fprintf(out, "\t- %s %s retains %s\n",
		java ? "local" : describe_root_name(local->tag), object,
		units_bytes(local->held.retained, bytes));
	free(object);
}

/*
 * Prints the locals of frame DEPTH; with -1, those whose frame is not printed.
 */
static void put_locals(FILE *out, const struct hprof_thread_row *row,
		       const struct hprof_thread_locals *locals, int64_t depth)
{
	for (size_t i = 0; locals && i < locals->count; i++) {
		int64_t frame = locals->rows[i].frame;

		if (frame >= (int64_t)row->frame_count)
			frame = -1;
		if (frame == depth)
			put_local(out, &locals->rows[i]);
	}
}

static void put_retained(FILE *out, const struct report *report,
			 const struct hprof_thread_locals *locals)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];

	if (locals)
		fprintf(out, "   retains %s (%s of the live heap)\n",
			units_bytes(locals->retained, bytes),
			units_share(locals->retained,
				    report->graph->reachable_shallow, share));
}

static void put_thread(FILE *out, const struct report *report,
		       const struct hprof_thread_row *row)
{
	const struct hprof_thread_locals *locals =
		render_find_locals(report->locals, row->thread_serial);

	putc('\n', out);
	putc('"', out);
	put_text(out, row->name, "(no name)");
	fprintf(out, "\" #%" PRIu32, row->thread_serial);
	if (row->has_details)
		fprintf(out, "%s prio=%" PRId32 " tid=%" PRIu64 " %s",
			row->daemon ? " daemon" : "", row->priority, row->tid,
			render_thread_state(row->status));
	if (row->object_id) {
		putc(' ', out);
		put_text(out, row->class_name, "(unknown class)");
		fprintf(out, "@0x%" PRIx64, row->object_id);
	}
	putc('\n', out);
	put_retained(out, report, locals);
	for (size_t i = 0; i < row->frame_count; i++) {
		render_frame(out, &row->frames[i]);
		put_locals(out, row, locals, (int64_t)i);
	}
	put_locals(out, row, locals, -1);
}

void render_threads(FILE *out, const struct report *report)
{
	const struct hprof_thread_table *threads = report->threads;
	char count[UNITS_MAX];

	if (!threads)
		return;
	fprintf(out, "\n%s thread%s\n", units_count(threads->count, count),
		threads->count == 1 ? "" : "s");
	for (size_t i = 0; i < threads->count; i++)
		put_thread(out, report, &threads->rows[i]);
}

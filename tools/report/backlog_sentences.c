/* SPDX-License-Identifier: MIT */
/* backlog_sentences.c - see backlog_sentences.h. */
#include "tools/report/backlog_sentences.h"

#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/common/units.h"
#include "tools/report/leak_where.h"

/* ---- what waits ---------------------------------------------------------- */

/* "20,000 references wait in 20 undrained queues" */
static char *many_queues(const struct hprof_backlog *backlog)
{
	char count[UNITS_MAX], queues[UNITS_MAX];

	return describe_format("%s references wait in %s undrained queues",
			       units_count(backlog->count, count),
			       units_count(backlog->queues, queues));
}

/* "6,000 objects wait for finalizers": what waits, and for what. */
static char *what_waits(const struct hprof_backlog *backlog)
{
	static const char *const texts[][2] = {
		[HPROF_BACKLOG_FINALIZERS] = { "object waits for its finalizer",
					       "objects wait for finalizers" },
		[HPROF_BACKLOG_QUEUE] = { "reference waits in an undrained "
					  "queue",
					  "references wait in an undrained "
					  "queue" },
		[HPROF_BACKLOG_CLEANERS] = { "Cleaner holds its own object",
					     "Cleaners hold their own "
					     "objects" },
		[HPROF_BACKLOG_SOFT] = { "object is held only softly",
					 "objects are held only softly" },
		[HPROF_BACKLOG_CLASS_VALUES] = { "value of a ClassValue is "
						 "held by its class",
						 "values of a ClassValue are "
						 "held by their classes" },
	};

	if (backlog->kind == HPROF_BACKLOG_QUEUE && backlog->queues > 1)
		return many_queues(backlog);
	return describe_count(backlog->count, texts[backlog->kind][0],
			      texts[backlog->kind][1]);
}

static char *frame_method(const struct hprof_stack_frame *frame)
{
	char *name = describe_kind(frame->class_name, false);
	char *method = describe_kind(frame->method, false);
	char *both = describe_format("%s.%s", name, method);

	free(name);
	free(method);
	return both;
}

/* "5,999 Handle, the thread is in Handle.finalize" */
static char *which_finalizers(const struct hprof_backlog *backlog)
{
	const struct hprof_set_row *row = &backlog->classes[0];
	char *name = describe_kind(row->name, false), count[UNITS_MAX], *text;

	if (backlog->running) {
		char *method = frame_method(backlog->running);

		text = describe_format("%s %s, the thread is in %s",
				       units_count(row->objects, count), name,
				       method);
		free(method);
	} else {
		text = describe_format("%s %s",
				       units_count(row->objects, count), name);
	}
	free(name);
	return text;
}

/* The field that holds it, as far as a path to it is known, or the owner. */
static char *whose_holder(const struct hprof_backlog *backlog)
{
	const struct hprof_path *path = backlog->paths;

	for (size_t i = 0; backlog->path_count && i + 1 < path->count; i++)
		if (path->steps[i].held.object == backlog->owner.object)
			return leak_where(path, i, path->count - 1);
	return describe_class(&backlog->owner, false);
}

/* "com.acme.Infos.VALUES: Info" */
static char *which_values(const struct hprof_backlog *backlog)
{
	char *where =
		backlog->owner.object != HPROF_NO_OBJECT && backlog->path_count
			? whose_holder(backlog)
			: describe_class(&backlog->holder, false);
	char *value = leak_simple_name(backlog->classes[0].name), *text;

	text = describe_format("%s: %s", where, value);
	free(where);
	free(value);
	return text;
}

/* The class that most of it is of, or who has it; NULL: not known. */
static char *whose(const struct hprof_backlog *backlog)
{
	const char *name =
		backlog->class_count ? backlog->classes[0].name : NULL;

	switch (backlog->kind) {
	case HPROF_BACKLOG_FINALIZERS:
		return name ? which_finalizers(backlog) : NULL;
	case HPROF_BACKLOG_QUEUE:
		if (backlog->owner.object != HPROF_NO_OBJECT)
			return whose_holder(backlog);
		break;
	case HPROF_BACKLOG_SOFT:
		if (backlog->owner.object != HPROF_NO_OBJECT &&
		    backlog->path_count)
			return whose_holder(backlog);
		if (backlog->holder_count)
			name = backlog->holders[0].name;
		break;
	case HPROF_BACKLOG_CLASS_VALUES:
		return which_values(backlog);
	case HPROF_BACKLOG_CLEANERS:
		break;
	}
	return name ? describe_kind(name, false) : NULL;
}

bool backlog_is_live(const struct hprof_backlog *backlog)
{
	return backlog->kind == HPROF_BACKLOG_QUEUE ||
	       backlog->kind == HPROF_BACKLOG_CLEANERS;
}

uint64_t backlog_whole(const struct hprof_backlog *backlog,
		       const struct hprof_graph_totals *totals)
{
	return backlog_is_live(backlog) ? totals->reachable_shallow
					: totals->shallow;
}

char *backlog_headline(const struct hprof_backlog *backlog,
		       const struct hprof_graph_totals *totals)
{
	char bytes[UNITS_MAX], share[UNITS_MAX];
	char *what = what_waits(backlog), *who = whose(backlog);
	char *line = describe_format(
		"%s%s%s%s%s, with %s, %s of %s", what, who ? " (" : "",
		who ? who : "", who && backlog->mixed ? " and others" : "",
		who ? ")" : "", units_bytes(backlog->retained, bytes),
		units_share(backlog->retained, backlog_whole(backlog, totals),
			    share),
		backlog_is_live(backlog) ? "the live heap" : "all objects");

	free(what);
	free(who);
	return line;
}

const char *backlog_title(enum hprof_backlog_kind kind)
{
	switch (kind) {
	case HPROF_BACKLOG_FINALIZERS:
		return "What waits, and what it keeps, by class";
	case HPROF_BACKLOG_QUEUE:
		return "The references, by class";
	case HPROF_BACKLOG_CLEANERS:
		return "The actions, by class";
	case HPROF_BACKLOG_CLASS_VALUES:
		return "The values, by class";
	default:
		return "What is held, by class";
	}
}

const char backlog_holders_title[] = "Whose soft references hold it, by class";

const char *backlog_subject(enum hprof_backlog_kind kind)
{
	switch (kind) {
	case HPROF_BACKLOG_QUEUE:
		return "the queue";
	case HPROF_BACKLOG_CLASS_VALUES:
		return "the ClassValue";
	default:
		return "the largest";
	}
}

/* ---- why ----------------------------------------------------------------- */

const struct hprof_thread_row *
backlog_stack(const struct hprof_backlog *backlog)
{
	const struct hprof_thread_row *thread = backlog->thread;

	return thread && thread->frame_count ? thread : NULL;
}

static void say_finalizers(struct prose *text,
			   const struct hprof_backlog *backlog)
{
	const char *are = backlog->enqueued == 1 ? "is" : "are";
	char enqueued[UNITS_MAX], *name, *method;

	units_count(backlog->enqueued, enqueued);
	if (!backlog_stack(backlog)) {
		prose_say(text, "%s of them %s in the queue.", enqueued, are);
		return;
	}
	name = describe_kind(backlog->thread->name, false);
	if (backlog->running) {
		method = frame_method(backlog->running);
		prose_say(text,
			  "%s of them %s in the queue; thread \"%s\" is busy "
			  "in %s:",
			  enqueued, are, name, method);
		free(method);
	} else {
		prose_say(text,
			  "%s of them %s in the queue; the stack of thread "
			  "\"%s\":",
			  enqueued, are, name);
	}
	free(name);
}

static void say_queue(struct prose *text, const struct hprof_backlog *backlog)
{
	const char *longest = backlog->queues > 1 ? "longest " : "";
	char *queue = describe_object(&backlog->holder);
	char *owner = describe_object(&backlog->owner);

	if (backlog->owner.object != HPROF_NO_OBJECT)
		prose_say(text, "The %squeue is %s, which belongs to %s.",
			  longest, queue, owner);
	else
		prose_say(text, "The %squeue is %s.", longest, queue);
	free(queue);
	free(owner);
}

static void say_cleaners(struct prose *text,
			 const struct hprof_backlog *backlog)
{
	char *action = describe_kind(
		backlog->class_count ? backlog->classes[0].name : NULL, false);

	prose_say(text,
		  "A Cleaner runs when its object is unreachable, which the "
		  "action itself prevents: %s.",
		  action);
	free(action);
}

static void say_soft(struct prose *text, const struct hprof_backlog *backlog)
{
	char *holder = describe_object(&backlog->holder);

	prose_say(text, "They go when memory runs short.");
	if (backlog->holder.object != HPROF_NO_OBJECT)
		prose_say(text, "Most is held by way of %s.", holder);
	free(holder);
}

static void say_values(struct prose *text, const struct hprof_backlog *backlog)
{
	char *holder = describe_object(&backlog->holder);

	prose_say(text,
		  "They are of %s. Each class has its values in a map that a "
		  "dump does not show, so they look like garbage, and are if "
		  "the class is.",
		  holder);
	free(holder);
}

void backlog_say(struct prose *text, const struct hprof_backlog *backlog)
{
	switch (backlog->kind) {
	case HPROF_BACKLOG_FINALIZERS:
		say_finalizers(text, backlog);
		break;
	case HPROF_BACKLOG_QUEUE:
		say_queue(text, backlog);
		break;
	case HPROF_BACKLOG_CLEANERS:
		say_cleaners(text, backlog);
		break;
	case HPROF_BACKLOG_SOFT:
		say_soft(text, backlog);
		break;
	case HPROF_BACKLOG_CLASS_VALUES:
		say_values(text, backlog);
		break;
	}
}

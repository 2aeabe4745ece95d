/* SPDX-License-Identifier: MIT */
/*
 * dump.c - see dump.h. The order of a dump: names, classes and threads; the
 * class records; roots and objects as the walk meets them; what it missed.
 */
#include "agent/dump/dump.h"

#include <stdio.h>
#include <string.h>

#include "agent/common/connection.h"
#include "agent/dump/class_reader.h"
#include "agent/dump/class_record.h"
#include "agent/dump/late_objects.h"
#include "agent/dump/scout.h"
#include "agent/fork/child.h"
#include "agent/profile/records.h"
#include "agent/profile/session.h"
#include "base/mem.h"
#include "stream/writer.h"

struct dump {
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	struct hprof_writer *writer;
	const struct ag_dump_options *options;
	struct ag_names *names;
	struct ag_classes *classes;
	struct ag_stacks *stacks;
	struct ag_mirrors *mirrors;
	struct ag_walk walk;
	uint32_t known;	   /* classes with a LOAD_CLASS record */
	uint32_t *serials; /* of classes, by their numbers in a profile */
	uint32_t serial_count;
	uint64_t clamped;
	bool left_out;
	const char *why; /* NULL: the writer's message */
};

/* ---- before the walk ----------------------------------------------------- */

static bool fail(struct dump *d, const char *why)
{
	d->why = why;
	return false;
}

/* More classes may be loaded meanwhile: repeats until none is new. */
static bool collect_classes(struct dump *d)
{
	enum { MOST_TRIES = 8 };
	uint32_t new = 1;

	for (int i = 0; i < MOST_TRIES && new; i++) {
		const char *why =
			ag_classes_collect(d->classes, d->jvmti, d->jni, &new);
		if (why)
			return fail(d, why);
	}
	return true;
}

/* What are the serials here of the classes in the profile? */
static bool find_serials(struct dump *d)
{
	struct ag_class_list *list = d->options->session->classes;
	const struct ag_classes *t = d->classes;

	for (uint32_t i = 1; i <= t->count; i++)
		ag_class_list_number(list, t->refs[i]);
	d->serial_count = ag_class_list_count(list) + 1;
	d->serials = hp_calloc(d->serial_count, sizeof *d->serials);
	if (!d->serials)
		return fail(d, "out of memory");
	for (uint32_t i = 1; i <= t->count; i++) {
		uint32_t number = ag_class_list_number(list, t->refs[i]);

		if (number < d->serial_count)
			d->serials[number] = i;
	}
	return true;
}

static bool collect(struct dump *d)
{
	d->names = ag_names_new(d->options->last_name);
	d->classes =
		d->names ? ag_classes_new(d->names, d->options->id_size) : NULL;
	if (!d->classes)
		return fail(d, "out of memory");
	d->classes->heap_is_full = d->options->heap_is_full;
	if (d->options->profile)
		d->classes->ids.marks = d->options->profile->marks;
	if (!collect_classes(d) || (d->options->profile && !find_serials(d)))
		return false;
	d->stacks = ag_stacks_collect(d->jvmti, d->jni, d->names,
				      &d->classes->ids, &d->why);
	if (!d->stacks)
		return false;
	d->mirrors = ag_mirrors_read(d->classes, d->jvmti, d->jni, &d->why);
	if (!d->mirrors)
		return false;
	if (ag_names_failed(d->names) ||
	    !ag_walk_init(&d->walk, d->writer, d->classes, d->stacks))
		return fail(d, "out of memory");
	d->walk.level = d->options->level;
	return true;
}

static enum hprof_status put_profile(struct dump *d)
{
	const struct ag_records_place place = {
		.id_size = d->options->id_size,
		.names = d->names,
		.class_serials = d->serials,
		.class_count = d->serial_count,
	};

	return d->options->profile
		       ? ag_records_write(d->options->session,
					  d->options->profile, &place,
					  d->writer, &d->clamped)
		       : HPROF_OK;
}

static enum hprof_status put_head(struct dump *d)
{
	const struct hprof_header header = ag_dump_header(d->options->id_size);
	struct hprof_record empty = { .tag = HPROF_TRACE };
	enum hprof_status status;

	empty.u.trace.trace_serial = AG_EMPTY_TRACE;
	d->known = d->classes->count;
	status = hprof_writer_header(d->writer, &header);
	if (status == HPROF_OK)
		status = ag_names_write(d->names, d->writer);
	if (status == HPROF_OK)
		status = ag_classes_write(d->classes, 1, d->writer);
	if (status == HPROF_OK)
		status = hprof_writer_put(d->writer, &empty);
	if (status == HPROF_OK)
		status = ag_stacks_write(d->stacks, d->writer,
					 d->options->id_size);
	if (status == HPROF_OK)
		status = put_profile(d);
	if (status == HPROF_E_NOMEM)
		fail(d, "out of memory");
	return status;
}

/* ---- the walk and after -------------------------------------------------- */

static bool put_classes(struct dump *d)
{
	return ag_class_dumps(&d->walk, d->mirrors, d->options->constants,
			      false) &&
	       ag_mirrors_put_primitives(d->mirrors, &d->walk);
}

static bool walk_classes(struct dump *d)
{
	return ag_walk_run(&d->walk, d->jvmti, AG_CLASSES) == HPROF_OK &&
	       put_classes(d);
}

static bool walk_objects(struct dump *d)
{
	ag_walk_run(&d->walk, d->jvmti, AG_OBJECTS);
	ag_mirrors_drop(d->mirrors, d->jni);
	if (d->walk.status == HPROF_OK && !d->options->live)
		d->left_out = !ag_leftovers_walk(&d->walk, d->jvmti, d->jni);
	return d->walk.status == HPROF_OK;
}

/*
 * Does the JVM keep the variables of frames to itself? Among the threads that
 * run Java code there are always some with variables, if only "this".
 */
static bool lacks_stack_roots(const struct dump *d)
{
	return d->stacks && ag_stacks_have_frames(d->stacks) &&
	       d->walk.stack_locals == 0;
}

static void tell(const struct dump *d, bool done, struct ag_dump_result *r)
{
	const struct hprof_error *error = hprof_writer_error(d->writer);

	r->last_name =
		d->names ? ag_names_last(d->names) : d->options->last_name;
	r->objects = d->walk.objects;
	r->bytes = hprof_writer_size(d->writer);
	r->pause_ns = d->walk.pause_ns;
	r->changed_statics = d->walk.changed_statics;
	r->cut_arrays = d->walk.cut_arrays;
	r->lost = d->walk.lost;
	r->bare_objects = d->walk.bare_objects;
	r->unsized = d->classes ? d->classes->ids.unsized : 0;
	r->clamped = d->clamped;
	r->left_out = d->left_out;
	r->no_stack_roots =
		done && !d->options->traces_only && lacks_stack_roots(d);
	if (!done)
		snprintf(r->error, sizeof r->error, "%s",
			 d->why ? d->why : error->text);
}

/* ---- in a forked process ------------------------------------------------- */

static _Noreturn void end_apart(struct dump *d, bool done)
{
	struct ag_dump_result result = { 0 };

	d->why = d->walk.why;
	tell(d, done, &result);
	ag_child_exit(d->walk.fork, done ? AG_CHILD_DONE : AG_CHILD_FAILED,
		      &result, sizeof result);
}

/* Called in the scout at the end of its walk. */
static _Noreturn void finish_scout(struct dump *d)
{
	struct ag_walk *w = &d->walk;
	const uint64_t before = hprof_writer_size(w->writer);

	if (w->status == HPROF_OK && put_classes(d) &&
	    hp_writer_flush(w->writer) == HPROF_OK &&
	    ag_scout_leave(w->scout, w, before))
		ag_scout_exit();
	end_apart(d, false);
}

static bool saw_the_same(struct ag_walk *w)
{
	if (w->scout && !ag_scout_agrees(w->scout, w))
		ag_walk_fail(w, HPROF_E_FORMAT,
			     "two walks of the same heap differ");
	return w->status == HPROF_OK;
}

/*
 * Called in the child when the walk may be at its end; see child.h. No function of
 * the JVM may be called here.
 */
static void finish_apart(void *user)
{
	struct dump *d = user;
	struct ag_walk *w = &d->walk;

	if (w->pass == AG_OBJECTS && w->status == HPROF_OK &&
	    (!w->visited || w->unvisited != 0))
		return;
	ag_record_close(w);
	if (w->pass == AG_CLASSES)
		finish_scout(d);
	end_apart(d,
		  saw_the_same(w) &&
			  ag_leftovers_put(w, d->mirrors, d->options->constants,
					   d->known) &&
			  hp_writer_finish_part(d->writer) == HPROF_OK);
}

/*
 * What the other processes may allocate: the largest body, lists of a class, and
 * tables that may have to grow once more, for classes that were unloaded just now.
 */
static size_t reserve_for(const struct dump *d)
{
	const size_t least = 16 << 20;
	const struct ag_classes *t = d->classes;

	return least + 4 * d->walk.room +
	       4 * (t->room * sizeof *t->all + t->ref_room * sizeof *t->refs) +
	       4 * ag_names_room(d->names);
}

/* Begins the walk in another process; this one only starts it. */
static bool begin_walk(struct dump *d)
{
	struct ag_fork *f = d->options->fork;

	_Static_assert(sizeof(struct ag_dump_result) <= 2048, "see child.h");
	if (!ag_leftovers_foresee(&d->walk, d->jvmti, d->jni))
		return fail(d, d->walk.why);
	if (!f->reserve && !ag_fork_reserve(f, reserve_for(d)))
		return fail(d, "out of memory");
	f->over = finish_apart;
	f->user = d;
	f->scouts = d->walk.scout != NULL;
	d->walk.fork = f;
	d->walk.fork_due = true;
	ag_walk_run(&d->walk, d->jvmti, AG_OBJECTS);
	return d->walk.status == HPROF_OK || fail(d, d->walk.why);
}

/* False if there can be no scout, or the dump has failed. */
static bool walk_scouted(struct dump *d)
{
	struct ag_walk *w = &d->walk;
	bool begun;

	w->scout = ag_scout_new(w->held, d->jvmti);
	if (!w->scout)
		return false;
	if (hp_writer_flush(d->writer) != HPROF_OK)
		ag_walk_fail(w, HPROF_E_SYS, NULL);
	begun = w->status == HPROF_OK && begin_walk(d) && !w->scout_unfit;
	ag_scout_free(w->scout);
	w->scout = NULL;
	return begun;
}

static bool walk_apart(struct dump *d)
{
	bool begun = walk_scouted(d);

	if (!begun && d->walk.status == HPROF_OK)
		begun = (walk_classes(d) || fail(d, d->walk.why)) &&
			begin_walk(d);
	ag_mirrors_drop(d->mirrors, d->jni);
	return begun;
}

static bool dump(struct dump *d)
{
	if (!collect(d))
		return false;
	if (put_head(d) != HPROF_OK)
		return false;
	if (d->options->traces_only)
		return true;
	d->walk.held = ag_mirrors_held(d->mirrors);
	if (d->options->fork)
		return walk_apart(d);
	if (!walk_classes(d))
		return fail(d, d->walk.why);
	if (walk_objects(d) && ag_leftovers_find(&d->walk, d->jvmti, d->jni) &&
	    ag_leftovers_put(&d->walk, d->mirrors, d->options->constants,
			     d->known))
		return true;
	return fail(d, d->walk.why);
}

int ag_dump(jvmtiEnv *jvmti, JNIEnv *jni, struct hprof_writer *writer,
	    const struct ag_dump_options *options,
	    struct ag_dump_result *ret_result)
{
	enum { LOCAL_REFS = 64, MANY_REFS = 65535 /* HotSpot's maximum */ };
	struct dump d = {
		.jvmti = jvmti, .jni = jni, .writer = writer, .options = options
	};
	bool done = false;

	memset(ret_result, 0, sizeof *ret_result);
	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) == 0) {
		/* Keeps -Xcheck:jni quiet: all classes are listed at once. */
		if ((*jni)->EnsureLocalCapacity(jni, MANY_REFS) != 0)
			(*jni)->ExceptionClear(jni);
		done = dump(&d);
		if (d.mirrors)
			ag_mirrors_drop(d.mirrors, jni);
		(*jni)->ExceptionClear(jni);
		(*jni)->PopLocalFrame(jni, NULL);
	} else {
		(*jni)->ExceptionClear(jni);
		d.why = "the JVM has no memory";
	}
	tell(&d, done, ret_result);
	hp_free(d.serials);
	ag_walk_done(&d.walk);
	ag_mirrors_free(d.mirrors);
	ag_stacks_free(d.stacks);
	ag_classes_free(d.classes);
	ag_names_free(d.names);
	return done ? 0 : -1;
}

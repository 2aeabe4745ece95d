/* SPDX-License-Identifier: MIT */
/*
 * snapshot.c - see snapshot.h.
 *
 * Each dump has a JVMTI environment of its own. Tags belong to their
 * environment, so neither the next dump nor another agent sees them.
 */
#include "agent/dump/snapshot.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "agent/dump/dump.h"
#include "agent/dump/full_heap.h"
#include "agent/dump/jvm_dump.h"
#include "agent/common/clock.h"
#include "agent/common/connection.h"
#include "agent/common/environment.h"
#include "agent/common/output.h"
#include "agent/common/log.h"
#include "agent/fork/check.h"
#include "agent/fork/child.h"
#include "agent/profile/marks.h"
#include "agent/profile/profile_file.h"
#include "agent/profile/sites.h"
#include "base/utf8.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * The thread that is dumping, by its JNIEnv, which no other thread has. The
 * walk itself may run out of heap, and the agent is then called for another
 * dump in the same thread.
 */
static _Atomic(JNIEnv *) owner;

/* The thread that ends the JVM, which would cut off another thread's dump. */
static _Atomic(JNIEnv *) ender;

/* ---- one dump ------------------------------------------------------------ */

static void say_taken(const struct ag_output *output,
		      const struct ag_dump_result *result, uint64_t bytes,
		      uint64_t total_ns)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	ag_log("%s: %" PRIu64 " objects, %" PRIu64 " bytes, pause %" PRIu64
	       " ms, %" PRIu64 " ms in all",
	       shown, result->objects, bytes, result->pause_ns / 1000000,
	       total_ns / 1000000);
}

/* Defects of the dump, which are rare enough to be always logged. */
static void say_lacks(const struct ag_output *output,
		      const struct ag_dump_result *result)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	if (result->cut_arrays)
		ag_log("%s: %" PRIu64 " arrays are too long for the format "
		       "and were cut",
		       shown, result->cut_arrays);
	if (result->lost)
		ag_log("%s: %" PRIu64 " values had no place", shown,
		       result->lost);
	if (result->bare_objects)
		ag_log("%s: %" PRIu64
		       " objects are without fields: their class "
		       "was unloaded, or is not linked",
		       shown, result->bare_objects);
	if (result->unsized)
		ag_log("%s: the identifiers of %" PRIu64 " objects do not tell "
		       "their sizes: the heap is too large",
		       shown, result->unsized);
	if (result->no_stack_roots)
		ag_log("%s: this JVM does not tell what the stacks of threads "
		       "refer to: objects that nothing else holds are missing",
		       shown);
	if (result->left_out)
		ag_log("%s: unreachable objects were left out for want of "
		       "memory",
		       shown);
}

/* Releases its local references afterwards. */
static bool walk_in(jvmtiEnv *jvmti, JNIEnv *jni, struct ag_output *output,
		    const struct ag_dump_options *options,
		    struct ag_dump_result *ret)
{
	enum { LOCAL_REFS = 64 };
	bool done = false;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) == 0) {
		done = ag_dump(jvmti, jni, output->writer, options, ret) == 0;
		(*jni)->ExceptionClear(jni);
		(*jni)->PopLocalFrame(jni, NULL);
	} else {
		(*jni)->ExceptionClear(jni);
		snprintf(ret->error, sizeof ret->error, "out of memory");
	}
	if (!done)
		ag_output_say_failed("dump", output->path, ret->error);
	return done;
}

/* In an environment of its own. */
static bool walk_alone(JavaVM *vm, JNIEnv *jni, struct ag_output *output,
		       const struct ag_dump_options *options,
		       struct ag_dump_result *ret)
{
	jvmtiEnv *jvmti = ag_environment(vm);
	bool done;

	if (!jvmti)
		return false;
	done = ag_environment_can_tag(jvmti) &&
	       walk_in(jvmti, jni, output, options, ret);
	(*jvmti)->DisposeEnvironment(jvmti);
	return done;
}

/* With the profile of the session in the dump. */
static bool walk_profiled(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
			  struct ag_output *output,
			  struct ag_dump_options *options,
			  struct ag_dump_result *ret)
{
	struct ag_report_options report = ag_report_defaults(o);
	struct ag_profile profile;
	bool done;

	report.lend = true;
	report.collect = !options->heap_is_full;
	ag_session_report(o->session, jni, &report, &profile);
	options->session = o->session;
	options->profile = &profile;
	if (profile.marks) {
		done = walk_in(profile.marks->jvmti, jni, output, options, ret);
		ag_sites_give_back(profile.marks);
	} else {
		done = walk_alone(vm, jni, output, options, ret);
	}
	if (done)
		ag_profile_say_lacks(output->path, &profile, ret->clamped);
	ag_profile_done(&profile);
	return done;
}

static bool walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		 bool heap_is_full, struct ag_fork *fork,
		 struct ag_output *output, struct ag_dump_result *ret)
{
	struct ag_dump_options options = {
		.live = o->live,
		.constants = o->constants,
		.id_size = o->id_size,
		.last_name = o->connection ? o->connection->last_name : 0,
		.traces_only = o->traces_only,
		.heap_is_full = heap_is_full,
		.fork = fork,
	};
	const bool done =
		o->session && !o->traces_only
			? walk_profiled(vm, jni, o, output, &options, ret)
			: walk_alone(vm, jni, output, &options, ret);

	if (o->connection)
		o->connection->last_name = ret->last_name;
	return done;
}

static enum hprof_status open_output(const struct ag_options *o,
				     unsigned number, struct ag_output *ret,
				     struct hprof_error *error)
{
	return o->connection
		       ? ag_output_connected(o->connection, ret, error)
		       : ag_output_open(o->file, o->force, number, ret, error);
}

static int take_by_walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
			bool heap_is_full, unsigned number)
{
	struct ag_dump_result result = { 0 };
	struct hprof_error error;
	struct ag_output output;
	uint64_t start = ag_clock_ns();
	bool done = false;

	if (open_output(o, number, &output, &error) != HPROF_OK) {
		ag_output_say_failed("dump", output.path, error.text);
	} else if (walk(vm, jni, o, heap_is_full, NULL, &output, &result)) {
		done = ag_output_finish(&output) == HPROF_OK;
		if (!done)
			ag_output_say_failed(
				"dump", output.path,
				hprof_writer_error(output.writer)->text);
		if (done && o->verbose)
			say_taken(&output, &result,
				  hprof_writer_size(output.writer),
				  ag_clock_ns() - start);
		if (done)
			say_lacks(&output, &result);
	}
	ag_output_close(&output);
	return done ? AG_TAKEN : AG_FAILED;
}

/* ---- in a forked process ------------------------------------------------- */

/* May the JVM be forked? If not, WHY says it. */
static enum ag_refusal may_fork(JavaVM *vm, JNIEnv *jni, struct ag_fork *f,
				char *why, size_t room)
{
	jvmtiEnv *jvmti = ag_environment(vm);
	struct ag_check check = { .refusal = AG_UNKNOWN_JVM };

	if (jvmti) {
		ag_check_fork(jvmti, jni, &check);
		(*jvmti)->DisposeEnvironment(jvmti);
	}
	f->counters = check.counters;
	f->counters_end = check.counters_end;
	if (check.refusal == AG_LITTLE_MEMORY)
		snprintf(why, room,
			 "%s: up to %" PRIu64 " MiB, and %" PRIu64
			 " MiB are free",
			 ag_refusal_text(check.refusal), check.needed >> 20,
			 check.room >> 20);
	else
		snprintf(why, room, "%s", ag_refusal_text(check.refusal));
	return check.refusal;
}

/* Waits for the forked process; its result replaces *RESULT. */
static int finish_fork(struct ag_fork *f, struct ag_output *output,
		       struct ag_dump_result *result)
{
	const uint64_t pause_ns = result->pause_ns;
	const char *why = result->error;
	int signal;
	enum ag_child_end end =
		ag_fork_wait(f, result, sizeof *result, &signal);

	result->pause_ns = pause_ns;
	if (end == AG_CHILD_DONE) {
		if (ag_output_name(output) == HPROF_OK)
			return AG_TAKEN;
		end = AG_CHILD_FAILED;
		why = hprof_writer_error(output->writer)->text;
	} else if (end == AG_CHILD_DIED && signal) {
		snprintf(result->error, sizeof result->error, "%s (%d)",
			 ag_child_text(end), signal);
	} else if (end != AG_CHILD_FAILED) {
		why = ag_child_text(end);
	}
	ag_output_say_failed("dump", output->path, why);
	return (int)end;
}

static int walk_apart(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		      bool heap_is_full, struct ag_fork *f, unsigned number)
{
	struct ag_dump_result result = { 0 };
	struct hprof_error error;
	struct ag_output output;
	uint64_t start = ag_clock_ns();
	int taken = AG_FAILED;

	if (open_output(o, number, &output, &error) != HPROF_OK) {
		ag_output_say_failed("dump", output.path, error.text);
	} else {
		f->output = ag_output_descriptor(&output);
		if (walk(vm, jni, o, heap_is_full, f, &output, &result))
			taken = finish_fork(f, &output, &result);
		else if (f->error)
			taken = AG_CANNOT_FORK;
	}
	/* The other process has used more names. */
	if (taken == AG_TAKEN && o->connection)
		o->connection->last_name = result.last_name;
	if (taken == AG_TAKEN && o->verbose)
		say_taken(&output, &result, result.bytes,
			  ag_clock_ns() - start);
	if (taken == AG_TAKEN)
		say_lacks(&output, &result);
	ag_output_close(&output);
	return taken;
}

/*
 * Ends the connection in the middle, as every dump that fails does: the peer
 * would wait for it.
 */
static void disappoint(const struct ag_options *o)
{
	struct hprof_error error;
	struct ag_output output;

	if (!o->connection)
		return;
	ag_output_connected(o->connection, &output, &error);
	ag_output_close(&output);
}

/*
 * When the heap is full a dump is needed whatever it costs. Otherwise whoever
 * asks for a fork does not want a long pause instead.
 */
static int take_by_fork(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
			bool heap_is_full, unsigned number)
{
	struct ag_fork f = { .limit_s = o->limit_s };
	char why[256];
	int taken = (int)may_fork(vm, jni, &f, why, sizeof why);

	if (taken == AG_MAY_FORK && ag_fork_prepare(&f)) {
		taken = walk_apart(vm, jni, o, heap_is_full, &f, number);
		ag_fork_done(&f);
		return taken;
	}
	if (taken == AG_MAY_FORK) {
		taken = AG_CANNOT_FORK;
		snprintf(why, sizeof why, "%s",
			 ag_refusal_text(AG_CANNOT_FORK));
	}
	if (!heap_is_full) {
		ag_output_say_failed("dump", NULL, why);
		disappoint(o);
		return taken;
	}
	ag_log("the agent walks the heap, as the JVM is not forked: %s", why);
	return take_by_walk(vm, jni, o, heap_is_full, number);
}

/* ---- by the JVM itself --------------------------------------------------- */

/* Is the JVM to write the dumps that are taken when the heap is full, or not? */
static bool is_for_jvm(const struct ag_options *o, bool heap_is_full)
{
	if (o->connection)
		return false;
	switch (o->engine) {
	case AG_ENGINE_VM:
		return true;
	case AG_ENGINE_AUTO:
		return heap_is_full && o->id_size == 8 && o->constants &&
		       ag_output_is_file(o->file);
	default:
		return false;
	}
}

void ag_take_prepare(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni,
		     const struct ag_options *o)
{
	if (o->at_oome)
		ag_full_heap_prepare(jvmti, jni);
	if (is_for_jvm(o, o->at_oome))
		ag_jvm_dump_prepare(vm, jvmti, jni);
}

/*
 * Can the JVM be asked? NULL, or why not. When the heap is full, this finds
 * what was prepared.
 */
static const char *ask_jvm(JavaVM *vm, JNIEnv *jni, const struct ag_options *o)
{
	jvmtiEnv *jvmti;
	const char *why;

	if (!ag_output_is_file(o->file))
		return "it writes only files";
	jvmti = ag_environment(vm);
	if (!jvmti)
		return "it has no tool interface";
	why = ag_jvm_dump_prepare(vm, jvmti, jni);
	(*jvmti)->DisposeEnvironment(jvmti);
	return why;
}

static void say_dumped(const struct ag_output *output,
		       const struct ag_jvm_result *result, uint64_t total_ns)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	ag_log("%s: %" PRIu64 " bytes, written by the JVM, %" PRIu64
	       " ms in all",
	       shown, result->bytes, total_ns / 1000000);
}

/*
 * AG_JVM_UNUSABLE: a walk may do better; the message is in RET. Before a JVM
 * tells that its heap is full it has collected all garbage, and another
 * collection would take as long as the dump.
 */
static enum ag_jvm_dumped dump_by_jvm(JNIEnv *jni, const struct ag_options *o,
				      bool heap_is_full, unsigned number,
				      struct ag_jvm_result *ret)
{
	uint64_t start = ag_clock_ns();
	struct hprof_error error;
	struct ag_output output;
	enum ag_jvm_dumped dumped = AG_JVM_FAILED;

	if (ag_output_claim(o->file, o->force, number, &output, &error) !=
	    HPROF_OK) {
		ag_output_say_failed("dump", output.path, error.text);
	} else {
		dumped = ag_jvm_dump(jni, &output, o->live && !heap_is_full,
				     ret);
		if (dumped == AG_JVM_FAILED)
			ag_output_say_failed("dump", output.path, ret->error);
		if (dumped == AG_JVM_DUMPED && o->verbose)
			say_dumped(&output, ret, ag_clock_ns() - start);
	}
	ag_output_close(&output);
	return dumped;
}

static int take(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		bool heap_is_full, unsigned number)
{
	struct ag_jvm_result result;

	if (o->session) /* only the walk knows where objects come from */
		return take_by_walk(vm, jni, o, heap_is_full, number);
	if (o->engine == AG_ENGINE_FORK && !o->traces_only)
		return take_by_fork(vm, jni, o, heap_is_full, number);
	if (is_for_jvm(o, heap_is_full)) {
		enum ag_jvm_dumped dumped = AG_JVM_UNUSABLE;
		const char *why = ask_jvm(vm, jni, o);

		if (!why) {
			dumped = dump_by_jvm(jni, o, heap_is_full, number,
					     &result);
			why = result.error;
		}
		if (dumped != AG_JVM_UNUSABLE)
			return dumped == AG_JVM_DUMPED ? AG_TAKEN : AG_FAILED;
		ag_log("the agent walks the heap, as the JVM cannot write it: "
		       "%s",
		       why);
	}
	return take_by_walk(vm, jni, o, heap_is_full, number);
}

/* ---- one at a time ------------------------------------------------------- */

static bool may_dump(JNIEnv *jni)
{
	JNIEnv *by = atomic_load(&ender);

	if (!by || by == jni)
		return true;
	ag_log("no dump: the JVM is about to end");
	return false;
}

/* Called with the lock held. */
static int take_next(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		     atomic_uint *count, bool heap_is_full)
{
	int taken = AG_FAILED;

	atomic_store(&owner, jni);
	if (may_dump(jni))
		taken = take(vm, jni, o, heap_is_full,
			     atomic_fetch_add(count, 1));
	atomic_store(&owner, NULL);
	return taken;
}

int ag_take_dump(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		 atomic_uint *count, bool heap_is_full)
{
	jthrowable pending;
	int taken;

	if (atomic_load(&owner) == jni)
		return AG_BUSY;
	if (heap_is_full && pthread_mutex_trylock(&lock) != 0)
		return AG_BUSY;
	if (!heap_is_full)
		pthread_mutex_lock(&lock);
	/* Few JNI functions may be called while an exception is pending. */
	pending = (*jni)->ExceptionOccurred(jni);
	(*jni)->ExceptionClear(jni);
	taken = take_next(vm, jni, o, count, heap_is_full);
	if (pending) {
		(*jni)->Throw(jni, pending);
		(*jni)->DeleteLocalRef(jni, pending);
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

void ag_take_end(JNIEnv *jni)
{
	atomic_store(&ender, jni);
	if (atomic_load(&owner) == jni)
		return;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

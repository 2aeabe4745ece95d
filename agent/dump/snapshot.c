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
#include "agent/dump/take_walk.h"
#include "agent/common/clock.h"
#include "agent/common/connection.h"
#include "agent/common/environment.h"
#include "agent/common/output.h"
#include "agent/common/log.h"
#include "agent/fork/check.h"
#include "agent/fork/child.h"
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
	} else if (end == AG_CHILD_DIED) {
		why = "the JVM ended the forked process; perhaps it had no "
		      "memory there";
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

	if (ag_take_open(o, number, &output, &error) != HPROF_OK) {
		ag_output_say_failed("dump", output.path, error.text);
	} else {
		f->output = ag_output_descriptor(&output);
		if (ag_take_walk(vm, jni, o, heap_is_full, f, NULL, &output,
				 &result))
			taken = finish_fork(f, &output, &result);
		else if (f->error)
			taken = AG_CANNOT_FORK;
	}
	/* The other process has used more names. */
	if (taken == AG_TAKEN && o->connection)
		o->connection->last_name = result.last_name;
	if (taken == AG_TAKEN && o->verbose)
		ag_say_taken(&output, &result, result.bytes,
			     ag_clock_ns() - start);
	if (taken == AG_TAKEN)
		ag_say_lacks(&output, &result);
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
	return ag_take_by_walk(vm, jni, o, heap_is_full, number);
}

/* ---- by the JVM itself --------------------------------------------------- */

/* Is the JVM to write the dumps that are taken when the heap is full, or not? */
static bool is_for_jvm(const struct ag_options *o, bool heap_is_full)
{
	if (o->connection || o->format == AG_FORMAT_TEXT)
		return false;
	switch (o->engine) {
	case AG_ENGINE_VM:
		return true;
	case AG_ENGINE_AUTO:
		return heap_is_full && o->id_size == 8 && o->constants &&
		       o->level == 2 && ag_output_is_file(o->file);
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
		return ag_take_by_walk(vm, jni, o, heap_is_full, number);
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
	return ag_take_by_walk(vm, jni, o, heap_is_full, number);
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

/* SPDX-License-Identifier: MIT */
/* thread_answer.c - see thread_answer.h. */
#include "agent/net/thread_answer.h"

#include <string.h>

#include "agent/common/method_info.h"

enum { FRAMES = 1024 };

static void release(const struct ag_known *k, void *memory)
{
	(*k->jvmti)->Deallocate(k->jvmti, memory);
}

/* ---- stacks -------------------------------------------------------------- */

static void put_frame(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		      const jvmtiFrameInfo *frame)
{
	struct ag_method method;
	jclass class = NULL;
	int32_t line;

	ag_method_read(k->jvmti, frame->method, &method, &class);
	line = ag_method_line(&method, frame->location);
	ag_answer_open(a, NULL, '{');
	ag_known_put_class(k, a, "class", class);
	ag_answer_text(a, "method", method.name);
	ag_answer_text(a, "signature", method.signature);
	ag_answer_text(a, "file", method.source);
	if (line > 0)
		ag_answer_number(a, "line", line);
	ag_answer_flag(a, "native", method.native);
	ag_answer_close(a, '}');
	ag_method_release(&method, k->jvmti);
	(*jni)->DeleteLocalRef(jni, class);
}

static void put_stack(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		      jthread thread)
{
	jvmtiFrameInfo frames[FRAMES];
	jint count = 0;

	if ((*k->jvmti)->GetStackTrace(k->jvmti, thread, 0, FRAMES, frames,
				       &count))
		return;
	ag_answer_open(a, "stack", '[');
	for (jint i = 0; i < count && a->size < AG_ANSWER_MOST; i++)
		put_frame(k, jni, a, &frames[i]);
	ag_answer_close(a, ']');
}

/* ---- threads ------------------------------------------------------------- */

static const char *state_name(jint state)
{
	if (!(state & JVMTI_THREAD_STATE_ALIVE))
		return state & JVMTI_THREAD_STATE_TERMINATED ? "terminated"
							     : "new";
	if (state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER)
		return "blocked";
	if (state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT)
		return "waiting";
	if (state & JVMTI_THREAD_STATE_SLEEPING)
		return "sleeping";
	if (state & JVMTI_THREAD_STATE_PARKED)
		return "parked";
	return state & JVMTI_THREAD_STATE_RUNNABLE ? "runnable" : "waiting";
}

static void put_owned(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		      jthread thread)
{
	jobject *owned, contended = NULL;
	jint count;

	if (k->can.can_get_owned_monitor_info &&
	    !(*k->jvmti)->GetOwnedMonitorInfo(k->jvmti, thread, &count,
					      &owned)) {
		ag_answer_open(a, "owns", '[');
		for (jint i = 0; i < count; i++) {
			ag_known_put(k, jni, a, NULL, owned[i]);
			(*jni)->DeleteLocalRef(jni, owned[i]);
		}
		ag_answer_close(a, ']');
		release(k, owned);
	}
	if (k->can.can_get_current_contended_monitor &&
	    !(*k->jvmti)->GetCurrentContendedMonitor(k->jvmti, thread,
						     &contended)) {
		ag_known_put(k, jni, a, "waits_for", contended);
		(*jni)->DeleteLocalRef(jni, contended);
	}
}

void ag_answer_thread(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		      const char *name, jthread thread, bool brief)
{
	jvmtiThreadInfo info;
	jint state = 0;

	ag_answer_open(a, name, '{');
	ag_answer_number(a, "id", ag_known_number(k, thread));
	memset(&info, 0, sizeof info);
	if (!(*k->jvmti)->GetThreadInfo(k->jvmti, thread, &info)) {
		ag_answer_text(a, "name", info.name);
		ag_answer_number(a, "priority", info.priority);
		ag_answer_flag(a, "daemon", info.is_daemon);
		release(k, info.name);
		(*jni)->DeleteLocalRef(jni, info.thread_group);
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
	}
	if (!(*k->jvmti)->GetThreadState(k->jvmti, thread, &state))
		ag_answer_text(a, "state", state_name(state));
	put_owned(k, jni, a, thread);
	if (!brief)
		put_stack(k, jni, a, thread);
	ag_answer_close(a, '}');
}

void ag_answer_threads(struct ag_known *k, JNIEnv *jni, struct ag_answer *a)
{
	jthread *threads;
	jint count;

	if ((*k->jvmti)->GetAllThreads(k->jvmti, &count, &threads))
		return;
	ag_answer_open(a, "threads", '[');
	for (jint i = 0; i < count; i++) {
		if (a->size < AG_ANSWER_MOST)
			ag_answer_thread(k, jni, a, NULL, threads[i], true);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	ag_answer_close(a, ']');
	release(k, threads);
}

/* ---- monitors ------------------------------------------------------------ */

static void put_waiters(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
			const char *name, const jthread *threads, jint count)
{
	ag_answer_open(a, name, '[');
	for (jint i = 0; i < count && a->size < AG_ANSWER_MOST; i++)
		ag_answer_thread(k, jni, a, NULL, threads[i], true);
	ag_answer_close(a, ']');
}

void ag_answer_monitor(struct ag_known *k, JNIEnv *jni, struct ag_answer *a,
		       jobject object)
{
	jvmtiMonitorUsage u;

	ag_known_put(k, jni, a, "object", object);
	if ((*k->jvmti)->GetObjectMonitorUsage(k->jvmti, object, &u)) {
		ag_answer_text(a, "error", "this JVM does not tell of it");
		return;
	}
	if (u.owner)
		ag_answer_thread(k, jni, a, "owner", u.owner, true);
	else
		ag_answer_null(a, "owner");
	ag_answer_number(a, "entry_count", u.entry_count);
	put_waiters(k, jni, a, "waiters", u.waiters, u.waiter_count);
	put_waiters(k, jni, a, "notify_waiters", u.notify_waiters,
		    u.notify_waiter_count);
	release(k, u.waiters);
	release(k, u.notify_waiters);
}

/* SPDX-License-Identifier: MIT */
/*
 * references.c - see references.h.
 *
 * The JVM has one table of JNI's functions, and lets agents replace it: four of
 * them are ours while somebody listens. If another agent has put its own on top
 * by then, ours stay below, and only pass on.
 */
#include "prof/references.h"

#include "agent/profile/trace_table.h"

static struct {
	bool installed;
	jobject(JNICALL *new_global)(JNIEnv *, jobject);
	void(JNICALL *delete_global)(JNIEnv *, jobject);
	jweak(JNICALL *new_weak)(JNIEnv *, jobject);
	void(JNICALL *delete_weak)(JNIEnv *, jweak);
	atomic_bool on;
} the;

/* Those that callbacks make are not told. */
static _Thread_local bool inside;

static const unsigned reference_event = 1U << JVMTIPROF_EVENT_REFERENCE;

/* ---- events ---------------------------------------------------------------- */

static void send(JNIEnv *jni, jvmtiProfReferenceKind kind, bool made,
		 jobject reference)
{
	jvmtiProfReference told = { .kind = kind,
				    .made = made ? JNI_TRUE : JNI_FALSE,
				    .reference = reference };
	jvmtiFrameInfo frames[AG_MOST_FRAMES];

	told.frames = frames;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventReference call = atomic_load(&e->reference);
		const jint depth = atomic_load(&e->reference_depth);

		if (!call || !pf_env_sends(e, JVMTIPROF_EVENT_REFERENCE))
			continue;
		if (depth == 0 ||
		    (*pf_jvmti())
			    ->GetStackTrace(pf_jvmti(), NULL, 0, depth, frames,
					    &told.frame_count))
			told.frame_count = 0;
		call(&e->functions, e->user, jni, &told);
	}
}

static void tell(JNIEnv *jni, jvmtiProfReferenceKind kind, bool made,
		 jobject reference)
{
	if (!reference || inside || !atomic_load(&the.on))
		return;
	inside = true;
	send(jni, kind, made, reference);
	inside = false;
}

static jobject JNICALL new_global(JNIEnv *jni, jobject object)
{
	jobject made = the.new_global(jni, object);

	tell(jni, JVMTIPROF_REFERENCE_GLOBAL, true, made);
	return made;
}

static void JNICALL delete_global(JNIEnv *jni, jobject reference)
{
	tell(jni, JVMTIPROF_REFERENCE_GLOBAL, false, reference);
	the.delete_global(jni, reference);
}

static jweak JNICALL new_weak(JNIEnv *jni, jobject object)
{
	jweak made = the.new_weak(jni, object);

	tell(jni, JVMTIPROF_REFERENCE_WEAK, true, made);
	return made;
}

static void JNICALL delete_weak(JNIEnv *jni, jweak reference)
{
	tell(jni, JVMTIPROF_REFERENCE_WEAK, false, reference);
	the.delete_weak(jni, reference);
}

/* ---- the table ------------------------------------------------------------- */

static void install(struct JNINativeInterface_ *table)
{
	the.new_global = table->NewGlobalRef;
	the.delete_global = table->DeleteGlobalRef;
	the.new_weak = table->NewWeakGlobalRef;
	the.delete_weak = table->DeleteWeakGlobalRef;
	table->NewGlobalRef = new_global;
	table->DeleteGlobalRef = delete_global;
	table->NewWeakGlobalRef = new_weak;
	table->DeleteWeakGlobalRef = delete_weak;
}

/* False: somebody else's are on top. */
static bool take_out(struct JNINativeInterface_ *table)
{
	if (table->NewGlobalRef != new_global ||
	    table->DeleteGlobalRef != delete_global ||
	    table->NewWeakGlobalRef != new_weak ||
	    table->DeleteWeakGlobalRef != delete_weak)
		return false;
	table->NewGlobalRef = the.new_global;
	table->DeleteGlobalRef = the.delete_global;
	table->NewWeakGlobalRef = the.new_weak;
	table->DeleteWeakGlobalRef = the.delete_weak;
	return true;
}

bool pf_references_prepare(void)
{
	return true;
}

bool pf_references_update(void)
{
	const bool on = pf_env_any_sends(reference_event);
	struct JNINativeInterface_ *table = NULL;
	jvmtiEnv *jvmti = pf_jvmti();
	bool done = true;

	atomic_store(&the.on, on);
	/* There is no table before VMInit. */
	if (on == the.installed || pf_phase() != JVMTI_PHASE_LIVE)
		return true;
	if ((*jvmti)->GetJNIFunctionTable(jvmti, &table))
		return false;
	if (on)
		install(table);
	if (on || take_out(table)) {
		done = !(*jvmti)->SetJNIFunctionTable(jvmti, table);
		if (done)
			the.installed = on;
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)table);
	return done;
}

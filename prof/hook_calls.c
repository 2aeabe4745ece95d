/* SPDX-License-Identifier: MIT */
/*
 * hook_calls.c - see hook_calls.h.
 */
#include "prof/hook_calls.h"

#include "prof/hook_class.h"
#include "prof/hooks.h"

enum { OWN_METHODS = 4 };

static jclass natives; /* a global reference, once it is defined */
static jmethodID own[OWN_METHODS];

/* ---- calls ----------------------------------------------------------------- */

static void JNICALL on_enter(JNIEnv *jni, jclass class, jthread thread,
			     jint number)
{
	const struct pf_place *p = pf_place_of((uint32_t)number);

	(void)class;
	for (uint32_t i = 0; i < p->count; i++) {
		struct pf_hook *h = p->hooks[i];
		struct pf_env *e = h->env;
		jvmtiProfEventSpecificMethodEntry call = e->entry;

		if ((atomic_load_explicit(&h->flags, memory_order_relaxed) &
		     JVMTIPROF_METHOD_EVENT_ENTRY) &&
		    pf_env_sends(e, JVMTIPROF_EVENT_SPECIFIC_METHOD_ENTRY) &&
		    call)
			call(&e->functions, e->user, jni, thread, h->id);
	}
}

/* The innermost hook, which was entered last, is left first. */
static void JNICALL on_exit(JNIEnv *jni, jclass class, jthread thread,
			    jint number)
{
	const struct pf_place *p = pf_place_of((uint32_t)number);

	(void)class;
	for (uint32_t i = p->count; i-- > 0;) {
		struct pf_hook *h = p->hooks[i];
		struct pf_env *e = h->env;
		jvmtiProfEventSpecificMethodExit call = e->exit;

		if ((atomic_load_explicit(&h->flags, memory_order_relaxed) &
		     JVMTIPROF_METHOD_EVENT_EXIT) &&
		    pf_env_sends(e, JVMTIPROF_EVENT_SPECIFIC_METHOD_EXIT) &&
		    call)
			call(&e->functions, e->user, jni, thread, h->id);
	}
}

/* ---- the class ------------------------------------------------------------- */

static bool register_natives(JNIEnv *jni, jclass class)
{
	char enter[] = PF_HOOK_ENTER, leave[] = PF_HOOK_EXIT;
	char descriptor[] = "(Ljava/lang/Thread;I)V";
	const JNINativeMethod list[] = {
		{ enter, descriptor, (void *)on_enter },
		{ leave, descriptor, (void *)on_exit },
	};

	if ((*jni)->RegisterNatives(jni, class, list, 2) != 0) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	own[0] = (*jni)->GetStaticMethodID(jni, class, enter, descriptor);
	own[1] = (*jni)->GetStaticMethodID(jni, class, leave, descriptor);
	return ag_jni_went_well(jni, own[1]);
}

static bool find_caller(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, AG_HOOK_CLASS);
	bool found;

	if (!ag_jni_went_well(jni, class))
		return false;
	own[2] = (*jni)->GetStaticMethodID(jni, class, PF_HOOK_ENTER, "(I)V");
	own[3] = (*jni)->GetStaticMethodID(jni, class, PF_HOOK_EXIT, "(I)V");
	found = ag_jni_went_well(jni, own[3]);
	return found;
}

/* The class that is called is in java.base, its natives are in no module. */
static bool let_it_read(JNIEnv *jni, jclass class)
{
	jclass object = (*jni)->FindClass(jni, "java/lang/Object");
	jvmtiEnv *jvmti = pf_jvmti();

	return ag_jni_went_well(jni, object) &&
	       !(*jvmti)->AddModuleReads(jvmti, (*jni)->GetModule(jni, object),
					 (*jni)->GetModule(jni, class));
}

static bool find_natives(JNIEnv *jni)
{
	jclass class = (*jni)->FindClass(jni, AG_HOOK_NATIVES);

	if (!ag_jni_went_well(jni, class))
		return false;
	if (let_it_read(jni, class) && register_natives(jni, class))
		natives = (*jni)->NewGlobalRef(jni, class);
	return natives != NULL;
}

static bool define(JNIEnv *jni)
{
	enum { LOCAL_REFS = 16 };
	bool done;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0)
		return ag_jni_went_well(jni, NULL);
	done = ag_class_files_define(jni, &pf_hook_files) && find_caller(jni) &&
	       find_natives(jni);
	(*jni)->PopLocalFrame(jni, NULL);
	return done;
}

bool pf_hook_calls_define(JNIEnv *jni)
{
	bool defined;

	pf_lock();
	defined = natives || define(jni);
	pf_unlock();
	return defined;
}

bool pf_hook_calls_own(jmethodID method)
{
	for (int i = 0; i < OWN_METHODS; i++)
		if (own[i] && own[i] == method)
			return true;
	return false;
}

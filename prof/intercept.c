/* SPDX-License-Identifier: MIT */
/*
 * intercept.c - see intercept.h.
 *
 * Classes are changed by RetransformClasses alone: those that are loaded when a
 * hook changes, and each later one when it is prepared, before any of its code
 * runs. The hook for class files is enabled meanwhile, and as long as a method has
 * a hook, or another agent that changes the class would take its calls away. Not
 * before the JVM has begun: it would start slower, and give up its cache of linked
 * classes.
 *
 * The JVM may put in place what was made for an older state of the hooks after
 * what was made for a newer one. pf_lock keeps changes of hooks apart; a class
 * that is being prepared is changed without it, since the thread with the lock
 * may wait for that class. So that is done again if hooks have changed meanwhile.
 */
#include "prof/intercept.h"

#include <pthread.h>
#include <string.h>

#include "agent/instrument/class_files.h"
#include "agent/instrument/loaded_classes.h"
#include "prof/hook_calls.h"
#include "prof/hooks.h"
#include "prof/pattern.h"

/* So many classes at a time: each batch is a pause of the JVM. */
enum { BATCH = 64 };

static atomic_bool begun;

/* How many change classes now, and whether the hook for class files is enabled. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static bool has_class_files;

bool pf_intercept_prepare(void)
{
	jvmtiEnv *jvmti = pf_jvmti();
	jvmtiCapabilities want;

	memset(&want, 0, sizeof want);
	want.can_retransform_classes = 1;
	return (*jvmti)->AddCapabilities(jvmti, &want) == JVMTI_ERROR_NONE;
}

/* ---- changing classes ------------------------------------------------------ */

static void need_class_files(jvmtiEnv *jvmti, int more)
{
	bool need;

	pthread_mutex_lock(&lock);
	users += (unsigned)more;
	need = users > 0 || pf_hooks_any();
	if (need != has_class_files &&
	    !(*jvmti)->SetEventNotificationMode(
		    jvmti, need ? JVMTI_ENABLE : JVMTI_DISABLE,
		    JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL))
		has_class_files = need;
	pthread_mutex_unlock(&lock);
}

static void retransform(jvmtiEnv *jvmti, jclass class)
{
	need_class_files(jvmti, 1);
	ag_classes_retransform(jvmti, &class, 1);
	need_class_files(jvmti, -1);
}

/* A class's name inside of its signature: nothing for arrays. */
static size_t name_size(const char *signature)
{
	const size_t size = strlen(signature);

	return signature[0] == 'L' && size > 2 ? size - 2 : 0;
}

/*
 * A class that is not prepared yet has its turn then. To change it now would be to
 * wait for the thread that prepares it, which waits here for the change to end.
 */
static bool is_prepared(jvmtiEnv *jvmti, jclass class)
{
	jint status = 0;

	return !(*jvmti)->GetClassStatus(jvmti, class, &status) &&
	       (status & JVMTI_CLASS_STATUS_PREPARED);
}

static bool matches(jvmtiEnv *jvmti, jclass class, const void *pattern)
{
	char *signature;
	size_t size;
	bool does;

	if (!is_prepared(jvmti, class) ||
	    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return false;
	size = name_size(signature);
	does = size > 0 && pf_pattern_matches(pattern, signature + 1, size);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return does;
}

static jint update_loaded(jvmtiEnv *jvmti, JNIEnv *jni, const char *pattern)
{
	const struct ag_loaded_choice choice = { .wanted = matches,
						 .user = pattern,
						 .batch = BATCH };
	jint count = 0;

	need_class_files(jvmti, 1);
	ag_loaded_retransform(jvmti, jni, &choice, &count);
	need_class_files(jvmti, -1);
	return count;
}

jvmtiProfError pf_intercept_update(const struct pf_env *e, JNIEnv *jni,
				   const char *class_name)
{
	jvmtiEnv *jvmti = pf_jvmti();
	jint count;

	if (!atomic_load(&begun))
		return JVMTIPROF_ERROR_NONE;
	if (!pf_hook_calls_define(jni))
		return JVMTIPROF_ERROR_INTERNAL;
	if ((*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE,
					       JVMTI_EVENT_CLASS_PREPARE, NULL))
		return JVMTIPROF_ERROR_INTERNAL;
	count = update_loaded(jvmti, jni, class_name);
	pf_tell(e, JVMTIPROF_VERBOSE_METHODS, "%s: %d classes changed",
		class_name, (int)count);
	return JVMTIPROF_ERROR_NONE;
}

void pf_intercept_begin(JNIEnv *jni)
{
	struct pf_env *newest = pf_env_first();

	if (atomic_exchange(&begun, true) || !newest)
		return;
	if (pf_hooks_generation() == 0)
		return;
	pf_lock();
	for (struct pf_hook *h = pf_hooks_first(); h; h = h->next)
		if (atomic_load(&h->flags))
			pf_intercept_update(h->env, jni, h->class_name);
	pf_unlock();
}

/* ---- events ---------------------------------------------------------------- */

static bool is_wanted(jvmtiEnv *jvmti, jclass class)
{
	char *signature;
	size_t size;
	bool wanted;

	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL))
		return false;
	size = name_size(signature);
	wanted = size > 0 && pf_hooks_want(signature + 1, size) &&
		 ag_class_is_modifiable(jvmti, class);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
	return wanted;
}

void JNICALL pf_intercept_prepared(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
				   jclass class)
{
	unsigned generation = pf_hooks_generation();

	(void)jni;
	(void)thread;
	if (!is_wanted(jvmti, class))
		return;
	retransform(jvmti, class);
	while (generation != pf_hooks_generation()) {
		generation = pf_hooks_generation();
		retransform(jvmti, class);
	}
}

/* Without REDEFINED a class is being loaded: it is changed when prepared. */
void JNICALL pf_intercept_class(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
				jobject loader, const char *name,
				jobject protection_domain, jint size,
				const unsigned char *bytes, jint *ret_size,
				unsigned char **ret_bytes)
{
	struct ag_rewritten r;

	(void)jni;
	(void)loader;
	(void)protection_domain;
	if (!redefined || (name && !pf_hooks_want(name, strlen(name))) ||
	    pf_hooks_rewrite(bytes, (size_t)size, &r) != HPROF_OK)
		return;
	ag_rewritten_give(&r, jvmti, ret_size, ret_bytes);
}

/* SPDX-License-Identifier: MIT */
/*
 * environment.c - see environment.h.
 */
#include "prof/environment.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"

static _Atomic(struct pf_env *) first;
static pthread_mutex_t lock;
static pthread_once_t lock_made = PTHREAD_ONCE_INIT;
static _Atomic(jvmtiEnv *) own_jvmti;
static JavaVM *vm_of_process;

/* ---- environments ---------------------------------------------------------- */

static void make_lock(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

void pf_lock(void)
{
	pthread_once(&lock_made, make_lock);
	pthread_mutex_lock(&lock);
}

void pf_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

struct pf_env *pf_env_first(void)
{
	return atomic_load_explicit(&first, memory_order_acquire);
}

struct pf_env *pf_env_new(const struct jvmtiProfInterface_ *functions,
			  jvmtiEnv *user)
{
	struct pf_env *e = hp_calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->functions = functions;
	e->user = user;
	atomic_store(&e->interval, PF_DEFAULT_INTERVAL);
	atomic_store(&e->allocation_interval, PF_DEFAULT_ALLOCATION_INTERVAL);
	atomic_store(&e->alive, true);
	pf_lock();
	e->next = pf_env_first();
	atomic_store(&first, e);
	pf_unlock();
	return e;
}

struct pf_env *pf_env_of(jvmtiProfEnv *env)
{
	struct pf_env *e = pf_env_first();

	while (e && (void *)e != (void *)env)
		e = e->next;
	return e && atomic_load(&e->alive) ? e : NULL;
}

bool pf_env_any_sends(unsigned bits)
{
	for (struct pf_env *e = pf_env_first(); e; e = e->next)
		if (atomic_load(&e->enabled) & bits)
			return true;
	return false;
}

/* ---- the JVM --------------------------------------------------------------- */

jvmtiEnv *pf_jvmti(void)
{
	return atomic_load(&own_jvmti);
}

JavaVM *pf_vm(void)
{
	return vm_of_process;
}

jvmtiEnv *pf_jvmti_make(JavaVM *vm)
{
	void *made = NULL;

	pf_lock();
	if (!pf_jvmti() &&
	    (*vm)->GetEnv(vm, &made, JVMTI_VERSION_11) == JNI_OK) {
		vm_of_process = vm;
		atomic_store(&own_jvmti, made);
	}
	pf_unlock();
	return pf_jvmti();
}

JNIEnv *pf_jni(void)
{
	void *jni = NULL;

	if ((*vm_of_process)->GetEnv(vm_of_process, &jni, JNI_VERSION_1_6) !=
	    JNI_OK)
		return NULL;
	return jni;
}

jvmtiPhase pf_phase(void)
{
	jvmtiEnv *jvmti = pf_jvmti();
	jvmtiPhase phase = JVMTI_PHASE_DEAD;

	if (jvmti)
		(*jvmti)->GetPhase(jvmti, &phase);
	return phase;
}

void pf_tell(const struct pf_env *e, jvmtiProfVerboseFlag flag,
	     const char *format, ...)
{
	char line[1000];
	int size = snprintf(line, sizeof line, "hprof-prof: "), more;
	va_list values;

	if (!(atomic_load(&e->verbose) & flag))
		return;
	va_start(values, format);
	more = vsnprintf(line + size, sizeof line - (size_t)size - 1, format,
			 values);
	va_end(values);
	if (more < 0)
		return;
	size += more;
	if (size > (int)sizeof line - 2)
		size = (int)sizeof line - 2;
	line[size++] = '\n';
	if (write(STDERR_FILENO, line, (size_t)size) < 0)
		return; /* there is nowhere to report this */
}

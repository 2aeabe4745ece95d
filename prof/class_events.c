/* SPDX-License-Identifier: MIT */
/*
 * class_events.c - see class_events.h. A class that is told gets a number as its
 * tag, in an environment of our own: its end is told as that of any object.
 */
#include "prof/class_events.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "prof/own_env.h"

static struct {
	bool tried;
	jvmtiEnv *jvmti; /* NULL: not prepared */
	pthread_mutex_t lock;
	char **signatures; /* by id - 1; NULL: unloaded */
	size_t count, room;
} the = { .lock = PTHREAD_MUTEX_INITIALIZER };

static const unsigned class_events =
	1U << JVMTIPROF_EVENT_CLASS_LOAD | 1U << JVMTIPROF_EVENT_CLASS_UNLOAD;

/* ---- members --------------------------------------------------------------- */

/* What JVMTI allocated for a class. */
struct members {
	char *signature, *source;
	jfieldID *field_ids;
	jmethodID *method_ids;
	jclass *interfaces;
	jint interface_count;
	jvmtiProfMember *fields, *methods;
	jint field_count, method_count;
};

static void release(void *memory)
{
	(*the.jvmti)->Deallocate(the.jvmti, memory);
}

static void read_field(jclass class, jfieldID id, jvmtiProfMember *ret)
{
	char *name, *signature;

	ret->id = id;
	if ((*the.jvmti)
		    ->GetFieldName(the.jvmti, class, id, &name, &signature,
				   NULL))
		return;
	ret->name = name;
	ret->signature = signature;
	(*the.jvmti)->GetFieldModifiers(the.jvmti, class, id, &ret->modifiers);
}

static void read_lines(jmethodID id, jvmtiProfMember *ret)
{
	jvmtiLineNumberEntry *lines;
	jint count;

	if ((*the.jvmti)->GetLineNumberTable(the.jvmti, id, &count, &lines))
		return;
	for (jint i = 0; i < count; i++) {
		const jint line = lines[i].line_number;

		if (i == 0 || line < ret->first_line)
			ret->first_line = line;
		if (line > ret->last_line)
			ret->last_line = line;
	}
	release(lines);
}

static void read_method(jmethodID id, jvmtiProfMember *ret)
{
	char *name, *signature;

	ret->id = id;
	if ((*the.jvmti)->GetMethodName(the.jvmti, id, &name, &signature, NULL))
		return;
	ret->name = name;
	ret->signature = signature;
	(*the.jvmti)->GetMethodModifiers(the.jvmti, id, &ret->modifiers);
	read_lines(id, ret);
}

/* What the JVM does not say, or there is no memory for, is left out. */
static void read_members(jclass class, struct members *m)
{
	jvmtiEnv *jvmti = the.jvmti;
	jint count;

	memset(m, 0, sizeof *m);
	if ((*jvmti)->GetClassSignature(jvmti, class, &m->signature, NULL))
		m->signature = NULL;
	if ((*jvmti)->GetSourceFileName(jvmti, class, &m->source))
		m->source = NULL;
	if ((*jvmti)->GetImplementedInterfaces(
		    jvmti, class, &m->interface_count, &m->interfaces))
		m->interface_count = 0;
	if (!(*jvmti)->GetClassFields(jvmti, class, &count, &m->field_ids))
		m->fields = hp_calloc((size_t)count + 1, sizeof *m->fields);
	for (; m->fields && m->field_count < count; m->field_count++)
		read_field(class, m->field_ids[m->field_count],
			   &m->fields[m->field_count]);
	if (!(*jvmti)->GetClassMethods(jvmti, class, &count, &m->method_ids))
		m->methods = hp_calloc((size_t)count + 1, sizeof *m->methods);
	for (; m->methods && m->method_count < count; m->method_count++)
		read_method(m->method_ids[m->method_count],
			    &m->methods[m->method_count]);
}

static void free_list(jvmtiProfMember *list, jint count)
{
	for (jint i = 0; i < count; i++) {
		release((void *)(uintptr_t)list[i].name);
		release((void *)(uintptr_t)list[i].signature);
	}
	hp_free(list);
}

static void free_members(JNIEnv *jni, struct members *m)
{
	for (jint i = 0; i < m->interface_count; i++)
		(*jni)->DeleteLocalRef(jni, m->interfaces[i]);
	free_list(m->fields, m->field_count);
	free_list(m->methods, m->method_count);
	release(m->interfaces);
	release(m->field_ids);
	release(m->method_ids);
	release(m->signature);
	release(m->source);
}

/* ---- events ---------------------------------------------------------------- */

/* 0 without memory. */
static jlong remember(jclass class, const char *signature)
{
	char *copy = hp_alloc(strlen(signature) + 1);
	jlong id = 0;

	if (!copy)
		return 0;
	strcpy(copy, signature);
	pthread_mutex_lock(&the.lock);
	if (hp_grow((void **)&the.signatures, &the.room, the.count,
		    sizeof *the.signatures) == HPROF_OK) {
		the.signatures[the.count++] = copy;
		id = (jlong)the.count;
	}
	pthread_mutex_unlock(&the.lock);
	if (id == 0)
		hp_free(copy);
	else
		(*the.jvmti)->SetTag(the.jvmti, class, id);
	return id;
}

static void JNICALL on_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
			       jclass class)
{
	jvmtiProfClass told = { .class_object = class };
	struct members m;

	(void)jvmti;
	read_members(class, &m);
	if (m.signature)
		told.id = remember(class, m.signature);
	told.signature = m.signature ? m.signature : "";
	told.source = m.source;
	told.interface_count = m.interface_count;
	told.fields = m.fields;
	told.field_count = m.field_count;
	told.methods = m.methods;
	told.method_count = m.method_count;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventClassLoad call = atomic_load(&e->class_load);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_CLASS_LOAD))
			call(&e->functions, e->user, jni, thread, &told);
	}
	free_members(jni, &m);
}

static void JNICALL on_free(jvmtiEnv *jvmti, jlong tag)
{
	jvmtiProfClass told = { .id = tag };
	char *signature = NULL;

	(void)jvmti;
	pthread_mutex_lock(&the.lock);
	if (tag > 0 && (size_t)tag <= the.count) {
		signature = the.signatures[tag - 1];
		the.signatures[tag - 1] = NULL;
	}
	pthread_mutex_unlock(&the.lock);
	if (!signature)
		return;
	told.signature = signature;
	for (struct pf_env *e = pf_env_first(); e; e = e->next) {
		jvmtiProfEventClassUnload call = atomic_load(&e->class_unload);

		if (call && pf_env_sends(e, JVMTIPROF_EVENT_CLASS_UNLOAD))
			call(&e->functions, e->user, &told);
	}
	hp_free(signature);
}

/* ---- on and off ------------------------------------------------------------ */

bool pf_class_events_prepare(void)
{
	const jvmtiCapabilities want = { .can_tag_objects = 1,
					 .can_generate_object_free_events = 1,
					 .can_get_line_numbers = 1,
					 .can_get_source_file_name = 1 };
	const jvmtiEventCallbacks callbacks = {
		.ClassPrepare = on_prepare,
		.ObjectFree = on_free,
	};

	if (!the.tried)
		the.jvmti = pf_own_env(&want, &callbacks);
	the.tried = true;
	return the.jvmti != NULL;
}

/*
 * Ends stay enabled: to disable them while the JVM posts some may stop it for
 * ever, see agent/profile/follower.c.
 */
bool pf_class_events_update(void)
{
	static bool ends;
	const bool on = pf_env_any_sends(class_events);

	if (!the.jvmti)
		return true;
	if (on && !ends)
		ends = pf_own_env_enable(the.jvmti, JVMTI_EVENT_OBJECT_FREE,
					 true);
	return pf_own_env_enable(the.jvmti, JVMTI_EVENT_CLASS_PREPARE, on) &&
	       (ends || !on);
}

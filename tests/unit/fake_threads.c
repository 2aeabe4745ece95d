/* SPDX-License-Identifier: MIT */
/*
 * fake_threads.c - see fake_threads.h. Memory that is handed out is counted,
 * and any answer can be made a refusal.
 */
#include "fake_threads.h"

#include "agent/dump/object_ids.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct fake_threads fake_threads;

static bool fails(void)
{
	return fake_threads.fail_in > 0 && --fake_threads.fail_in == 0;
}

static void *block(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	cr_assert_not_null(memory);
	fake_threads.blocks++;
	return memory;
}

static char *text(const char *source)
{
	return strcpy(block(strlen(source) + 1), source);
}

static jvmtiError JNICALL deallocate(jvmtiEnv *env, unsigned char *memory)
{
	(void)env;
	if (memory)
		fake_threads.blocks--;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *env, jint *count, jthread **ret)
{
	(void)env;
	if (fails())
		return JVMTI_ERROR_OUT_OF_MEMORY;
	*count = fake_threads.thread_count;
	*ret = block((size_t)*count * sizeof **ret);
	for (jint i = 0; i < *count; i++)
		(*ret)[i] = (jthread)fake_threads.threads[i];
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL thread_info(jvmtiEnv *env, jthread thread,
				      jvmtiThreadInfo *ret)
{
	struct fake_thing *t = (struct fake_thing *)thread;

	(void)env;
	cr_assert_eq(t->kind, THREAD);
	if (t->ended || fails())
		return JVMTI_ERROR_THREAD_NOT_ALIVE;
	memset(ret, 0, sizeof *ret);
	ret->name = t->name ? text(t->name) : NULL;
	ret->thread_group = (jthreadGroup)t->parent;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL group_info(jvmtiEnv *env, jthreadGroup group,
				     jvmtiThreadGroupInfo *ret)
{
	struct fake_thing *g = (struct fake_thing *)group;

	(void)env;
	cr_assert_eq(g->kind, GROUP);
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	ret->parent = (jthreadGroup)g->parent;
	ret->name = text(g->name);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL stack_trace(jvmtiEnv *env, jthread thread, jint start,
				      jint most, jvmtiFrameInfo *ret,
				      jint *ret_count)
{
	struct fake_thing *t = (struct fake_thing *)thread;

	(void)env;
	cr_assert_eq(start, 0);
	if (fails())
		return JVMTI_ERROR_THREAD_NOT_ALIVE;
	*ret_count = t->depth < most ? t->depth : most;
	if (*ret_count)
		memcpy(ret, t->frames, (size_t)*ret_count * sizeof *ret);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *env, jobject object, jlong *ret)
{
	(void)env;
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	*ret = ((struct fake_thing *)object)->tag;
	return JVMTI_ERROR_NONE;
}

/* Sizes do not matter here: every object has one byte. */
static jvmtiError JNICALL object_size(jvmtiEnv *env, jobject object, jlong *ret)
{
	(void)env;
	(void)object;
	if (fails())
		return JVMTI_ERROR_OUT_OF_MEMORY;
	*ret = 1;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *env, jobject object, jlong tag)
{
	(void)env;
	if (fails())
		return JVMTI_ERROR_OUT_OF_MEMORY;
	((struct fake_thing *)object)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL mounted(jvmtiEnv *env, ...)
{
	va_list values;
	struct fake_thing *carrier;

	va_start(values, env);
	carrier = (struct fake_thing *)va_arg(values, jthread);
	*va_arg(values, jthread *) = (jthread)carrier->mounted;
	va_end(values);
	return fails() ? JVMTI_ERROR_INVALID_THREAD : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL extensions(jvmtiEnv *env, jint *count,
				     jvmtiExtensionFunctionInfo **ret)
{
	static const char *ids[] = {
		"com.sun.hotspot.functions.IsClassUnloadingEnabled",
		"com.sun.hotspot.functions.GetVirtualThread",
	};

	(void)env;
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	*count = fake_threads.no_extension ? 1 : 2;
	*ret = block(2 * sizeof **ret);
	for (jint i = 0; i < *count; i++) {
		jvmtiExtensionFunctionInfo *f = &(*ret)[i];
		f->func = i == 1 ? mounted : NULL;
		f->id = text(ids[i]);
		f->short_description = text("does something");
		f->param_count = 2;
		f->params = block(2 * sizeof *f->params);
		f->params[0].name = text("thread");
		f->params[1].name = text("result");
		f->errors = block(sizeof *f->errors);
	}
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL signature_of(jvmtiEnv *env, jclass class, char **ret,
				       char **ret_generic)
{
	(void)env;
	cr_assert_null(ret_generic);
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	*ret = text(((struct fake_thing *)class)->name);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_class(jvmtiEnv *env, jmethodID id, jclass *ret)
{
	struct fake_method *m = (struct fake_method *)id;

	(void)env;
	if (m->gone || fails())
		return JVMTI_ERROR_INVALID_METHODID;
	*ret = (jclass)m->class;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL source_name(jvmtiEnv *env, jclass class, char **ret)
{
	(void)env;
	if (((struct fake_thing *)class)->number == 0 || fails())
		return JVMTI_ERROR_ABSENT_INFORMATION;
	*ret = text("Pair.java");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_name(jvmtiEnv *env, jmethodID id,
				      char **ret_name, char **ret_signature,
				      char **ret_generic)
{
	struct fake_method *m = (struct fake_method *)id;

	(void)env;
	cr_assert_null(ret_generic);
	if (m->gone || fails())
		return JVMTI_ERROR_INVALID_METHODID;
	*ret_name = text(m->name);
	*ret_signature = text(m->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_native(jvmtiEnv *env, jmethodID id, jboolean *ret)
{
	struct fake_method *m = (struct fake_method *)id;

	(void)env;
	if (m->gone || fails())
		return JVMTI_ERROR_INVALID_METHODID;
	*ret = m->native;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL line_table(jvmtiEnv *env, jmethodID id, jint *count,
				     jvmtiLineNumberEntry **ret)
{
	struct fake_method *m = (struct fake_method *)id;
	size_t size = (size_t)m->line_count * sizeof **ret;

	(void)env;
	if (m->native)
		return JVMTI_ERROR_NATIVE_METHOD;
	if (m->gone || !m->lines || fails())
		return JVMTI_ERROR_ABSENT_INFORMATION;
	*count = m->line_count;
	*ret = memcpy(block(size), m->lines, size);
	return JVMTI_ERROR_NONE;
}

static const struct jvmtiInterface_1_ jvmti_functions = {
	.Deallocate = deallocate,
	.GetAllThreads = all_threads,
	.GetThreadInfo = thread_info,
	.GetThreadGroupInfo = group_info,
	.GetStackTrace = stack_trace,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.GetObjectSize = object_size,
	.GetExtensionFunctions = extensions,
	.GetClassSignature = signature_of,
	.GetMethodDeclaringClass = method_class,
	.GetSourceFileName = source_name,
	.GetMethodName = method_name,
	.IsMethodNative = is_native,
	.GetLineNumberTable = line_table,
};

static struct fake_thing thread_class = { CLASS, "Ljava/lang/Thread;",
					  .tag = 7 };
static struct fake_thing own_class = { CLASS, "LOwnThread;",
				       .parent = &thread_class };

static jclass JNICALL object_class(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
	return (jclass)&own_class;
}

static jclass JNICALL super_class(JNIEnv *jni, jclass class)
{
	(void)jni;
	return (jclass)((struct fake_thing *)class)->parent;
}

static jfieldID JNICALL field_id(JNIEnv *jni, jclass class, const char *name,
				 const char *type)
{
	(void)jni;
	cr_assert_str_eq(name, "tid");
	cr_assert_str_eq(type, "J");
	return (struct fake_thing *)class == &thread_class ? (jfieldID)name
							   : NULL;
}

static jlong JNICALL long_field(JNIEnv *jni, jobject object, jfieldID field)
{
	(void)jni;
	cr_assert_not_null(field);
	return ((struct fake_thing *)object)->number;
}

static void JNICALL delete_ref(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
}

static void JNICALL clear(JNIEnv *jni)
{
	(void)jni;
}

static jint JNICALL push(JNIEnv *jni, jint capacity)
{
	(void)jni;
	cr_assert_geq(capacity, 16);
	if (fake_threads.push_fails)
		return JNI_ENOMEM;
	fake_threads.frames++;
	return 0;
}

static jobject JNICALL pop(JNIEnv *jni, jobject result)
{
	(void)jni;
	cr_assert_null(result);
	fake_threads.frames--;
	return NULL;
}

static const struct JNINativeInterface_ jni_functions = {
	.GetObjectClass = object_class,
	.GetSuperclass = super_class,
	.GetFieldID = field_id,
	.GetLongField = long_field,
	.DeleteLocalRef = delete_ref,
	.ExceptionClear = clear,
	.PushLocalFrame = push,
	.PopLocalFrame = pop,
};

/* ---- who is in it -------------------------------------------------------- */

/* Class 3 knows its source file, class 4 (of number 0) does not. */
static struct fake_thing pair = { CLASS, "LPair;", .number = 1 };
static struct fake_thing bare = { CLASS, "LBare;", .number = 0 };

/* Unordered, as the specification allows. */
static const jvmtiLineNumberEntry lines[] = { { 10, 52 },
					      { 0, 50 },
					      { 5, 51 } };
struct fake_method fake_run = { "run", "()V", &pair, .lines = lines,
				.line_count = 3 };
struct fake_method fake_wait = { "wait", "(J)V", &bare, .native = true };
struct fake_method fake_plain = { "plain", "()I", .class = &bare };
static struct fake_method gone = { .gone = true };

static struct fake_thing root_group = { GROUP, .name = "system" };
static struct fake_thing group = { GROUP, "main", .parent = &root_group };
static jvmtiFrameInfo frames[3], deep_frames[FAKE_DEEP];
struct fake_thing fake_first = {
	THREAD,	     "first \xe2\x82\xac", &group,
	.number = 1, .frames = frames,	   .depth = 3
};
struct fake_thing fake_virtual = { THREAD, NULL, .number = 40, .frames = frames,
				   .depth = 1 };
static struct fake_thing carrier = { THREAD, "carrier", &root_group,
				     .number = 21, .mounted = &fake_virtual };
static struct fake_thing other_carrier = { THREAD, "other", .number = 22,
					   .mounted = &fake_virtual };
struct fake_thing fake_deep = { THREAD, "deep", .number = 5,
				.frames = deep_frames, .depth = FAKE_DEEP };
struct fake_thing fake_ended = { THREAD, "ended", .number = 6, .ended = true };

void fake_threads_reset(void)
{
	memset(&fake_threads, 0, sizeof fake_threads);
	fake_threads.jvmti = &jvmti_functions;
	fake_threads.jni = &jni_functions;
	frames[0] = (jvmtiFrameInfo){ FAKE_METHOD(fake_wait), -1 };
	frames[1] = (jvmtiFrameInfo){ FAKE_METHOD(fake_run), 7 };
	frames[2] = (jvmtiFrameInfo){ FAKE_METHOD(fake_plain), 3 };
	for (int i = 0; i < FAKE_DEEP; i++)
		deep_frames[i] = (jvmtiFrameInfo){ FAKE_METHOD(fake_run),
						   i % 2 ? 0 : 12 };
	deep_frames[FAKE_DEEP - 1] = (jvmtiFrameInfo){ FAKE_METHOD(gone), 1 };
	struct fake_thing *all[] = { &fake_first, &fake_ended, &carrier,
				     &other_carrier, &fake_deep };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		all[i]->tag = 0;
		fake_threads.threads[fake_threads.thread_count++] = all[i];
	}
	fake_virtual.tag = 0;
	pair.tag = (jlong)ag_class_tag(3, 3);
	bare.tag = (jlong)ag_class_tag(4, 4);
}

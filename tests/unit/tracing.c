/* SPDX-License-Identifier: MIT */
/*
 * tracing.c - see tracing.h.
 */
#include "tracing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- a JVM --------------------------------------------------------------- */

static struct class shop = { .signature = "LShop;", .source = "Shop.java" };

struct method methods[METHODS] = {
	{ "open", &shop, false, false },
	{ "sell", &shop, false, false },
	{ "wrap", &shop, true, false },
	{ "gone", &shop, false, true },
};

jmethodID method(unsigned i)
{
	return (jmethodID)(void *)&methods[i];
}

static jvmtiError JNICALL method_name(jvmtiEnv *jvmti, jmethodID id,
				      char **name, char **signature,
				      char **generic)
{
	const struct method *m = (const struct method *)(void *)id;

	(void)jvmti;
	(void)generic;
	if (m->unloaded)
		return JVMTI_ERROR_INVALID_METHODID;
	*name = strdup(m->name);
	*signature = strdup("()V");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_native(jvmtiEnv *jvmti, jmethodID id,
				    jboolean *ret)
{
	(void)jvmti;
	*ret = ((const struct method *)(void *)id)->native;
	return JVMTI_ERROR_NONE;
}

/* Line 10 from location 0 on, 20 from 5 on. */
static jvmtiError JNICALL lines(jvmtiEnv *jvmti, jmethodID id, jint *count,
				jvmtiLineNumberEntry **ret)
{
	(void)jvmti;
	(void)id;
	*count = 2;
	*ret = calloc(2, sizeof **ret);
	(*ret)[0] = (jvmtiLineNumberEntry){ 0, 10 };
	(*ret)[1] = (jvmtiLineNumberEntry){ 5, 20 };
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL declaring(jvmtiEnv *jvmti, jmethodID id, jclass *ret)
{
	const struct method *m = (const struct method *)(void *)id;

	(void)jvmti;
	*ret = (jclass)(void *)m->class;
	return m->unloaded ? JVMTI_ERROR_INVALID_METHODID : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL source_file(jvmtiEnv *jvmti, jclass class, char **ret)
{
	const struct class *c = (const struct class *)(void *)class;

	(void)jvmti;
	*ret = strdup(c->source);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *jvmti, jclass class,
					  char **ret, char **generic)
{
	(void)jvmti;
	(void)generic;
	*ret = strdup(((const struct class *)(void *)class)->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject class, jlong *ret)
{
	(void)jvmti;
	*ret = ((struct class *)(void *)class)->tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject class, jlong tag)
{
	(void)jvmti;
	((struct class *)(void *)class)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL allocate(jvmtiEnv *jvmti, jlong size,
				   unsigned char **ret)
{
	(void)jvmti;
	*ret = malloc((size_t)size);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
	(void)jvmti;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static void JNICALL delete_local(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
}

const struct jvmtiInterface_1_ tracing_jvmti = {
	.GetMethodName = method_name,
	.IsMethodNative = is_native,
	.GetLineNumberTable = lines,
	.GetMethodDeclaringClass = declaring,
	.GetSourceFileName = source_file,
	.GetClassSignature = class_signature,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.Allocate = allocate,
	.Deallocate = deallocate,
};
const struct JNINativeInterface_ tracing_jni = {
	.DeleteLocalRef = delete_local,
};

/* ---- tables -------------------------------------------------------------- */

struct ag_class_list *classes;
struct ag_traces *traces;

static jvmtiEnv jvmti = &tracing_jvmti;

void tracing_set_up(void)
{
	classes = ag_class_list_new(&jvmti);
	traces = ag_traces_new(&jvmti, classes, true);
	cr_assert(classes && traces);
}

void tracing_tear_down(void)
{
	ag_traces_free(traces);
	ag_class_list_free(classes);
}

/* SPDX-License-Identifier: MIT */
/*
 * management.c - see management.h.
 *
 * Methods are looked up for each call: this runs once for a collection, and a
 * table of them would be longer than all the rest.
 */
#include "prof/management.h"

#include <stdarg.h>
#include <string.h>

#define MANAGEMENT "java/lang/management/"

/* ---- calls ----------------------------------------------------------------- */

/* NULL with an exception. */
static jmethodID method_of(JNIEnv *jni, const char *class_name,
			   const char *name, const char *signature,
			   jclass *ret_class)
{
	*ret_class = (*jni)->FindClass(jni, class_name);
	return *ret_class
		       ? (*jni)->GetMethodID(jni, *ret_class, name, signature)
		       : NULL;
}

/* NULL if it returns that, or throws, or OBJECT is NULL. */
static jobject get(JNIEnv *jni, jobject object, const char *class_name,
		   const char *name, const char *signature, ...)
{
	jobject got = NULL;
	jmethodID method;
	jclass class;
	va_list values;

	if (!object)
		return NULL;
	method = method_of(jni, class_name, name, signature, &class);
	va_start(values, signature);
	if (method && (*jni)->IsInstanceOf(jni, object, class))
		got = (*jni)->CallObjectMethodV(jni, object, method, values);
	va_end(values);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		got = NULL;
	}
	(*jni)->DeleteLocalRef(jni, class);
	return got;
}

/* -1 if it throws, or OBJECT is NULL. */
static jlong get_long(JNIEnv *jni, jobject object, const char *class_name,
		      const char *name)
{
	jlong got = -1;
	jmethodID method;
	jclass class;

	if (!object)
		return -1;
	method = method_of(jni, class_name, name, "()J", &class);
	if (method)
		got = (*jni)->CallLongMethod(jni, object, method);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		got = -1;
	}
	(*jni)->DeleteLocalRef(jni, class);
	return got;
}

/* The beans of a kind, an array; NULL if the JVM has none. */
static jobjectArray beans(JNIEnv *jni, const char *getter)
{
	jclass factory = (*jni)->FindClass(jni, MANAGEMENT "ManagementFactory");
	jmethodID method = NULL;
	jobject list = NULL;

	if (factory)
		method = (*jni)->GetStaticMethodID(jni, factory, getter,
						   "()Ljava/util/List;");
	if (method)
		list = (*jni)->CallStaticObjectMethod(jni, factory, method);
	if ((*jni)->ExceptionCheck(jni)) {
		(*jni)->ExceptionClear(jni);
		list = NULL;
	}
	return get(jni, list, "java/util/List", "toArray",
		   "()[Ljava/lang/Object;");
}

static jobjectArray pool_beans(JNIEnv *jni)
{
	return beans(jni, "getMemoryPoolMXBeans");
}

static bool is_heap(JNIEnv *jni, jobject pool)
{
	jobject type = get(jni, pool, MANAGEMENT "MemoryPoolMXBean", "getType",
			   "()L" MANAGEMENT "MemoryType;");
	jstring name = get(jni, type, "java/lang/Enum", "name",
			   "()Ljava/lang/String;");
	const char *text =
		name ? (*jni)->GetStringUTFChars(jni, name, NULL) : NULL;
	const bool heap = text && strcmp(text, "HEAP") == 0;

	if (text)
		(*jni)->ReleaseStringUTFChars(jni, name, text);
	return heap;
}

static jstring name_of(JNIEnv *jni, jobject pool)
{
	return get(jni, pool, MANAGEMENT "MemoryPoolMXBean", "getName",
		   "()Ljava/lang/String;");
}

static jlong usage(JNIEnv *jni, jobject memory_usage, const char *getter)
{
	return get_long(jni, memory_usage, MANAGEMENT "MemoryUsage", getter);
}

/* ---- collections ----------------------------------------------------------- */

#define GC_INFO "com/sun/management/GcInfo"

/* The sum over all pools of the heap; -1 if one is not known. */
static jlong heap_sum(JNIEnv *jni, jobject info, const char *when,
		      const char *getter)
{
	jobject map = get(jni, info, GC_INFO, when, "()Ljava/util/Map;");
	jobjectArray pools = map ? pool_beans(jni) : NULL;
	const jsize count = pools ? (*jni)->GetArrayLength(jni, pools) : 0;
	jlong sum = pools ? 0 : -1;

	for (jsize i = 0; i < count && sum >= 0; i++) {
		jobject pool, used;
		jlong bytes;

		if ((*jni)->PushLocalFrame(jni, 16))
			return -1;
		pool = (*jni)->GetObjectArrayElement(jni, pools, i);
		if (is_heap(jni, pool)) {
			used = get(jni, map, "java/util/Map", "get",
				   "(Ljava/lang/Object;)Ljava/lang/Object;",
				   name_of(jni, pool));
			bytes = usage(jni, used, getter);
			sum = bytes < 0 ? -1 : sum + bytes;
		}
		(*jni)->PopLocalFrame(jni, NULL);
	}
	return sum;
}

/* The one that is newer than what is known, and last; NULL: none is. */
static jobject newest_info(JNIEnv *jni, struct pf_collectors *collectors)
{
	jobjectArray all = beans(jni, "getGarbageCollectorMXBeans");
	jsize count = all ? (*jni)->GetArrayLength(jni, all) : 0;
	jobject newest = NULL;
	jlong last = -1;

	for (jsize i = 0; i < count && i < PF_MOST_COLLECTORS; i++) {
		jobject bean = (*jni)->GetObjectArrayElement(jni, all, i);
		jobject info = get(jni, bean,
				   "com/sun/management/GarbageCollectorMXBean",
				   "getLastGcInfo", "()L" GC_INFO ";");
		const jlong id = get_long(jni, info, GC_INFO, "getId");
		const jlong end = get_long(jni, info, GC_INFO, "getEndTime");

		if (id > collectors->ids[i] && end >= last) {
			newest = info;
			last = end;
		}
		if (id > 0)
			collectors->ids[i] = id;
	}
	return newest;
}

void pf_management_last_collection(JNIEnv *jni,
				   struct pf_collectors *collectors,
				   jvmtiProfCollection *ret)
{
	jobject info;

	if ((*jni)->PushLocalFrame(jni, 64)) {
		(*jni)->ExceptionClear(jni);
		return;
	}
	info = newest_info(jni, collectors);
	if (info) {
		ret->used_before = heap_sum(jni, info, "getMemoryUsageBeforeGc",
					    "getUsed");
		ret->used_after =
			heap_sum(jni, info, "getMemoryUsageAfterGc", "getUsed");
		ret->total_after = heap_sum(jni, info, "getMemoryUsageAfterGc",
					    "getCommitted");
	}
	(*jni)->PopLocalFrame(jni, NULL);
}

/* ---- pools ----------------------------------------------------------------- */

static void read_pool(JNIEnv *jni, jobject pool, jvmtiProfMemoryPool *ret)
{
	jobject now = get(jni, pool, MANAGEMENT "MemoryPoolMXBean", "getUsage",
			  "()L" MANAGEMENT "MemoryUsage;");
	jobject then =
		get(jni, pool, MANAGEMENT "MemoryPoolMXBean",
		    "getCollectionUsage", "()L" MANAGEMENT "MemoryUsage;");

	ret->is_heap = is_heap(jni, pool) ? JNI_TRUE : JNI_FALSE;
	ret->used = usage(jni, now, "getUsed");
	ret->committed = usage(jni, now, "getCommitted");
	ret->max = usage(jni, now, "getMax");
	ret->used_after_collection = usage(jni, then, "getUsed");
}

/* Bytes of the names with their ends. */
static size_t room_of_names(JNIEnv *jni, jobjectArray pools, jsize count)
{
	size_t room = 0;

	for (jsize i = 0; i < count; i++) {
		jobject pool = (*jni)->GetObjectArrayElement(jni, pools, i);
		jstring name = name_of(jni, pool);

		if (name)
			room += (size_t)(*jni)->GetStringUTFLength(jni, name);
		room++;
		(*jni)->DeleteLocalRef(jni, name);
		(*jni)->DeleteLocalRef(jni, pool);
	}
	return room;
}

static void put_pools(JNIEnv *jni, jobjectArray pools, jsize count,
		      jvmtiProfMemoryPool *ret)
{
	char *texts = (char *)(ret + count);

	for (jsize i = 0; i < count; i++) {
		jobject pool;
		jstring name;

		ret[i].name = texts;
		texts[0] = '\0';
		if ((*jni)->PushLocalFrame(jni, 16))
			break;
		pool = (*jni)->GetObjectArrayElement(jni, pools, i);
		name = name_of(jni, pool);
		if (name)
			(*jni)->GetStringUTFRegion(
				jni, name, 0,
				(*jni)->GetStringLength(jni, name), texts);
		texts += strlen(texts) + 1;
		read_pool(jni, pool, &ret[i]);
		(*jni)->PopLocalFrame(jni, NULL);
	}
	(*jni)->ExceptionClear(jni);
}

jvmtiProfError pf_management_pools(const struct pf_env *e, JNIEnv *jni,
				   jint *ret_count,
				   jvmtiProfMemoryPool **ret_pools)
{
	jvmtiProfError error = JVMTIPROF_ERROR_OUT_OF_MEMORY;
	unsigned char *made;
	jobjectArray pools;
	jsize count;
	size_t room;

	if ((*jni)->PushLocalFrame(jni, 16)) {
		(*jni)->ExceptionClear(jni);
		return error;
	}
	pools = pool_beans(jni);
	count = pools ? (*jni)->GetArrayLength(jni, pools) : 0;
	room = (size_t)count * sizeof **ret_pools +
	       room_of_names(jni, pools, count);
	if (!pools)
		error = JVMTIPROF_ERROR_NOT_AVAILABLE;
	else if (!(*e->user)->Allocate(e->user, (jlong)room, &made)) {
		memset(made, 0, room);
		put_pools(jni, pools, count, (void *)made);
		*ret_count = count;
		*ret_pools = (void *)made;
		error = JVMTIPROF_ERROR_NONE;
	}
	(*jni)->PopLocalFrame(jni, NULL);
	return error;
}

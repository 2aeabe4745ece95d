/* SPDX-License-Identifier: MIT */
/*
 * jvm_dump.c - see jvm_dump.h.
 *
 * The JVM takes the file's name as a Java string. A string for the real name
 * could not be made when the heap is full, and the JVM would convert it to its
 * own character set, which may lack some characters. So there is one string,
 * made beforehand, /proc/self/fd/N/heap: N is a descriptor that is reserved
 * together with it, and is made to lead to the directory of the dump meanwhile.
 *
 * Unless the character set is one of a few, the JVM converts even that string by
 * String.getBytes, which it calls through the JNI functions of this thread. So
 * they are replaced meanwhile by our own, of which one knows the result.
 */
#include "agent/dump/jvm_dump.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/common/jvm_dumper.h"
#include "agent/common/stage.h"
#include "base/mem.h"
#include "io/sink.h"

/* Never freed or changed once it is published. */
struct reserve {
	ag_jvm_dumper dumper;
	jstring name;	  /* a global reference */
	jbyteArray bytes; /* the name as bytes; likewise */
	int fd;		  /* of / while no dump is taken */
};

static _Atomic(struct reserve *) reserved;

/* ---- beforehand ---------------------------------------------------------- */

static int open_root(void)
{
	return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Replaces a local reference, which may be NULL, by a global one. */
static jobject keep(JNIEnv *jni, jobject local)
{
	jobject kept = local ? (*jni)->NewGlobalRef(jni, local) : NULL;

	if (local)
		(*jni)->DeleteLocalRef(jni, local);
	return kept;
}

/* Sets fd, name and bytes. Returns NULL, or why it failed. */
static const char *make_name(struct reserve *r, JNIEnv *jni)
{
	char name[64];
	jsize size;

	r->fd = open_root();
	if (r->fd < 0)
		return "there is no file descriptor for it";
	snprintf(name, sizeof name, "/proc/self/fd/%d", r->fd);
	if (access(name, F_OK) != 0)
		return "/proc is not there";
	size = snprintf(name, sizeof name, "/proc/self/fd/%d/" AG_STAGE_HEAP,
			r->fd);
	r->name = keep(jni, (*jni)->NewStringUTF(jni, name));
	if (r->name)
		r->bytes = keep(jni, (*jni)->NewByteArray(jni, size));
	if (r->bytes)
		(*jni)->SetByteArrayRegion(jni, r->bytes, 0, size,
					   (const jbyte *)name);
	(*jni)->ExceptionClear(jni);
	return r->bytes ? NULL : "the JVM has no memory";
}

static void drop(struct reserve *r, JNIEnv *jni)
{
	(*jni)->DeleteGlobalRef(jni, r->name);
	(*jni)->DeleteGlobalRef(jni, r->bytes);
	if (r->fd >= 0)
		close(r->fd);
	hp_free(r);
}

const char *ag_jvm_dump_prepare(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct reserve *r, *none = NULL;
	const char *why;

	if (atomic_load(&reserved))
		return NULL;
	r = hp_calloc(1, sizeof *r);
	if (!r)
		return "out of memory";
	r->fd = -1;
	why = ag_jvm_dumper_find(vm, jvmti, jni, &r->dumper);
	if (!why)
		why = make_name(r, jni);
	if (why || !atomic_compare_exchange_strong(&reserved, &none, r))
		drop(r, jni);
	return why;
}

/* ---- the call ------------------------------------------------------------ */

static bool same_file(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/*
 * In place of CallObjectMethod: the name as bytes is known. The JNI functions
 * that this may use are those of the JVM.
 */
static jobject JNICALL call_object_method(JNIEnv *jni, jobject object,
					  jmethodID method, ...)
{
	const struct reserve *r = atomic_load(&reserved);
	jobject result;
	va_list values;

	if ((*jni)->IsSameObject(jni, object, r->name))
		return (*jni)->NewLocalRef(jni, r->bytes);
	va_start(values, method);
	result = (*jni)->CallObjectMethodV(jni, object, method, values);
	va_end(values);
	return result;
}

/*
 * Calls the dumper, in whose call this thread's JNI functions are ours. Those
 * that later versions have added at the end of the table are missing from it:
 * the conversion of a string is older than they are.
 */
static jint call_dumper(const struct reserve *r, JNIEnv *jni, bool live)
{
	const struct JNINativeInterface_ *const functions = *jni;
	struct JNINativeInterface_ ours = *functions;
	jint result;

	ours.CallObjectMethod = call_object_method;
	*jni = &ours;
	result = r->dumper(jni, r->name, live);
	*jni = functions;
	return result;
}

/* Copies the message of the exception, and clears that. Runs no Java code. */
static void take_exception(JNIEnv *jni, struct ag_jvm_result *ret)
{
	jthrowable thrown = (*jni)->ExceptionOccurred(jni);
	jfieldID field;
	jstring text;
	const char *chars;

	snprintf(ret->error, sizeof ret->error, "it does not tell why");
	if (!thrown)
		return;
	(*jni)->ExceptionClear(jni);
	field = (*jni)->GetFieldID(jni, (*jni)->GetObjectClass(jni, thrown),
				   "detailMessage", "Ljava/lang/String;");
	text = field ? (*jni)->GetObjectField(jni, thrown, field) : NULL;
	chars = text ? (*jni)->GetStringUTFChars(jni, text, NULL) : NULL;
	if (chars) {
		snprintf(ret->error, sizeof ret->error, "%s", chars);
		(*jni)->ReleaseStringUTFChars(jni, text, chars);
	}
	(*jni)->ExceptionClear(jni);
}

/* True if the JVM says that it worked; else RET has its reason. */
static bool call(const struct reserve *r, JNIEnv *jni, bool live,
		 struct ag_jvm_result *ret)
{
	enum { LOCAL_REFS = 16 };
	bool done;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) != 0) {
		(*jni)->ExceptionClear(jni);
		snprintf(ret->error, sizeof ret->error, "out of memory");
		return false;
	}
	done = call_dumper(r, jni, live) == 0 && !(*jni)->ExceptionCheck(jni);
	if (!done)
		take_exception(jni, ret);
	(*jni)->PopLocalFrame(jni, NULL);
	return done;
}

/* Is the file there, and whole from the header to HEAP_DUMP_END? */
static bool is_whole(int directory, uint64_t *ret_bytes)
{
	static const char magic[] = "JAVA PROFILE 1.0.";
	static const uint8_t end[] = {
		HPROF_HEAP_DUMP_END, 0, 0, 0, 0, 0, 0, 0, 0
	};
	char first[sizeof magic - 1];
	uint8_t last[sizeof end];
	struct stat info;
	int fd = openat(directory, AG_STAGE_HEAP,
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool whole = fd >= 0 && fstat(fd, &info) == 0 &&
		     S_ISREG(info.st_mode) &&
		     info.st_size > (off_t)sizeof end &&
		     pread(fd, first, sizeof first, 0) == sizeof first &&
		     pread(fd, last, sizeof last,
			   info.st_size - (off_t)sizeof last) == sizeof last &&
		     memcmp(first, magic, sizeof first) == 0 &&
		     memcmp(last, end, sizeof end) == 0;

	if (whole)
		*ret_bytes = (uint64_t)info.st_size;
	if (fd >= 0)
		close(fd);
	return whole;
}

/* Has the JVM written anything? */
static bool exists(int directory)
{
	return faccessat(directory, AG_STAGE_HEAP, F_OK, AT_SYMLINK_NOFOLLOW) ==
	       0;
}

/* The JVM writes into DIRECTORY, and OUTPUT gets what it wrote. */
static enum ag_jvm_dumped dump_into(const struct reserve *r, JNIEnv *jni,
				    int directory, struct ag_output *output,
				    bool live, struct ag_jvm_result *ret)
{
	struct hp_sink *claim = output->claim;

	if (!call(r, jni, live, ret))
		return exists(directory) ? AG_JVM_FAILED : AG_JVM_UNUSABLE;
	if (!is_whole(directory, &ret->bytes)) {
		snprintf(ret->error, sizeof ret->error,
			 "the JVM's file is not whole");
		return AG_JVM_FAILED;
	}
	if (hp_sink_path_adopt(claim, directory, AG_STAGE_HEAP) == HPROF_OK &&
	    claim->ops->finish(claim) == HPROF_OK)
		return AG_JVM_DUMPED;
	snprintf(ret->error, sizeof ret->error, "%s", claim->error.text);
	return AG_JVM_FAILED;
}

/*
 * The reserved descriptor leads to DIRECTORY during the dump. If it is not what
 * it was, the program has closed it, and may use the number for its own files.
 */
static enum ag_jvm_dumped dump_by_number(const struct reserve *r, JNIEnv *jni,
					 int directory,
					 struct ag_output *output, bool live,
					 struct ag_jvm_result *ret)
{
	enum ag_jvm_dumped dumped = AG_JVM_UNUSABLE;
	int root = open_root();

	if (root >= 0 && same_file(root, r->fd) &&
	    dup3(directory, r->fd, O_CLOEXEC) >= 0) {
		dumped = dump_into(r, jni, directory, output, live, ret);
		dup3(root, r->fd, O_CLOEXEC);
	} else {
		snprintf(ret->error, sizeof ret->error,
			 "the agent's file descriptor was closed");
	}
	if (root >= 0)
		close(root);
	return dumped;
}

enum ag_jvm_dumped ag_jvm_dump(JNIEnv *jni, struct ag_output *output, bool live,
			       struct ag_jvm_result *ret)
{
	const struct reserve *r = atomic_load(&reserved);
	char part[PATH_MAX + sizeof ".part"];
	enum ag_jvm_dumped dumped;
	int directory;

	assert(r && output->claim);
	/* Its name changes hands when the claim is finished. */
	snprintf(part, sizeof part, "%s", hp_sink_path_part(output->claim));
	ag_stage_remove(part); /* of a JVM that was killed */
	directory = ag_stage_open(part);
	if (directory < 0) {
		snprintf(ret->error, sizeof ret->error,
			 "no directory can be made beside the file");
		return AG_JVM_UNUSABLE;
	}
	dumped = dump_by_number(r, jni, directory, output, live, ret);
	close(directory);
	ag_stage_remove(part);
	return dumped;
}

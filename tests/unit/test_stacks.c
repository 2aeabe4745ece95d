/*
 * test_stacks.c - threads and stacks of a JVM that is made up here: what the
 * records say, what heap callbacks may ask, threads that end meanwhile, a JVM
 * that answers nothing, memory that runs out.
 */
#include <criterion/criterion.h>
#include <hprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/names.h"
#include "agent/stacks.h"
#include "maker.h"
#include "mem.h"
#include "writing.h"

/* ---- a JVM with threads ------------------------------------------------------- */

/* Objects that JNI and JVMTI hand out; references are pointers to them. */
struct thing {
	enum { THREAD, GROUP, CLASS } kind;
	const char *name; /* of a class: its signature */
	struct thing *parent; /* of a thread its group, of a class its super */
	jlong tag;
	jlong number;		/* of a thread */
	struct thing *mounted;	/* on this carrier */
	bool ended;		/* the JVM knows nothing of it any more */
	const jvmtiFrameInfo *frames;
	jint depth;
};

struct method {
	const char *name, *signature;
	struct thing *class;
	bool native, gone;
	const jvmtiLineNumberEntry *lines;
	jint line_count;
};

static struct {
	const struct jvmtiInterface_1_ *jvmti;
	const struct JNINativeInterface_ *jni;
	struct thing *threads[8];
	jint thread_count;
	bool no_extension;
	int fail_in;	 /* the Nth call of JVMTI fails; 0: none */
	int blocks;	 /* of JVMTI memory, not given back */
	int frames;	 /* for local references, pushed */
	bool push_fails; /* there is no memory for one */
} jvm;

static bool fails(void)
{
	return jvm.fail_in > 0 && --jvm.fail_in == 0;
}

static void *block(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	cr_assert_not_null(memory);
	jvm.blocks++;
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
		jvm.blocks--;
	free(memory);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL all_threads(jvmtiEnv *env, jint *count,
				      jthread **ret)
{
	(void)env;
	if (fails())
		return JVMTI_ERROR_OUT_OF_MEMORY;
	*count = jvm.thread_count;
	*ret = block((size_t)*count * sizeof **ret);
	for (jint i = 0; i < *count; i++)
		(*ret)[i] = (jthread)jvm.threads[i];
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL thread_info(jvmtiEnv *env, jthread thread,
				      jvmtiThreadInfo *ret)
{
	struct thing *t = (struct thing *)thread;

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
	struct thing *g = (struct thing *)group;

	(void)env;
	cr_assert_eq(g->kind, GROUP);
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	ret->parent = (jthreadGroup)g->parent;
	ret->name = text(g->name);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL stack_trace(jvmtiEnv *env, jthread thread,
				      jint start, jint most,
				      jvmtiFrameInfo *ret, jint *ret_count)
{
	struct thing *t = (struct thing *)thread;

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
	*ret = ((struct thing *)object)->tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *env, jobject object, jlong tag)
{
	(void)env;
	if (fails())
		return JVMTI_ERROR_OUT_OF_MEMORY;
	((struct thing *)object)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL mounted(jvmtiEnv *env, ...)
{
	va_list values;
	struct thing *carrier;

	va_start(values, env);
	carrier = (struct thing *)va_arg(values, jthread);
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
	*count = jvm.no_extension ? 1 : 2;
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

static jvmtiError JNICALL signature_of(jvmtiEnv *env, jclass class,
				       char **ret, char **ret_generic)
{
	(void)env;
	cr_assert_null(ret_generic);
	if (fails())
		return JVMTI_ERROR_INTERNAL;
	*ret = text(((struct thing *)class)->name);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_class(jvmtiEnv *env, jmethodID id,
				       jclass *ret)
{
	struct method *m = (struct method *)id;

	(void)env;
	if (m->gone || fails())
		return JVMTI_ERROR_INVALID_METHODID;
	*ret = (jclass)m->class;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL source_name(jvmtiEnv *env, jclass class, char **ret)
{
	(void)env;
	if (((struct thing *)class)->number == 0 || fails())
		return JVMTI_ERROR_ABSENT_INFORMATION;
	*ret = text("Pair.java");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL method_name(jvmtiEnv *env, jmethodID id,
				      char **ret_name, char **ret_signature,
				      char **ret_generic)
{
	struct method *m = (struct method *)id;

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
	struct method *m = (struct method *)id;

	(void)env;
	if (m->gone || fails())
		return JVMTI_ERROR_INVALID_METHODID;
	*ret = m->native;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL line_table(jvmtiEnv *env, jmethodID id, jint *count,
				     jvmtiLineNumberEntry **ret)
{
	struct method *m = (struct method *)id;
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
	.GetExtensionFunctions = extensions,
	.GetClassSignature = signature_of,
	.GetMethodDeclaringClass = method_class,
	.GetSourceFileName = source_name,
	.GetMethodName = method_name,
	.IsMethodNative = is_native,
	.GetLineNumberTable = line_table,
};

static struct thing thread_class = { CLASS, "Ljava/lang/Thread;", .tag = 7 };
static struct thing own_class = { CLASS, "LOwnThread;",
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
	return (jclass)((struct thing *)class)->parent;
}

static jfieldID JNICALL field_id(JNIEnv *jni, jclass class, const char *name,
				 const char *type)
{
	(void)jni;
	cr_assert_str_eq(name, "tid");
	cr_assert_str_eq(type, "J");
	return (struct thing *)class == &thread_class ? (jfieldID)name : NULL;
}

static jlong JNICALL long_field(JNIEnv *jni, jobject object, jfieldID field)
{
	(void)jni;
	cr_assert_not_null(field);
	return ((struct thing *)object)->number;
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
	if (jvm.push_fails)
		return JNI_ENOMEM;
	jvm.frames++;
	return 0;
}

static jobject JNICALL pop(JNIEnv *jni, jobject result)
{
	(void)jni;
	cr_assert_null(result);
	jvm.frames--;
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

/* ---- who is in it --------------------------------------------------------------- */

enum { DEEP = 5000 };

/* Class 3 knows its source file, class 4 (of number 0) does not. */
static struct thing pair = { CLASS, "LPair;", .tag = 3, .number = 1 };
static struct thing bare = { CLASS, "LBare;", .tag = 4 };

/* In no order, as the specification allows. */
static const jvmtiLineNumberEntry lines[] = { { 10, 52 }, { 0, 50 }, { 5, 51 } };
static struct method run = { "run", "()V", &pair, .lines = lines,
			     .line_count = 3 };
static struct method wait_method = { "wait", "(J)V", &bare, .native = true };
static struct method plain = { "plain", "()I", .class = &bare };
static struct method gone = { .gone = true };

#define ID(method) ((jmethodID)&(method))

static struct thing root_group = { GROUP, .name = "system" };
static struct thing group = { GROUP, "main", .parent = &root_group };
static jvmtiFrameInfo frames[3], deep_frames[DEEP];
static struct thing first = { THREAD, "first \xe2\x82\xac", &group,
			      .number = 1, .frames = frames, .depth = 3 };
static struct thing virtual = { THREAD, NULL, .number = 40,
				.frames = frames, .depth = 1 };
static struct thing carrier = { THREAD, "carrier", &root_group, .number = 21,
				.mounted = &virtual };
static struct thing other_carrier = { THREAD, "other", .number = 22,
				      .mounted = &virtual };
static struct thing deep = { THREAD, "deep", .number = 5,
			     .frames = deep_frames, .depth = DEEP };
static struct thing ended = { THREAD, "ended", .number = 6, .ended = true };

static struct ag_names *names;
static uint64_t next_id;

/* Serials: first 1, virtual 2, carrier 3, other 4, deep 5. */
static void make_jvm(void)
{
	memset(&jvm, 0, sizeof jvm);
	jvm.jvmti = &jvmti_functions;
	jvm.jni = &jni_functions;
	frames[0] = (jvmtiFrameInfo){ ID(wait_method), -1 };
	frames[1] = (jvmtiFrameInfo){ ID(run), 7 };
	frames[2] = (jvmtiFrameInfo){ ID(plain), 3 };
	for (int i = 0; i < DEEP; i++)
		deep_frames[i] = (jvmtiFrameInfo){ ID(run), i % 2 ? 0 : 12 };
	deep_frames[DEEP - 1] = (jvmtiFrameInfo){ ID(gone), 1 };
	struct thing *all[] = { &first, &ended,	      &carrier,
				&other_carrier, &deep };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		all[i]->tag = 0;
		jvm.threads[jvm.thread_count++] = all[i];
	}
	virtual.tag = 0;
	next_id = 100;
	names = ag_names_new();
	cr_assert_not_null(names);
}

/* What JVMTI gave was given back, whatever happened. */
static void end_jvm(struct ag_stacks *stacks)
{
	ag_stacks_free(stacks);
	ag_names_free(names);
	cr_assert_eq(jvm.blocks, 0);
	cr_assert_eq(jvm.frames, 0);
}

static struct ag_stacks *collect(void)
{
	const char *why = NULL;
	struct ag_stacks *s = ag_stacks_collect(
		&jvm.jvmti, &jvm.jni, names, &next_id, &why);

	cr_assert(s || why);
	return s;
}

static struct buffer write_all(const struct ag_stacks *s, unsigned id_size)
{
	struct hprof_header header = { .version = "JAVA PROFILE 1.0.2",
				       .id_size = id_size };
	const struct hprof_record empty = { .tag = HPROF_TRACE,
					    .u.trace.trace_serial = 1 };
	struct hprof_record thread = { .tag = HPROF_ROOT_THREAD_OBJ };
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, NULL, &w,
						NULL),
		     HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	cr_assert_eq(ag_names_write(names, w), HPROF_OK);
	cr_assert_eq(hprof_writer_put(w, &empty), HPROF_OK);
	cr_assert_eq(ag_stacks_write(s, w, id_size), HPROF_OK, "%s",
		     hprof_writer_error(w)->text);
	for (uint32_t serial = 1; serial <= next_id - 100; serial++) {
		thread.u.root.object_id = 99 + serial;
		thread.u.root.thread_serial = serial;
		thread.u.root.trace_serial = serial + 1;
		cr_assert_eq(hprof_writer_put(w, &thread), HPROF_OK);
	}
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	return out;
}

/* ---- records -------------------------------------------------------------------- */

/* Strings by id, and all other records as lines. */
static void read_all(const struct buffer *b, char *out, size_t room)
{
	static char strings[64][64];
	struct hprof_header h;
	struct hprof_record r;
	size_t used = 0, at = 0, n;

	cr_assert_eq(hprof_header_decode(b->bytes, b->size, &h, &at),
		     HPROF_OK);
	while (at < b->size &&
	       hprof_record_decode(b->bytes + at, b->size - at, h.id_size, &r,
				   &n) == HPROF_OK) {
		at += n;
#define LINE(...) (used += (size_t)snprintf(out + used, room - used, __VA_ARGS__))
		if (r.tag == HPROF_UTF8) {
			cr_assert_lt(r.u.utf8.string_id, 64u);
			snprintf(strings[r.u.utf8.string_id], 64, "%.*s",
				 (int)r.u.utf8.text.size,
				 (const char *)r.u.utf8.text.data);
		} else if (r.tag == HPROF_FRAME) {
			const struct hprof_frame *f = &r.u.frame;
			LINE("frame %s %s %s class %u line %d\n",
			     strings[f->method_id], strings[f->signature_id],
			     strings[f->source_id], f->class_serial, f->line);
		} else if (r.tag == HPROF_TRACE) {
			LINE("trace %u thread %u frames %u\n",
			     r.u.trace.trace_serial, r.u.trace.thread_serial,
			     r.u.trace.frame_count);
		} else if (r.tag == HPROF_START_THREAD) {
			const struct hprof_start_thread *t = &r.u.start_thread;
			LINE("start %u id %d trace %u '%s' '%s' '%s'\n",
			     t->thread_serial, (int)t->thread_id,
			     t->trace_serial, strings[t->name_id],
			     strings[t->group_id], strings[t->parent_id]);
		}
		cr_assert_lt(used, room);
	}
}

static const char wanted_rest[] =
	"trace 1 thread 0 frames 0\n"
	"trace 2 thread 1 frames 3\n"
	"trace 3 thread 2 frames 1\n"
	"trace 4 thread 3 frames 0\n"
	"trace 5 thread 4 frames 0\n"
	"trace 6 thread 5 frames 5000\n"
	"start 1 id 100 trace 1 'first \xe2\x82\xac' 'main' 'system'\n"
	"start 2 id 101 trace 1 '' '' ''\n"
	"start 3 id 102 trace 1 'carrier' 'system' ''\n"
	"start 4 id 103 trace 1 'other' '' ''\n"
	"start 5 id 104 trace 1 'deep' '' ''\n";

/* Takes a line out of ALL. */
static bool take_line(char *all, const char *wanted)
{
	char *at = strstr(all, wanted);

	if (!at)
		return false;
	memmove(at, at + strlen(wanted), strlen(at + strlen(wanted)) + 1);
	return true;
}

Test(stacks, records)
{
	static const unsigned sizes[] = { 4, 8 };
	static const char *const wanted[] = {
		"frame wait (J)V  class 4 line -3\n",
		"frame run ()V Pair.java class 3 line 51\n",
		"frame run ()V Pair.java class 3 line 50\n",
		"frame run ()V Pair.java class 3 line 52\n",
		"frame plain ()I  class 4 line -1\n",
		"frame    class 0 line -1\n", /* its class was unloaded */
	};

	for (int i = 0; i < 2; i++) {
		char got[4096] = "";
		make_jvm();
		struct ag_stacks *s = collect();
		cr_assert_not_null(s);
		cr_assert_eq(next_id, 105u);
		cr_assert_eq(first.tag, 100);
		cr_assert_eq(virtual.tag, 101);
		cr_assert_eq(deep.tag, 104);
		cr_assert_eq(ended.tag, 0);
		struct buffer b = write_all(s, sizes[i]);
		read_all(&b, got, sizeof got);
		/* Frames are in the order of addresses. */
		for (size_t j = 0; j < sizeof wanted / sizeof *wanted; j++)
			cr_assert(take_line(got, wanted[j]), "%s in\n%s",
				  wanted[j], got);
		cr_assert_str_eq(strstr(got, "trace 1 "), wanted_rest);
		cr_assert_eq(got, strstr(got, "trace 1 "));
		buffer_free(&b);
		end_jvm(s);
	}
}

/* A trace has the frames of its thread, in their order. */
Test(stacks, frames_of_a_trace)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	uint64_t ids[3] = { 0 }, up = 0, down = 0;
	bool seen = false;

	make_jvm();
	struct ag_stacks *s = collect();
	struct buffer b = write_all(s, 8);
	cr_assert_eq(hprof_reader_open(maker_file("stacks.hprof", b.bytes,
						  b.size),
				       NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag == HPROF_FRAME && r.u.frame.line == -3)
			ids[0] = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 51)
			ids[1] = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 52)
			down = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 50)
			up = r.u.frame.frame_id;
		if (r.tag != HPROF_TRACE)
			continue;
		if (r.u.trace.thread_serial == 1)
			for (unsigned i = 0; i < 2; i++)
				cr_assert_eq(hprof_id_at(r.u.trace.frames, 8,
							 i),
					     ids[i]);
		for (unsigned i = 0; r.u.trace.thread_serial == 5 &&
				     i < DEEP - 1; i++) {
			seen = true;
			cr_assert_eq(hprof_id_at(r.u.trace.frames, 8, i),
				     i % 2 ? up : down);
		}
	}
	cr_assert(seen);
	hprof_reader_close(reader);
	buffer_free(&b);
	end_jvm(s);
}

Test(stacks, older_jvm)
{
	make_jvm();
	jvm.no_extension = true;
	struct ag_stacks *s = collect();
	cr_assert_eq(next_id, 104u);
	cr_assert_eq(virtual.tag, 0);
	end_jvm(s);
}

/* ---- what a heap callback asks ---------------------------------------------------- */

Test(stacks, serials)
{
	make_jvm();
	struct ag_stacks *s = collect();

	cr_assert_eq(ag_stacks_thread(s, 100), 1u);
	cr_assert_eq(ag_stacks_thread(s, 104), 5u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 40, 0), 2u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 40, 101), 2u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 5, 0), 5u);
	cr_assert_eq(ag_stacks_trace(s, 1), 2u);
	cr_assert_eq(ag_stacks_trace(s, 5), 6u);
	/* Some that came later. */
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread(s, 99), 7u);
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1000, 0), 8u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1000, 0), 8u);
	cr_assert_eq(ag_stacks_trace(s, 6), 1u);
	cr_assert_eq(ag_stacks_trace(s, 0), 1u);
	/* Too many of them. */
	uint32_t serial = 8;
	for (uint64_t id = 200; serial != 0; id++) {
		uint32_t next = ag_stacks_thread(s, id);
		cr_assert(next == 0 || next == serial + 1);
		cr_assert_lt(id, 2000u);
		serial = next;
	}
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1001, 0), 0u);
	end_jvm(s);
}

Test(stacks, frame_numbers)
{
	make_jvm();
	struct ag_stacks *s = collect();

	cr_assert_eq(ag_stacks_frame(s, 1, 0, ID(wait_method), AG_ANYWHERE),
		     0);
	cr_assert_eq(ag_stacks_frame(s, 1, 1, ID(run), 7), 1);
	cr_assert_eq(ag_stacks_frame(s, 5, DEEP - 2, ID(run), 12), DEEP - 2);
	/* It went on. */
	cr_assert_eq(ag_stacks_frame(s, 1, 1, ID(run), 8), -1);
	cr_assert_eq(ag_stacks_frame(s, 1, 0, ID(run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 1, 0, ID(run), AG_ANYWHERE), -1);
	/* Nonsense. */
	cr_assert_eq(ag_stacks_frame(s, 1, 3, ID(run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 1, -1, ID(run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 3, 0, ID(run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 6, 0, ID(run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 0, 0, ID(run), 7), -1);
	end_jvm(s);
}

/* ---- what goes wrong ---------------------------------------------------------------- */

Test(stacks, nobody)
{
	make_jvm();
	jvm.thread_count = 0;
	struct ag_stacks *s = collect();
	cr_assert_not_null(s);
	cr_assert_eq(next_id, 100u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1, 0), 1u);
	struct buffer b = write_all(s, 8);
	buffer_free(&b);
	end_jvm(s);
}

/* The JVM's Nth answer is an error: less is in the dump, or there is none. */
Test(stacks, the_jvm_refuses)
{
	bool done = false;
	int refused = 0;

	for (int n = 1; !done; n++) {
		make_jvm();
		jvm.fail_in = n;
		struct ag_stacks *s = collect();
		done = jvm.fail_in > 0;
		refused += !s;
		if (s) {
			cr_assert_leq(next_id, 105u);
			struct buffer b = write_all(s, 8);
			buffer_free(&b);
		}
		end_jvm(s);
		cr_assert_lt(n, 200);
	}
	cr_assert_eq(refused, 1); /* the list of threads */
}

Test(stacks, no_local_references)
{
	make_jvm();
	jvm.push_fails = true;
	cr_assert_null(collect());
	cr_assert_eq(next_id, 100u);
	end_jvm(NULL);
}

Test(stacks, no_memory)
{
	struct ag_stacks *s = NULL;
	int64_t n;

	for (n = 0; !s; n++) {
		make_jvm();
		hp_mem_fail_after(n);
		s = collect();
		hp_mem_fail_after(-1);
		if (!s) {
			cr_assert_eq(next_id, 100u);
			end_jvm(NULL);
		}
		cr_assert_lt(n, 1000);
	}
	cr_assert_gt(n, 5);
	end_jvm(s);
}

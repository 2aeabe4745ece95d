/* SPDX-License-Identifier: MIT */
/*
 * test_leak_crowds.c - suspects of which no single object says much: threads that are
 * alike and what their stacks hold, and objects that are roots themselves; and what is
 * held by a thread that waits.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "heaps.h"
#include "maker.h"

enum {
	THREADS = 150,
	BYTES = 20000, /* less than 1% of them all */
	OBJECT = 0x100,
	ARRAY = 0x300,
	THREAD = 0x400,
	APP = 0x500,
	BIG = 0x1000, /* an array that is a suspect */
	TWO_LOCALS = 7
};

static uint64_t thread_id(unsigned i)
{
	return 0x100000 + 0x100 * (uint64_t)i;
}

static uint64_t array_id(unsigned i)
{
	return 0x10000000 + 0x10000 * (uint64_t)i;
}

/* All threads, whose serials are those of their traces, are in method run of WHERE. */
static struct maker begin_in(const char *where)
{
	static const uint8_t frame[] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	struct maker m = maker_begin(8);
	uint64_t run = maker_string(&m, "run");

	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, ARRAY, "[B");
	maker_load(&m, THREAD, "java/lang/Thread");
	maker_load(&m, APP, where);
	maker_put(&m, &(struct hprof_record){
			      .tag = HPROF_FRAME,
			      .id_size = 8,
			      .u.frame = { .frame_id = 1,
					   .method_id = run,
					   .class_serial = m.classes,
					   .line = 42 } });
	for (uint32_t serial = 1; serial <= THREADS; serial++)
		maker_put(&m, &(struct hprof_record){
				      .tag = HPROF_TRACE,
				      .id_size = 8,
				      .u.trace = { .trace_serial = serial,
						   .thread_serial = serial,
						   .frame_count = 1,
						   .frames = { frame, 8 } } });
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = OBJECT });
	maker_class(&m, &(struct maker_class){ .class_id = ARRAY,
					       .super_id = OBJECT });
	maker_class(&m, &(struct maker_class){ .class_id = THREAD,
					       .super_id = OBJECT });
	maker_class(&m, &(struct maker_class){ .class_id = APP,
					       .super_id = OBJECT });
	return m;
}

static struct maker begin(void)
{
	return begin_in("App");
}

static void put_local(struct maker *m, uint64_t id, unsigned thread,
		      unsigned bytes)
{
	maker_prims(m, id, HPROF_TYPE_BYTE, bytes);
	/* Two frames hold it. */
	maker_root_of(m, HPROF_ROOT_JAVA_FRAME, id, thread + 1);
	maker_root_of(m, HPROF_ROOT_JAVA_FRAME, id, thread + 1);
}

/* Each has an array of BYTES, one has two; and a class, which is its loader's. */
static void put_threads(struct maker *m, unsigned bytes)
{
	for (unsigned i = 0; i < THREADS; i++) {
		maker_instance(m, thread_id(i), THREAD, 0);
		maker_root_of(m, HPROF_ROOT_THREAD_OBJ, thread_id(i), i + 1);
		maker_root_of(m, HPROF_ROOT_JAVA_FRAME, thread_id(i), i + 1);
		maker_root_of(m, HPROF_ROOT_JAVA_FRAME, APP, i + 1);
		put_local(m, array_id(i), i, bytes);
	}
	put_local(m, array_id(THREADS), TWO_LOCALS, bytes);
}

static uint64_t put_array(struct maker *m, unsigned i)
{
	maker_prims(m, array_id(1000 + i), HPROF_TYPE_BYTE, BYTES);
	return array_id(1000 + i);
}

/* COUNT arrays that native code holds. */
static void put_native(struct maker *m, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		maker_root(m, put_array(m, i));
}

static struct hprof_leak_table *read_leaks(struct maker *m, struct opened *o)
{
	struct hprof_leak_table *leaks;

	maker_heap_end(m);
	cr_assert(open_bytes(o, m->out.bytes, m->out.size, 2));
	buffer_free(&m->out);
	cr_assert_eq(hprof_leaks_read(o->graph, NULL, &leaks, NULL), HPROF_OK);
	return leaks;
}

static void expect_row(const struct hprof_leak *leak, const char *name,
		       uint64_t objects)
{
	for (size_t i = 0; i < leak->class_count; i++)
		if (!strcmp(leak->classes[i].name, name)) {
			cr_expect_eq(leak->classes[i].objects, objects);
			return;
		}
	cr_expect(false, "no %s", name);
}

/* The threads, and nothing else, also if OTHERS are of the same class as locals. */
static void expect_threads(unsigned others)
{
	struct maker m = begin();
	struct hprof_leak_table *leaks;
	const struct hprof_leak *leak;
	uint64_t bytes = 0;
	struct opened o;

	put_threads(&m, BYTES);
	put_native(&m, others);
	leaks = read_leaks(&m, &o);
	cr_assert_eq(leaks->count, 1);
	leak = &leaks->leaks[0];
	cr_expect_eq(leak->kind, HPROF_LEAK_THREADS);
	cr_expect_eq(leak->members, THREADS);
	cr_expect_null(leak->crowd_name);
	cr_expect_str_eq(leak->frame.method, "run");
	cr_expect_eq(leak->at_frame, THREADS);
	cr_expect_eq(leak->member.id, thread_id(TWO_LOCALS));
	cr_expect(leak->member_retained >= 2 * BYTES);
	cr_expect_eq(leak->class_count, 2);
	expect_row(leak, "byte[]", THREADS + 1);
	expect_row(leak, "java.lang.Thread", THREADS);
	for (size_t i = 0; i < leak->class_count; i++)
		bytes += leak->classes[i].shallow;
	cr_expect_eq(leak->retained, bytes);
	cr_expect_eq(leak->objects, 2 * THREADS + 1);
	cr_expect_eq(leaks->explained, leak->retained);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(leak_crowds, threads_in_one_method)
{
	expect_threads(0);
}

Test(leak_crowds, other_objects_of_the_class_of_locals_are_not_theirs)
{
	expect_threads(30);
}

Test(leak_crowds, threads_that_keep_little_are_none)
{
	struct maker m = begin();
	struct hprof_leak_table *leaks;
	struct opened o;

	put_threads(&m, 100);
	maker_prims(&m, BIG, HPROF_TYPE_BYTE, THREADS * BYTES);
	maker_root(&m, BIG);
	leaks = read_leaks(&m, &o);
	cr_assert_eq(leaks->count, 1);
	cr_expect_eq(leaks->leaks[0].kind, HPROF_LEAK_OBJECT);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(leak_crowds, roots_are_a_group_that_needs_no_origin)
{
	struct maker m = begin();
	struct hprof_leak_table *leaks;
	const struct hprof_leak *leak;
	struct opened o;

	put_native(&m, 2 * THREADS);
	leaks = read_leaks(&m, &o);
	cr_assert_eq(leaks->count, 1);
	leak = &leaks->leaks[0];
	cr_expect_eq(leak->kind, HPROF_LEAK_GROUP);
	cr_expect_eq(leak->root_tag, HPROF_ROOT_JNI_GLOBAL);
	cr_expect_eq(leak->members, 2 * THREADS);
	cr_expect_eq(leak->origin.object, HPROF_NO_OBJECT);
	cr_expect_eq(leak->path_count, 1);
	cr_expect_eq(leaks->explained, leak->retained);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* ---- who waits for work, and who has it ---------------------------------- */

/* The first path to a queue that a thread of WHERE has in a frame and in a field. */
static void expect_root(const char *where, unsigned tag, size_t steps)
{
	enum { WORKER = 0x600, QUEUE = 0x700, ARRAYS = 0x800 };
	struct maker m = begin_in(where);
	uint8_t ids[8 * THREADS];
	struct hprof_leak_table *leaks;
	struct opened o;

	maker_heap_end(&m);
	maker_load(&m, WORKER, "Worker");
	maker_load(&m, ARRAYS, "[Ljava/lang/Object;");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ .class_id = WORKER,
					       .super_id = THREAD,
					       .instance_size = 8,
					       .fields = "L" });
	maker_class(&m, &(struct maker_class){ .class_id = ARRAYS,
					       .super_id = OBJECT });
	for (unsigned i = 0; i < THREADS; i++)
		maker_id(ids + 8 * i, put_array(&m, i));
	maker_elements(&m, QUEUE, ARRAYS, ids, THREADS);
	maker_id(ids, QUEUE);
	maker_fields(&m, thread_id(0), WORKER, ids, 8);
	maker_root_of(&m, HPROF_ROOT_THREAD_OBJ, thread_id(0), 1);
	maker_root_of(&m, HPROF_ROOT_JAVA_FRAME, QUEUE, 1);
	leaks = read_leaks(&m, &o);
	cr_assert_eq(leaks->count, 1);
	cr_assert_eq(leaks->leaks[0].point.id, QUEUE);
	cr_assert_eq(leaks->leaks[0].path_count, 1);
	cr_expect_eq(leaks->leaks[0].paths[0].root.tag, tag);
	cr_expect_eq(leaks->leaks[0].paths[0].count, steps);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(leak_crowds, who_has_a_queue_says_more_than_who_waits)
{
	expect_root("java/util/concurrent/Pool", HPROF_ROOT_THREAD_OBJ, 2);
	/* A frame ends before its thread does. */
	expect_root("App", HPROF_ROOT_THREAD_OBJ, 2);
}

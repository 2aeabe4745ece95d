/* SPDX-License-Identifier: MIT */
/*
 * test_leak_locals.c - threads that are a suspect because of some of them: those
 * that have much in one ThreadLocal.
 */
#include <criterion/criterion.h>

#include "base/mem.h"
#include "heaps.h"
#include "maker.h"

enum {
	THREADS = 12,
	LARGE = 800000,
	SMALL = 800,
	OBJECT = 0x100,
	REFERENCE = 0x200,
	WEAK = 0x210,
	ENTRY = 0x220,
	MAP = 0x230,
	ARRAY = 0x240,
	BYTES = 0x250,
	LOCAL = 0x260,
	THREAD = 0x270,
	LOCALS = 0x1000 /* a root: an array of ThreadLocals */
};

static void put_class(struct maker *m, uint64_t id, uint64_t super,
		      uint64_t name)
{
	maker_class(m, &(struct maker_class){ .class_id = id,
					      .super_id = super,
					      .instance_size = name ? 8 : 0,
					      .fields = name ? "L" : NULL,
					      .names_id = name });
}

static struct maker begin(void)
{
	static const struct {
		uint64_t id;
		const char *name;
	} classes[] = {
		{ OBJECT, "java/lang/Object" },
		{ REFERENCE, "java/lang/ref/Reference" },
		{ WEAK, "java/lang/ref/WeakReference" },
		{ ENTRY, "java/lang/ThreadLocal$ThreadLocalMap$Entry" },
		{ MAP, "java/lang/ThreadLocal$ThreadLocalMap" },
		{ ARRAY, "[Ljava/lang/Object;" },
		{ BYTES, "[B" },
		{ LOCAL, "java/lang/ThreadLocal" },
		{ THREAD, "java/lang/Thread" },
	};
	struct maker m = maker_begin(8);
	uint64_t referent = maker_string(&m, "referent"),
		 value = maker_string(&m, "value"),
		 table = maker_string(&m, "table"),
		 map = maker_string(&m, "threadLocals");

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		maker_load(&m, classes[i].id, classes[i].name);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	put_class(&m, OBJECT, 0, 0);
	put_class(&m, REFERENCE, OBJECT, referent);
	put_class(&m, WEAK, REFERENCE, 0);
	put_class(&m, ENTRY, WEAK, value);
	put_class(&m, MAP, OBJECT, table);
	put_class(&m, ARRAY, OBJECT, 0);
	put_class(&m, BYTES, OBJECT, 0);
	put_class(&m, LOCAL, OBJECT, 0);
	put_class(&m, THREAD, OBJECT, map);
	return m;
}

/* Part number PART of a thread: itself, its map, table, entries and values. */
static uint64_t place(unsigned thread, unsigned part)
{
	return UINT64_C(0x10000000) * (thread + 1) + 0x1000000 * (uint64_t)part;
}

static void put(struct maker *m, uint64_t id, uint64_t class_id, uint64_t to)
{
	uint8_t data[8];

	maker_id(data, to);
	maker_fields(m, id, class_id, data, sizeof data);
}

/* Value number I of THREAD, which ThreadLocal number OF has. */
static void put_value(struct maker *m, unsigned thread, unsigned i, unsigned of,
		      uint32_t bytes)
{
	uint8_t data[16];

	maker_id(data, place(thread, 6 + i));
	maker_id(data + 8, LOCALS + 0x10 * (of + 1));
	maker_fields(m, place(thread, 4 + i), ENTRY, data, sizeof data);
	maker_prims(m, place(thread, 6 + i), HPROF_TYPE_BYTE, bytes);
}

/* Its values are of ThreadLocals 0 and 1, and of BYTES each. */
static void put_thread(struct maker *m, unsigned thread, uint32_t first,
		       uint32_t second)
{
	uint8_t ids[24] = { 0 };

	maker_id(ids, place(thread, 4));
	maker_id(ids + 16, place(thread, 5));
	maker_elements(m, place(thread, 3), ARRAY, ids, 3);
	put_value(m, thread, 0, 0, first);
	put_value(m, thread, 1, 1, second);
	put(m, place(thread, 2), MAP, place(thread, 3));
	put(m, place(thread, 1), THREAD, place(thread, 2));
	maker_put(m, &(struct hprof_record){
			     .tag = HPROF_ROOT_THREAD_OBJ,
			     .id_size = 8,
			     .u.root = { .object_id = place(thread, 1),
					 .thread_serial = thread + 1,
					 .trace_serial = thread + 1 } });
}

static void put_locals(struct maker *m)
{
	uint8_t ids[16];

	for (unsigned i = 0; i < 2; i++) {
		maker_instance(m, LOCALS + 0x10 * (i + 1), LOCAL, 0);
		maker_id(ids + 8 * i, LOCALS + 0x10 * (i + 1));
	}
	maker_elements(m, LOCALS, ARRAY, ids, 2);
	maker_root(m, LOCALS);
	maker_heap_end(m);
}

static struct maker guilty_heap(void)
{
	struct maker m = begin();

	for (unsigned i = 0; i < THREADS; i++)
		put_thread(&m, i, i % 4 == 1 ? LARGE : SMALL, SMALL);
	put_locals(&m);
	return m;
}

static struct hprof_leak_table *read_leaks(struct maker *m, struct opened *o)
{
	struct hprof_leak_table *leaks;

	cr_assert(open_bytes(o, m->out.bytes, m->out.size, 2));
	buffer_free(&m->out);
	cr_assert_eq(hprof_leaks_read(o->graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->count, 1);
	return leaks;
}

Test(leak_locals, threads_with_little_do_not_count)
{
	struct maker m = guilty_heap();
	struct hprof_leak_local *local;
	struct hprof_leak_table *leaks;
	struct opened o;

	leaks = read_leaks(&m, &o);
	local = leaks->leaks[0].local;
	cr_assert_not_null(local);
	cr_expect_str_eq(local->class_name, "java.lang.ThreadLocal");
	cr_expect_null(local->field);
	cr_expect_eq(local->threads, 3);
	cr_expect_eq(local->of_threads, THREADS);
	cr_expect_null(local->thread_name);
	cr_expect_eq(local->values, 3);
	cr_expect(local->retained >= 3 * LARGE);
	cr_expect(local->retained <= leaks->leaks[0].retained);
	cr_expect_str_eq(local->largest.class_name, "byte[]");
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* What threads keep otherwise is not told as that of a ThreadLocal. */
Test(leak_locals, none_has_most)
{
	struct maker m = begin();
	struct hprof_leak_table *leaks;
	struct opened o;

	for (unsigned i = 0; i < THREADS; i++) {
		put_thread(&m, i, LARGE / 4, SMALL);
		/* The value is a root, too, so that no map keeps it. */
		maker_root(&m, place(i, 6));
	}
	put_locals(&m);
	leaks = read_leaks(&m, &o);
	cr_expect_null(leaks->leaks[0].local);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(leak_locals, failing_memory)
{
	struct maker m = guilty_heap();
	struct hprof_leak_table *leaks;
	struct hprof_error error;
	struct opened o;

	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	buffer_free(&m.out);
	for (int64_t i = 0;; i++) {
		enum hprof_status status;

		hp_mem_fail_after(i);
		status = hprof_leaks_read(o.graph, NULL, &leaks, &error);
		hp_mem_fail_after(-1);
		if (had_memory(status))
			break;
	}
	cr_assert_not_null(leaks->leaks[0].local);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

/* SPDX-License-Identifier: MIT */
/*
 * test_backlogs.c - backlogs in made heaps: from what size on they are found,
 * queues that lie, and failing memory. Real finalizers are in tests/jvm.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"
#include "maker.h"

enum {
	OBJECT = 0x100,
	REFERENCE = 0x200,
	WEAK = 0x210,
	SOFT = 0x220,
	FINAL = 0x230,
	PHANTOM = 0x240,
	CLEANER = 0x250,
	QUEUES = 0x260,
	THING = 0x270,
	ARRAY = 0x280,
	BYTES = 0x290,
	HOLDER = 0x1000, /* the only root: an array */
	QUEUE = 0x1010,
	FIRST = 0x10000, /* references, the things behind them, and actions */
	SECOND = 0x1000000,
	THIRD = 0x2000000,
	MOST = 5000
};

static void put_class(struct maker *m, uint64_t id, uint64_t super,
		      const char *fields, uint64_t names)
{
	const unsigned size = (unsigned)strlen(fields) * 8;

	maker_class(m, &(struct maker_class){ .class_id = id,
					      .super_id = super,
					      .instance_size = size,
					      .fields = fields,
					      .names_id = names });
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
		{ SOFT, "java/lang/ref/SoftReference" },
		{ FINAL, "java/lang/ref/FinalReference" },
		{ PHANTOM, "java/lang/ref/PhantomReference" },
		{ CLEANER, "jdk/internal/ref/PhantomCleanable" },
		{ QUEUES, "java/lang/ref/ReferenceQueue" },
		{ THING, "app/Thing" },
		{ ARRAY, "[Ljava/lang/Object;" },
		{ BYTES, "[B" },
	};
	struct maker m = maker_begin(8);
	uint64_t referent = maker_string(&m, "referent"), action, head;

	maker_string(&m, "next");
	head = maker_string(&m, "head");
	maker_string(&m, "queueLength");
	action = maker_string(&m, "action");
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		maker_load(&m, classes[i].id, classes[i].name);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	put_class(&m, OBJECT, 0, "", 0);
	put_class(&m, REFERENCE, OBJECT, "LL", referent);
	put_class(&m, WEAK, REFERENCE, "", 0);
	put_class(&m, SOFT, REFERENCE, "", 0);
	put_class(&m, FINAL, REFERENCE, "", 0);
	put_class(&m, PHANTOM, REFERENCE, "", 0);
	put_class(&m, CLEANER, PHANTOM, "L", action);
	put_class(&m, QUEUES, OBJECT, "LJ", head);
	put_class(&m, THING, OBJECT, "L", action);
	put_class(&m, ARRAY, OBJECT, "", 0);
	put_class(&m, BYTES, OBJECT, "", 0);
	maker_root(&m, HOLDER);
	return m;
}

static uint64_t place(uint64_t base, unsigned i)
{
	return base + 64 * (uint64_t)i;
}

/* A reference of CLASS, or a Cleaner with an action. */
static void put_reference(struct maker *m, unsigned i, uint64_t class_id,
			  uint64_t next, uint64_t action)
{
	const unsigned own = class_id == CLEANER ? 8 : 0;
	uint8_t data[24];

	maker_id(data, action);
	maker_id(data + own, place(SECOND, i));
	maker_id(data + own + 8, next);
	maker_fields(m, place(FIRST, i), class_id, data, own + 16);
}

static void put_thing(struct maker *m, uint64_t id, uint64_t to)
{
	uint8_t data[8];

	maker_id(data, to);
	maker_fields(m, id, THING, data, sizeof data);
}

/* The root, which holds COUNT objects from BASE on. */
static void put_holder(struct maker *m, uint64_t base, unsigned count)
{
	static uint8_t ids[8 * MOST];

	cr_assert(count <= MOST);
	for (unsigned i = 0; i < count; i++)
		maker_id(ids + 8 * i, place(base, i));
	maker_elements(m, HOLDER, ARRAY, ids, count);
	maker_heap_end(m);
}

/* ---- asking -------------------------------------------------------------- */

/* The only backlog, and its only class, after their table is gone. */
struct found {
	uint64_t count, objects, retained, holder_id;
	size_t holder_count;
	struct hprof_set_row class;
};

static struct found found_in(const struct hprof_backlog *b)
{
	return (struct found){ b->count,     b->objects,      b->retained,
			       b->holder.id, b->holder_count, b->classes[0] };
}

/* Leaves the only backlog, of KIND, in RET; false if there is none. */
static bool find(struct maker *m, enum hprof_backlog_kind kind,
		 struct found *ret)
{
	struct hprof_leak_table *leaks;
	struct opened o;
	bool found;

	cr_assert(open_bytes(&o, m->out.bytes, m->out.size, 1));
	buffer_free(&m->out);
	cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert(leaks->backlog_count <= 1);
	found = leaks->backlog_count == 1;
	if (found) {
		cr_assert_eq(leaks->backlogs[0].kind, kind);
		cr_assert_eq(leaks->backlogs[0].class_count, 1);
		*ret = found_in(&leaks->backlogs[0]);
		cr_assert_eq(ret->class.objects, ret->count);
	}
	hprof_leak_table_free(leaks);
	close_opened(&o);
	return found;
}

/* ---- queues -------------------------------------------------------------- */

/* LAST is what the last reference refers to; LENGTH what the queue claims. */
static struct maker queue_heap(unsigned count, unsigned last, uint64_t length)
{
	struct maker m = begin();
	uint8_t data[16];

	maker_id(data, place(FIRST, 0));
	maker_id(data + 8, length);
	maker_fields(&m, QUEUE, QUEUES, data, sizeof data);
	for (unsigned i = 0; i < count; i++)
		put_reference(&m, i, WEAK,
			      place(FIRST, i + 1 < count ? i + 1 : last), 0);
	put_holder(&m, QUEUE, 1);
	return m;
}

Test(backlogs, queues)
{
	struct found b;
	struct maker m = queue_heap(1000, 999, 1000);

	cr_assert(find(&m, HPROF_BACKLOG_QUEUE, &b));
	cr_expect_eq(b.count, 1000);
	cr_expect_eq(b.holder_id, QUEUE);
	cr_expect(b.retained > 0);
	m = queue_heap(1200, 1199, 0);
	cr_expect(find(&m, HPROF_BACKLOG_QUEUE, &b));
	m = queue_heap(999, 998, 999);
	cr_expect_not(find(&m, HPROF_BACKLOG_QUEUE, &b));
	m = queue_heap(999, 998, 100000); /* the claim is too high */
	cr_expect_not(find(&m, HPROF_BACKLOG_QUEUE, &b));
	m = queue_heap(1500, 700, 1500); /* it goes round */
	cr_expect_not(find(&m, HPROF_BACKLOG_QUEUE, &b));
}

/* ---- Cleaners ------------------------------------------------------------ */

/* Each holds its own thing through its action, or that of the next one. */
static struct maker cleaner_heap(unsigned count, bool own)
{
	struct maker m = begin();

	for (unsigned i = 0; i < count; i++) {
		unsigned of = own ? i : (i + 1) % count;

		put_reference(&m, i, CLEANER, 0, place(THIRD, i));
		put_thing(&m, place(SECOND, i), 0);
		put_thing(&m, place(THIRD, i), place(SECOND, of));
	}
	put_holder(&m, FIRST, count);
	return m;
}

Test(backlogs, cleaners)
{
	struct found b;
	struct maker m = cleaner_heap(100, true);

	cr_assert(find(&m, HPROF_BACKLOG_CLEANERS, &b));
	cr_expect_eq(b.count, 100);
	cr_expect_eq(b.retained, b.class.retained);
	cr_expect(b.retained > b.class.shallow);
	m = cleaner_heap(99, true);
	cr_expect_not(find(&m, HPROF_BACKLOG_CLEANERS, &b));
	m = cleaner_heap(500, false);
	cr_expect_not(find(&m, HPROF_BACKLOG_CLEANERS, &b));
}

/* ---- told once ----------------------------------------------------------- */

/*
 * Cleaners that keep large things. CHAINED, they are in a list, as those of older JDKs, so
 * that each dominates the next.
 */
static struct maker large_heap(unsigned count, bool chained)
{
	struct maker m = begin();

	for (unsigned i = 0; i < count; i++) {
		uint64_t next =
			chained && i + 1 < count ? place(FIRST, i + 1) : 0;

		put_reference(&m, i, CLEANER, next, place(THIRD, i));
		maker_prims(&m, place(SECOND, i), HPROF_TYPE_BYTE,
			    5000000 / count);
		put_thing(&m, place(THIRD, i), place(SECOND, i));
	}
	put_holder(&m, FIRST, chained ? 1 : count);
	return m;
}

static void expect_once(struct maker m)
{
	struct hprof_leak_table *leaks;
	struct opened o;

	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 2));
	buffer_free(&m.out);
	cr_assert_eq(hprof_leaks_read(o.graph, NULL, &leaks, NULL), HPROF_OK);
	cr_assert_eq(leaks->backlog_count, 1);
	cr_expect_eq(leaks->count, 0);
	cr_expect_eq(leaks->next_count, 0);
	cr_expect_eq(leaks->explained, leaks->backlogs[0].retained);
	cr_expect(leaks->explained < leaks->live);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(backlogs, are_told_once)
{
	expect_once(large_heap(100, false));
	expect_once(large_heap(MOST, false));
	expect_once(large_heap(MOST, true));
}

/* ---- what is weaker ------------------------------------------------------ */

static struct maker weaker_heap(uint64_t class_id, unsigned count,
				unsigned bytes)
{
	struct maker m = begin();

	for (unsigned i = 0; i < count; i++) {
		put_reference(&m, i, class_id, 0, 0);
		maker_prims(&m, place(SECOND, i), HPROF_TYPE_BYTE, bytes);
	}
	put_holder(&m, FIRST, count);
	return m;
}

Test(backlogs, weaker)
{
	struct found b;
	struct maker m = weaker_heap(SOFT, 30, 100000);

	cr_assert(find(&m, HPROF_BACKLOG_SOFT, &b));
	cr_expect_eq(b.count, 30);
	cr_expect_eq(b.objects, 30);
	cr_expect_eq(b.holder_count, 1);
	m = weaker_heap(SOFT, 20, 100000); /* less than 2 MiB */
	cr_expect_not(find(&m, HPROF_BACKLOG_SOFT, &b));
	m = weaker_heap(WEAK, 30, 100000);
	cr_expect_not(find(&m, HPROF_BACKLOG_SOFT, &b));
	/* Discovered, but not in the queue, and no thread is busy. */
	m = weaker_heap(FINAL, 3000, 1000);
	cr_expect_not(find(&m, HPROF_BACKLOG_FINALIZERS, &b));
}

/* ---- failing memory ------------------------------------------------------ */

static void fail_often(struct maker m)
{
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
	cr_assert_eq(leaks->backlog_count, 1);
	hprof_leak_table_free(leaks);
	close_opened(&o);
}

Test(backlogs, failing_memory)
{
	fail_often(queue_heap(1000, 999, 1000));
	fail_often(cleaner_heap(100, true));
	fail_often(large_heap(100, true));
	fail_often(weaker_heap(SOFT, 30, 100000));
}

/* SPDX-License-Identifier: MIT */
/*
 * test_heap.c - which objects a heap has, how they are numbered, what their
 * classes are, what roots there are.
 */
#include "heaps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../visit.h"
#include "hprof/graph.h"
#include "heap/heap.h"
#include "../inputs.h"
#include "maker.h"

static size_t row_of(const struct hprof_heap *heap, uint64_t class_id)
{
	size_t row = hprof_heap_class(heap, class_id);

	cr_assert(row != SIZE_MAX, "no class 0x%llx",
		  (unsigned long long)class_id);
	return row;
}

/* By value: what the library has inside. */
static struct hp_heap_class class_of(const struct hprof_heap *heap, uint64_t id)
{
	const struct hp_heap_class *of = hp_heap_class(heap, id);

	cr_assert(of != NULL);
	return of ? *of : (struct hp_heap_class){ 0 };
}

/* ---- which objects ------------------------------------------------------- */

Test(heap, what_is_an_object)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_cursor *cursor = cursor_of(heap);
	const struct hprof_summary *s = hprof_heap_summary(heap);

	/* Three 0x234 count once; id 0 and instance 0x108 do not count. */
	cr_expect_eq(s->objects - hprof_heap_count(heap), 4);
	struct hprof_object last = go_to(cursor, heap, 0x234);
	cr_expect(last.kind == HPROF_OBJECT_PRIM_ARRAY, "the last one counts");
	struct hprof_object class = go_to(cursor, heap, 0x108);
	cr_expect(class.kind == HPROF_OBJECT_CLASS);
	cr_expect_eq(class.trace_serial, 5);
	cr_expect_eq(hprof_heap_find(heap, 0), HPROF_NO_OBJECT);
	cr_expect_eq(hprof_heap_find(heap, 0x124), HPROF_NO_OBJECT,
		     "loaded, but not dumped");
	/* Of two CLASS_DUMPs the last counts. */
	struct hprof_edge edge;
	go_to(cursor, heap, 0x128);
	cr_expect(hprof_cursor_edge(cursor, 1, &edge) == HPROF_OK);
	cr_expect(edge.kind == HPROF_EDGE_LOADER && edge.to_id == 0x204);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(heap, kinds_and_classes)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_cursor *cursor = cursor_of(heap);
	const struct hprof_class_row *rows =
		hprof_heap_summary(heap)->class_rows;
	struct hprof_object o = go_to(cursor, heap, 0x200);

	cr_expect(o.kind == HPROF_OBJECT_INSTANCE);
	cr_expect_str_eq(rows[o.class_row].name, "app.Base");
	cr_expect_eq(o.data, 8);
	cr_expect_eq(o.trace_serial, 4);
	o = go_to(cursor, heap, 0x228);
	cr_expect(o.kind == HPROF_OBJECT_OBJ_ARRAY &&
		  o.type == HPROF_TYPE_OBJECT && o.length == 5);
	cr_expect_str_eq(rows[o.class_row].name, "app.Base[]");
	o = go_to(cursor, heap, 0x22c);
	cr_expect_str_eq(rows[o.class_row].name, "app.Base[]",
			 "the writer gave the element class");
	cr_expect_eq(rows[o.class_row].class_id, 0);
	o = go_to(cursor, heap, 0x230);
	cr_expect(o.kind == HPROF_OBJECT_PRIM_ARRAY &&
		  o.type == HPROF_TYPE_SHORT && o.length == 2 && o.data == 4);
	cr_expect_str_eq(rows[o.class_row].name, "short[]");
	o = go_to(cursor, heap, 0x224);
	cr_expect_eq(o.class_row, row_of(heap, 0x9994), "never announced");
	o = go_to(cursor, heap, 0x10c);
	cr_expect_eq(o.class_row, row_of(heap, 0x10c));
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(heap, nothing_in_it)
{
	static const char *const empty[] = { "header_only", "only_roots" };

	for (unsigned i = 0; i < 2; i++) {
		struct hprof_heap *heap = heap_of(empty[i]);
		cr_expect_eq(hprof_heap_count(heap), 0);
		cr_expect_eq(hprof_heap_find(heap, 1), HPROF_NO_OBJECT);
		hprof_heap_close(heap);
	}
}

Test(heap, wrong_arguments)
{
	struct hprof_heap_options old = { .size = 8 }, bad = { .size = 1 };
	struct hprof_heap *heap = NULL;
	struct hprof_error error;

	cr_expect_eq(hprof_heap_open(NULL, NULL, &heap, &error), HPROF_E_USAGE);
	cr_expect_eq(hprof_heap_open(INPUT_PATH("x"), &bad, &heap, NULL),
		     HPROF_E_USAGE);
	cr_expect_eq(hprof_heap_open(INPUT_PATH("does-not-exist"), &old, &heap,
				     &error),
		     HPROF_E_SYS);
	cr_expect(heap == NULL);
	cr_expect_eq(hprof_cursor_new(NULL, NULL, &error), HPROF_E_USAGE);
	hprof_heap_close(NULL);
	hprof_cursor_free(NULL);
}

/* ---- numbers ------------------------------------------------------------- */

static void check_numbers(bool ascending)
{
	struct maker m = maker_numbered(ascending);
	struct hprof_heap *heap = NULL;
	struct hprof_object object;
	uint64_t last = 0;

	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) == HPROF_OK);
	struct hprof_cursor *cursor = cursor_of(heap);
	cr_assert_eq(hprof_heap_count(heap), NUMBERED + 2);
	for (uint64_t i = 0; i < NUMBERED + 2; i++) {
		cr_assert(hprof_cursor_seek(cursor, i, &object) == HPROF_OK);
		cr_assert_eq(hprof_heap_find(heap, object.id), i);
		if (ascending)
			cr_assert(object.id > last, "%u", (unsigned)i);
		else if (i < 2)
			cr_assert(object.kind == HPROF_OBJECT_CLASS);
		else if (i > 2)
			cr_assert(object.offset > last);
		last = ascending ? object.id : object.offset;
	}
	cr_assert(heap_agrees("numbers", ascending, m.out.bytes, m.out.size));
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

Test(heap, numbers_of_ascending_ids)
{
	check_numbers(true);
}

Test(heap, numbers_of_other_ids)
{
	check_numbers(false);
}

/* The pass and the index agree on the number of objects. */
struct counting {
	struct hp_numbering numbering;
	bool wrong;
};

static size_t count_scan(void *state, uint64_t offset, const uint8_t *p,
			 size_t size)
{
	(void)state, (void)offset, (void)p, (void)size;
	return 0;
}

static bool count_record(void *state, struct hprof_reader *reader,
			 const struct hprof_record *record)
{
	struct counting *c = state;
	uint64_t id = record->u.instance_dump.object_id; /* the first member */

	(void)reader;
	if (record->tag != HPROF_INSTANCE_DUMP &&
	    record->tag != HPROF_OBJ_ARRAY_DUMP)
		return true;
	c->wrong = c->wrong || hp_number(&c->numbering, id) !=
				       hp_heap_find(c->numbering.heap, id);
	return true;
}

static const struct hprof_heap *counted;

static void count_begin(void *state, const struct hp_extent *extent)
{
	struct counting *c = state;

	hp_number_extent(&c->numbering, counted, extent);
}

static bool count_failed(const void *state)
{
	(void)state;
	return false;
}

Test(heap, passes_number_alike)
{
	static const struct hp_object_scan_ops ops = { .scan = count_scan,
						       .record = count_record,
						       .begin = count_begin,
						       .failed = count_failed };

	for (unsigned i = 0; i < 2; i++) {
		struct maker m = maker_numbered(i);
		struct counting counting = { .wrong = false };
		void *states[] = { &counting };
		struct hprof_heap *heap = NULL;
		struct hprof_error error;
		cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) ==
			  HPROF_OK);
		counted = heap;
		cr_assert(hp_heap_pass(heap, &ops, states, 1, NULL, &error) ==
			  HPROF_OK);
		cr_expect_not(counting.wrong);
		cr_expect_eq(counting.numbering.position, NUMBERED);
		hprof_heap_close(heap);
		buffer_free(&m.out);
	}
}

/* ---- classes ------------------------------------------------------------- */

Test(heap, supers)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	size_t object = row_of(heap, 0x100), base = row_of(heap, 0x108);
	size_t derived = row_of(heap, 0x10c);

	cr_expect(hprof_heap_class_is(heap, derived, base));
	cr_expect(hprof_heap_class_is(heap, derived, derived));
	cr_expect(hprof_heap_class_is(heap, base, object));
	cr_expect_not(hprof_heap_class_is(heap, base, derived));
	cr_expect_not(hprof_heap_class_is(heap, SIZE_MAX, base));
	cr_expect_eq(hprof_heap_class_named(heap, "app.Base", 0), base);
	cr_expect_eq(hprof_heap_class_named(heap, "app.Base", base + 1),
		     SIZE_MAX);
	cr_expect_eq(hprof_heap_class(heap, 0x9990), SIZE_MAX);
	hprof_heap_close(heap);
}

Test(heap, layout)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	const struct hprof_field *f, *again;
	size_t count;

	cr_assert(hprof_heap_layout(heap, row_of(heap, 0x10c), &f, &count));
	cr_assert_eq(count, 5, "those of app.Empty are none");
	cr_expect_str_eq(f[0].name, "next");
	cr_expect(f[0].type == HPROF_TYPE_OBJECT && f[0].offset == 0);
	cr_expect(f[1].type == HPROF_TYPE_BOOLEAN && f[1].offset == 4);
	cr_expect(f[2].type == HPROF_TYPE_LONG && f[2].offset == 5);
	cr_expect_str_eq(f[3].name, "next");
	cr_expect_eq(f[3].offset, 13);
	cr_expect_eq(f[2].class_row, row_of(heap, 0x10c));
	cr_expect_eq(f[3].class_row, row_of(heap, 0x108));
	hprof_heap_layout(heap, row_of(heap, 0x10c), &again, &count);
	cr_expect(again == f, "kept");
	cr_expect(hprof_heap_layout(heap, row_of(heap, 0x120), &f, &count),
		  "a CLASS_DUMP behind its instances");
	cr_expect_eq(count, 1);
	cr_expect_not(hprof_heap_layout(heap, row_of(heap, 0x124), &f, &count),
		      "no CLASS_DUMP at all");
	cr_expect_eq(count, 0);
	cr_expect_not(hprof_heap_layout(heap, SIZE_MAX, &f, &count));
	hprof_heap_close(heap);
}

Test(heap, own_fields)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	const struct hprof_field *f;

	cr_assert_eq(hprof_heap_own_fields(heap, row_of(heap, 0x10c), &f), 3);
	cr_expect_str_eq(f[0].name, "next");
	cr_expect(f[2].type == HPROF_TYPE_LONG && f[2].offset == 5);
	cr_assert_eq(hprof_heap_own_fields(heap, row_of(heap, 0x108), &f), 2);
	cr_expect_eq(f[0].offset, 0, "from its own first one");
	cr_expect_eq(hprof_heap_own_fields(heap, row_of(heap, 0x124), &f), 0,
		     "no CLASS_DUMP");
	cr_expect_eq(hprof_heap_own_fields(heap, SIZE_MAX, &f), 0);
	cr_expect_null(f);
	hprof_heap_close(heap);
}

/* Class I inherits from class (I - 1) / 3, and from those above that. */
Test(heap, tree_of_classes)
{
	enum { COUNT = 200 };
	struct maker m = maker_begin(4);
	struct hprof_heap *heap = NULL;

	maker_heap(&m, HPROF_HEAP_DUMP);
	for (uint32_t i = COUNT; i-- > 0;) {
		struct maker_class c = { 16 * (i + 1),
					 i ? 16 * ((i - 1) / 3 + 1) : 0,
					 0,
					 "",
					 "",
					 1 };
		maker_class(&m, &c);
	}
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) == HPROF_OK);
	for (uint32_t i = 0; i < COUNT; i++) {
		bool above[COUNT] = { false };

		for (uint32_t up = i; up; up = (up - 1) / 3)
			above[up] = true;
		above[0] = true;
		for (uint32_t k = 0; k < COUNT; k++)
			cr_expect_eq(hprof_heap_class_is(
					     heap, row_of(heap, 16 * (i + 1)),
					     row_of(heap, 16 * (k + 1))),
				     above[k]);
	}
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

Test(heap, super_missing_or_in_a_circle)
{
	struct hprof_heap *heap = heap_of("class_super_missing");
	const struct hprof_field *f;
	size_t count, incomplete = 0;

	for (size_t i = 0; i < hprof_heap_summary(heap)->class_count; i++)
		incomplete += !hprof_heap_layout(heap, i, &f, &count);
	cr_expect(incomplete > 0);
	hprof_heap_close(heap);

	heap = heap_of("class_super_cycle");
	for (size_t i = 0; i < hprof_heap_summary(heap)->class_count; i++)
		for (size_t k = 0; k < 5; k++)
			hprof_heap_class_is(heap, i, k);
	cr_expect(hprof_heap_layout(heap, row_of(heap, 0x1110), &f, &count) ||
		  count > 0);
	hprof_heap_close(heap);
}

/*
 * A chain of classes as long as no compiler makes it. What is kept for it
 * must not grow with the square of its length.
 */
Test(heap, long_chain_of_supers)
{
	enum { LENGTH = 20000 };
	struct maker m = maker_begin(4);
	struct hprof_heap *heap = NULL;
	const struct hprof_field *f;
	size_t count;

	maker_heap(&m, HPROF_HEAP_DUMP);
	for (uint32_t i = 0; i < LENGTH; i++) {
		struct maker_class c = { 16 * (i + 1),	   16 * i, 0,
					 i % 2 ? "L" : "", "",	   1 };
		maker_class(&m, &c);
	}
	for (uint32_t i = 0; i < LENGTH; i++)
		maker_instance(&m, 16 * (i + 1) + 8, 16 * (i + 1), 8);
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 2, &heap) == HPROF_OK);
	cr_expect_eq(hprof_heap_count(heap), 2 * LENGTH);
	cr_expect(
		hprof_heap_layout(heap, row_of(heap, 16 * LENGTH), &f, &count));
	cr_expect_eq(count, LENGTH / 2);
	cr_expect_eq(class_of(heap, 16 * LENGTH).ref_count, 2,
		     "no more than its instance has");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_field field;
	go_to(cursor, heap, 16 * LENGTH + 8);
	cr_expect(hprof_cursor_field(cursor, 1, &field) == HPROF_OK);
	cr_expect(hprof_cursor_field(cursor, 2, &field) == HPROF_END);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
	buffer_free(&m.out);
}

Test(heap, strengths)
{
	struct hprof_heap *heap = heap_of("heap_odd");

	cr_expect_eq(class_of(heap, 0x118).weakness, HP_SOFT);
	cr_expect_eq(class_of(heap, 0x118).referent, 4,
		     "not the field of that name in the subclass");
	cr_expect_eq(class_of(heap, 0x11c).weakness, HP_FINAL);
	cr_expect_eq(class_of(heap, 0x11c).referent, 0);
	cr_expect_eq(class_of(heap, 0x110).weakness, HP_STRONG);
	cr_expect_eq(class_of(heap, 0x110).referent, UINT32_MAX);
	hprof_heap_close(heap);
}

/* ---- roots --------------------------------------------------------------- */

Test(heap, roots)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	const struct hprof_heap_root *r = hprof_heap_roots(heap);

	cr_assert_eq(hprof_heap_root_count(heap), 4);
	cr_expect(r[0].tag == HPROF_ROOT_STICKY_CLASS && r[0].frame == -1);
	cr_expect_eq(r[0].object, hprof_heap_find(heap, 0x108));
	cr_expect(r[1].tag == HPROF_ROOT_JNI_GLOBAL && r[1].jni_ref == 0x77);
	cr_expect(r[2].tag == HPROF_ROOT_JAVA_FRAME &&
		  r[2].thread_serial == 3 && r[2].frame == 2);
	cr_expect(r[3].tag == HPROF_ROOT_THREAD_OBJ && r[3].trace_serial == 9 &&
		  r[3].object_id == 0x999);
	cr_expect_eq(r[3].object, HPROF_NO_OBJECT);
	hprof_heap_close(heap);
}

/* ---- progress, streams ------------------------------------------ */

struct seen {
	unsigned calls;
	bool index;
};

static bool see(void *user, const char *phase, uint64_t done, uint64_t total)
{
	struct seen *seen = user;

	(void)done, (void)total;
	seen->calls++;
	seen->index = seen->index || strcmp(phase, "index") == 0;
	return true;
}

Test(heap, progress)
{
	struct seen seen = { 0 };
	struct maker m = maker_numbered(true);
	struct hprof_heap *heap = NULL;

	maker_file("test_heap.progress", m.out.bytes, m.out.size);
	cr_assert(
		hprof_heap_open(INPUT(.path = "test_heap.progress",
				      .progress = see, .progress_user = &seen),
				NULL, &heap, NULL) == HPROF_OK);
	cr_expect(seen.calls > 0 && seen.index);
	hprof_heap_close(heap);
	unlink("test_heap.progress");
	buffer_free(&m.out);
}

/* A pipe and gzip are copied and give the same as the file itself. */
static uint64_t hash_of(const char *path)
{
	struct hprof_heap *heap = NULL;
	uint64_t hash = 0;

	cr_assert(hprof_heap_open(INPUT(.path = path), NULL, &heap, NULL) ==
			  HPROF_OK,
		  "%s", path);
	const char *wrong = heap_visit(heap, &hash);
	cr_assert(!wrong, "%s: %s", path, wrong);
	hprof_heap_close(heap);
	return hash;
}

Test(heap, streams)
{
	struct fixture f = fixture_load("heap_odd");
	const char *plain = maker_file("test_heap.plain", f.bytes, f.size);
	uint64_t expected = hash_of(plain);
	gzFile gz = gzopen("test_heap.gz", "wb");
	int ends[2];

	cr_assert(gz != NULL);
	cr_assert(gzwrite(gz, f.bytes, (unsigned)f.size) == (int)f.size);
	cr_assert(gzclose(gz) == Z_OK);
	cr_expect_eq(hash_of("test_heap.gz"), expected);
	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], f.bytes, f.size) == (ssize_t)f.size);
	cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	cr_expect_eq(hash_of("-"), expected);
	unlink(plain);
	unlink("test_heap.gz");
	fixture_free(&f);
}

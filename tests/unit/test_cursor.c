/* SPDX-License-Identifier: MIT */
/*
 * test_cursor.c - what is in an object: fields, elements, references, text.
 */
#include "heaps.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../inputs.h"
#include "maker.h"

struct look {
	struct hprof_heap *heap;
	struct hprof_cursor *cursor;
};

static struct look look_into(const char *fixture)
{
	struct hprof_heap *heap = heap_of(fixture);

	return (struct look){ heap, cursor_of(heap) };
}

static void look_away(struct look *look)
{
	hprof_cursor_free(look->cursor);
	hprof_heap_close(look->heap);
}

/* ---- fields -------------------------------------------------------------- */

Test(cursor, fields)
{
	struct look l = look_into("heap_odd");
	struct hprof_field f;

	go_to(l.cursor, l.heap, 0x204);
	cr_assert(hprof_cursor_field(l.cursor, 4, &f) == HPROF_OK);
	cr_expect_str_eq(f.name, "size");
	cr_expect(f.type == HPROF_TYPE_INT && f.value == 3 && f.offset == 17);
	cr_assert(hprof_cursor_field(l.cursor, 2, &f) == HPROF_OK, "back");
	cr_expect_eq(f.value, (uint64_t)-2);
	cr_expect(hprof_cursor_field(l.cursor, 5, &f) == HPROF_END);
	cr_assert(hprof_cursor_field_named(l.cursor, NULL, "next", &f) ==
		  HPROF_OK);
	cr_expect_eq(f.value, 0x200, "the nearest");
	cr_assert(hprof_cursor_field_named(l.cursor, "app.Base", "next", &f) ==
		  HPROF_OK);
	cr_expect_eq(f.value, 0x9990, "the hidden one");
	cr_expect(hprof_cursor_field_named(l.cursor, "app.Base", "flag", &f) ==
		  HPROF_END);
	look_away(&l);
}

/* 0x208 ends in the middle of the super's first field, 0x20c is too long. */
Test(cursor, data_of_another_length)
{
	struct look l = look_into("heap_odd");
	struct hprof_field f;

	go_to(l.cursor, l.heap, 0x208);
	cr_expect(hprof_cursor_field(l.cursor, 2, &f) == HPROF_OK);
	cr_expect(hprof_cursor_field(l.cursor, 3, &f) == HPROF_END);
	cr_expect(hprof_cursor_field(l.cursor, 4, &f) == HPROF_END);
	go_to(l.cursor, l.heap, 0x20c);
	cr_expect(hprof_cursor_field(l.cursor, 1, &f) == HPROF_OK);
	cr_expect(hprof_cursor_field(l.cursor, 2, &f) == HPROF_END);
	go_to(l.cursor, l.heap, 0x220);
	cr_expect(hprof_cursor_field(l.cursor, 0, &f) == HPROF_END,
		  "of an unknown class nothing is known");
	look_away(&l);
}

Test(cursor, statics)
{
	struct look l = look_into("heap_odd");
	struct hprof_field f;

	go_to(l.cursor, l.heap, 0x108);
	cr_assert(hprof_cursor_field(l.cursor, 0, &f) == HPROF_OK);
	cr_expect(f.is_static && f.value == 0x210);
	cr_expect_str_eq(f.name, "INSTANCE");
	cr_assert(hprof_cursor_field_named(l.cursor, NULL, "LIMIT", &f) ==
		  HPROF_OK);
	cr_expect_eq(f.value, 9);
	cr_expect(hprof_cursor_field(l.cursor, 4, &f) == HPROF_END);
	look_away(&l);
}

/* ---- elements ------------------------------------------------------------ */

Test(cursor, elements)
{
	struct look l = look_into("heap_odd");
	uint64_t v[10];
	size_t n;

	go_to(l.cursor, l.heap, 0x228);
	cr_assert(hprof_cursor_elements(l.cursor, 1, 10, v, &n) == HPROF_OK);
	cr_expect(n == 4 && v[0] == 0x200 && v[1] == 0 && v[2] == 0x9990);
	cr_assert(hprof_cursor_elements(l.cursor, 5, 10, v, &n) == HPROF_OK);
	cr_expect_eq(n, 0);
	cr_assert(hprof_cursor_elements(l.cursor, UINT64_MAX, 10, v, &n) ==
		  HPROF_OK);
	cr_expect_eq(n, 0);
	go_to(l.cursor, l.heap, 0x230);
	cr_assert(hprof_cursor_elements(l.cursor, 0, 10, v, &n) == HPROF_OK);
	cr_expect(n == 2 && v[0] == 0xffff && v[1] == 2, "raw bits");
	go_to(l.cursor, l.heap, 0x200);
	cr_expect(hprof_cursor_elements(l.cursor, 0, 10, v, &n) ==
		  HPROF_E_USAGE);
	look_away(&l);
}

/* ---- references ---------------------------------------------------------- */

struct expected_edge {
	enum hprof_edge_kind kind;
	uint64_t to_id, number;
	const char *name;
};

static void check_edges(struct look *l, uint64_t id,
			const struct expected_edge *expected, size_t count)
{
	struct hprof_edge edge;

	go_to(l->cursor, l->heap, id);
	for (size_t i = 0; i < count; i++) {
		cr_assert(hprof_cursor_edge(l->cursor, i, &edge) == HPROF_OK,
			  "0x%llx, %zu", (unsigned long long)id, i);
		cr_expect_eq(edge.kind, expected[i].kind, "0x%llx, %zu",
			     (unsigned long long)id, i);
		cr_expect_eq(edge.to_id, expected[i].to_id);
		cr_expect_eq(edge.to, hprof_heap_find(l->heap, edge.to_id));
		cr_expect_eq(edge.from, hprof_heap_find(l->heap, id));
		cr_expect_eq(edge.number, expected[i].number);
		cr_expect(!edge.name == !expected[i].name);
		if (edge.name && expected[i].name)
			cr_expect_str_eq(edge.name, expected[i].name);
	}
	cr_expect(hprof_cursor_edge(l->cursor, count, &edge) == HPROF_END);
}

#define CHECK_EDGES(l, id, ...)                                          \
	do {                                                             \
		const struct expected_edge expected[] = { __VA_ARGS__ }; \
		check_edges(l, id, expected,                             \
			    sizeof expected / sizeof *expected);         \
	} while (0)

Test(cursor, edges)
{
	struct look l = look_into("heap_odd");
	struct hprof_edge edge;

	CHECK_EDGES(&l, 0x204, { HPROF_EDGE_CLASS, 0x10c, 0, NULL },
		    { HPROF_EDGE_FIELD, 0x200, 0, "next" },
		    { HPROF_EDGE_FIELD, 0x9990, 3, "next" });
	CHECK_EDGES(&l, 0x210, { HPROF_EDGE_CLASS, 0x118, 0, NULL },
		    { HPROF_EDGE_FIELD, 0x200, 0, "referent" },
		    { HPROF_EDGE_REFERENT, 0x204, 1, "referent" });
	CHECK_EDGES(&l, 0x214, { HPROF_EDGE_CLASS, 0x11c, 0, NULL },
		    { HPROF_EDGE_REFERENT, 0x208, 0, "referent" },
		    { HPROF_EDGE_FIELD, 0x20c, 1, "queue" });
	CHECK_EDGES(&l, 0x218, { HPROF_EDGE_CLASS, 0x110, 0, NULL },
		    { HPROF_EDGE_FIELD, 0x208, 0, "referent" });
	CHECK_EDGES(&l, 0x228, { HPROF_EDGE_CLASS, 0x128, 0, NULL },
		    { HPROF_EDGE_ELEMENT, 0x200, 1, NULL },
		    { HPROF_EDGE_ELEMENT, 0x9990, 3, NULL },
		    { HPROF_EDGE_ELEMENT, 0x204, 4, NULL });
	CHECK_EDGES(&l, 0x108, { HPROF_EDGE_SUPER, 0x100, 0, NULL },
		    { HPROF_EDGE_LOADER, 0x200, 0, NULL },
		    { HPROF_EDGE_SIGNERS, 0x204, 0, NULL },
		    { HPROF_EDGE_DOMAIN, 0x208, 0, NULL },
		    { HPROF_EDGE_CONSTANT, 0x20c, 3, NULL },
		    { HPROF_EDGE_STATIC, 0x210, 0, "INSTANCE" },
		    { HPROF_EDGE_STATIC, 0x9998, 3, "INSTANCE" });
	go_to(l.cursor, l.heap, 0x230);
	cr_expect(hprof_cursor_edge(l.cursor, 0, &edge) == HPROF_END,
		  "short[] has no class in the dump");
	go_to(l.cursor, l.heap, 0x100);
	cr_expect(hprof_cursor_edge(l.cursor, 0, &edge) == HPROF_END);
	look_away(&l);
}

/* ---- text ---------------------------------------------------------------- */

static void check_text(struct look *l, uint64_t id, size_t most,
		       const char *expected, uint64_t length)
{
	const char *text = NULL;
	uint64_t whole = 0;
	enum hprof_status status;

	go_to(l->cursor, l->heap, id);
	status = hprof_cursor_text(l->cursor, most, &text, &whole);
	if (!expected) {
		cr_expect(status == HPROF_END, "0x%llx",
			  (unsigned long long)id);
		return;
	}
	cr_assert(status == HPROF_OK, "0x%llx", (unsigned long long)id);
	cr_expect_str_eq(text, expected);
	cr_expect_eq(whole, length);
}

Test(cursor, text)
{
	struct look l = look_into("heap_strings");

	check_text(&l, 0x2000, 0, "two", 3);
	check_text(&l, 0x2010, 0, "three", 5); /* count is too large */
	check_text(&l, 0x2020, 0, "", 0);      /* the offset, too */
	check_text(&l, 0x2030, 0, "one two three", 13);
	check_text(&l, 0x2030, 5, "one t", 13);
	check_text(&l, 0x2040, 0, "latin \xc3\xa9", 7);
	check_text(&l, 0x2050, 0,
		   "a\xf0\x9f\x98\x80"
		   "b",
		   4);
	check_text(&l, 0x2050, 2, "a\xf0\x9f\x98\x80", 4);
	check_text(&l, 0x2060, 0, "latin \xc3\xa9", 7);
	check_text(&l, 0x2070, 0, "one two three", 13);
	check_text(&l, 0x2080, 0,
		   "a\xe2\x90\x80\xef\xbf\xbd"
		   "b\xef\xbf\xbd",
		   5);
	check_text(&l, 0x2090, 0, NULL, 0);
	check_text(&l, 0x20a0, 0, NULL, 0);
	check_text(&l, 0x20b0, 0, NULL, 0);
	check_text(&l, 0x20c0, 0, NULL, 0);
	check_text(&l, 0x20d0, 0, "", 0);
	check_text(&l, 0x20e0, 0, NULL, 0);
	check_text(&l, 0x20f0, 0, NULL, 0);
	check_text(&l, 0x1000, 0, "one two three", 13);
	check_text(&l, 0x1010, 0, NULL, 0); /* a byte[] is no text by itself */
	check_text(&l, 0x100, 0, NULL, 0);
	look_away(&l);
}

/* Longer than what is read at once. */
Test(cursor, long_text)
{
	struct look l = look_into("heap_strings");
	const char *text;
	uint64_t length;

	go_to(l.cursor, l.heap, 0x2100);
	cr_assert(hprof_cursor_text(l.cursor, 0, &text, &length) == HPROF_OK);
	cr_expect_eq(length, 20000);
	cr_expect_eq(strlen(text), 60000);
	for (size_t i = 0; i < 60000; i += 3)
		cr_assert(memcmp(text + i, "\xe2\x82\xac", 3) == 0, "%zu", i);
	look_away(&l);
}

/* Pairs of surrogates, one of them across each border of a piece. */
Test(cursor, long_text_of_pairs)
{
	enum { PAIRS = 40000 };
	struct maker m = maker_begin(8);
	uint8_t *units = malloc(4 * PAIRS + 2);
	struct hprof_heap *heap = NULL;
	const char *text;
	uint64_t length;

	cr_assert(units != NULL);
	units[0] = 0;
	units[1] = 'x';
	for (size_t i = 0; i < PAIRS; i++)
		memcpy(units + 2 + 4 * i, "\xd8\x3d\xde\x00", 4);
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_put(&m,
		  &(struct hprof_record){
			  .tag = HPROF_PRIM_ARRAY_DUMP,
			  .u.prim_array_dump = { 8,
						 0,
						 2 * PAIRS + 1,
						 HPROF_TYPE_CHAR,
						 { units, 4 * PAIRS + 2 } } });
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) == HPROF_OK);
	struct hprof_cursor *cursor = cursor_of(heap);
	go_to(cursor, heap, 8);
	cr_assert(hprof_cursor_text(cursor, 0, &text, &length) == HPROF_OK);
	cr_expect_eq(length, 2 * PAIRS + 1);
	cr_assert_eq(strlen(text), 4 * PAIRS + 1);
	for (size_t i = 0; i < PAIRS; i++)
		cr_assert(memcmp(text + 1 + 4 * i, "\xf0\x9f\x98\x80", 4) == 0);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
	free(units);
	buffer_free(&m.out);
}

/* ---- trouble ------------------------------------------------------------- */

Test(cursor, on_nothing)
{
	struct look l = look_into("heap_odd");
	struct hprof_object object;
	struct hprof_field f;
	struct hprof_edge edge;
	const char *text;
	uint64_t v;
	size_t n;

	cr_expect(hprof_cursor_field(l.cursor, 0, &f) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_edge(l.cursor, 0, &edge) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_text(l.cursor, 0, &text, NULL) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_elements(l.cursor, 0, 1, &v, &n) ==
		  HPROF_E_USAGE);
	cr_expect(hprof_cursor_seek(l.cursor, 1000, &object) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_seek(l.cursor, HPROF_NO_OBJECT, &object) ==
		  HPROF_E_USAGE);
	cr_expect(hprof_cursor_error(l.cursor)->status == HPROF_E_USAGE);
	/* A failure leaves the cursor where it was. */
	go_to(l.cursor, l.heap, 0x200);
	hprof_cursor_seek(l.cursor, 1000, &object);
	cr_expect(hprof_cursor_field(l.cursor, 0, &f) == HPROF_OK);
	look_away(&l);
}

/* Another process cuts the file, or writes into it. */
Test(cursor, the_file_changes)
{
	struct fixture f = fixture_load("heap_odd");
	struct hprof_heap *heap = NULL;
	struct hprof_object object;
	const char *path = maker_file("test_cursor.hprof", f.bytes, f.size);

	cr_assert(hprof_heap_open(INPUT_PATH(path), NULL, &heap, NULL) ==
		  HPROF_OK);
	struct hprof_cursor *cursor = cursor_of(heap);
	cr_assert(truncate(path, (off_t)f.size - 400) == 0);
	cr_expect(hprof_cursor_seek(cursor, hprof_heap_find(heap, 0x230),
				    &object) == HPROF_E_CORRUPT);
	memset(f.bytes + f.size - 500, 0xee, 500);
	maker_file(path, f.bytes, f.size);
	struct hprof_cursor *other = cursor_of(heap);
	cr_expect(hprof_cursor_seek(other, hprof_heap_find(heap, 0x230),
				    &object) == HPROF_E_CORRUPT);
	hprof_cursor_free(other);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
	unlink(path);
	fixture_free(&f);
}

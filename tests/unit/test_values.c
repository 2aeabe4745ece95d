/* SPDX-License-Identifier: MIT */
/*
 * test_values.c - values as numbers, boxes opened, and the way to an object
 * and back.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"
#include "maker.h"

/* ---- numbers ------------------------------------------------------------- */

static uint64_t bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t bits_of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

Test(values, integers)
{
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_BYTE, 0xff), -1);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_BYTE, 0x7f), 127);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_SHORT, 0x8000), -32768);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_CHAR, 0xffff), 65535);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_INT, 0xfffffffe), -2);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_LONG, UINT64_MAX), -1);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_BOOLEAN, 1), 1);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_BOOLEAN, 2), 1);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_OBJECT, 0x100), 0x100);
	cr_expect_float_eq(hprof_value_double(HPROF_TYPE_INT, 0xffffffff), -1.0,
			   0);
}

Test(values, reals)
{
	cr_expect_float_eq(
		hprof_value_double(HPROF_TYPE_FLOAT, bits_of_float(1.5f)), 1.5,
		0);
	cr_expect_float_eq(
		hprof_value_double(HPROF_TYPE_DOUBLE, bits_of_double(-0.1)),
		-0.1, 0);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_DOUBLE, bits_of_double(-2.9)),
		     -2);
	cr_expect_eq(
		hprof_value_int64(HPROF_TYPE_DOUBLE, bits_of_double(1e300)),
		INT64_MAX);
	cr_expect_eq(
		hprof_value_int64(HPROF_TYPE_DOUBLE, bits_of_double(-1e300)),
		INT64_MIN);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_DOUBLE,
				       bits_of_double((double)NAN)),
		     0);
	cr_expect_eq(hprof_value_int64(HPROF_TYPE_FLOAT, bits_of_float(-7.5f)),
		     -7);
}

/* ---- boxes --------------------------------------------------------------- */

enum { BOX_CLASS = 0x1000, BOX = 0x2000, HOLLOW = 0x3000, OTHER = 0x4000 };

static const struct box {
	const char *class_name, *field;
	uint8_t data[8];
	uint32_t size;
	int64_t integer;
	double real;
	enum hprof_value_kind kind;
} boxes[] = {
	{ "java/lang/Boolean", "Z", { 1 }, 1, 1, 1, HPROF_VALUE_BOOLEAN },
	{ "java/lang/Byte", "B", { 0xfe }, 1, -2, -2, HPROF_VALUE_INTEGER },
	{ "java/lang/Character", "C", { 0, 65 }, 2, 65, 65, HPROF_VALUE_CHAR },
	{ "java/lang/Double",
	  "D",
	  { 0x3f, 0xf8 },
	  8,
	  1,
	  1.5,
	  HPROF_VALUE_REAL },
	{ "java/lang/Float",
	  "F",
	  { 0xbf, 0xc0 },
	  4,
	  -1,
	  -1.5,
	  HPROF_VALUE_REAL },
	{ "java/lang/Integer",
	  "I",
	  { 0xff, 0xff, 0xff, 0xfd },
	  4,
	  -3,
	  -3,
	  HPROF_VALUE_INTEGER },
	{ "java/lang/Long",
	  "J",
	  { 0x80 },
	  8,
	  INT64_MIN,
	  -0x1p63,
	  HPROF_VALUE_INTEGER },
	{ "java/lang/Short", "S", { 1, 2 }, 2, 258, 258, HPROF_VALUE_INTEGER },
};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* A box of each kind, one without its value, one of a class of the program. */
static struct hprof_heap *make_boxes(void)
{
	struct maker m = maker_begin(8);
	uint64_t value = maker_string(&m, "value");
	struct hprof_heap *heap = NULL;

	for (size_t i = 0; i < BOXES; i++)
		maker_load(&m, BOX_CLASS + i, boxes[i].class_name);
	maker_load(&m, BOX_CLASS + BOXES, "app/Integer");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (size_t i = 0; i < BOXES; i++)
		maker_class(&m, &(struct maker_class){
					BOX_CLASS + i, 0, boxes[i].size,
					boxes[i].field, "", value });
	maker_class(&m, &(struct maker_class){ BOX_CLASS + BOXES, 0, 4, "I", "",
					       value });
	for (size_t i = 0; i < BOXES; i++)
		maker_fields(&m, BOX + i, BOX_CLASS + i, boxes[i].data,
			     boxes[i].size);
	maker_instance(&m, HOLLOW, BOX_CLASS, 0);
	maker_instance(&m, OTHER, BOX_CLASS + BOXES, 4);
	maker_heap_end(&m);
	cr_assert(heap_of_bytes(m.out.bytes, m.out.size, 1, &heap) == HPROF_OK);
	buffer_free(&m.out);
	return heap;
}

static struct hprof_value value_of(struct hprof_cursor *cursor, unsigned type,
				   uint64_t bits)
{
	struct hprof_value value;

	cr_assert(hprof_cursor_value(cursor, type, bits, 0, &value) ==
		  HPROF_OK);
	return value;
}

Test(values, boxes)
{
	struct hprof_heap *heap = make_boxes();
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_value v;

	for (size_t i = 0; i < BOXES; i++) {
		v = value_of(cursor, HPROF_TYPE_OBJECT, BOX + i);
		cr_expect_eq(v.kind, boxes[i].kind, "%s", boxes[i].class_name);
		cr_expect_eq(v.type, maker_type(*boxes[i].field));
		cr_expect_eq(v.integer, boxes[i].integer);
		cr_expect_float_eq(v.real, boxes[i].real, 0);
		cr_expect(v.boxed == 1 && v.object_id == BOX + i);
		cr_expect_eq(v.object, hprof_heap_find(heap, BOX + i));
	}
	v = value_of(cursor, HPROF_TYPE_OBJECT, HOLLOW);
	cr_expect(v.kind == HPROF_VALUE_OBJECT && !v.boxed);
	v = value_of(cursor, HPROF_TYPE_OBJECT, OTHER);
	cr_expect(v.kind == HPROF_VALUE_OBJECT && !v.boxed);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(values, kinds)
{
	struct hprof_heap *heap = heap_of("heap_strings");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_value v;

	v = value_of(cursor, HPROF_TYPE_OBJECT, 0x2040);
	cr_expect_eq(v.kind, HPROF_VALUE_STRING);
	cr_expect_str_eq(v.text, "latin \xc3\xa9");
	cr_expect_eq(v.text_length, 7);
	cr_assert(hprof_cursor_value(cursor, HPROF_TYPE_OBJECT, 0x2030, 3,
				     &v) == HPROF_OK);
	cr_expect_str_eq(v.text, "one");
	cr_expect_eq(v.text_length, 13);
	v = value_of(cursor, HPROF_TYPE_OBJECT, 0x2090);
	cr_expect_eq(v.kind, HPROF_VALUE_OBJECT, "without characters");
	v = value_of(cursor, HPROF_TYPE_OBJECT, 0x1000);
	cr_expect_eq(v.kind, HPROF_VALUE_OBJECT, "an array is no String");
	v = value_of(cursor, HPROF_TYPE_OBJECT, 0);
	cr_expect(v.kind == HPROF_VALUE_NULL && v.object == HPROF_NO_OBJECT);
	v = value_of(cursor, HPROF_TYPE_OBJECT, 0x9999);
	cr_expect(v.kind == HPROF_VALUE_OBJECT && v.object == HPROF_NO_OBJECT &&
		  v.object_id == 0x9999);
	v = value_of(cursor, HPROF_TYPE_INT, 0xffffffff);
	cr_expect(v.kind == HPROF_VALUE_INTEGER && v.integer == -1 &&
		  v.object == HPROF_NO_OBJECT && !v.boxed);
	cr_expect(hprof_cursor_value(cursor, 3, 0, 0, &v) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_value(cursor, 4, 0, 0, NULL) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_value(NULL, 4, 0, 0, &v) == HPROF_E_USAGE);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

/* ---- there and back ------------------------------------------------------ */

/* On 0x204: a Derived whose first field refers to 0x200 and that back. */
Test(values, follow_and_back)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_object object;
	struct hprof_field field;

	go_to(cursor, heap, 0x204);
	cr_expect(hprof_cursor_back(cursor, &object) == HPROF_END);
	for (unsigned depth = 0; depth < 100; depth++) {
		cr_assert(hprof_cursor_field_named(cursor, NULL, "next",
						   &field) == HPROF_OK);
		cr_assert(hprof_cursor_follow(cursor, field.value, &object) ==
			  HPROF_OK);
		cr_assert_eq(object.id, field.value);
	}
	cr_expect(hprof_cursor_follow(cursor, 0, &object) == HPROF_END);
	cr_expect(hprof_cursor_follow(cursor, 0x9990, &object) == HPROF_END);
	for (unsigned depth = 100; depth-- > 0;) {
		cr_assert(hprof_cursor_back(cursor, &object) == HPROF_OK);
		cr_assert_eq(object.id, depth % 2 ? 0x200 : 0x204);
		cr_assert(hprof_cursor_field_named(cursor, NULL, "next",
						   &field) == HPROF_OK);
		cr_assert_eq(field.value, depth % 2 ? 0x204 : 0x200);
	}
	cr_expect(hprof_cursor_back(cursor, NULL) == HPROF_END);
	cr_expect(hprof_cursor_field(cursor, 2, &field) == HPROF_OK);
	cr_expect_eq(field.value, (uint64_t)-2, "still there");
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(values, seek_forgets_the_way_back)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_object object;

	cr_expect(hprof_cursor_follow(cursor, 0x200, &object) == HPROF_E_USAGE,
		  "from nowhere");
	go_to(cursor, heap, 0x204);
	cr_assert(hprof_cursor_follow(cursor, 0x200, &object) == HPROF_OK);
	go_to(cursor, heap, 0x204);
	cr_expect(hprof_cursor_back(cursor, &object) == HPROF_END);
	cr_expect(hprof_cursor_follow(cursor, 0x200, NULL) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_follow(NULL, 0x200, &object) == HPROF_E_USAGE);
	cr_expect(hprof_cursor_back(NULL, &object) == HPROF_E_USAGE);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

Test(values, without_memory)
{
	struct hprof_heap *heap = heap_of("heap_odd");
	struct hprof_cursor *cursor = cursor_of(heap);
	struct hprof_object object = { .id = 77 };

	go_to(cursor, heap, 0x204);
	hp_mem_fail_after(0);
	cr_expect(hprof_cursor_follow(cursor, 0x200, &object) == HPROF_E_NOMEM);
	hp_mem_fail_after(-1);
	cr_expect_eq(object.id, 77);
	cr_expect(hprof_cursor_back(cursor, &object) == HPROF_END);
	cr_expect(hprof_cursor_follow(cursor, 0x200, &object) == HPROF_OK);
	cr_expect_eq(object.id, 0x200);
	hprof_cursor_free(cursor);
	hprof_heap_close(heap);
}

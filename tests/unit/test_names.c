/* SPDX-License-Identifier: MIT */
/*
 * test_names.c - struct hprof_names, fed with records as they come and as they
 * should not come.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "base/mem.h"
#include "fixture.h"

static struct hprof_names *begin(void)
{
	struct hprof_names *names = NULL;

	cr_assert_eq(hprof_names_new(&names, NULL), HPROF_OK);
	return names;
}

static void learn(struct hprof_names *names, const struct hprof_record *record)
{
	cr_assert_eq(hprof_names_learn(names, record), HPROF_OK);
}

static struct hprof_record utf8(uint64_t id, const char *text, size_t size)
{
	return (struct hprof_record){
		.tag = HPROF_UTF8,
		.id_size = 8,
		.u.utf8 = { id, { (const uint8_t *)text, size } },
	};
}

static void string(struct hprof_names *names, uint64_t id, const char *text)
{
	struct hprof_record record = utf8(id, text, strlen(text));

	learn(names, &record);
}

static void load(struct hprof_names *names, uint64_t class_id, uint32_t serial,
		 uint64_t name_id)
{
	const struct hprof_record record = {
		.tag = HPROF_LOAD_CLASS,
		.id_size = 8,
		.u.load_class = { .class_id = class_id,
				  .class_serial = serial,
				  .name_id = name_id },
	};

	learn(names, &record);
}

/* TYPES has a type code for each field; names are FIRST_NAME and following. */
static void dump(struct hprof_names *names, uint64_t class_id,
		 uint64_t super_id, const char *types, uint64_t first_name)
{
	static uint8_t fields[9 * UINT16_MAX];
	size_t count = strlen(types);
	const struct hprof_record record = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 8,
		.u.class_dump = { .class_id = class_id,
				  .super_id = super_id,
				  .field_count = (uint16_t)count,
				  .fields = { fields, 9 * count } },
	};

	memset(fields, 0, 9 * count);
	for (size_t i = 0; i < count; i++) {
		fields[9 * i + 6] = (uint8_t)((first_name + i) >> 8);
		fields[9 * i + 7] = (uint8_t)(first_name + i);
		fields[9 * i + 8] = (uint8_t)types[i];
	}
	learn(names, &record);
}

/* The layout of the class with ID, which has one, of COUNT fields. */
static const struct hprof_named_field *layout(struct hprof_names *names,
					      uint64_t id, size_t count)
{
	const struct hprof_named_class *of = hprof_names_class(names, id);
	const struct hprof_named_field *fields = NULL;
	size_t got = SIZE_MAX;

	cr_assert(hprof_names_layout(names, of, &fields, &got), "class %llu",
		  (unsigned long long)id);
	cr_assert_eq(got, count);
	cr_assert_not_null(fields);
	return fields;
}

static void expect_no_layout(struct hprof_names *names, uint64_t id)
{
	const struct hprof_named_class *of = hprof_names_class(names, id);
	const struct hprof_named_field *fields = NULL;
	size_t count = 77;

	cr_assert_not_null(of);
	cr_expect_not(hprof_names_layout(names, of, &fields, &count));
	cr_expect_null(fields);
	cr_expect_eq(count, 77);
}

Test(names, strings_and_classes)
{
	struct hprof_names *names = begin();
	const struct hprof_named_class *of;
	size_t size = 0;

	cr_expect_null(hprof_names_string(names, 1, NULL));
	cr_expect_null(hprof_names_class(names, 100));
	load(names, 100, 7, 1);
	of = hprof_names_class(names, 100);
	cr_assert_not_null(of);
	cr_expect_null(of->name, "the string is still to come");
	string(names, 1, "java/lang/Object");
	of = hprof_names_class(names, 100);
	cr_expect_str_eq(of->name, "java.lang.Object");
	cr_expect_eq(of->name_size, 16);
	cr_expect_eq(of->class_id, 100);
	cr_expect_eq(of->serial, 7);
	cr_expect_eq(of->number, 0);
	cr_expect_not(of->dumped);
	cr_expect_str_eq(hprof_names_string(names, 1, &size),
			 "java/lang/Object");
	cr_expect_eq(size, 16);
	cr_expect_eq(hprof_names_class_by_serial(names, 7), of);
	cr_expect_null(hprof_names_class_by_serial(names, 8));
	string(names, 0, "none");
	cr_expect_null(hprof_names_string(names, 0, NULL));
	hprof_names_free(names);
}

Test(names, ids_that_come_again)
{
	struct hprof_names *names = begin();
	struct hprof_record frame = { .tag = HPROF_FRAME, .id_size = 8 };
	const struct hprof_named_class *of;

	string(names, 1, "A");
	string(names, 1, "B");
	string(names, 2, "C");
	cr_expect_str_eq(hprof_names_string(names, 1, NULL), "A");
	load(names, 100, 7, 1);
	load(names, 100, 8, 2);
	of = hprof_names_class_by_serial(names, 8);
	cr_expect_str_eq(of->name, "A");
	cr_expect_eq(of->serial, 7);
	cr_expect_null(hprof_names_frame(names, 5));
	frame.u.frame.frame_id = 5;
	for (int32_t line = 1; line <= 2; line++) {
		frame.u.frame.line = line;
		learn(names, &frame);
	}
	cr_assert_not_null(hprof_names_frame(names, 5));
	cr_expect_eq(hprof_names_frame(names, 5)->line, 2);
	hprof_names_free(names);
}

Test(names, layouts)
{
	struct hprof_names *names = begin();
	const struct hprof_named_field *fields;

	string(names, 0x201, "next");
	string(names, 0x301, "size");
	dump(names, 3, 2, "\x02\x0a", 0x201);
	expect_no_layout(names, 3);
	expect_no_layout(names, 2);
	dump(names, 2, 1, "", 0);
	dump(names, 1, 0, "\x0b", 0x301);
	fields = layout(names, 3, 3);
	cr_expect_str_eq(fields[0].name, "next");
	cr_expect_eq(fields[0].name_size, 4);
	cr_expect_eq(fields[0].type, HPROF_TYPE_OBJECT);
	cr_expect_eq(fields[0].offset, 0);
	cr_expect_eq(fields[0].declared_by->class_id, 3);
	cr_expect_null(fields[1].name);
	cr_expect_eq(fields[1].name_id, 0x202);
	cr_expect_eq(fields[1].offset, 8);
	cr_expect_str_eq(fields[2].name, "size");
	cr_expect_eq(fields[2].offset, 12);
	cr_expect_eq(fields[2].declared_by->class_id, 1);
	cr_expect_eq(layout(names, 3, 3), fields, "kept");
	layout(names, 2, 1);

	dump(names, 1, 0, "", 0); /* again, and the last one counts */
	cr_expect_neq(layout(names, 3, 2), fields);
	cr_expect_str_eq(fields[2].name, "size", "the old one still is there");
	layout(names, 2, 0);
	hprof_names_free(names);
}

Test(names, rings)
{
	struct hprof_names *names = begin();

	dump(names, 1, 3, "\x0a", 1);
	dump(names, 2, 1, "\x0a", 1);
	dump(names, 3, 2, "", 0);
	dump(names, 4, 3, "", 0);
	dump(names, 5, 5, "\x02", 1);
	for (uint64_t id = 1; id <= 5; id++)
		expect_no_layout(names, id);
	dump(names, 3, 0, "", 0); /* that opens the ring */
	layout(names, 4, 0);
	layout(names, 2, 2);
	hprof_names_free(names);
}

/* In the square of so many classes it would not end. */
Test(names, endless_chain, .timeout = 120)
{
	enum { DEEP = 200000 };
	struct hprof_names *names = begin();
	const struct hprof_named_field *fields;
	size_t count, laid_out = 0, refused = 0;

	for (uint64_t id = DEEP; id > 1; id--) {
		dump(names, id, id - 1, "\x08", 1);
		expect_no_layout(names, id);
		expect_no_layout(names, DEEP);
	}
	dump(names, 1, 0, "\x08", 1);
	for (uint64_t id = DEEP; id > 0; id--) {
		const struct hprof_named_class *of =
			hprof_names_class(names, id);
		if (hprof_names_layout(names, of, &fields, &count))
			laid_out++;
		else
			refused++;
	}
	cr_expect_eq(laid_out + refused, DEEP);
	cr_expect_gt(laid_out, 0);
	cr_expect_gt(refused, DEEP / 2, "there is a limit for all together");
	hprof_names_free(names);
}

/* A class that is dumped over and over, with a question in between. */
Test(names, dumped_for_ever, .timeout = 60)
{
	enum { TIMES = 100000 };
	struct hprof_names *names = begin();
	const struct hprof_named_field *fields;
	const struct hprof_named_class *of;
	size_t count, changes = 0;
	uintptr_t before = 0;

	dump(names, 2, 1, "\x0a\x0a", 1);
	for (unsigned i = 0; i < TIMES; i++) {
		dump(names, 1, 0, i % 2 ? "\x0a" : "\x02", 1);
		of = hprof_names_class(names, 2);
		cr_assert(hprof_names_layout(names, of, &fields, &count));
		changes += (uintptr_t)fields != before;
		before = (uintptr_t)fields;
	}
	cr_expect_gt(changes, 1);
	cr_expect_lt(changes, 1000, "from then on the first one counts");
	cr_expect_eq(hprof_names_status(names), HPROF_OK);
	hprof_names_free(names);
}

Test(names, odd_texts)
{
	enum { HUGE = 8 << 20 };
	struct hprof_names *names = begin();
	char *text = malloc(HUGE);
	struct hprof_record record;
	size_t size = 0;

	cr_assert_not_null(text);
	memset(text, 'x', HUGE);
	record = utf8(1, text, HUGE);
	learn(names, &record);
	cr_assert_not_null(hprof_names_string(names, 1, &size));
	cr_expect_eq(size, HUGE);
	load(names, 100, 1, 1);
	cr_assert_not_null(hprof_names_class(names, 100)->name);
	cr_expect_leq(hprof_names_class(names, 100)->name_size, 65535);

	record = utf8(2, "", 0);
	learn(names, &record);
	cr_expect_str_eq(hprof_names_string(names, 2, &size), "");
	cr_expect_eq(size, 0);

	record = utf8(3, NULL, 1 << 30); /* not loaded */
	learn(names, &record);
	cr_expect_null(hprof_names_string(names, 3, NULL));
	record = utf8(3, "a\0b\xff", 4);
	learn(names, &record);
	cr_expect_str_eq(hprof_names_string(names, 3, &size), "a\xe2\x90\x80"
							      "b\xef\xbf\xbd");
	cr_expect_eq(size, 8);
	free(text);
	hprof_names_free(names);
}

/* A CLASS_DUMP with fewer fields than it says, and types that are none. */
Test(names, fields_that_are_cut)
{
	static const uint8_t bytes[9 + 4] = { [8] = HPROF_TYPE_LONG };
	const struct hprof_record record = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = 8,
		.u.class_dump = { .class_id = 1,
				  .field_count = 500,
				  .fields = { bytes, sizeof bytes } },
	};
	struct hprof_names *names = begin();

	learn(names, &record);
	cr_expect_eq(layout(names, 1, 1)->type, HPROF_TYPE_LONG);
	dump(names, 2, 0, "\x63\x0a", 1);
	layout(names, 2, 0); /* nobody knows where the second one begins */
	hprof_names_free(names);
}

/* The records of each fixture, however damaged; and questions about each. */
static enum hprof_status learn_all(struct hprof_names *names,
				   const struct fixture *f)
{
	struct hprof_input input = hprof_input_memory(f->bytes, f->size);
	const struct hprof_named_field *fields;
	const struct hprof_named_class *of;
	struct hprof_reader *reader = NULL;
	struct hprof_record record;
	enum hprof_status status =
		hprof_reader_open(&input, NULL, &reader, NULL);
	size_t count = 0;

	while (status == HPROF_OK) {
		status = hprof_reader_next(reader, &record);
		if (status == HPROF_OK)
			status = hprof_names_learn(names, &record);
		if (status != HPROF_OK || record.tag != HPROF_INSTANCE_DUMP)
			continue;
		of = hprof_names_class(names, record.u.instance_dump.class_id);
		for (bool known = of && hprof_names_layout(names, of, &fields,
							   &count);
		     known && count > 0; count--)
			cr_expect_not_null(fields[count - 1].declared_by);
	}
	hprof_reader_close(reader);
	return status;
}

Test(names, fixtures, .timeout = 120)
{
	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct hprof_names *names = begin();
		enum hprof_status status = learn_all(names, &f);

		cr_expect(status == HPROF_END || status < 0, "%s", *name);
		cr_expect_eq(hprof_names_status(names), HPROF_OK, "%s", *name);
		hprof_names_free(names);
		fixture_free(&f);
	}
}

Test(names, without_memory, .timeout = 120)
{
	struct fixture f = fixture_load("minimal");
	enum hprof_status status = HPROF_E_NOMEM;
	int64_t n = 0;

	for (; status == HPROF_E_NOMEM; n++) {
		struct hprof_names *names = NULL;

		hp_mem_fail_after(n);
		status = hprof_names_new(&names, NULL);
		if (status == HPROF_OK)
			status = learn_all(names, &f);
		if (status == HPROF_END && hprof_names_status(names) < 0)
			status = HPROF_E_NOMEM;
		hp_mem_fail_after(-1);
		hprof_names_free(names);
	}
	cr_expect_eq(status, HPROF_END);
	cr_expect_gt(n, 10);
	fixture_free(&f);
}

Test(names, arguments)
{
	struct hprof_error error = { 0 };
	struct hprof_record record = utf8(1, "x", 1);
	struct hprof_names *names = begin();

	cr_expect_eq(hprof_names_new(NULL, &error), HPROF_E_USAGE);
	cr_expect_str_eq(error.text, "argument ret_names: is NULL");
	cr_expect_eq(hprof_names_learn(NULL, &record), HPROF_E_USAGE);
	cr_expect_eq(hprof_names_learn(names, NULL), HPROF_E_USAGE);
	cr_expect_eq(hprof_names_status(NULL), HPROF_E_USAGE);
	cr_expect_null(hprof_names_string(NULL, 1, NULL));
	cr_expect_null(hprof_names_class(NULL, 1));
	cr_expect_null(hprof_names_class_by_serial(NULL, 1));
	cr_expect_null(hprof_names_frame(NULL, 1));
	cr_expect_not(hprof_names_layout(names, NULL, NULL, NULL));
	hprof_names_free(NULL);
	hprof_names_free(names);
}

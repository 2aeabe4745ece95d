/* SPDX-License-Identifier: MIT */
/*
 * test_copy_record.c - hprof_copy_record on dumps that end inside a long body:
 * what is there is saved, in a dump that is whole, or ends where the input does.
 */
#include "maker.h"
#include "writing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "../inputs.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const struct cut {
	uint16_t tag;
	uint32_t claimed; /* bytes of the body */
	uint32_t there;	  /* of these */
	uint32_t copied;  /* bytes of the body in the copy */
	bool long_gone;	  /* its head cannot be held back for so long */
} cuts[] = {
	/* Little is missing: it becomes zeros. */
	{ HPROF_PRIM_ARRAY_DUMP, 100000, 70000, 100000, false },
	{ HPROF_OBJ_ARRAY_DUMP, 2 * MIB, MIB, 2 * MIB, false },
	{ HPROF_PRIM_ARRAY_DUMP, 6 * MIB, 5 * MIB, 6 * MIB, false },
	/* Much is missing: the array becomes shorter, by whole elements. */
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 200 * KIB, 200 * KIB, false },
	{ HPROF_OBJ_ARRAY_DUMP, 8 * MIB, 200 * KIB + 3, 200 * KIB, false },
	{ HPROF_INSTANCE_DUMP, 8 * MIB, 70001, 70001, false },
	{ HPROF_UTF8, 8 * MIB, 200 * KIB, 200 * KIB, false },
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 0, 0, false },
	/* Much is there: what went down a pipe cannot be changed any more. */
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 3 * MIB, 3 * MIB, true },
	{ HPROF_OBJ_ARRAY_DUMP, 8 * MIB, 3 * MIB + 3, 3 * MIB, true },
	{ HPROF_INSTANCE_DUMP, 8 * MIB, 3 * MIB + 1, 3 * MIB + 1, true },
	{ HPROF_UTF8, 8 * MIB, 3 * MIB + 1, 3 * MIB + 1, true },
};

static struct hprof_bytes *body_of(struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_UTF8:
		return &r->u.utf8.text;
	case HPROF_INSTANCE_DUMP:
		return &r->u.instance_dump.data;
	case HPROF_OBJ_ARRAY_DUMP:
		return &r->u.obj_array_dump.elements;
	default:
		return &r->u.prim_array_dump.elements;
	}
}

/* A record with a body of SIZE bytes at BYTES. */
static void put_long(struct maker *m, uint16_t tag, const uint8_t *bytes,
		     uint32_t size)
{
	struct hprof_record r = { .tag = tag, .id_size = 8 };

	r.u.root.object_id = 0x2000; /* the first member of all of them */
	if (tag == HPROF_INSTANCE_DUMP)
		r.u.instance_dump.data_size = size;
	if (tag == HPROF_OBJ_ARRAY_DUMP)
		r.u.obj_array_dump.count = size / 8;
	if (tag == HPROF_PRIM_ARRAY_DUMP) {
		r.u.prim_array_dump.count = size;
		r.u.prim_array_dump.type = HPROF_TYPE_BYTE;
	}
	*body_of(&r) = (struct hprof_bytes){ bytes, size };
	maker_put(m, &r);
}

/* A dump that ends inside the body; an Android heap makes heads longer. */
static struct maker cut_dump(const struct cut *cut)
{
	struct hprof_record info = { .tag = HPROF_HEAP_DUMP_INFO,
				     .u.heap_dump_info = { 'A', 1 } };
	struct maker m = maker_begin(8);
	uint8_t *bytes = malloc(cut->claimed);

	cr_assert_not_null(bytes);
	memset(bytes, 'x', cut->claimed);
	if (cut->tag >= HPROF_SUB) {
		maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		maker_prims(&m, 0x1000, HPROF_TYPE_LONG, 3);
		maker_put(&m, &info);
	}
	put_long(&m, cut->tag, bytes, cut->claimed);
	maker_heap_end(&m);
	m.out.size -= cut->claimed - cut->there;
	free(bytes);
	return m;
}

/* ---- reading the copy ---------------------------------------------------- */

/* Of the body, how many bytes are 'x', and how many 0. */
struct body {
	uint64_t size, there, zeros;
	enum hprof_status status; /* HPROF_E_TRUNCATED if the copy ends in it */
};

static void count_bytes(struct body *body, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		body->there += p[i] == 'x';
		body->zeros += p[i] == 0;
	}
}

static struct body read_body(struct hprof_reader *reader,
			     struct hprof_record *r)
{
	static uint8_t piece[64 * KIB];
	const struct hprof_bytes *bytes = body_of(r);
	struct body body = { .size = bytes->size };
	size_t n = 1;

	if (bytes->data)
		count_bytes(&body, bytes->data, (size_t)bytes->size);
	while (!bytes->data && bytes->size && n > 0) {
		body.status =
			hprof_reader_body(reader, piece, sizeof piece, &n);
		if (body.status != HPROF_OK)
			break;
		count_bytes(&body, piece, n);
	}
	return body;
}

/* The copy ends in its last record if ENDS, as the dump does. */
static void expect_body(const struct body *body, const struct cut *cut,
			bool ends)
{
	uint64_t there = cut->copied < cut->there ? cut->copied : cut->there;

	if (ends) {
		cr_expect_eq(body->size, cut->claimed);
		cr_expect_eq(body->status, HPROF_E_TRUNCATED);
		cr_expect_eq(body->there, cut->there);
		cr_expect_eq(body->zeros, 0);
		return;
	}
	cr_expect_eq(body->size, cut->copied, "%x: %zu, not %u", cut->tag,
		     (size_t)body->size, cut->copied);
	cr_expect_eq(body->status, HPROF_OK);
	cr_expect_eq(body->there, there);
	cr_expect_eq(body->zeros, cut->copied - there);
}

static void expect_copy(const struct buffer *copy, const struct cut *cut,
			bool ends)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	struct hprof_reader_info info;
	struct body body = { 0 };
	bool found = false, other = cut->tag < HPROF_SUB;

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(copy->bytes, copy->size),
				       NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag == cut->tag && r.u.root.object_id == 0x2000) {
			found = true;
			body = read_body(reader, &r);
		}
		other = other || (r.tag == HPROF_PRIM_ARRAY_DUMP &&
				  r.u.prim_array_dump.object_id == 0x1000);
	}
	hprof_reader_get_info(reader, &info);
	cr_expect(found);
	cr_expect(other);
	expect_body(&body, cut, ends);
	/* Where a record before the heap was cut, there is none. */
	bool damaged = ends || cut->tag < HPROF_SUB;
	cr_expect_eq(info.errors, damaged);
	cr_expect_eq(info.truncated, damaged);
	cr_expect_eq(info.complete, !damaged);
	hprof_reader_close(reader);
	/* Nothing is made up but the end of a small body. */
	cr_expect_leq(copy->size, cut->there + MIB + 200);
}

/* ---- copying ------------------------------------------------------------- */

struct stream {
	const struct buffer *from;
	size_t at;
};

static int64_t read_stream(void *user, void *buffer, size_t room)
{
	struct stream *s = user;
	size_t n = s->from->size - s->at;

	if (n > room)
		n = room;
	memcpy(buffer, s->from->bytes + s->at, n);
	s->at += n;
	return (int64_t)n;
}

static struct hprof_reader *open_dump(struct stream *s, bool pipe)
{
	struct hprof_reader *reader;

	if (pipe)
		cr_assert_eq(hprof_reader_open(INPUT_CALLBACK(read_stream, s),
					       NULL, &reader, NULL),
			     HPROF_OK);
	else
		cr_assert_eq(hprof_reader_open(INPUT_MEMORY(s->from->bytes,
							    s->from->size),
					       NULL, &reader, NULL),
			     HPROF_OK);
	return reader;
}

static struct hprof_writer *open_copy(struct buffer *copy, bool named)
{
	struct hprof_writer *writer;

	cr_assert_eq(named ? hprof_writer_create("copy", NULL, &writer, NULL)
			   : hprof_writer_open_callback(buffer_add, copy, NULL,
							&writer, NULL),
		     HPROF_OK);
	return writer;
}

static struct buffer copy_cut(const struct cut *cut, bool pipe, bool named)
{
	struct maker m = cut_dump(cut);
	struct stream s = { &m.out, 0 };
	struct hprof_reader *reader = open_dump(&s, pipe);
	struct buffer copy = { 0 };
	struct hprof_writer *writer = open_copy(&copy, named);
	struct hprof_reader_info info;

	cr_assert_eq(copy_records(reader, writer), HPROF_OK, "%s",
		     hprof_writer_error(writer)->text);
	cr_assert_eq(hprof_writer_finish(writer), HPROF_OK, "%s",
		     hprof_writer_error(writer)->text);
	if (named)
		copy = read_file("copy");
	cr_expect_eq(hprof_writer_size(writer), copy.size);
	hprof_reader_get_info(reader, &info);
	cr_expect(info.truncated);
	cr_expect_eq(info.errors, 1);
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	buffer_free(&m.out);
	return copy;
}

Test(copy_record, cut_bodies)
{
	enter_directory();
	for (size_t i = 0; i < 4 * sizeof cuts / sizeof *cuts; i++) {
		const struct cut *cut = &cuts[i / 4];
		bool pipe = i & 1, named = i & 2;
		struct buffer copy = copy_cut(cut, pipe, named);

		expect_copy(&copy, cut, cut->long_gone && pipe && !named);
		buffer_free(&copy);
	}
}

/* After a body of 3 of 8 MiB that was put, and cut. */
static struct hprof_writer *cut_in(struct buffer *copy, bool named)
{
	struct hprof_writer *writer = open_copy(copy, named);
	struct hprof_record array = byte_array(0x2000, NULL, 8 * MIB);
	uint8_t *bytes = calloc(3, MIB);

	cr_assert_not_null(bytes);
	cr_assert_eq(hprof_writer_header(writer, &small_header), HPROF_OK);
	cr_assert_eq(hprof_writer_put(writer, &array), HPROF_OK);
	cr_assert_eq(hprof_writer_body(writer, bytes, 3 * MIB), HPROF_OK);
	cr_assert_eq(hprof_writer_body_cut(writer), HPROF_OK);
	free(bytes);
	return writer;
}

/* More can follow a record that was corrected. */
Test(copy_record, behind_a_cut_in_a_file)
{
	struct buffer copy;
	struct hprof_record r = byte_array(0x3000, (const uint8_t *)"abc", 3);
	struct hprof_reader_info info;

	enter_directory();
	struct hprof_writer *writer = cut_in(NULL, true);
	cr_expect_eq(hprof_writer_put(writer, &r), HPROF_OK);
	cr_expect_eq(hprof_writer_finish(writer), HPROF_OK);
	hprof_writer_free(writer);
	copy = read_file("copy");
	/* Header, two segments with an array of 14 bytes and more each, END. */
	cr_expect_eq(copy.size, 31 + 2 * (9 + 14) + 3 * MIB + 3 + 9);
	struct buffer again = { 0 };
	cr_expect_eq(
		copy_dump(copy.bytes, copy.size, NULL, false, &again, &info),
		HPROF_OK);
	cr_expect_eq(info.errors, 0);
	cr_expect(info.complete);
	cr_expect(same(&copy, &again));
	buffer_free(&again);
	buffer_free(&copy);
}

/* Nothing can where the output ends. */
Test(copy_record, behind_a_cut_in_a_pipe)
{
	struct buffer copy = { 0 };
	struct hprof_record r = byte_array(0x3000, (const uint8_t *)"abc", 3);
	struct hprof_writer *writer = cut_in(&copy, false);

	cr_expect_eq(hprof_writer_body(writer, "x", 1), HPROF_E_USAGE);
	cr_expect_eq(hprof_writer_put(writer, &r), HPROF_E_USAGE);
	cr_expect_eq(hprof_writer_finish(writer), HPROF_OK);
	cr_expect_eq(copy.size, 31 + 9 + 14 + 3 * MIB);
	hprof_writer_free(writer);
	buffer_free(&copy);
}

/* Each call reports the end of the input; it is not a failure. */
Test(copy_record, truncated_body)
{
	struct maker m = cut_dump(&cuts[0]);
	struct hprof_reader *reader;
	struct hprof_record r;
	uint8_t piece[70000];
	size_t size, all = 0;

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(m.out.bytes, m.out.size),
				       NULL, &reader, NULL),
		     HPROF_OK);
	do
		cr_assert_eq(hprof_reader_next(reader, &r), HPROF_OK);
	while (r.u.root.object_id != 0x2000);
	while (all < cuts[0].there) {
		cr_assert_eq(
			hprof_reader_body(reader, piece, sizeof piece, &size),
			HPROF_OK);
		cr_assert_gt(size, 0);
		all += size;
	}
	cr_expect_eq(hprof_reader_body(reader, piece, 0, &size), HPROF_OK);
	cr_expect_eq(size, 0);
	for (unsigned i = 0; i < 2; i++) {
		size = 77;
		cr_expect_eq(hprof_reader_body(reader, piece, 1, &size),
			     HPROF_E_TRUNCATED);
		cr_expect_eq(size, 77);
		cr_expect_eq(hprof_reader_error(reader)->status,
			     HPROF_E_TRUNCATED);
	}
	cr_expect_eq(hprof_reader_next(reader, &r), HPROF_END);
	hprof_reader_close(reader);
	buffer_free(&m.out);
}

/* An exact copy cannot replace what is missing. */
Test(copy_record, exact_is_refused)
{
	struct maker m = cut_dump(&cuts[0]);
	struct buffer copy = { 0 };
	struct hprof_writer_options o = { .size = sizeof o, .exact = true };
	struct stream s = { &m.out, 0 };
	struct hprof_reader *reader = open_dump(&s, false);
	struct hprof_writer *writer;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &copy, &o, &writer,
						NULL),
		     HPROF_OK);
	cr_expect_eq(copy_records(reader, writer), HPROF_OK);
	cr_expect_eq(hprof_writer_body_cut(writer), HPROF_E_USAGE);
	cr_expect_eq(hprof_writer_finish(writer), HPROF_E_USAGE);
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	buffer_free(&copy);
	buffer_free(&m.out);
}

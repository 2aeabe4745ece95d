/* SPDX-License-Identifier: MIT */
/*
 * test_copy_record.c - hprof_copy_record on dumps that end inside a long body:
 * what is there is saved, in a dump that is whole.
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
	uint32_t claimed;    /* bytes of the body */
	uint32_t there;	     /* of these */
	uint32_t file, pipe; /* bytes of the body in the copy */
} cuts[] = {
	/* Little is missing: it becomes zeros. */
	{ HPROF_PRIM_ARRAY_DUMP, 100000, 70000, 100000, 100000 },
	{ HPROF_OBJ_ARRAY_DUMP, 2 * MIB, MIB, 2 * MIB, 2 * MIB },
	/* Much is missing: the array becomes shorter, by whole elements. */
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 200 * KIB, 200 * KIB, 200 * KIB },
	{ HPROF_OBJ_ARRAY_DUMP, 8 * MIB, 200 * KIB + 3, 200 * KIB, 200 * KIB },
	{ HPROF_INSTANCE_DUMP, 8 * MIB, 70001, 70001, 70001 },
	{ HPROF_UTF8, 8 * MIB, 200 * KIB, 200 * KIB, 200 * KIB },
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 0, 0, 0 },
	/* Much is there: what went down a pipe cannot be changed any more. */
	{ HPROF_PRIM_ARRAY_DUMP, 8 * MIB, 3 * MIB, 3 * MIB, 8 * MIB },
	{ HPROF_OBJ_ARRAY_DUMP, 8 * MIB, 3 * MIB, 3 * MIB, 8 * MIB },
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

/* The body is LEFT bytes, of which the first THERE are 'x', the others 0. */
static void expect_body(struct hprof_reader *reader, struct hprof_record *r,
			const struct cut *cut, uint32_t left)
{
	static uint8_t piece[64 * KIB];
	const struct hprof_bytes *body = body_of(r);
	const uint8_t *p = body->data;
	size_t n = p ? (size_t)body->size : 0, there = 0, zeros = 0;

	cr_assert_eq(body->size, left, "%x: %zu, not %u", r->tag,
		     (size_t)body->size, left);
	for (;;) {
		for (size_t i = 0; i < n; i++) {
			there += p[i] == 'x';
			zeros += p[i] == 0;
		}
		if (body->data || left == 0)
			break;
		p = piece;
		cr_assert_eq(hprof_reader_body(reader, piece, sizeof piece, &n),
			     HPROF_OK);
		if (n == 0)
			break;
	}
	cr_expect_eq(there, left < cut->there ? left : cut->there);
	cr_expect_eq(zeros, left - there);
}

static void expect_copy(const struct buffer *copy, const struct cut *cut,
			uint32_t left)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	struct hprof_reader_info info;
	bool found = false, other = cut->tag < HPROF_SUB;

	cr_assert_eq(hprof_reader_open(INPUT_MEMORY(copy->bytes, copy->size),
				       NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag == cut->tag && r.u.root.object_id == 0x2000) {
			found = true;
			expect_body(reader, &r, cut, left);
		}
		other = other || (r.tag == HPROF_PRIM_ARRAY_DUMP &&
				  r.u.prim_array_dump.object_id == 0x1000);
	}
	hprof_reader_get_info(reader, &info);
	cr_expect(found);
	cr_expect(other);
	/* Where a record before the heap was cut, there is none. */
	cr_expect_eq(info.errors, cut->tag < HPROF_SUB);
	cr_expect_eq(info.truncated, cut->tag < HPROF_SUB);
	cr_expect(info.complete || cut->tag < HPROF_SUB);
	hprof_reader_close(reader);
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

static struct buffer copy_cut(const struct cut *cut, bool pipe)
{
	struct maker m = cut_dump(cut);
	struct stream s = { &m.out, 0 };
	struct hprof_reader *reader = open_dump(&s, pipe);
	struct hprof_writer *writer;
	struct hprof_reader_info info;
	struct buffer copy = { 0 };

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &copy, NULL,
						&writer, NULL),
		     HPROF_OK);
	cr_assert_eq(copy_records(reader, writer), HPROF_OK, "%s",
		     hprof_writer_error(writer)->text);
	cr_assert_eq(hprof_writer_finish(writer), HPROF_OK, "%s",
		     hprof_writer_error(writer)->text);
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
	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
		const struct cut *cut = &cuts[i];
		struct buffer file = copy_cut(cut, false);
		struct buffer pipe = copy_cut(cut, true);

		expect_copy(&file, cut, cut->file);
		expect_copy(&pipe, cut, cut->pipe);
		buffer_free(&file);
		buffer_free(&pipe);
	}
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

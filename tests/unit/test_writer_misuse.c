/* SPDX-License-Identifier: MIT */
/*
 * test_writer_misuse.c - the writer refuses everything that is wrong.
 *
 * A script of calls that are all right. Each misuse is tried in front of
 * some of its steps; it must be refused, and the result must be that of the
 * script alone.
 */
#include "writing.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- the script ---------------------------------------------------------- */

enum step {
	HEADER,
	STRING,
	SEGMENT,
	INSTANCE,
	ARRAY,
	BODY,
	BODY_REST,
	ROOT,
	END,
	STRING_BEHIND,
	RAW,
	FINISH,
	FINISHED
};

enum mode { OWN = 1, EXACT = 2, BOTH = 3 };

enum { ARRAY_SIZE = 100000, SEGMENT_SIZE = 17 + 8 + 14 + ARRAY_SIZE + 5 };

static const uint8_t zeros[SEGMENT_SIZE];

static enum hprof_status put(struct hprof_writer *w, struct hprof_record r)
{
	if (r.id_size == 0)
		r.id_size = 4;
	return hprof_writer_put(w, &r);
}

#define BYTES(text) { (const uint8_t *)(text), sizeof(text) - 1 }

static const struct hprof_record string = { .tag = HPROF_UTF8,
					    .u.utf8 = { 1, BYTES("text") } };
static const struct hprof_record root = { .tag = HPROF_ROOT_STICKY_CLASS,
					  .u.root.object_id = 1 };
static const struct hprof_record instance = {
	.tag = HPROF_INSTANCE_DUMP,
	.u.instance_dump = { 1, 1, 1, 8, BYTES("12345678") }
};

static enum hprof_status take_step(struct hprof_writer *w, enum step step,
				   enum mode mode)
{
	static const struct hprof_header header = { "JAVA PROFILE 1.0.2", 4,
						    0 };

	switch (step) {
	case HEADER:
		return hprof_writer_header(w, &header);
	case STRING:
	case STRING_BEHIND:
		return put(w, string);
	case SEGMENT:
		return put(w,
			   heap_record(HPROF_HEAP_DUMP_SEGMENT, SEGMENT_SIZE));
	case INSTANCE:
		return put(w, instance);
	case ARRAY:
		return put(w, byte_array(2, NULL, ARRAY_SIZE));
	case BODY:
		return hprof_writer_body(w, zeros, ARRAY_SIZE / 4);
	case BODY_REST:
		return hprof_writer_body(w, zeros, ARRAY_SIZE - ARRAY_SIZE / 4);
	case ROOT:
		return put(w, root);
	case END:
		return put(w,
			   (struct hprof_record){ .tag = HPROF_HEAP_DUMP_END });
	case RAW:
		return mode == EXACT ? hprof_writer_raw(w, "\0\0stray", 7)
				     : HPROF_OK;
	case FINISH:
		return hprof_writer_finish(w);
	case FINISHED:
		break;
	}
	return HPROF_OK;
}

/* ---- misuses ------------------------------------------------------------- */

static enum hprof_status put_string(struct hprof_writer *w)
{
	return put(w, string);
}

static enum hprof_status put_root(struct hprof_writer *w)
{
	return put(w, root);
}

static enum hprof_status put_nothing(struct hprof_writer *w)
{
	return hprof_writer_put(w, NULL);
}

static enum hprof_status put_segment(struct hprof_writer *w)
{
	return put(w, heap_record(HPROF_HEAP_DUMP_SEGMENT, 5));
}

static enum hprof_status put_long_segment(struct hprof_writer *w)
{
	return put(w, heap_record(HPROF_HEAP_DUMP_SEGMENT,
				  (uint64_t)UINT32_MAX + 1));
}

static enum hprof_status body_one(struct hprof_writer *w)
{
	return hprof_writer_body(w, zeros, 1);
}

static enum hprof_status body_too_long(struct hprof_writer *w)
{
	return hprof_writer_body(w, zeros, ARRAY_SIZE + 1);
}

static enum hprof_status body_null(struct hprof_writer *w)
{
	return hprof_writer_body(w, NULL, 1);
}

static enum hprof_status raw(struct hprof_writer *w)
{
	return hprof_writer_raw(w, "x", 1);
}

static enum hprof_status raw_null(struct hprof_writer *w)
{
	return hprof_writer_raw(w, NULL, 1);
}

static enum hprof_status header(struct hprof_writer *w)
{
	return take_step(w, HEADER, BOTH);
}

static enum hprof_status header_null(struct hprof_writer *w)
{
	return hprof_writer_header(w, NULL);
}

static enum hprof_status header_ids(struct hprof_writer *w)
{
	static const uint32_t bad[] = { 0, 1, 2, 3, 5, 7, 9, 16, UINT32_MAX };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct hprof_header h = { "JAVA PROFILE 1.0.2", bad[i], 0 };
		if (hprof_writer_header(w, &h) != HPROF_E_USAGE)
			return HPROF_OK;
	}
	return HPROF_E_USAGE;
}

static enum hprof_status header_texts(struct hprof_writer *w)
{
	static const char *const bad[] = { "", "java profile 1.0.2",
					   "JAVA PROFILE\n1.0.2",
					   "JAVA PROFILE 1\x80" };

	for (size_t i = 0; i < 4; i++) {
		struct hprof_header h = { .id_size = 4 };
		strncpy(h.version, bad[i], sizeof h.version - 1);
		if (hprof_writer_header(w, &h) != HPROF_E_USAGE)
			return HPROF_OK;
	}
	struct hprof_header no_end = { .id_size = 4 };
	memset(no_end.version, '1', sizeof no_end.version);
	memcpy(no_end.version, "JAVA PROFILE ", 13);
	return hprof_writer_header(w, &no_end);
}

static enum hprof_status unknown_subs(struct hprof_writer *w)
{
	static const uint16_t bad[] = { 0x100, 0x109,	   0x124,
					0x1c4, HPROF_UNIT, HPROF_STRAY,
					0x2ff, UINT16_MAX };

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (put(w, (struct hprof_record){ .tag = bad[i] }) !=
		    HPROF_E_USAGE)
			return HPROF_OK;
	return HPROF_E_USAGE;
}

/* Each of RECORDS must be refused. */
static enum hprof_status all_refused(struct hprof_writer *w,
				     const struct hprof_record *records,
				     size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (put(w, records[i]) != HPROF_E_USAGE) {
			cr_log_error("number %zu was taken", i);
			return HPROF_OK;
		}
	return HPROF_E_USAGE;
}

#define ALL_REFUSED(w, records)                                                \
	all_refused(w, records, sizeof(records) / sizeof((records)[0]))

static const uint64_t wide = (uint64_t)1 << 32;

static enum hprof_status bad_records(struct hprof_writer *w)
{
	const struct hprof_record bad[] = {
		/* Ids that do not fit, or of another width. */
		{ .tag = HPROF_UTF8, .u.utf8 = { wide, BYTES("x") } },
		{ .tag = HPROF_LOAD_CLASS, .u.load_class = { 1, wide, 1, 1 } },
		{ .tag = HPROF_FRAME, .u.frame = { 1, 2, 3, wide, 1, 1 } },
		{ .tag = HPROF_TRACE,
		  .id_size = 8,
		  .u.trace = { 1, 1, 2, BYTES("12345678") } },
		/* Counts that disagree. */
		{ .tag = HPROF_TRACE, .u.trace = { 1, 1, 1, BYTES("123") } },
		{ .tag = HPROF_TRACE, .u.trace = { 1, 1, 2, BYTES("1234") } },
		{ .tag = HPROF_TRACE, .u.trace = { 1, 1, 1, { NULL, 0 } } },
		{ .tag = HPROF_TRACE, .u.trace = { 1, 1, 0, BYTES("1234") } },
		{ .tag = HPROF_CPU_SAMPLES,
		  .u.cpu_samples = { 1, 1, BYTES("1234567") } },
		{ .tag = HPROF_ALLOC_SITES,
		  .u.alloc_sites = { .site_count = 1, .sites = BYTES("1") } },
		/* Too long for a length. */
		{ .tag = HPROF_UTF8, .u.utf8 = { 1, { NULL, wide } } },
		{ .tag = HPROF_UTF8, .u.utf8 = { 1, { NULL, wide - 4 } } },
		{ .tag = 0x99, .u.unknown.body = { NULL, wide } },
		{ .tag = HPROF_TRACE,
		  .u.trace = { 1, 1, 0x40000000, { NULL, wide } } },
		{ .tag = HPROF_END_THREAD, .rest = { zeros, wide } },
		/* Bytes behind the fields, which are not there. */
		{ .tag = HPROF_END_THREAD, .rest = { NULL, 1 } },
		{ .tag = HPROF_UTF8,
		  .rest = BYTES("x"),
		  .u.utf8 = { 1, { NULL, 3 } } },
	};

	return ALL_REFUSED(w, bad);
}

static enum hprof_status bad_subs(struct hprof_writer *w)
{
	const struct hprof_record bad[] = {
		{ .tag = HPROF_ROOT_STICKY_CLASS, .u.root.object_id = wide },
		{ .tag = HPROF_ROOT_JNI_GLOBAL,
		  .u.root = { .object_id = 1, .ref_id = wide } },
		{ .tag = HPROF_INSTANCE_DUMP,
		  .u.instance_dump = { 1, 1, wide, 1, BYTES("x") } },
		{ .tag = HPROF_INSTANCE_DUMP,
		  .u.instance_dump = { 1, 1, 1, 2, BYTES("x") } },
		{ .tag = HPROF_INSTANCE_DUMP,
		  .u.instance_dump = { 1, 1, 1, 0, BYTES("x") } },
		{ .tag = HPROF_OBJ_ARRAY_DUMP,
		  .u.obj_array_dump = { 1, 1, 2, 1, BYTES("1234") } },
		{ .tag = HPROF_OBJ_ARRAY_DUMP,
		  .id_size = 8,
		  .u.obj_array_dump = { 1, 1, 1, 1, BYTES("1234") } },
		{ .tag = HPROF_PRIM_ARRAY_DUMP,
		  .u.prim_array_dump = { 1, 1, 1, HPROF_TYPE_INT,
					 BYTES("123") } },
		{ .tag = HPROF_PRIM_ARRAY_DUMP,
		  .u.prim_array_dump = { 1, 1, 1, 12, BYTES("1") } },
		{ .tag = HPROF_PRIM_ARRAY_DUMP,
		  .u.prim_array_dump = { 1, 1, 0, 0, { NULL, 0 } } },
		{ .tag = HPROF_PRIM_ARRAY_NODATA_DUMP,
		  .u.prim_array_dump = { 1, 1, 1, 1, { NULL, 0 } } },
		{ .tag = HPROF_HEAP_DUMP_INFO,
		  .u.heap_dump_info = { 1, wide } },
		/* Nothing can stand behind a sub-record. */
		{ .tag = HPROF_ROOT_STICKY_CLASS,
		  .rest = BYTES("x"),
		  .u.root.object_id = 1 },
		/* 5 GiB. */
		{ .tag = HPROF_PRIM_ARRAY_DUMP,
		  .u.prim_array_dump = { 1,
					 1,
					 0x28000000,
					 HPROF_TYPE_LONG,
					 { NULL, (uint64_t)5 << 30 } } },
	};

	return ALL_REFUSED(w, bad);
}

static struct hprof_record class_dump(uint16_t statics, struct hprof_bytes list)
{
	return (struct hprof_record){ .tag = HPROF_CLASS_DUMP,
				      .u.class_dump = { .class_id = 1,
							.static_count = statics,
							.statics = list } };
}

/* Some are long and would get a segment of their own. */
static enum hprof_status bad_classes(struct hprof_writer *w)
{
	static uint8_t many[600000];
	const struct hprof_bytes long_list = { many, sizeof many };
	const struct hprof_bytes one = BYTES("1234\x0a"
					     "5678");
	const struct hprof_bytes bad_type = BYTES("1234\x0c"
						  "5678");
	const struct hprof_record bad[] = {
		class_dump(0, one),
		class_dump(2, one),
		class_dump(1, bad_type),
		class_dump(1, (struct hprof_bytes){ NULL, 0 }),
		class_dump(1, (struct hprof_bytes){ NULL, one.size }),
		class_dump(1, (struct hprof_bytes){ one.data, one.size - 1 }),
		class_dump(1, (struct hprof_bytes){ NULL, wide }),
		class_dump(1, long_list),
		class_dump(UINT16_MAX, long_list),
		class_dump(1, (struct hprof_bytes){ NULL, sizeof many }),
	};
	struct hprof_record other = class_dump(1, one);

	other.id_size = 8;
	return put(w, other) == HPROF_E_USAGE ? ALL_REFUSED(w, bad) : HPROF_OK;
}

static enum hprof_status put_too_long(struct hprof_writer *w)
{
	return put(w, byte_array(2, zeros, SEGMENT_SIZE));
}

static const struct misuse {
	const char *name;
	enum mode modes;
	enum step from, to; /* in front of these */
	enum hprof_status (*call)(struct hprof_writer *w);
} misuses[] = {
	{ "a record before the header", BOTH, HEADER, HEADER, put_string },
	{ "a segment before the header", BOTH, HEADER, HEADER, put_segment },
	{ "a sub-record before the header", BOTH, HEADER, HEADER, put_root },
	{ "raw before the header", BOTH, HEADER, HEADER, raw },
	{ "finish before the header", BOTH, HEADER, HEADER,
	  hprof_writer_finish },
	{ "a header without header", BOTH, HEADER, FINISHED, header_null },
	{ "a header with other ids", BOTH, HEADER, HEADER, header_ids },
	{ "a header with another text", BOTH, HEADER, HEADER, header_texts },
	{ "a second header", BOTH, STRING, FINISHED, header },
	{ "no record", BOTH, HEADER, FINISHED, put_nothing },
	{ "unknown sub-records", BOTH, HEADER, FINISHED, unknown_subs },
	{ "records that are wrong", BOTH, HEADER, FINISHED, bad_records },
	{ "sub-records that are wrong", BOTH, HEADER, FINISHED, bad_subs },
	{ "classes that are wrong", BOTH, HEADER, FINISHED, bad_classes },
	{ "a sub-record outside", EXACT, STRING, SEGMENT, put_root },
	{ "a sub-record behind the segment", BOTH, STRING_BEHIND, FINISHED,
	  put_root },
	{ "a sub-record that crosses the end", EXACT, INSTANCE, ROOT,
	  put_too_long },
	{ "a sub-record in a full segment", EXACT, END, END, put_root },
	{ "a record inside a segment", EXACT, INSTANCE, ROOT, put_string },
	{ "a segment inside a segment", EXACT, INSTANCE, ROOT, put_segment },
	{ "a segment of 4 GiB", EXACT, HEADER, FINISHED, put_long_segment },
	{ "raw inside a segment", EXACT, INSTANCE, ROOT, raw },
	{ "finish inside a segment", EXACT, INSTANCE, ROOT,
	  hprof_writer_finish },
	{ "a record before the body", BOTH, BODY, BODY_REST, put_string },
	{ "a sub-record before the body", BOTH, BODY, BODY_REST, put_root },
	{ "a segment before the body", BOTH, BODY, BODY_REST, put_segment },
	{ "raw before the body", BOTH, BODY, BODY_REST, raw },
	{ "finish before the body", BOTH, BODY, BODY_REST,
	  hprof_writer_finish },
	{ "too long a body", BOTH, HEADER, FINISHED, body_too_long },
	{ "a body where none is wanted", BOTH, HEADER, ARRAY, body_one },
	{ "a body where none is wanted", BOTH, ROOT, FINISHED, body_one },
	{ "a cut body where none is wanted", BOTH, HEADER, ARRAY,
	  hprof_writer_body_cut },
	{ "a cut body where none is wanted", BOTH, ROOT, FINISHED,
	  hprof_writer_body_cut },
	{ "a cut body in an exact copy", EXACT, BODY, BODY_REST,
	  hprof_writer_body_cut },
	{ "no bytes for the body", BOTH, HEADER, FINISHED, body_null },
	{ "raw among own segments", OWN, HEADER, FINISHED, raw },
	{ "raw without bytes", BOTH, HEADER, FINISHED, raw_null },
	{ "a record behind raw", EXACT, FINISH, FINISHED, put_string },
	{ "a segment behind raw", EXACT, FINISH, FINISHED, put_segment },
	{ "a record when finished", BOTH, FINISHED, FINISHED, put_string },
	{ "a segment when finished", BOTH, FINISHED, FINISHED, put_segment },
	{ "raw when finished", BOTH, FINISHED, FINISHED, raw },
	{ "finish when finished", BOTH, FINISHED, FINISHED,
	  hprof_writer_finish },
};

/* ---- the trial ----------------------------------------------------------- */

/* The misuse must be refused and leave no trace. */
static void try_misuse(struct hprof_writer *w, const struct misuse *misuse,
		       enum step step, enum mode mode)
{
	uint64_t size = hprof_writer_size(w);
	const struct hprof_error *error = hprof_writer_error(w);

	cr_assert_eq(misuse->call(w), HPROF_E_USAGE,
		     "%s was not refused before step %d, mode %d", misuse->name,
		     step, mode);
	cr_assert_eq(hprof_writer_size(w), size, "%s", misuse->name);
	cr_assert_eq(error->status, HPROF_E_USAGE);
	cr_assert_neq(error->text[0], '\0');
}

/* Runs the script, with MISUSE (may be NULL) in front of step AT. */
static struct buffer run_script(enum mode mode, const struct misuse *misuse,
				enum step at)
{
	struct hprof_writer_options o = { .size = sizeof o,
					  .exact = mode == EXACT };
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &out, &o, &w, NULL),
		     HPROF_OK);
	for (enum step step = HEADER; step <= FINISHED; step++) {
		if (misuse && step == at)
			try_misuse(w, misuse, step, mode);
		cr_assert_eq(take_step(w, step, mode), HPROF_OK,
			     "step %d, mode %d, after %s: %s", step, mode,
			     misuse ? misuse->name : "nothing",
			     hprof_writer_error(w)->text);
	}
	cr_assert_eq(hprof_writer_size(w), out.size);
	hprof_writer_free(w);
	return out;
}

static unsigned run_misuses(enum mode mode)
{
	struct buffer right = run_script(mode, NULL, HEADER);
	unsigned count = 0;

	for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
		const struct misuse *m = &misuses[i];
		for (enum step at = m->from; at <= m->to && m->modes & mode;
		     at++) {
			struct buffer got = run_script(mode, m, at);
			cr_expect(same(&right, &got), "%s, before step %d",
				  m->name, at);
			buffer_free(&got);
			count++;
		}
	}
	buffer_free(&right);
	return count;
}

Test(writer_misuse, exact)
{
	cr_assert_gt(run_misuses(EXACT), 150u);
}

Test(writer_misuse, own)
{
	cr_assert_gt(run_misuses(OWN), 120u);
}

/* SPDX-License-Identifier: MIT */
/*
 * test_stacks.c - threads and stacks of a JVM that is made up: what the
 * records say, what heap callbacks may ask, threads that end meanwhile, a JVM
 * that answers nothing, memory that runs out.
 */
#include <criterion/criterion.h>
#include <hprof.h>
#include <stdio.h>
#include <string.h>

#include "agent/dump/object_ids.h"
#include "agent/common/string_table.h"
#include "agent/dump/threads.h"
#include "fake_threads.h"
#include "maker.h"
#include "base/mem.h"
#include "../inputs.h"
#include "writing.h"

static struct ag_names *names;
static struct ag_ids given;

static void make_jvm(void)
{
	fake_threads_reset();
	given = (struct ag_ids){ .next = 100, .unit = 1 };
	names = ag_names_new(0);
	cr_assert_not_null(names);
}

/* All memory of JVMTI was deallocated, whatever happened. */
static void end_jvm(struct ag_stacks *stacks)
{
	ag_stacks_free(stacks);
	ag_names_free(names);
	cr_assert_eq(fake_threads.blocks, 0);
	cr_assert_eq(fake_threads.frames, 0);
}

static struct ag_stacks *collect(void)
{
	const char *why = NULL;
	struct ag_stacks *s = ag_stacks_collect(
		&fake_threads.jvmti, &fake_threads.jni, names, &given, &why);

	cr_assert(s || why);
	return s;
}

static struct buffer write_all(const struct ag_stacks *s, unsigned id_size)
{
	struct hprof_header header = { .version = "JAVA PROFILE 1.0.2",
				       .id_size = id_size };
	const struct hprof_record empty = { .tag = HPROF_TRACE,
					    .u.trace.trace_serial = 1 };
	struct hprof_record thread = { .tag = HPROF_ROOT_THREAD_OBJ };
	struct buffer out = { 0 };
	struct hprof_writer *w;

	cr_assert_eq(
		hprof_writer_open_callback(buffer_add, &out, NULL, &w, NULL),
		HPROF_OK);
	cr_assert_eq(hprof_writer_header(w, &header), HPROF_OK);
	cr_assert_eq(ag_names_write(names, w), HPROF_OK);
	cr_assert_eq(hprof_writer_put(w, &empty), HPROF_OK);
	cr_assert_eq(ag_stacks_write(s, w, id_size), HPROF_OK, "%s",
		     hprof_writer_error(w)->text);
	for (uint32_t serial = 1; ag_stacks_trace(s, serial) != AG_EMPTY_TRACE;
	     serial++) {
		thread.u.root.object_id = 99 + serial;
		thread.u.root.thread_serial = serial;
		thread.u.root.trace_serial = serial + 1;
		cr_assert_eq(hprof_writer_put(w, &thread), HPROF_OK);
	}
	cr_assert_eq(hprof_writer_finish(w), HPROF_OK);
	hprof_writer_free(w);
	return out;
}

/* ---- records ------------------------------------------------------------- */

/* Strings by id, and all other records as lines. */
static void read_all(const struct buffer *b, char *out, size_t room)
{
	static char strings[64][64];
	struct hprof_header h;
	struct hprof_record r;
	size_t used = 0, at = 0, n;

	cr_assert_eq(hprof_header_decode(b->bytes, b->size, &h, &at), HPROF_OK);
	while (at < b->size &&
	       hprof_record_decode(b->bytes + at, b->size - at, h.id_size, &r,
				   &n) == HPROF_OK) {
		at += n;
#define LINE(...) \
	(used += (size_t)snprintf(out + used, room - used, __VA_ARGS__))
		if (r.tag == HPROF_UTF8) {
			cr_assert_lt(r.u.utf8.string_id, 64u);
			snprintf(strings[r.u.utf8.string_id], 64, "%.*s",
				 (int)r.u.utf8.text.size,
				 (const char *)r.u.utf8.text.data);
		} else if (r.tag == HPROF_FRAME) {
			const struct hprof_frame *f = &r.u.frame;
			LINE("frame %s %s %s class %u line %d\n",
			     strings[f->method_id], strings[f->signature_id],
			     strings[f->source_id], f->class_serial, f->line);
		} else if (r.tag == HPROF_TRACE) {
			LINE("trace %u thread %u frames %u\n",
			     r.u.trace.trace_serial, r.u.trace.thread_serial,
			     r.u.trace.frame_count);
		} else if (r.tag == HPROF_START_THREAD) {
			const struct hprof_start_thread *t = &r.u.start_thread;
			LINE("start %u id %d trace %u '%s' '%s' '%s'\n",
			     t->thread_serial, (int)t->thread_id,
			     t->trace_serial, strings[t->name_id],
			     strings[t->group_id], strings[t->parent_id]);
		}
		cr_assert_lt(used, room);
	}
}

static const char wanted_rest[] =
	"trace 1 thread 0 frames 0\n"
	"trace 2 thread 1 frames 3\n"
	"trace 3 thread 2 frames 1\n"
	"trace 4 thread 3 frames 0\n"
	"trace 5 thread 4 frames 0\n"
	"trace 6 thread 5 frames 5000\n"
	"start 1 id 100 trace 1 'first \xe2\x82\xac' 'main' 'system'\n"
	"start 2 id 101 trace 1 '' '' ''\n"
	"start 3 id 102 trace 1 'carrier' 'system' ''\n"
	"start 4 id 103 trace 1 'other' '' ''\n"
	"start 5 id 104 trace 1 'deep' '' ''\n";

/* Removes a line from ALL. */
static bool take_line(char *all, const char *wanted)
{
	char *at = strstr(all, wanted);

	if (!at)
		return false;
	memmove(at, at + strlen(wanted), strlen(at + strlen(wanted)) + 1);
	return true;
}

Test(stacks, records)
{
	static const unsigned sizes[] = { 4, 8 };
	static const char *const wanted[] = {
		"frame wait (J)V  class 4 line -3\n",
		"frame run ()V Pair.java class 3 line 51\n",
		"frame run ()V Pair.java class 3 line 50\n",
		"frame run ()V Pair.java class 3 line 52\n",
		"frame plain ()I  class 4 line -1\n",
		"frame    class 0 line -1\n", /* its class was unloaded */
	};

	for (int i = 0; i < 2; i++) {
		char got[4096] = "";
		make_jvm();
		struct ag_stacks *s = collect();
		cr_assert_not_null(s);
		cr_assert_eq(given.next, 105u);
		cr_assert_eq(fake_first.tag, 100);
		cr_assert_eq(fake_virtual.tag, 101);
		cr_assert_eq(fake_deep.tag, 104);
		cr_assert_eq(fake_ended.tag, 0);
		struct buffer b = write_all(s, sizes[i]);
		read_all(&b, got, sizeof got);
		/* Frames are in the order of addresses. */
		for (size_t j = 0; j < sizeof wanted / sizeof *wanted; j++)
			cr_assert(take_line(got, wanted[j]), "%s in\n%s",
				  wanted[j], got);
		cr_assert_str_eq(strstr(got, "trace 1 "), wanted_rest);
		cr_assert_eq(got, strstr(got, "trace 1 "));
		buffer_free(&b);
		end_jvm(s);
	}
}

/* A trace has the frames of its thread, in their order. */
Test(stacks, frames_of_a_trace)
{
	struct hprof_reader *reader;
	struct hprof_record r;
	uint64_t ids[3] = { 0 }, up = 0, down = 0;
	bool seen = false;

	make_jvm();
	struct ag_stacks *s = collect();
	struct buffer b = write_all(s, 8);
	cr_assert_eq(hprof_reader_open(INPUT_PATH(maker_file("stacks.hprof",
							     b.bytes, b.size)),
				       NULL, &reader, NULL),
		     HPROF_OK);
	while (hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag == HPROF_FRAME && r.u.frame.line == -3)
			ids[0] = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 51)
			ids[1] = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 52)
			down = r.u.frame.frame_id;
		if (r.tag == HPROF_FRAME && r.u.frame.line == 50)
			up = r.u.frame.frame_id;
		if (r.tag != HPROF_TRACE)
			continue;
		if (r.u.trace.thread_serial == 1)
			for (unsigned i = 0; i < 2; i++)
				cr_assert_eq(
					hprof_id_at(r.u.trace.frames, 8, i),
					ids[i]);
		for (unsigned i = 0;
		     r.u.trace.thread_serial == 5 && i < FAKE_DEEP - 1; i++) {
			seen = true;
			cr_assert_eq(hprof_id_at(r.u.trace.frames, 8, i),
				     i % 2 ? up : down);
		}
	}
	cr_assert(seen);
	hprof_reader_close(reader);
	buffer_free(&b);
	end_jvm(s);
}

Test(stacks, older_jvm)
{
	make_jvm();
	fake_threads.no_extension = true;
	struct ag_stacks *s = collect();
	cr_assert_eq(given.next, 104u);
	cr_assert_eq(fake_virtual.tag, 0);
	end_jvm(s);
}

/* ---- what a heap callback asks ------------------------------------------- */

Test(stacks, serials)
{
	make_jvm();
	struct ag_stacks *s = collect();

	cr_assert_eq(ag_stacks_thread(s, 100), 1u);
	cr_assert_eq(ag_stacks_thread(s, 104), 5u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 40, 0), 2u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 40, 101), 2u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 5, 0), 5u);
	cr_assert_eq(ag_stacks_trace(s, 1), 2u);
	cr_assert_eq(ag_stacks_trace(s, 5), 6u);
	/* Some threads that started later. */
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread(s, 99), 7u);
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1000, 0), 8u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1000, 0), 8u);
	cr_assert_eq(ag_stacks_trace(s, 6), 1u);
	cr_assert_eq(ag_stacks_trace(s, 0), 1u);
	/* Too many threads. */
	uint32_t serial = 8;
	for (uint64_t id = 200; serial != 0; id++) {
		uint32_t next = ag_stacks_thread(s, id);
		cr_assert(next == 0 || next == serial + 1);
		cr_assert_lt(id, 2000u);
		serial = next;
	}
	cr_assert_eq(ag_stacks_thread(s, 105), 6u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1001, 0), 0u);
	end_jvm(s);
}

Test(stacks, frame_numbers)
{
	make_jvm();
	struct ag_stacks *s = collect();

	cr_assert_eq(
		ag_stacks_frame(s, 1, 0, FAKE_METHOD(fake_wait), AG_ANYWHERE),
		0);
	cr_assert_eq(ag_stacks_frame(s, 1, 1, FAKE_METHOD(fake_run), 7), 1);
	cr_assert_eq(
		ag_stacks_frame(s, 5, FAKE_DEEP - 2, FAKE_METHOD(fake_run), 12),
		FAKE_DEEP - 2);
	/* The thread went on. */
	cr_assert_eq(ag_stacks_frame(s, 1, 1, FAKE_METHOD(fake_run), 8), -1);
	cr_assert_eq(ag_stacks_frame(s, 1, 0, FAKE_METHOD(fake_run), 7), -1);
	cr_assert_eq(
		ag_stacks_frame(s, 1, 0, FAKE_METHOD(fake_run), AG_ANYWHERE),
		-1);
	/* Impossible values. */
	cr_assert_eq(ag_stacks_frame(s, 1, 3, FAKE_METHOD(fake_run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 1, -1, FAKE_METHOD(fake_run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 3, 0, FAKE_METHOD(fake_run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 6, 0, FAKE_METHOD(fake_run), 7), -1);
	cr_assert_eq(ag_stacks_frame(s, 0, 0, FAKE_METHOD(fake_run), 7), -1);
	end_jvm(s);
}

/* ---- what goes wrong ----------------------------------------------------- */

Test(stacks, nobody)
{
	make_jvm();
	fake_threads.thread_count = 0;
	struct ag_stacks *s = collect();
	cr_assert_not_null(s);
	cr_assert_eq(given.next, 100u);
	cr_assert_eq(ag_stacks_thread_by_number(s, 1, 0), 1u);
	struct buffer b = write_all(s, 8);
	buffer_free(&b);
	end_jvm(s);
}

/* The JVM's Nth call fails: the dump has less, or there is none. */
Test(stacks, the_jvm_refuses)
{
	bool done = false;
	int refused = 0;

	for (int n = 1; !done; n++) {
		make_jvm();
		fake_threads.fail_in = n;
		struct ag_stacks *s = collect();
		done = fake_threads.fail_in > 0;
		refused += !s;
		if (s) {
			struct buffer b = write_all(s, 8);
			buffer_free(&b);
		}
		end_jvm(s);
		cr_assert_lt(n, 200);
	}
	cr_assert_eq(refused, 1); /* the list of threads */
}

Test(stacks, no_local_references)
{
	make_jvm();
	fake_threads.push_fails = true;
	cr_assert_null(collect());
	cr_assert_eq(given.next, 100u);
	end_jvm(NULL);
}

Test(stacks, no_memory)
{
	struct ag_stacks *s = NULL;
	int64_t n;

	for (n = 0; !s; n++) {
		make_jvm();
		hp_mem_fail_after(n);
		s = collect();
		hp_mem_fail_after(-1);
		if (!s)
			end_jvm(NULL);
		cr_assert_lt(n, 1000);
	}
	cr_assert_gt(n, 5);
	end_jvm(s);
}

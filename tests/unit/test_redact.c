/* SPDX-License-Identifier: MIT */
/*
 * test_redact.c - a small dump with secrets of every kind, each bit of it
 * flipped in turn: no secret may be left in the redacted dump.
 *
 * Only secrets have the letters Q, Z, X and J: three of these in a row are a
 * leak. Secret texts contain a blank, since a text that looks like a name may
 * remain if a flipped bit makes it one.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <hprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maker.h"
#include "../inputs.h"
#include "base/mem.h"

static const char recipe[] =
	"header \"JAVA PROFILE 1.0.2\" id_size=8 time_ms=1\n"
	"UTF8 string_id=1 text=\"java/lang/Object\"\n"
	"UTF8 string_id=2 text=\"java/lang/String\"\n"
	"UTF8 string_id=3 text=\"com/acme/Vault\"\n"
	"UTF8 string_id=4 text=\"QXZ QXZJ\"\n"
	"UTF8 string_id=5 text=\"value\"\n"
	"UTF8 string_id=6 text=\"coder\"\n"
	"UTF8 string_id=7 text=\"hash\"\n"
	"UTF8 string_id=8 text=\"JXZQ JXZQ\"\n"
	"UTF8 string_id=9 text=\"password\"\n"
	"UTF8 string_id=10 text=\"open\"\n"
	"UTF8 string_id=11 text=\"(Lcom/acme/Vault;I)V\"\n"
	"UTF8 string_id=12 text=\"Vault.java\"\n"
	"UTF8 string_id=13 text=\"[B\"\n"
	"UTF8 string_id=14 text=\"limit\"\n"
	"UTF8 string_id=16 text=\"ZZQQ: JJXX\"\n"
	"UTF8 string_id=17 text=\"XQXQ-XQXQ XQXQ\"\n"
	"LOAD_CLASS class_serial=1 class_id=0x100 name_id=1\n"
	"LOAD_CLASS class_serial=2 class_id=0x110 name_id=2\n"
	"LOAD_CLASS class_serial=3 class_id=0x120 name_id=3\n"
	"LOAD_CLASS class_serial=4 class_id=0x130 name_id=13\n"
	"START_THREAD thread_serial=1 thread_id=0x200 name_id=16 group_id=17\n"
	"FRAME frame_id=1 method_id=10 signature_id=11 source_id=12 "
	"class_serial=3 line=7\n"
	"TRACE trace_serial=1 thread_serial=1 frames=[1]\n"
	"RECORD tag=0x77 body=\"QZQZ unknown\"\n"
	"HEAP_DUMP_SEGMENT {\n"
	"CLASS_DUMP class_id=0x100\n"
	"CLASS_DUMP class_id=0x110 super_id=0x100 instance_size=13 "
	"fields=[7:int 6:byte 5:object]\n"
	"CLASS_DUMP class_id=0x120 super_id=0x100 instance_size=20 "
	"constants=[1:int:0x51515a5a] statics=[14:long:0x4a4a51515858585a] "
	"fields=[14:int 9:object 7:long]\n"
	"CLASS_DUMP class_id=0x130 super_id=0x100\n"
	"ROOT_STICKY_CLASS object_id=0x120\n"
	"ROOT_THREAD_OBJ object_id=0x200 thread_serial=1 trace_serial=1\n"
	"INSTANCE_DUMP object_id=0x200 class_id=0x120 "
	"data=[int:0x5151585a object:0x300 long:0x51515a5a58584a4a]\n"
	"INSTANCE_DUMP object_id=0x300 class_id=0x110 "
	"data=[int:0x515a584a byte:0 object:0x400]\n"
	"INSTANCE_DUMP object_id=0x310 class_id=0x110 "
	"data=[int:0x5a5a584a byte:1 object:0x410]\n"
	"PRIM_ARRAY_DUMP object_id=0x400 type=byte elements=[\"QXZJ\"*8]\n"
	"PRIM_ARRAY_DUMP object_id=0x410 type=char elements=[\"QXZJ\"*8]\n"
	"PRIM_ARRAY_DUMP object_id=0x420 type=long "
	"elements=[0x51515a5a58584a4a]\n"
	"OBJ_ARRAY_DUMP object_id=0x430 class_id=0x100 elements=[0x420 0 0]\n"
	"}\n"
	"HEAP_DUMP_END\n";

/* ---- what leaks ---------------------------------------------------------- */

static bool is_secret(uint8_t byte)
{
	return byte == 'Q' || byte == 'Z' || byte == 'X' || byte == 'J';
}

/* Secret letters from P on, WIDTH bytes from one to the next, others zero. */
static size_t count_letters(const uint8_t *p, size_t size, size_t width)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++) {
		if (i % width ? p[i] != 0 : !is_secret(p[i]))
			break;
		count += i % width == 0;
	}
	return count;
}

/* The most letters in a row. */
static size_t most_letters(const struct buffer *dump)
{
	size_t most = 0;

	for (size_t width = 1; width <= 2; width++)
		for (size_t i = 0; i < dump->size; i++) {
			size_t n = count_letters(dump->bytes + i,
						 dump->size - i, width);
			most = n > most ? n : most;
		}
	return most;
}

/* ---- conversions --------------------------------------------------------- */

struct way {
	const char *name;
	struct hprof_convert_options how;
	bool pipe;
};

enum { ALL = HPROF_REDACT_STRINGS | HPROF_REDACT_PRIMITIVES };

static struct buffer assemble(void)
{
	struct buffer out = { 0 };
	struct hprof_error error;

	cr_assert(hprof_recipe_assemble(recipe, sizeof recipe - 1, buffer_add,
					&out, &error) == HPROF_OK,
		  "%s", error.text);
	return out;
}

/* The file disappears with its descriptor. */
static int make_file(const struct buffer *content)
{
	char name[] = "redact.XXXXXX";
	int fd = mkstemp(name);

	cr_assert(fd >= 0);
	unlink(name);
	cr_assert_eq(pwrite(fd, content->bytes, content->size, 0),
		     (ssize_t)content->size);
	return fd;
}

/* All of it fits into the pipe. */
static int make_pipe(const struct buffer *content)
{
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(write(ends[1], content->bytes, content->size),
		     (ssize_t)content->size);
	close(ends[1]);
	return ends[0];
}

static struct buffer read_all(int fd)
{
	struct buffer all = { 0 };
	uint8_t piece[4096];
	ssize_t n;

	while ((n = pread(fd, piece, sizeof piece, (off_t)all.size)) > 0)
		buffer_add(&all, piece, (size_t)n);
	return all;
}

/*
 * DUMP, that the file IN has, too, by that way. What failed is empty.
 * *RET_ERRORS: so many faults were told.
 */
static struct buffer convert(const struct way *way, const struct buffer *dump,
			     int in, int out, uint64_t *ret_errors)
{
	const struct hprof_writer_options output = { .size = sizeof output };
	struct hprof_convert_options how = way->how;
	char path[32];
	struct hprof_convert_result result = { .size = sizeof result };
	int end = way->pipe ? make_pipe(dump) : -1;
	enum hprof_status status;

	snprintf(path, sizeof path, "/dev/fd/%d", way->pipe ? end : in);
	how.size = sizeof how;
	cr_assert_eq(ftruncate(out, 0), 0);
	cr_assert_eq(lseek(out, 0, SEEK_SET), 0);
	status = hprof_convert(INPUT_PATH(path), NULL, out, &output, &how,
			       &result, NULL);
	if (way->pipe)
		close(end);
	*ret_errors = result.errors;
	return status < 0 ? (struct buffer){ 0 } : read_all(out);
}

/*
 * Each bit of the dump flipped in turn; STEP 8: one of each byte. Nothing of a
 * secret comes through where no fault is told. Where the sub-records got out
 * of step, a few bytes may be taken for those of an identifier: no more than
 * those of one root.
 */
static void flip(const struct way *way, unsigned step)
{
	struct buffer dump = assemble(), made;
	int in = make_file(&dump), out = make_file(&(struct buffer){ 0 });
	enum { SOME = 2, ROOT = 16, TEXT = 32 };
	unsigned results = 0;
	uint64_t errors;

	cr_assert(most_letters(&dump) >= TEXT, "there are secrets");
	for (size_t bit = 0; bit < 8 * dump.size; bit += step) {
		size_t at = bit / 8, mask = 1U << (bit + at) % 8;

		dump.bytes[at] ^= (uint8_t)mask;
		cr_assert_eq(pwrite(in, &dump.bytes[at], 1, (off_t)at), 1);
		made = convert(way, &dump, in, out, &errors);
		results += made.size > 0;
		cr_expect(most_letters(&made) <= (errors ? ROOT : SOME),
			  "%s: byte 0x%zx, bit 0x%zx", way->name, at, mask);
		buffer_free(&made);
		dump.bytes[at] ^= (uint8_t)mask;
		cr_assert_eq(pwrite(in, &dump.bytes[at], 1, (off_t)at), 1);
	}
	cr_expect(results > 4 * dump.size / step, "%s: there are results",
		  way->name);
	close(in);
	close(out);
	buffer_free(&dump);
}

Test(redact, each_bit_flipped)
{
	flip(&(struct way){ .name = "file", .how = { .redact = ALL } }, 1);
}

Test(redact, each_bit_flipped_in_a_pipe)
{
	flip(&(struct way){ .name = "pipe",
			    .how = { .redact = ALL },
			    .pipe = true },
	     1);
}

Test(redact, some_bits_flipped_by_other_ways)
{
	const struct way ways[] = {
		{ "4 bytes", { .redact = ALL, .id_size = 4 }, false },
		{ "repair", { .redact = ALL, .repair = true }, false },
		{ "1.0.1",
		  { .redact = ALL, .format = HPROF_FORMAT_101 },
		  false },
	};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		flip(&ways[i], 3);
}

/* ---- no memory -------------------------------------------------------------- */

/* Too large for the reader to hold, so that the conversion has to. */
Test(redact, no_memory_for_a_large_instance)
{
	enum { SIZE = 6 << 20, QUIET = 60, MOST = 3000 };
	const struct way way = { .how = { .redact = ALL } };
	struct maker m = maker_begin(8);
	struct hprof_convert_result result = { .size = sizeof result };
	unsigned successes = 0, failures = 0;
	int in, out;
	char path[32];

	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_instance(&m, 0x200, 0x100, SIZE);
	maker_heap_end(&m);
	in = make_file(&m.out);
	out = make_file(&(struct buffer){ 0 });
	snprintf(path, sizeof path, "/dev/fd/%d", in);
	for (int64_t n = 0; successes < QUIET; n++) {
		struct hprof_convert_options how = way.how;
		struct hprof_error error = { 0 };
		enum hprof_status status;

		cr_assert(n < MOST);
		how.size = sizeof how;
		cr_assert_eq(lseek(out, 0, SEEK_SET), 0);
		hp_mem_fail_after(n);
		status = hprof_convert(INPUT_PATH(path), NULL, out, NULL, &how,
				       &result, &error);
		hp_mem_fail_after(-1);
		if (status < 0) {
			cr_assert_eq(status, HPROF_E_NOMEM, "%d: %s", (int)n,
				     error.text);
			failures++;
			successes = 0;
			continue;
		}
		successes++;
		cr_assert_eq(result.lost, 0, "%d: nothing is left out", (int)n);
		cr_assert(result.bytes > SIZE);
	}
	cr_expect(failures > 0);
	close(in);
	close(out);
	buffer_free(&m.out);
}

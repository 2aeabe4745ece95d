/* SPDX-License-Identifier: MIT */
/*
 * test_objects.c - single objects looked at after the census: threads, system
 * properties, class loaders.
 */
#include <criterion/criterion.h>
#include <hprof.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "heaps.h"
#include "java/object_inspect.h"
#include "table_texts.h"
#include "../inputs.h"
#include "base/mem.h"

#define FFFD "\xef\xbf\xbd"

/* Through a pipe, with or without a copy for objects. */
static struct hprof_summary *read_piped(const char *name, bool objects)
{
	struct hprof_summary_options options = { .size = sizeof options,
						 .objects = objects };
	struct hprof_summary *summary = NULL;
	struct fixture f = fixture_load(name);
	struct hprof_error error;
	int ends[2];

	cr_assert(pipe(ends) == 0);
	cr_assert(write(ends[1], f.bytes, f.size) == (ssize_t)f.size);
	cr_assert(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	cr_assert(hprof_summary_read(INPUT_PATH("-"), &options, &summary,
				     &error) == HPROF_OK,
		  "%s", error.text);
	fixture_free(&f);
	return summary;
}

static void expect(table_fn *table, const struct hprof_summary *summary,
		   const char *expected)
{
	char *text = table(summary);

	cr_expect(strcmp(text, expected) == 0, "expected:\n%sgot:\n%s",
		  expected, text);
	free(text);
}

/* ---- threads ------------------------------------------------------------- */

static const char jdk8_threads[] =
	"19 0 - '-'\n"
	"20 2000 java.lang.Thread 'main\xe4\xb8\xad\xf0\x9f\x98\x80"
	"\xe2\x90\x80" FFFD "' prio=5 tid=1 e1\n"
	"  app.Worker.run()V Worker.java:12\n"
	"  -.run()V -:-3\n"
	"  -.-- -:-1\n"
	"22 2020 java.lang.Thread 'name at its start'\n"
	"23 2010 app.Worker 'worker' daemon prio=10 tid=8 5\n"
	"24 9991 - '-'\n"
	"25 9992 - '-'\n";

static const char jdk25_threads[] =
	"1 2010 java.lang.VirtualThread '' daemon prio=5 tid=32 2a1\n"
	"2 2000 java.lang.Thread 'a\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80' "
	"daemon prio=7 tid=31 191\n"
	"3 2020 java.lang.VirtualThread '-'\n";

Test(objects, threads)
{
	struct hprof_summary *summary = summary_of("objects_jdk8");

	expect(threads_text, summary, jdk8_threads);
	hprof_summary_free(summary);
	summary = summary_of("objects_jdk25");
	expect(threads_text, summary, jdk25_threads);
	hprof_summary_free(summary);
	summary = summary_of("minimal");
	expect(threads_text, summary, "");
	hprof_summary_free(summary);
}

/* Only roots are threads of the dump, whatever START_THREAD says. */
Test(objects, threads_of_an_agent)
{
	struct hprof_summary *summary = summary_of("agent");

	expect(threads_text, summary,
	       "200000 0 - '-'\n"
	       "200001 50000004 java.lang.Object 'main'\n"
	       "  shop.Item.mainmain shop.Item:9\n");
	hprof_summary_free(summary);
}

Test(objects, threads_without_heap)
{
	static const char recipe[] =
		"header \"JAVA PROFILE 1.0.1\" id_size=4\n"
		"UTF8 string_id=1 text=\"one\"\n"
		"START_THREAD thread_serial=7 thread_id=5 name_id=1\n"
		"START_THREAD thread_serial=6 thread_id=5 name_id=9\n"
		"START_THREAD thread_serial=7 thread_id=5 name_id=1\n";
	struct buffer bytes = { 0 };
	struct hprof_summary *summary;

	cr_assert(hprof_recipe_assemble(recipe, sizeof recipe - 1, buffer_add,
					&bytes, NULL) == HPROF_OK);
	summary = summary_of_bytes(bytes.bytes, bytes.size, 0);
	cr_assert(summary != NULL);
	expect(threads_text, summary, "6 5 - '-'\n7 5 - 'one'\n");
	hprof_summary_free(summary);
	buffer_free(&bytes);
}

/* ---- profiles ------------------------------------------------------------ */

/* Sites of arrays of one class, however many, have one name. */
Test(objects, sites_share_the_name_of_an_array)
{
	static const char recipe[] =
		"header \"JAVA PROFILE 1.0.1\" id_size=4\n"
		"UTF8 string_id=1 text=\"acme/Cart\"\n"
		"LOAD_CLASS class_serial=1 class_id=1 name_id=1\n"
		"LOAD_CLASS class_serial=2 class_id=2 name_id=1\n"
		"ALLOC_SITES sites=[{array_kind=2 class_serial=1} "
		"{array_kind=2 class_serial=2} {class_serial=1} "
		"{array_kind=2 class_serial=3}]\n";
	struct hprof_profile_table *table;
	struct hprof_profile_row *rows;
	struct buffer bytes = { 0 };
	struct hprof_summary *summary;

	cr_assert(hprof_recipe_assemble(recipe, sizeof recipe - 1, buffer_add,
					&bytes, NULL) == HPROF_OK);
	summary = summary_of_bytes(bytes.bytes, bytes.size, 0);
	cr_assert(hprof_summary_profile(summary, &table, NULL) == HPROF_OK);
	cr_assert_eq(table->sections[0].row_count, 4);
	rows = table->sections[0].rows;
	cr_assert_str_eq(rows[0].class_name, "acme.Cart[]");
	cr_assert_eq(rows[1].class_name, rows[0].class_name);
	cr_assert_str_eq(rows[2].class_name, "acme.Cart");
	cr_assert_null(rows[3].class_name);
	hprof_profile_table_free(table);
	hprof_summary_free(summary);
	buffer_free(&bytes);
}

/* ---- properties, loaders ------------------------------------------------- */

static const char jdk8_properties[] = "a.key=-\n"
				      "b.key=one\n"
				      "z.default=-\n";
static const char jdk25_properties[] = "in.a.tree=second\n"
				       "k\xc3\xa9y=k\xc3\xa9y\n"
				       "moved=in.a.tree\n"
				       "second=second\n";

Test(objects, properties)
{
	struct hprof_summary *summary = summary_of("objects_jdk8");

	expect(properties_text, summary, jdk8_properties);
	hprof_summary_free(summary);
	summary = summary_of("objects_jdk25");
	expect(properties_text, summary, jdk25_properties);
	hprof_summary_free(summary);
	summary = summary_of("minimal");
	expect(properties_text, summary, "");
	hprof_summary_free(summary);
}

Test(objects, loaders)
{
	struct hprof_summary *summary = summary_of("objects_jdk25");

	expect(loaders_text, summary,
	       "0 - <boot>\n"
	       "5000 app.Loader second\n"
	       "5010 java.lang.ClassLoader -\n"
	       "9999 - -\n");
	hprof_summary_free(summary);
	summary = summary_of("minimal");
	expect(loaders_text, summary, "0 - <boot>\n");
	hprof_summary_free(summary);
}

/* ---- memory outside of the heap ------------------------------------------ */

Test(objects, outside)
{
	struct hprof_summary *summary = summary_of("outside");

	expect(outside_text, summary,
	       "1000100 in 1\n300000 in 2\n16777216 in 0\n");
	hprof_summary_free(summary);
	summary = summary_of("minimal");
	expect(outside_text, summary, "0 in 0\n0 in 0\n0 in 0\n");
	hprof_summary_free(summary);
}

/* The names of JDK 8; what no counter can have, or is none, is 0. */
Test(objects, outside_old_and_odd)
{
	static const char recipe[] =
		"header \"JAVA PROFILE 1.0.2\" id_size=4\n"
		"UTF8 string_id=1 text=\"java/nio/Bits\"\n"
		"UTF8 string_id=2 "
		"text=\"sun/nio/ch/FileChannelImpl$Unmapper\"\n"
		"UTF8 string_id=3 text=\"a/netty/util/internal/"
		"PlatformDependent\"\n"
		"UTF8 string_id=4 text=\"reservedMemory\"\n"
		"UTF8 string_id=5 text=\"count\"\n"
		"UTF8 string_id=6 text=\"totalSize\"\n"
		"UTF8 string_id=7 text=\"DIRECT_MEMORY_COUNTER\"\n"
		"LOAD_CLASS class_serial=1 class_id=0x10 name_id=1\n"
		"LOAD_CLASS class_serial=2 class_id=0x20 name_id=2\n"
		"LOAD_CLASS class_serial=3 class_id=0x30 name_id=3\n"
		"HEAP_DUMP_SEGMENT {\n"
		"CLASS_DUMP class_id=0x10 "
		"statics=[4:long:70000000000 5:long:3]\n"
		"CLASS_DUMP class_id=0x20 statics=[6:long:-1 5:int:-1]\n"
		"CLASS_DUMP class_id=0x30 statics=[7:object:0x40]\n"
		"PRIM_ARRAY_DUMP object_id=0x40 type=long elements=[5]\n"
		"}\n";
	struct buffer bytes = { 0 };
	struct hprof_summary *summary;

	cr_assert(hprof_recipe_assemble(recipe, sizeof recipe - 1, buffer_add,
					&bytes, NULL) == HPROF_OK);
	summary = summary_of_bytes(bytes.bytes, bytes.size, 0);
	cr_assert(summary != NULL);
	expect(outside_text, summary, "70000000000 in 3\n0 in 0\n0 in 0\n");
	hprof_summary_free(summary);
	buffer_free(&bytes);
}

/* ---- streams ------------------------------------------------------------- */

Test(objects, stream_with_copy)
{
	struct hprof_summary *summary = read_piped("objects_jdk25", true);

	expect(threads_text, summary, jdk25_threads);
	expect(properties_text, summary, jdk25_properties);
	hprof_summary_free(summary);
}

/* Stacks and START_THREAD do not need objects. */
Test(objects, stream_without_copy)
{
	struct hprof_summary *summary = read_piped("objects_jdk8", false);
	char failed[32];

	snprintf(failed, sizeof failed, "FAILED %d\n", HPROF_E_UNSUPPORTED);
	expect(properties_text, summary, failed);
	expect(loaders_text, summary, failed);
	expect(outside_text, summary, failed);
	expect(threads_text, summary,
	       "19 0 - '-'\n"
	       "20 2000 - 'name at its start'\n"
	       "  app.Worker.run()V Worker.java:12\n"
	       "  -.run()V -:-3\n"
	       "  -.-- -:-1\n"
	       "22 2020 - 'name at its start'\n"
	       "23 2010 - '-'\n"
	       "24 9991 - '-'\n"
	       "25 9992 - '-'\n");
	hprof_summary_free(summary);
}

/* ---- several dumps ------------------------------------------------------- */

/* Both dumps of the file have an object 0x10, each its own. */
static void check_dump(const uint8_t *bytes, size_t size, unsigned dump,
		       const char *expected)
{
	struct hprof_summary *summary = summary_of_bytes(bytes, size, dump);
	struct hp_arena arena = { 0 };
	struct hp_object_inspect in;
	struct hprof_error error;

	cr_assert(summary != NULL);
	cr_assert(hp_object_inspect_open(&in, summary, &arena, &error) ==
		  HPROF_OK);
	hp_object_fetch_want(&in.objects, 0x10);
	hp_object_fetch_want(&in.objects, 0x20);
	cr_assert(hp_object_fetch_fetch(&in.objects, &error) == HPROF_OK);
	cr_expect_str_eq(hp_strings_text(&in.strings, 0x10), expected);
	cr_expect(!hp_strings_text(&in.strings, 0x20) == (dump == 1));
	hp_object_inspect_done(&in);
	hp_arena_done(&arena);
	hprof_summary_free(summary);
}

Test(objects, of_the_chosen_dump)
{
	static const char *const recipes[] = {
		"header \"JAVA PROFILE 1.0.1\" id_size=4\n"
		"HEAP_DUMP {\n"
		"PRIM_ARRAY_DUMP object_id=0x10 type=char elements=[\"one\"]\n"
		"PRIM_ARRAY_DUMP object_id=0x30 type=char elements=[\"one\"]\n"
		"}\n"
		"HEAP_DUMP {\n"
		"PRIM_ARRAY_DUMP object_id=0x10 type=char elements=[\"two\"]\n"
		"PRIM_ARRAY_DUMP object_id=0x20 type=char elements=[\"two\"]\n"
		"}\n",
		"header \"JAVA PROFILE 1.0.2\" id_size=8\n"
		"HEAP_DUMP_SEGMENT {\n"
		"PRIM_ARRAY_DUMP object_id=0x30 type=char elements=[\"one\"]\n"
		"}\n"
		"HEAP_DUMP_SEGMENT {\n"
		"PRIM_ARRAY_DUMP object_id=0x10 type=char elements=[\"one\"]\n"
		"}\n"
		"HEAP_DUMP_END\n"
		"HEAP_DUMP_SEGMENT {\n"
		"PRIM_ARRAY_DUMP object_id=0x10 type=char elements=[\"two\"]\n"
		"PRIM_ARRAY_DUMP object_id=0x20 type=char elements=[\"two\"]\n"
		"}\n"
		"HEAP_DUMP_END\n",
	};

	for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
		struct buffer bytes = { 0 };
		cr_assert(hprof_recipe_assemble(recipes[i], strlen(recipes[i]),
						buffer_add, &bytes,
						NULL) == HPROF_OK);
		check_dump(bytes.bytes, bytes.size, 1, "one");
		check_dump(bytes.bytes, bytes.size, 2, "two");
		buffer_free(&bytes);
	}
}

/* ---- trouble ------------------------------------------------------------- */

static const char *const own_fixtures[] = { "objects_jdk8", "objects_jdk25",
					    "outside" };
enum { OWN_FIXTURES = sizeof own_fixtures / sizeof own_fixtures[0] };

static void look_at_all(const struct hprof_summary *summary)
{
	free(threads_text(summary));
	free(properties_text(summary));
	free(loaders_text(summary));
	free(outside_text(summary));
}

Test(objects, every_fixture)
{
	char **names = fixture_names();

	for (size_t i = 0; names[i]; i++) {
		struct fixture f = fixture_load(names[i]);
		struct hprof_summary *summary =
			summary_of_bytes(f.bytes, f.size, 0);
		if (summary)
			look_at_all(summary);
		hprof_summary_free(summary);
		fixture_free(&f);
	}
}

/* Cut here and there, bytes changed: odd tables, but no crash. */
Test(objects, damaged)
{
	for (size_t k = 0; k < OWN_FIXTURES; k++) {
		struct fixture f = fixture_load(own_fixtures[k]);
		for (size_t i = 0; i < 2 * f.size; i += 5) {
			bool cut = i >= f.size;
			size_t at = cut ? i - f.size : i;
			struct hprof_summary *summary;
			f.bytes[at] ^= cut ? 0 : 0x41;
			summary =
				summary_of_bytes(f.bytes, cut ? at : f.size, 0);
			f.bytes[at] ^= cut ? 0 : 0x41;
			if (summary)
				look_at_all(summary);
			hprof_summary_free(summary);
		}
		fixture_free(&f);
	}
}

/* The Nth allocation fails, for all N: HPROF_E_NOMEM, and nothing leaks. */
static void check_memory(table_fn *table, const struct hprof_summary *summary)
{
	char failed[32];
	bool fails = true;

	snprintf(failed, sizeof failed, "FAILED %d\n", HPROF_E_NOMEM);
	for (int64_t n = 0; fails; n++) {
		cr_assert(n < 10000);
		hp_mem_fail_after(n);
		char *text = table(summary);
		hp_mem_fail_after(-1);
		fails = strcmp(text, failed) == 0;
		cr_expect(fails || strncmp(text, "FAILED", 6) != 0, "%s", text);
		free(text);
	}
}

Test(objects, without_memory)
{
	for (size_t k = 0; k < OWN_FIXTURES; k++) {
		struct hprof_summary *summary = summary_of(own_fixtures[k]);
		check_memory(threads_text, summary);
		check_memory(properties_text, summary);
		check_memory(loaders_text, summary);
		check_memory(outside_text, summary);
		hprof_summary_free(summary);
	}
}

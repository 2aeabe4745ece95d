/* SPDX-License-Identifier: MIT */
/*
 * test_text_form.c - the text of format=a, byte for byte as the old agent wrote it.
 */
#include <criterion/criterion.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <hprof/record.h>

#include "text/text_heap.h"
#include "text/text_monitors.h"
#include "text/text_profile.h"

/* 2026-11-20 04:35:19 UTC */
#define TIME_MS UINT64_C(1795149319250)
#define TIME "Fri Nov 20 04:35:19 2026\n"

struct page {
	char text[16384];
	size_t size;
	int pieces_left; /* negative: any number */
};

static enum hprof_status write_page(void *user, const void *bytes, size_t size)
{
	struct page *page = user;

	if (page->pieces_left == 0)
		return HPROF_E_SYS;
	page->pieces_left--;
	cr_assert_lt(page->size + size, sizeof page->text);
	memcpy(page->text + page->size, bytes, size);
	page->size += size;
	page->text[page->size] = 0;
	return HPROF_OK;
}

static struct page page;

static struct text_writer begin(void)
{
	page = (struct page){ .pieces_left = -1 };
	return (struct text_writer){ .write = write_page, .user = &page };
}

static void expect(struct text_writer *w, const char *text)
{
	cr_assert_eq(text_flush(w), HPROF_OK);
	cr_assert_str_eq(page.text, text);
}

Test(text_form, numbers_and_names)
{
	struct text_writer w = begin();

	text_put(&w, "%u|%d|%x|%5u|%3s|%s%s", UINT64_MAX, (int64_t)-7,
		 (uint64_t)0xAB, (uint64_t)12, "x", "a\nb\x1b", "\xff");
	/* A surrogate pair of modified UTF-8; half of one; the end of a name */
	text_put(&w, "|%s|%s|%s", "\xED\xA0\xBD\xED\xB8\x80", "\xED\xA0\xBD",
		 "\xED\xA0\xBD\xED\xB8");
	expect(&w,
	       "18446744073709551615|-7|ab|   12|  x|a\\nb\\u001b\\xff|"
	       "\xF0\x9F\x98\x80|\\xed\\xa0\\xbd|\\xed\\xa0\\xbd\\xed\\xb8");
}

/* Whatever the locale of the program: in de_DE a decimal point is a comma. */
Test(text_form, shares)
{
	struct text_writer w = begin();

	setlocale(LC_ALL, "de_DE.UTF-8");
	text_put_share(&w, 1, 3);
	text_put_share(&w, 3, 3);
	text_put_share(&w, 0, 0);
	text_put_share(&w, 1, 800); /* a tie goes to the even digit */
	text_put_share(&w, 2, 3);
	expect(&w, "33.33%100.00% 0.00% 0.12%66.67%");
}

Test(text_form, threads_and_traces)
{
	const struct text_thread thread = { 0x1f, 200001, "main", NULL };
	const struct hprof_stack_frame frames[] = {
		{ "Shop", "run", "()V", "Shop.java", 12 },
		{ "Shop", "go", NULL, NULL, -3 },
		{ NULL, NULL, NULL, NULL, -1 },
		{ "A", "b", NULL, "A.java", -2 },
	};
	struct text_trace trace = { 300001, 0, NULL, 4, frames };
	struct text_writer w = begin();

	text_put_thread_start(&w, &thread);
	text_put_trace(&w, &trace);
	trace = (struct text_trace){ 300002, 200001, "primordial", 0, NULL };
	text_put_trace(&w, &trace);
	text_put_thread_end(&w, 200001);
	expect(&w,
	       "THREAD START (obj=1f, id = 200001, name=\"main\", "
	       "group=\"\")\n"
	       "TRACE 300001:\n"
	       "\tShop.run(Shop.java:12)\n"
	       "\tShop.go(<Unknown Source>:Native method)\n"
	       "\t<Unknown Class>.<Unknown Method>(<Unknown Source>:Unknown "
	       "line)\n"
	       "\tA.b(A.java:Compiled method)\n"
	       "TRACE 300002: (thread=200001) (from primordial phase of "
	       "JVM)\n"
	       "\t<empty>\n"
	       "THREAD END (id = 200001)\n");
}

Test(text_form, prelude)
{
	struct text_writer w = begin();
	const char *end = "\n--------\n\n";

	text_put_prelude(&w, "JAVA PROFILE 1.0.2", TIME_MS);
	text_flush(&w);
	cr_assert(strncmp(page.text, "JAVA PROFILE 1.0.2, created " TIME "\n",
			  54) == 0);
	cr_assert_str_eq(page.text + page.size - strlen(end), end);
}

static const struct text_site site_rows[] = {
	{ "java.lang.String", 300001, 600, 25, 6000, 250 },
	{ "int[]", 300002, 400, 1, 3999, 2 },
	{ NULL, 300003, 0, 0, 1, 1 },
};

Test(text_form, sites)
{
	struct text_sites sites = { .time_ms = TIME_MS,
				    .cutoff = 0.0001,
				    .live_bytes = 1000,
				    .allocated_bytes = 10000,
				    .count = 3,
				    .rows = site_rows };
	struct text_writer w = begin();

	text_put_sites(&w, &sites);
	expect(&w, "SITES BEGIN (ordered by live bytes) " TIME
		   "          percent          live          alloc'ed  stack "
		   "class\n"
		   " rank   self  accum     bytes objs     bytes  objs trace "
		   "name\n"
		   "    1 60.00% 60.00%       600   25      6000   250 300001 "
		   "java.lang.String\n"
		   "    2 40.00% 100.00%       400    1      3999     2 300002 "
		   "int[]\n"
		   "SITES END\n");
	w = begin();
	sites.by_allocation = true;
	sites.cutoff = 0;
	text_put_sites(&w, &sites);
	text_flush(&w);
	cr_assert_not_null(strstr(page.text, "(ordered by allocated bytes) "));
	cr_assert_not_null(strstr(page.text, "    3  0.01% 100.00%         0   "
					     " 0         1     1 300003 "
					     "<Unknown Class>\nSITES END\n"));
	/* Nothing at all: no row, and no division by it. */
	sites = (struct text_sites){ .time_ms = TIME_MS, .cutoff = 0.5 };
	cr_assert_eq(text_sites_shown(&sites), 0);
}

Test(text_form, samples)
{
	const struct text_cost rows[] = {
		{ 75, 75, 300001, "Hot", "spot" },
		{ 24, 24, 300002, NULL, NULL },
		{ 1, 1, 300003, "Cold", "spot" },
	};
	struct text_costs costs = { TIME_MS, 100, 0.02, 3, rows };
	struct text_writer w = begin();

	cr_assert_eq(text_costs_shown(&costs), 2);
	text_put_samples(&w, &costs);
	expect(&w, "CPU SAMPLES BEGIN (total = 100) " TIME
		   "rank   self  accum   count trace method\n"
		   "   1 75.00% 75.00%      75 300001 Hot.spot\n"
		   "   2 24.00% 99.00%      24 300002 <empty trace>\n"
		   "CPU SAMPLES END\n");
	w = begin();
	costs = (struct text_costs){ TIME_MS, 0, 0.02, 0, NULL };
	text_put_samples(&w, &costs);
	expect(&w, "CPU SAMPLES BEGIN (total = 0) " TIME "CPU SAMPLES END\n");
}

Test(text_form, times)
{
	const struct text_cost rows[] = {
		{ 1500000000, 3, 300001, "Hot", "spot" },
		{ 500000000, 1000000, 300002, "Cold", NULL },
	};
	const struct text_costs costs = { TIME_MS, 2000999999, 0, 2, rows };
	struct text_writer w = begin();

	text_put_times(&w, &costs);
	text_put_monitor_times(&w, &costs);
	expect(&w, "CPU TIME (ms) BEGIN (total = 2000) " TIME
		   "rank   self  accum   count trace method\n"
		   "   1 74.96% 74.96%       3 300001 Hot.spot\n"
		   "   2 24.99% 99.95% 1000000 300002 Cold.<Unknown Method>\n"
		   "CPU TIME (ms) END\n"
		   "MONITOR TIME BEGIN (total = 2000 ms) " TIME
		   "rank   self  accum   count trace monitor\n"
		   "   1 74.96% 74.96%       3 300001 Hot (Java)\n"
		   "   2 24.99% 99.95% 1000000 300002 Cold (Java)\n"
		   "MONITOR TIME END\n");
}

Test(text_form, calls)
{
	const struct text_call rows[] = {
		{ 12,
		  3999999,
		  { "A", "b", "(I)V", NULL, 0 },
		  { "C", "d", "()V", NULL, 0 } },
		{ .count = 1 },
	};
	struct text_writer w = begin();

	text_put_calls(&w, rows, 2);
	expect(&w, "count callee caller time\n"
		   "12 A.b(I)V C.d()V 3\n"
		   "1 <unknown callee> <unknown caller> 0\n");
}

Test(text_form, monitors)
{
	const uint32_t threads[] = { 200002, 200003 };
	const struct text_monitor owned = { "LLock;", 200001,  2,	   2,
					    1,	      threads, threads + 1 };
	const struct text_monitor unowned = { .name = "Ljava/lang/Object;" };
	const struct text_monitor_thread rows[] = {
		{ 1, 11, 0x5 },	     { 2, 12, 0x401 },
		{ 3, 13, 0x191 },    { 4, 14, 0x741 | 0x200000 },
		{ 5, 15, 0x500005 }, { 6, 16, 2 },
		{ 7, 17, 0 },	     { 8, 18, 1 },
	};
	struct text_writer w = begin();

	text_put_wait(&w, "Lock", 100, 7);
	text_put_waited(&w, "Lock", 99, 0);
	text_put_wait(&w, NULL, 5, 7);
	text_put_exit(&w, "Lock", 7);
	text_put_monitor_dump_begin(&w);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		text_put_monitor_thread(&w, &rows[i]);
	text_put_monitor(&w, &owned);
	text_put_monitor(&w, &unowned);
	text_put_monitor_dump_end(&w);
	expect(&w, "WAIT: MONITOR Lock, timeout=100, thread 7\n"
		   "WAITED: MONITOR Lock, time_waited=99, thread <unknown "
		   "thread>\n"
		   "SLEEP: timeout=5, thread 7\n"
		   "EXIT: MONITOR Lock, thread 7\n"
		   "MONITOR DUMP BEGIN\n"
		   "    THREAD 1, trace 11, status: R\n"
		   "    THREAD 2, trace 12, status: MW\n"
		   "    THREAD 3, trace 13, status: CW\n"
		   "    THREAD 4, trace 14, status: intr|SL\n"
		   "    THREAD 5, trace 15, status: S|native|R\n"
		   "    THREAD 6, trace 16, status: ZO\n"
		   "    THREAD 7, trace 17, status: NS\n"
		   "    THREAD 8, trace 18, status: UN\n"
		   "    MONITOR LLock;\n"
		   "\towner: thread 200001, entry count: 2\n"
		   "\twaiting to enter: thread 200002, thread 200003,\n"
		   "\twaiting to be notified: thread 200003,\n"
		   "    MONITOR Ljava/lang/Object; unowned\n"
		   "\twaiting to enter:\n"
		   "\twaiting to be notified:\n"
		   "MONITOR DUMP END\n");
}

Test(text_form, heap)
{
	const struct text_root root = { .tag = HPROF_ROOT_STICKY_CLASS,
					.object_id = 16,
					.class_name = "Shop" };
	const struct text_object object = { 32, 1, 24, 3, "Shop", 16 };
	struct text_writer w = begin();

	text_put_heap_begin(&w, 2, 48, TIME_MS);
	text_put_root(&w, &root);
	text_put_class(&w, &object);
	text_put_class_part(&w, "super", 17);
	text_put_static(&w, "instance", 32);
	text_put_constant(&w, 3, 33);
	text_put_instance(&w, &object);
	text_put_field(&w, "seven_7", 48);
	text_put_field(&w, "eight_88", 48);
	text_put_array(&w, &object);
	text_put_element(&w, 2, 48);
	text_put_values(&w, &(struct text_object){ .id = 1,
						   .length = 4,
						   .size = 16,
						   .class_name = "int" });
	text_put_heap_end(&w);
	expect(&w, "HEAP DUMP BEGIN (2 objects, 48 bytes) " TIME
		   "ROOT 10 (kind=<system class>, name=Shop)\n"
		   "CLS 20 (name=Shop, trace=1)\n"
		   "\tsuper\t\t11\n"
		   "\tstatic instance\t20\n"
		   "\tconstant pool entry 3\t21\n"
		   "OBJ 20 (sz=24, trace=1, class=Shop@10)\n"
		   "\tseven_7\t\t30\n"
		   "\teight_88\t30\n"
		   "ARR 20 (sz=24, trace=1, nelems=3, elem type=Shop@10)\n"
		   "\t[2]\t\t30\n"
		   "ARR 1 (sz=16, trace=0, nelems=4, elem type=int)\n"
		   "HEAP DUMP END\n");
}

/* A name longer than the buffer; and nothing after the first failure. */
Test(text_form, pieces)
{
	static char name[TEXT_BUFFER + 100];
	struct text_writer w = begin();

	memset(name, 'n', sizeof name - 1);
	text_put(&w, "%s.", name);
	cr_assert_eq(text_flush(&w), HPROF_OK);
	cr_assert_eq(page.size, sizeof name);
	w = begin();
	page.pieces_left = 1;
	text_put(&w, "%s.", name);
	cr_assert_eq(text_flush(&w), HPROF_E_SYS);
	page.pieces_left = -1;
	text_put(&w, "more");
	cr_assert_eq(text_flush(&w), HPROF_E_SYS);
	cr_assert_eq(page.size, TEXT_BUFFER);
}

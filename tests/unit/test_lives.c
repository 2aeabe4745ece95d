/* SPDX-License-Identifier: MIT */
/*
 * test_lives.c - objects that are followed, from allocation to release, and the table
 * that heap=life makes of them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent/profile/life_report.h"
#include "agent/profile/lives.h"
#include "agent/profile/site_counts.h"
#include "base/mem.h"

enum { ONE = AG_OBJECT_PARTS };

static void collect(struct ag_lives *l, int times)
{
	while (times-- > 0)
		ag_lives_collection(l);
}

static struct ag_life end(struct ag_lives *l, uint64_t id)
{
	struct ag_life life = { 0 };

	cr_assert(ag_lives_end(l, id, &life));
	return life;
}

/* The collection that takes an object is none that it lived through. */
Test(lives, ages)
{
	static const struct {
		int collections;
		uint32_t age, row;
	} cases[] = { { 0, 0, 0 }, { 1, 0, 0 },		{ 2, 1, 1 },
		      { 3, 2, 2 }, { 4, 3, 2 },		{ 5, 4, 3 },
		      { 9, 8, 4 }, { 70000, 69999, 16 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ag_lives *l = ag_lives_new();
		uint64_t id;
		struct ag_life life;
		struct ag_life_sum *sum;

		collect(l, 5);
		id = ag_lives_add(l, 3, 24, ONE);
		collect(l, cases[i].collections);
		life = end(l, id);
		cr_expect_eq(life.age, cases[i].age);
		cr_expect(life.site == 3 && life.size == 24 &&
			  life.parts == ONE);
		sum = ag_lives_sum(l, 3, false);
		for (uint32_t row = 0; row < AG_AGES; row++)
			cr_expect_eq(sum[2].ages[row],
				     row == cases[i].row ? ONE : 0);
		cr_expect_eq(sum[2].late, cases[i].row ? ONE : 0);
		cr_expect_eq(sum[2].live, 0);
		hp_free(sum);
		ag_lives_free(l);
	}
}

/* No two objects have one id, though they have one place. */
Test(lives, ids)
{
	struct ag_lives *l = ag_lives_new();
	uint64_t first = ag_lives_add(l, 1, 16, ONE), second;
	struct ag_life life;

	cr_assert_neq(first, 0);
	cr_expect_not(ag_lives_end(l, 0, &life));
	cr_expect_not(ag_lives_end(l, first + 1, &life));
	cr_expect_not(ag_lives_end(l, first | UINT64_C(1) << 32, &life));
	end(l, first);
	cr_expect_not(ag_lives_end(l, first, &life), "it ends twice");
	second = ag_lives_add(l, 2, 16, ONE);
	cr_expect_neq(second, first);
	cr_expect_eq((uint32_t)second, (uint32_t)first, "another place");
	cr_expect_eq(end(l, second).site, 2);
	ag_lives_free(l);
}

/* More than a segment, ended from the middle on, and added again. */
Test(lives, many)
{
	enum { MANY = 20000 };
	static uint64_t ids[MANY];
	struct ag_lives *l = ag_lives_new();
	struct ag_life_count count;
	struct ag_life_sum *sum;

	for (int i = 0; i < MANY; i++)
		ids[i] = ag_lives_add(l, 1 + (uint32_t)i % 200, 8, ONE);
	for (int i = MANY / 2; i < MANY; i++)
		end(l, ids[i]);
	for (int i = MANY / 2; i < MANY; i++)
		ids[i] = ag_lives_add(l, 7, 8, 2 * ONE);
	count = ag_lives_count(l);
	cr_expect_eq(count.live, (uint64_t)MANY / 2 * 3 * ONE);
	cr_expect_eq(count.made, (uint64_t)MANY * 2 * ONE);
	sum = ag_lives_sum(l, 200, false);
	cr_expect_eq(sum[6].live, (uint64_t)(MANY / 400 + MANY) * ONE);
	cr_expect_eq(sum[6].live_bytes, (uint64_t)(MANY / 400 + MANY) * 8);
	hp_free(sum);
	/* A caller that knows fewer sites. */
	sum = ag_lives_sum(l, 1, false);
	cr_expect_eq(sum[0].live, (uint64_t)MANY / 400 * ONE);
	hp_free(sum);
	for (int i = 0; i < MANY; i++)
		end(l, ids[i]);
	cr_expect_eq(ag_lives_count(l).live, 0);
	ag_lives_free(l);
}

Test(lives, reached)
{
	struct ag_lives *l = ag_lives_new();
	uint64_t a = ag_lives_add(l, 1, 16, ONE);
	struct ag_life_sum *sum;

	ag_lives_add(l, 1, 32, ONE);
	collect(l, 1);
	ag_lives_reach(l, a);
	ag_lives_reach(l, a);
	ag_lives_reach(l, 12345);
	sum = ag_lives_sum(l, 1, true);
	cr_expect(sum[0].live == ONE && sum[0].live_bytes == 16);
	cr_expect_eq(sum[0].ages[1], 2 * ONE, "both lived through it");
	hp_free(sum);
	/* Marks are of one sum. */
	sum = ag_lives_sum(l, 1, true);
	cr_expect_eq(sum[0].live, 0);
	hp_free(sum);
	ag_lives_clear(l);
	sum = ag_lives_sum(l, 1, false);
	cr_expect_eq(sum[0].live, 2 * ONE);
	hp_free(sum);
	ag_lives_free(l);
}

/* Each allocation may fail; nothing is lost but the object. */
Test(lives, no_memory)
{
	for (int64_t fail = 0; fail < 6; fail++) {
		struct ag_lives *l;

		hp_mem_fail_after(fail);
		l = ag_lives_new();
		for (uint32_t i = 1; l && i < 10000; i++) {
			uint64_t id = ag_lives_add(l, i % 300 + 1, 8, ONE);

			if (id && i % 2)
				end(l, id);
		}
		hp_mem_fail_after(-1);
		ag_lives_free(l);
	}
}

/* ---- the table ------------------------------------------------------------- */

static char text[8192];
static size_t text_size;

static enum hprof_status write_text(void *user, const void *bytes, size_t size)
{
	(void)user;
	cr_assert_lt(text_size + size, sizeof text);
	memcpy(text + text_size, bytes, size);
	text_size += size;
	text[text_size] = '\0';
	return HPROF_OK;
}

/* Names as a hostile class may have them. */
static const char *name_of(void *user, uint32_t number)
{
	(void)user;
	return number == 1 ? "a.B%s\"\\\n\x1b" : NULL;
}

static struct hprof_stack_frame frame_of(void *user, uint32_t trace,
					 uint32_t depth)
{
	(void)user;
	if (trace != 5 || depth > 1)
		return (struct hprof_stack_frame){ 0 };
	return (struct hprof_stack_frame){ .class_name = "C",
					   .method = depth ? "\xc0\x80" : "m",
					   .source = depth ? "C.java" : NULL,
					   .line = depth ? 12 : -3 };
}

static const struct ag_life_names names = { name_of, frame_of, NULL };

static struct ag_life_row rows[] = {
	{ .trace = 5,
	  .class_number = 1,
	  .objects = 900,
	  .bytes = 14400,
	  .survived = { 700, 600, 400 },
	  .late_garbage = 600,
	  .live_objects = 100,
	  .live_bytes = 1600 },
	{ .trace = 6, .class_number = 2, .objects = 1 },
};

static const struct ag_life_table table = {
	.rows = rows, .count = 2, .collections = 7, .interval = 4096
};

Test(life_report, text)
{
	struct text_writer w = { .write = write_text };

	ag_life_put_text(&w, &table, &names, 0);
	cr_assert_eq(text_flush(&w), HPROF_OK);
	cr_expect(strstr(text, "LIFE BEGIN (ordered by late garbage, "
			       "collections = 7) Thu Jan  1 00:00:00 1970\n"));
	cr_expect(strstr(text,
			 "    1       900      700      600      400      "
			 "  0        0      600      100     5 a.B%s\"\\"),
		  "%s", text);
	cr_expect(strstr(text, "     6 ?\nLIFE END\n"), "%s", text);
	cr_expect_null(strchr(text, '\x1b'));
}

Test(life_report, json)
{
	struct text_writer w = { .write = write_text };

	ag_life_put_json(&w, &table, &names);
	cr_assert_eq(text_flush(&w), HPROF_OK);
	cr_assert_str_eq(
		text,
		"{\"collections\": 7, \"interval\": 4096, \"uncertain\": 0,\n"
		"\"sites\": [\n"
		"{\"class\": \"a.B\\u0025s\\u0022\\u005c\\u000a\\u001b\", "
		"\"objects\": 900, \"bytes\": 14400, \"survived\": [700, 600, "
		"400, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "
		"\"late_garbage\": 600, \"live_objects\": 100, "
		"\"live_bytes\": 1600, \"frames\": ["
		"{\"class\": \"C\", \"method\": \"m\", \"source\": null, "
		"\"line\": -3}, {\"class\": \"C\", \"method\": \"\\u0000\", "
		"\"source\": \"C.java\", \"line\": 12}]},\n"
		"{\"class\": null, \"objects\": 1, \"bytes\": 0, \"survived\": "
		"[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "
		"\"late_garbage\": 0, \"live_objects\": 0, \"live_bytes\": 0, "
		"\"frames\": []}\n]}\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * test_site_changes.c - allocation sites that a front end knows already.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "agent/profile/site_changes.h"
#include "base/mem.h"

static const struct ag_site_row first[] = {
	{ .trace = 9, .class_number = 1, .live_bytes = 10, .bytes = 40 },
	{ .trace = 3, .class_number = 2, .live_bytes = 5, .bytes = 50 },
	{ .trace = 3, .class_number = 1, .objects = 2, .bytes = 60 },
};

/* The traces of the rows that are left, in their order, as decimal digits. */
static unsigned heed(struct ag_site_changes *c, const struct ag_site_row *rows,
		     size_t count, bool only_changes)
{
	struct ag_site_row copy[4];
	struct ag_site_table t = { .rows = copy, .count = count };
	unsigned left = 0;

	memcpy(copy, rows, count * sizeof *rows);
	ag_site_changes_heed(c, &t, only_changes);
	cr_assert_eq(t.incremental, only_changes);
	for (size_t i = 0; i < t.count; i++)
		left = left * 100 + copy[i].trace * 10 + copy[i].class_number;
	return left;
}

Test(site_changes, only_what_is_new)
{
	struct ag_site_changes c = { 0 };
	struct ag_site_row next[4];

	memcpy(next, first, sizeof first);
	next[1].bytes++;
	next[3] = (struct ag_site_row){ .trace = 4, .class_number = 7 };
	cr_assert_eq(heed(&c, first, 3, true), 913231, "all are new");
	cr_assert_eq(heed(&c, first, 3, true), 0);
	cr_assert_eq(heed(&c, first, 3, false), 913231, "all are asked for");
	cr_assert_eq(heed(&c, next, 4, true), 3247);
	cr_assert_eq(heed(&c, next, 4, true), 0);
	cr_assert_eq(heed(&c, first, 0, true), 0);
	ag_site_changes_free(&c);
}

Test(site_changes, no_memory)
{
	struct ag_site_changes c = { 0 };

	heed(&c, first, 3, false);
	hp_mem_fail_after(0);
	heed(&c, first, 0, false);
	hp_mem_fail_after(-1);
	cr_assert_eq(heed(&c, first, 3, true), 0, "what it knew, it knows");
	ag_site_changes_free(&c);
}

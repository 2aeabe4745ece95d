/* SPDX-License-Identifier: MIT */
/*
 * test_populate.c - memory that is found for tables while they are written to.
 */
#include <criterion/criterion.h>

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/populate.h"

enum { BYTES = 8 << 20 };

static struct hp_mapped_table make(struct hp_mapped_tables *all,
				   enum hp_mapped_table_use use)
{
	struct hp_mapped_table t;

	cr_assert_eq(hp_mapped_table_make(all, &t, BYTES / 4, 4, use, NULL),
		     HPROF_OK);
	return t;
}

static bool is_resident(const struct hp_mapped_table *t, size_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char there = 0;

	cr_assert_eq(mincore((char *)t->at + at / page * page, page, &there),
		     0);
	return there & 1;
}

#ifdef MADV_POPULATE_WRITE
static bool system_can(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool can = madvise(at, page, MADV_POPULATE_WRITE) == 0;

	munmap(at, page);
	return can;
}
#else
static bool system_can(void)
{
	return false;
}
#endif

/* What the other thread writes meanwhile stays. */
Test(populate, all_of_it)
{
	struct hp_mapped_tables all = { 0 };
	struct hp_mapped_table a = make(&all, HP_MAPPED_TABLE_CLEAR);
	struct hp_mapped_table b = make(&all, HP_MAPPED_TABLE_RAW);
	const struct hp_mapped_table *tables[] = { &a, &b };
	struct hp_populate p;
	uint32_t *rows = a.at;

	if (!system_can())
		cr_skip_test("the system does not populate memory");
	cr_assert_not(is_resident(&b, BYTES - 1));
	hp_populate_begin(&p, tables, 2, NULL);
	cr_assert(p.started);
	for (uint32_t i = 0; i < BYTES / 4; i += 2)
		rows[i] = i;
	while (!is_resident(&b, BYTES - 1))
		sched_yield();
	hp_populate_end(&p);
	for (size_t at = 0; at < BYTES; at += 4096)
		cr_assert(is_resident(&b, at), "%zu", at);
	for (uint32_t i = 0; i < BYTES / 4; i++)
		cr_assert_eq(rows[i], i % 2 ? 0 : i, "row %u", i);
	hp_mapped_table_free(&all, &a);
	hp_mapped_table_free(&all, &b);
	hp_mapped_tables_release(&all);
}

/* Memory that was used before, and files, are nothing to find memory for. */
Test(populate, nothing_to_do)
{
	struct hp_mapped_tables all = { 0 };
	struct hp_mapped_table used = make(&all, HP_MAPPED_TABLE_RAW), file;
	const struct hp_mapped_table *tables[] = { &used, &file };
	struct hp_populate p;

	memset(used.at, 1, BYTES);
	hp_mapped_table_free(&all, &used);
	used = make(&all, HP_MAPPED_TABLE_CLEAR);
	cr_assert_eq(used.fresh, BYTES);
	all.limit = 1;
	file = make(&all, HP_MAPPED_TABLE_CLEAR);
	cr_assert_eq(file.place, HP_MAPPED_TABLE_FILE);
	hp_populate_begin(&p, tables, 2, NULL);
	cr_assert_not(p.started);
	hp_populate_end(&p);
	for (uint32_t i = 0; i < BYTES / 4; i++)
		cr_assert_eq(((uint32_t *)used.at)[i], 0);
	hp_mapped_table_free(&all, &used);
	hp_mapped_table_free(&all, &file);
	hp_mapped_tables_release(&all);
}

/* It may end at any time. */
Test(populate, ends_early)
{
	struct hp_mapped_tables all = { 0 };

	for (int i = 0; i < 20; i++) {
		struct hp_mapped_table t = make(&all, HP_MAPPED_TABLE_RAW);
		const struct hp_mapped_table *tables[] = { &t };
		struct hp_populate p;

		hp_populate_begin(&p, tables, 1, NULL);
		hp_populate_end(&p);
		hp_mapped_table_free(&all, &t);
		hp_mapped_tables_release(&all);
	}
}

static struct hp_mapped_table make_front(struct hp_mapped_tables *all,
					 uint64_t bytes)
{
	struct hp_mapped_table t;

	cr_assert_eq(hp_mapped_table_make_parts(all, &t, bytes, 1,
						HP_MAPPED_TABLE_PARTS, bytes,
						NULL),
		     HPROF_OK);
	return t;
}

/* As far as it is going to be used, which is said twice. */
Test(populate, front)
{
	struct hp_mapped_tables all = { 0 };
	struct hp_mapped_table t = make_front(&all, BYTES);
	struct hp_populate p;

	if (!system_can())
		cr_skip_test("the system does not populate memory");
	hp_populate_begin(&p, NULL, 0, &t);
	cr_assert(p.started);
	for (size_t to = BYTES / 4; to <= BYTES / 2; to *= 2) {
		hp_populate_front(&p, to);
		while (!is_resident(&t, to - 1))
			sched_yield();
	}
	hp_populate_end(&p);
	for (size_t at = 0; at < BYTES; at += 4096)
		cr_assert_eq(is_resident(&t, at), at < BYTES / 2, "%zu", at);
	hp_mapped_table_free(&all, &t);
	hp_mapped_tables_release(&all);
}

/* What is no memory of its own is left alone, with other tables or without. */
Test(populate, no_front)
{
	struct hp_mapped_tables all = { 0 };
	struct hp_mapped_table small = make_front(&all, 100);
	struct hp_mapped_table t = make(&all, HP_MAPPED_TABLE_RAW);
	const struct hp_mapped_table *tables[] = { &t };
	struct hp_populate p;

	for (unsigned count = 0; count < 2; count++) {
		hp_populate_begin(&p, tables, count, &small);
		cr_assert_eq(p.started, count > 0);
		hp_populate_front(&p, 100);
		while (count && system_can() && !is_resident(&t, BYTES - 1))
			sched_yield();
		hp_populate_end(&p);
	}
	hp_mapped_table_free(&all, &small);
	hp_mapped_table_free(&all, &t);
	hp_mapped_tables_release(&all);
}

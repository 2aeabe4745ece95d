/* SPDX-License-Identifier: MIT */
/*
 * test_monitor_times.c - pairs of events, and the rows that they make.
 */
#include <criterion/criterion.h>

#include "agent/monitor/monitor_times.h"
#include "agent/monitor/wait_lines.h"
#include "agent/monitor/waits.h"
#include "base/mem.h"

static struct ag_monitor_times *times;
static struct ag_waits *waits;
static struct ag_profile profile;

static void set_up(void)
{
	times = ag_monitor_times_new();
	waits = ag_waits_new();
	cr_assert_not_null(times);
	cr_assert_not_null(waits);
}

static void tear_down(void)
{
	ag_profile_done(&profile);
	ag_monitor_times_free(times);
	ag_waits_free(waits);
}

TestSuite(monitor_times, .init = set_up, .fini = tear_down);

static const struct ag_cost_table *rows(void)
{
	ag_profile_done(&profile);
	cr_assert(ag_monitor_times_rows(times, &profile.monitors.times));
	ag_cost_table_order(&profile.monitors.times, AG_BY_COST);
	return &profile.monitors.times;
}

static void enter(uint64_t thread, uint32_t trace, uint32_t class_number,
		  uint64_t from, uint64_t to)
{
	uint64_t ns = 0, kept = 0;

	ag_waits_begin(waits, AG_WAIT_ENTER, thread, trace, from);
	cr_assert(ag_waits_end(waits, AG_WAIT_ENTER, thread, to, &ns, &kept));
	cr_assert_eq(ns, to - from);
	cr_assert_eq(kept, trace);
	ag_monitor_times_add(times, trace, class_number, ns);
}

static void is_row(const struct ag_cost_row *row, uint32_t trace,
		   uint32_t class_number, uint64_t count, uint64_t cost)
{
	cr_assert_eq(row->trace, trace);
	cr_assert_eq(row->class_number, class_number);
	cr_assert_eq(row->count, count);
	cr_assert_eq(row->cost, cost);
}

Test(monitor_times, a_row_for_each_trace_and_class)
{
	const struct ag_cost_table *t;

	enter(1, 10, 1, 100, 150);
	enter(2, 10, 1, 100, 160);
	enter(1, 10, 2, 200, 240);
	enter(1, 11, 1, 300, 800);
	t = rows();
	cr_assert_eq(t->count, 3);
	cr_assert_eq(t->total, 650);
	is_row(&t->rows[0], 11, 1, 1, 500);
	is_row(&t->rows[1], 10, 1, 2, 110);
	is_row(&t->rows[2], 10, 2, 1, 40);
}

/* Threads meet in one bucket when their numbers differ by 1024. */
Test(monitor_times, threads_wait_at_the_same_time)
{
	uint64_t ns, kept;

	ag_waits_begin(waits, AG_WAIT_ENTER, 1, 10, 100);
	ag_waits_begin(waits, AG_WAIT_ENTER, 1025, 20, 110);
	ag_waits_begin(waits, AG_WAIT_NOTIFY, 1, 30, 120);
	cr_assert(ag_waits_end(waits, AG_WAIT_ENTER, 1025, 210, &ns, &kept));
	cr_assert_eq(ns, 100);
	cr_assert_eq(kept, 20);
	cr_assert(ag_waits_end(waits, AG_WAIT_NOTIFY, 1, 125, &ns, &kept));
	cr_assert_eq(ns, 5);
	cr_assert_eq(kept, 30);
	cr_assert(ag_waits_end(waits, AG_WAIT_ENTER, 1, 101, &ns, &kept));
	cr_assert_eq(ns, 1);
	cr_assert_eq(kept, 10);
}

/* JVMs tell of virtual threads' ends without beginnings, and the reverse. */
Test(monitor_times, orphans_are_dropped)
{
	uint64_t ns = 77, kept = 78;

	cr_assert_not(ag_waits_end(waits, AG_WAIT_ENTER, 1, 100, &ns, &kept));
	cr_assert_eq(ns, 77);
	cr_assert_eq(kept, 78);
	ag_waits_begin(waits, AG_WAIT_ENTER, 1, 10, 100);
	ag_waits_begin(waits, AG_WAIT_ENTER, 1, 11, 200);
	cr_assert(ag_waits_end(waits, AG_WAIT_ENTER, 1, 250, &ns, &kept));
	cr_assert_eq(ns, 50);
	cr_assert_eq(kept, 11);
	cr_assert_not(ag_waits_end(waits, AG_WAIT_ENTER, 1, 300, &ns, &kept));
	ag_waits_begin(waits, AG_WAIT_ENTER, 1, 10, 100);
	ag_waits_clear(waits);
	cr_assert_not(ag_waits_end(waits, AG_WAIT_ENTER, 1, 300, &ns, &kept));
}

Test(monitor_times, cleared)
{
	enter(1, 10, 1, 100, 150);
	ag_monitor_times_clear(times);
	cr_assert_eq(rows()->count, 0);
	enter(2, 12, 3, 100, 130);
	is_row(&rows()->rows[0], 12, 3, 1, 30);
}

Test(monitor_times, no_memory)
{
	struct ag_cost_table table = { .count = 0 };
	uint64_t ns, kept;

	hp_mem_fail_after(0);
	cr_assert_null(ag_monitor_times_new());
	hp_mem_fail_after(0);
	cr_assert_null(ag_waits_new());
	hp_mem_fail_after(0);
	ag_waits_begin(waits, AG_WAIT_ENTER, 1, 10, 100);
	hp_mem_fail_after(-1);
	cr_assert_not(ag_waits_end(waits, AG_WAIT_ENTER, 1, 130, &ns, &kept));
	cr_assert_eq(ag_waits_lost(waits), 1);
	hp_mem_fail_after(0);
	ag_monitor_times_add(times, 10, 1, 5);
	hp_mem_fail_after(-1);
	cr_assert_eq(rows()->count, 0);
	cr_assert_eq(rows()->failed, 1);
	hp_mem_fail_after(0);
	cr_assert_not(ag_monitor_times_rows(times, &table));
	hp_mem_fail_after(-1);
}

Test(monitor_times, the_cutoff_is_a_share_of_all)
{
	struct ag_cost_table *t = &profile.monitors.times;

	enter(1, 10, 1, 0, 900);
	enter(1, 11, 1, 0, 90);
	enter(1, 12, 1, 0, 10);
	cr_assert(ag_monitor_times_rows(times, t));
	t->cutoff = 0.05;
	ag_cost_table_order(t, AG_BY_COST);
	cr_assert_eq(t->count, 2);
	cr_assert_eq(t->total, 1000);
}

/* ---- lines --------------------------------------------------------------- */

Test(monitor_times, lines_are_told_once)
{
	struct ag_wait_lines *lines = ag_wait_lines_new();
	struct ag_monitor_report *report = &profile.monitors;

	cr_assert_not_null(lines);
	for (int i = 0; i < 70000; i++)
		ag_wait_lines_add(lines, (struct ag_wait_line){ .ms = i });
	ag_wait_lines_take(lines, report);
	cr_assert_eq(report->line_count, 65536);
	cr_assert_eq(report->lines[65535].ms, 65535);
	cr_assert_eq(report->lines_lost, 70000 - 65536);
	ag_profile_done(&profile);
	ag_wait_lines_add(lines, (struct ag_wait_line){ .ms = 7 });
	ag_wait_lines_take(lines, report);
	cr_assert_eq(report->line_count, 1);
	cr_assert_eq(report->lines_lost, 0);
	ag_profile_done(&profile);
	ag_wait_lines_add(lines, (struct ag_wait_line){ .ms = 8 });
	ag_wait_lines_clear(lines);
	ag_wait_lines_take(lines, report);
	cr_assert_eq(report->line_count, 0);
	ag_wait_lines_free(lines);
}

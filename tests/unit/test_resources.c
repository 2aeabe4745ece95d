/* SPDX-License-Identifier: MIT */
/*
 * test_resources.c - sessions, connections and the like: the recipe
 * "resources", what a pass over all sets says, and little memory.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"
#include "heaps.h"

static struct opened open_fixture(const char *name)
{
	struct fixture f = fixture_load(name);
	struct opened o;

	cr_assert(open_bytes(&o, f.bytes, f.size, 1), "%s", name);
	fixture_free(&f);
	return o;
}

Test(resources, counts_and_holders)
{
	static const struct {
		enum hprof_resource_kind kind;
		const char *class_name;
		uint64_t objects, closed, retained;
		uint64_t largest, owner;
		bool owns_all;
	} expected[] = {
		{ HPROF_RESOURCE_SESSION,
		  "org.apache.catalina.session.StandardSession", 3, 1, 48,
		  0x310, 0x1050, true },
		{ HPROF_RESOURCE_CONTEXT, "org.hibernate.internal.SessionImpl",
		  2, 1, 32, 0x400, 0x1050, true },
		{ HPROF_RESOURCE_CONNECTION, "org.h2.jdbc.JdbcConnection", 2, 1,
		  32, 0x500, 0, false },
		{ HPROF_RESOURCE_POOL,
		  "java.util.concurrent.ThreadPoolExecutor", 2, 1, 64, 0x600, 0,
		  false },
		{ HPROF_RESOURCE_THREAD, "java.lang.Thread", 1, 0, 8, 0x700, 0,
		  false },
	};
	enum { COUNT = sizeof expected / sizeof *expected };
	struct opened o = open_fixture("resources");
	struct hprof_resource_table *t;

	cr_assert_eq(hprof_resources_read(o.graph, &t, NULL), HPROF_OK);
	cr_assert_eq(t->count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		const struct hprof_resource_row *row = &t->rows[i];

		cr_expect_eq(row->kind, expected[i].kind);
		cr_expect_str_eq(row->class_name, expected[i].class_name);
		cr_expect_eq(row->objects, expected[i].objects, "%zu", i);
		cr_expect_eq(row->closed, expected[i].closed, "%zu", i);
		cr_expect_eq(row->retained, expected[i].retained, "%zu: %zu", i,
			     (size_t)row->retained);
		cr_expect_eq(row->largest.id, expected[i].largest, "%zu", i);
		cr_expect_eq(row->owner.id, expected[i].owner, "%zu", i);
		cr_expect_eq(row->owns_all, expected[i].owns_all, "%zu", i);
	}
	hprof_resource_table_free(t);
	close_opened(&o);
}

/* Without a graph unreachable objects count, too. */
Test(resources, counted_without_a_graph)
{
	struct hprof_summary *summary = summary_of("resources");
	struct hprof_resource_table *t;

	cr_assert_eq(hprof_summary_resources(summary, &t, NULL), HPROF_OK);
	cr_assert_eq(t->count, 5);
	cr_expect_eq(t->rows[0].objects, 3);
	cr_expect_eq(t->rows[3].objects, 3);
	cr_expect_eq(t->rows[3].retained, 0);
	cr_expect_eq(t->rows[3].largest.object, HPROF_NO_OBJECT);
	hprof_resource_table_free(t);
	hprof_summary_free(summary);
}

/* Superclasses that form a circle end. */
Test(resources, superclasses_in_a_circle)
{
	struct hprof_summary *summary = summary_of("class_super_cycle");
	struct hprof_resource_table *t;

	cr_assert_eq(hprof_summary_resources(summary, &t, NULL), HPROF_OK);
	cr_assert_eq(t->count, 1);
	cr_expect_eq(t->rows[0].kind, HPROF_RESOURCE_THREAD);
	hprof_resource_table_free(t);
	hprof_summary_free(summary);
}

Test(resources, little_memory)
{
	struct opened o = open_fixture("resources");
	enum hprof_status status;
	unsigned failed = 0;

	for (unsigned n = 0; n < 1000; n++) {
		struct hprof_resource_table *t = NULL;

		hp_mem_fail_after(n);
		status = hprof_resources_read(o.graph, &t, NULL);
		hp_mem_fail_after(-1);
		if (had_memory(status)) {
			cr_expect_eq(t->count, 5);
			hprof_resource_table_free(t);
			break;
		}
		cr_expect_null(t);
		failed++;
	}
	cr_expect_gt(failed, 3);
	close_opened(&o);
}

Test(resources, names)
{
	for (int i = 0; i < HPROF_RESOURCE_KINDS; i++)
		cr_expect_not_null(
			hprof_resource_kind_name((enum hprof_resource_kind)i));
	cr_expect_null(hprof_resource_kind_name(
		(enum hprof_resource_kind)HPROF_RESOURCE_KINDS));
}

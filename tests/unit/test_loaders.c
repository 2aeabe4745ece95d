/* SPDX-License-Identifier: MIT */
/*
 * test_loaders.c - class loaders as a tree: the recipe "loaders", all fixtures,
 * damaged ones and little memory.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <hprof.h>

#include "base/mem.h"
#include "fixture.h"
#include "heaps.h"
#include "maker.h"

static struct opened open_fixture(const char *name)
{
	struct fixture f = fixture_load(name);
	struct opened o;

	cr_assert(open_bytes(&o, f.bytes, f.size, 1), "%s", name);
	fixture_free(&f);
	return o;
}

static size_t row_of(const struct hprof_loader_use_table *t, uint64_t id)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->rows[i].loader_id == id)
			return i;
	cr_assert_fail("no loader 0x%llx", (unsigned long long)id);
	return SIZE_MAX;
}

Test(loaders, states_and_names)
{
	static const struct {
		uint64_t id;
		const char *name;
		enum hprof_loader_state state;
	} expected[] = {
		{ 0, "<boot>", HPROF_LOADER_SYSTEM },
		{ 0x100, "app", HPROF_LOADER_SYSTEM },
		{ 0x110, "plug\x1b", HPROF_LOADER_STOPPED },
		{ 0x120, NULL, HPROF_LOADER_ALIVE },
		{ 0x130, NULL, HPROF_LOADER_ALIVE },
		{ 0x140, NULL, HPROF_LOADER_ALIVE },
		{ 0x150, NULL, HPROF_LOADER_UNREACHABLE },
		{ 0x160, "/shop", HPROF_LOADER_ALIVE },
		{ 0x170, NULL, HPROF_LOADER_STOPPED },
		{ 0x191, NULL, HPROF_LOADER_ALIVE }, /* defined nothing */
		{ 0x999, NULL, HPROF_LOADER_UNREACHABLE },
	};
	enum { COUNT = sizeof expected / sizeof *expected };
	struct opened o = open_fixture("loaders");
	struct hprof_loader_use_table *t;

	cr_assert_eq(hprof_loader_use_read(o.graph, &t, NULL), HPROF_OK);
	cr_expect_eq(t->count, COUNT);
	cr_expect_eq(t->stopped, 2);
	for (size_t i = 0; i < COUNT; i++) {
		const struct hprof_loader_use *use =
			&t->rows[row_of(t, expected[i].id)];

		cr_expect_eq(use->state, expected[i].state, "%zu", i);
		cr_expect(expected[i].name
				  ? use->name &&
					    !strcmp(use->name, expected[i].name)
				  : !use->name,
			  "%zu: %s", i, use->name);
	}
	cr_expect_eq(t->duplicate_count, 1);
	cr_expect_str_eq(t->duplicates[0].name, "acme.Plugin");
	cr_expect_eq(t->duplicates[0].loaders, 8);
	hprof_loader_use_free(t);
	close_opened(&o);
}

Test(loaders, parents_and_holders)
{
	struct opened o = open_fixture("loaders");
	struct hprof_loader_use_table *t;
	const struct hprof_loader_use *use;

	cr_assert_eq(hprof_loader_use_read(o.graph, &t, NULL), HPROF_OK);
	/* Not the parent that a subclass declares. */
	use = &t->rows[row_of(t, 0x120)];
	cr_expect_eq(use->parent, row_of(t, 0x110));
	cr_expect_eq(use->depth, 3);
	/* An instance of its class is a root. */
	cr_assert_eq(use->path.count, 1);
	cr_expect_eq(use->path.steps[0].held.id, 0x121);
	/* The field that holds it belongs to a class of another loader. */
	use = &t->rows[row_of(t, 0x110)];
	cr_assert_geq(use->path.count, 2);
	cr_expect_str_eq(use->path.steps[use->path.count - 1].field, "KEPT");
	cr_assert_lt(use->owner_step, use->path.count);
	cr_expect_str_eq(use->path.steps[use->owner_step].held.class_name,
			 "acme.Registry");
	/* Of two that are each other's parents, the first is at the top. */
	use = &t->rows[row_of(t, 0x130)];
	cr_expect_eq(use->parent, SIZE_MAX);
	cr_expect_eq(t->rows[row_of(t, 0x140)].parent, row_of(t, 0x130));
	hprof_loader_use_free(t);
	close_opened(&o);
}

/* Parents before children, depths that fit, sums that are those of classes. */
static void check_table(const char *name, const struct hprof_summary *summary,
			const struct hprof_loader_use_table *t)
{
	uint64_t classes = 0, instances = 0, shallow = 0, plain = 0;

	cr_assert_geq(t->count, 1, "%s", name);
	cr_expect_eq(t->rows[0].loader_id, 0, "%s", name);
	for (size_t i = 0; i < t->count; i++) {
		const struct hprof_loader_use *use = &t->rows[i];

		classes += use->classes;
		instances += use->instances;
		shallow += use->shallow;
		cr_expect_leq(use->duplicates, use->classes, "%s", name);
		if (use->parent == SIZE_MAX) {
			cr_expect_eq(use->depth, 0, "%s", name);
			continue;
		}
		cr_assert_lt(use->parent, i, "%s", name);
		cr_expect_eq(use->depth, t->rows[use->parent].depth + 1, "%s",
			     name);
	}
	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		plain += row->kind == HPROF_CLASS_PLAIN;
		instances -= row->instances;
		shallow -= row->shallow;
		cr_expect_eq(t->rows[t->row_of_class[i]].loader_id,
			     row->loader_id, "%s", name);
	}
	cr_expect_eq(classes, plain, "%s", name);
	cr_expect_eq(instances, 0, "%s", name);
	cr_expect_eq(shallow, 0, "%s", name);
}

Test(loaders, all_fixtures, .timeout = 300)
{
	size_t read = 0;

	for (char **name = fixture_names(); *name; name++) {
		struct fixture f = fixture_load(*name);
		struct hprof_loader_use_table *t;
		struct opened o;

		if (open_bytes(&o, f.bytes, f.size, 1)) {
			cr_assert_eq(hprof_loader_use_read(o.graph, &t, NULL),
				     HPROF_OK, "%s", *name);
			check_table(*name, hprof_heap_summary(o.heap), t);
			hprof_loader_use_free(t);
			close_opened(&o);
			read++;
		}
		fixture_free(&f);
	}
	cr_expect_gt(read, 50);
}

/* The Nth allocation fails: no memory is lost, and nothing is returned. */
Test(loaders, little_memory)
{
	struct opened o = open_fixture("loaders");
	struct hprof_loader_use_table *t = NULL;
	unsigned failures = 0;

	for (int64_t n = 0; n < 100000 && !t; n++) {
		enum hprof_status status;

		hp_mem_fail_after(n);
		status = hprof_loader_use_read(o.graph, &t, NULL);
		hp_mem_fail_after(-1);
		if (had_memory(status))
			break;
		failures++;
		cr_assert(t == NULL);
	}
	cr_assert(t != NULL);
	cr_expect_gt(failures, 10);
	hprof_loader_use_free(t);
	close_opened(&o);
}

/*
 * Each loader is of a class below those of all before it; only the name of the
 * topmost is known. To climb up to it from each would take minutes.
 */
Test(loaders, classes_below_each_other)
{
	enum { COUNT = 60000 };
	struct maker m = maker_begin(8);
	struct hprof_loader_use_table *t;
	struct opened o;

	maker_load(&m, 0x10, "java.lang.ClassLoader");
	maker_load(&m, 0x20, "org.springframework.boot.loader.AClassLoader");
	maker_heap(&m, HPROF_HEAP_DUMP);
	for (uint64_t i = 1; i <= COUNT; i++)
		maker_class(&m,
			    &(struct maker_class){ .class_id = i << 4,
						   .super_id = (i - 1) << 4 });
	for (uint64_t i = 1; i <= COUNT; i++) {
		maker_instance(&m, (i << 4) + 8, i << 4, 0);
		maker_root(&m, (i << 4) + 8);
	}
	maker_heap_end(&m);
	cr_assert(open_bytes(&o, m.out.bytes, m.out.size, 1));
	cr_assert_eq(hprof_loader_use_read(o.graph, &t, NULL), HPROF_OK);
	cr_expect_eq(t->count, COUNT + 1);
	for (size_t i = 0; i < t->count; i++) {
		const char *name = t->rows[i].name;

		if (t->rows[i].loader_id > 0x18)
			cr_expect(name &&
				  !strcmp(name, "Spring Boot application"));
		else if (t->rows[i].loader_id)
			cr_expect_null(name);
	}
	hprof_loader_use_free(t);
	close_opened(&o);
	buffer_free(&m.out);
}

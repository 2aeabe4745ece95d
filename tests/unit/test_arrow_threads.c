/* SPDX-License-Identifier: MIT */
/*
 * test_arrow_threads.c - threads that read streams of one heap: each its part of
 * every table, all of every table, and the fields of every class. What they get is
 * what one thread gets. Worth most with ThreadSanitizer.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "arrow_source.h"
#include "together.h"

enum { THREADS = 4, BATCH_ROWS = 3 };

/* The sum of hashes of rows: the same for all rows and for their parts. */
struct rows {
	uint64_t sum, count;
};

struct reader {
	const struct source *source;
	const struct hprof_class_index *index;
	unsigned number; /* of THREADS */
	struct rows part[HPROF_TABLE_COUNT], whole[HPROF_TABLE_COUNT], fields;
	/* The last batch with rows; main releases it. */
	struct ArrowArray kept;
	bool good;
};

/* ---- rows as numbers ----------------------------------------------------- */

static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t hash_text(uint64_t sum, const struct ArrowArray *array,
			  int64_t row)
{
	const int32_t *ends = array->buffers[1];

	return hash(sum, (const char *)array->buffers[2] + ends[row],
		    (size_t)(ends[row + 1] - ends[row]));
}

static uint64_t hash_cell(uint64_t sum, const struct ArrowSchema *schema,
			  const struct ArrowArray *array, int64_t row)
{
	const uint8_t *valid = array->buffers[0];

	if (valid && !(valid[row / 8] >> row % 8 & 1))
		return hash(sum, "-", 1);
	if (schema->dictionary)
		return hash_text(sum, array->dictionary,
				 ((const int32_t *)array->buffers[1])[row]);
	if (strcmp(schema->format, "u") == 0)
		return hash_text(sum, array, row);
	return hash(sum, (const uint64_t *)array->buffers[1] + row,
		    sizeof(uint64_t));
}

static void add_rows(struct rows *rows, const struct ArrowSchema *schema,
		     const struct ArrowArray *array)
{
	for (int64_t row = 0; row < array->length; row++) {
		uint64_t sum = UINT64_C(0xcbf29ce484222325);

		for (int64_t i = 0; i < array->n_children; i++)
			sum = hash_cell(sum, schema->children[i],
					array->children[i], row);
		rows->sum += sum;
		rows->count++;
	}
}

/* ---- a thread ------------------------------------------------------------ */

static void keep(struct reader *r, const struct ArrowArray *array)
{
	if (r->kept.release)
		r->kept.release(&r->kept);
	r->kept = *array;
}

static void read_stream(struct reader *r, struct ArrowArrayStream *stream,
			struct rows *rows)
{
	struct ArrowSchema schema;
	struct ArrowArray array;

	r->good &= stream->get_schema(stream, &schema) == 0;
	while (r->good) {
		r->good = stream->get_next(stream, &array) == 0;
		if (!r->good || !array.release)
			break;
		add_rows(rows, &schema, &array);
		keep(r, &array);
	}
	schema.release(&schema);
	stream->release(stream);
}

static void read_table(struct reader *r, unsigned table, uint64_t first,
		       uint64_t end, struct rows *rows)
{
	const struct hprof_tables_walk walk = walk_of(r->source);
	struct hprof_arrow_options how = { .size = sizeof how,
					   .batch_rows = BATCH_ROWS,
					   .first = first,
					   .end = end };
	struct ArrowArrayStream stream;

	r->good &= hprof_arrow_table(&walk, (enum hprof_table)table, &how,
				     &stream, NULL) == HPROF_OK;
	if (r->good)
		read_stream(r, &stream, rows);
}

/* Rows that do not go by object are few: the last part has most of them. */
static void read_part(struct reader *r, unsigned table)
{
	uint64_t count = hprof_heap_count(r->source->o.heap);
	uint64_t first = count * r->number / THREADS;
	uint64_t end = count * (r->number + 1) / THREADS;

	read_table(r, table, first, r->number + 1 < THREADS ? end : 0,
		   &r->part[table]);
}

static void read_classes(struct reader *r)
{
	const struct hprof_tables_walk walk = walk_of(r->source);
	size_t count = hprof_heap_summary(walk.heap)->class_count;

	for (size_t i = 0; i < count && r->good; i++) {
		struct ArrowArrayStream stream;

		r->good &= hprof_arrow_class(&walk, r->index, i, true, NULL,
					     &stream, NULL) == HPROF_OK;
		if (r->good)
			read_stream(r, &stream, &r->fields);
	}
}

/* Each begins with another table, and halves of them begin with classes. */
static void read_all(void *user)
{
	struct reader *r = user;

	if (r->number % 2)
		read_classes(r);
	for (unsigned i = 0; i < HPROF_TABLE_COUNT && r->good; i++) {
		unsigned table = (i + r->number * 5) % HPROF_TABLE_COUNT;

		read_part(r, table);
		read_table(r, table, 0, 0, &r->whole[table]);
	}
	if (r->number % 2 == 0)
		read_classes(r);
}

/* ---- tests --------------------------------------------------------------- */

static void compare(const struct reader *readers, const struct reader *alone)
{
	for (unsigned t = 0; t < HPROF_TABLE_COUNT; t++) {
		const char *name = hprof_table_info((enum hprof_table)t)->name;
		struct rows parts = { 0 };

		for (unsigned i = 0; i < THREADS; i++) {
			cr_expect_eq(readers[i].whole[t].sum,
				     alone->whole[t].sum, "%s", name);
			parts.sum += readers[i].part[t].sum;
			parts.count += readers[i].part[t].count;
		}
		cr_expect_eq(parts.count, alone->whole[t].count, "%s", name);
		cr_expect_eq(parts.sum, alone->whole[t].sum, "%s", name);
	}
	for (unsigned i = 0; i < THREADS; i++)
		cr_expect_eq(readers[i].fields.sum, alone->fields.sum);
	cr_expect_geq(alone->fields.count, 1);
}

/* The threads come first: what a heap makes only once, they make at once. */
static void read_together(const char *fixture)
{
	static struct reader readers[THREADS], alone;
	struct hprof_class_index *index;
	struct source source;

	open_fixture(&source, fixture);
	index = index_of(&source);
	for (unsigned i = 0; i < THREADS; i++)
		readers[i] = (struct reader){ .source = &source,
					      .index = index,
					      .number = i,
					      .good = true };
	alone = readers[0];
	together(read_all, readers, THREADS, sizeof *readers);
	read_all(&alone);
	cr_expect(alone.good);
	compare(readers, &alone);
	keep(&alone, &(struct ArrowArray){ .release = NULL });
	for (unsigned i = 0; i < THREADS; i++) {
		cr_expect(readers[i].good);
		cr_expect_geq(readers[i].kept.length, 1);
		keep(&readers[i], &(struct ArrowArray){ .release = NULL });
	}
	hprof_class_index_free(index);
	close_source(&source);
}

Test(arrow_threads, shop)
{
	read_together("stat-shop");
}

Test(arrow_threads, agent)
{
	read_together("agent");
}

Test(arrow_threads, waste)
{
	read_together("waste");
}

/* SPDX-License-Identifier: MIT */
/*
 * test_sizes.c - heaps laid out as JVMs do, by a small model of their rules:
 * the summary must find out which, and the size of each object.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../inputs.h"
#include "maker.h"

/* ---- the model of a JVM -------------------------------------------------- */

struct jvm {
	const char *name;
	unsigned id_size, ref, header, array_header, alignment;
	bool fill_gaps;
	bool shuffled; /* objects in no order in the file */
};

static const struct jvm jvms[] = {
	{ "compressed", 8, 4, 12, 16, 8, true, false },
	{ "compressed, shuffled", 8, 4, 12, 16, 8, true, true },
	{ "compressed, before 15", 8, 4, 12, 16, 8, false, false },
	{ "compressed, before 15, shuffled", 8, 4, 12, 16, 8, false, true },
	{ "compact headers", 8, 4, 8, 12, 8, true, false },
	{ "compact headers, full references", 8, 8, 8, 12, 8, true, false },
	{ "compressed classes only", 8, 8, 12, 16, 8, true, false },
	{ "compressed classes only, before 15", 8, 8, 12, 16, 8, false, false },
	{ "uncompressed", 8, 8, 16, 20, 8, true, false },
	{ "uncompressed, before 23", 8, 8, 16, 24, 8, true, false },
	{ "uncompressed, before 15", 8, 8, 16, 24, 8, false, false },
	{ "uncompressed, shuffled", 8, 8, 16, 24, 8, true, true },
	{ "aligned to 16", 8, 4, 12, 16, 16, true, false },
	{ "aligned to 32, shuffled", 8, 4, 12, 16, 32, true, true },
	{ "32 bits", 4, 4, 8, 12, 8, true, false },
	{ "32 bits, before 15", 4, 4, 8, 12, 8, false, true },
};
enum { JVMS = sizeof jvms / sizeof *jvms };

/* The super of each but the first is the one before, or that of DOWN. */
static const struct model_class {
	const char *name;
	int super; /* index; -1 none */
	const char *fields;
} classes[] = {
	{ "java/lang/Object", -1, "" },
	{ "a/Byte", 0, "B" },
	{ "a/SubByte", 1, "B" },
	{ "a/SubSubByte", 2, "S" },
	{ "a/Int", 0, "I" },
	{ "a/SubInt", 4, "L" },
	{ "a/Long", 0, "J" },
	{ "a/SubLong", 6, "I" },
	{ "a/SubLongRef", 6, "L" },
	{ "a/Ref", 0, "L" },
	{ "a/SubRef", 9, "BL" },
	{ "a/SubSubRef", 10, "LLJ" },
	{ "a/Many", 0, "ZCFDBSIJL" },
	{ "a/SubMany", 12, "LLL" },
	{ "a/Refs", 0, "LLLLL" },
	{ "a/Bools", 0, "ZZZZZZZZZ" },
	{ "a/SubBools", 15, "J" },
	{ "a/Chars", 0, "CCC" },
	{ "a/Doubles", 17, "DD" },
};
enum { CLASSES = sizeof classes / sizeof *classes };

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static unsigned width_of(char letter, unsigned ref)
{
	return hprof_type_size(maker_type(letter), ref);
}

/* Sets a field of WIDTH bytes on the first free place that is aligned. */
static uint64_t place(bool *taken, uint64_t from, unsigned width)
{
	for (uint64_t at = align_up(from, width);; at += width) {
		bool free = true;
		for (unsigned i = 0; i < width; i++)
			free = free && !taken[at + i];
		if (!free)
			continue;
		memset(taken + at, true, width);
		return at + width;
	}
}

/*
 * Fields of class I, its supers first; largest fields of a class first, into
 * any gap (JDK 15) or behind the super's last field.
 */
static uint64_t lay_out(const struct jvm *jvm, int i, bool *taken)
{
	const struct model_class *c = &classes[i];
	uint64_t end = jvm->header, from;

	memset(taken, true, jvm->header);
	if (c->super >= 0)
		end = lay_out(jvm, c->super, taken);
	from = jvm->fill_gaps ? 0 : align_up(end, jvm->ref);
	for (unsigned width = 8; width > 0; width /= 2) {
		for (const char *p = c->fields; *p; p++) {
			if (width_of(*p, jvm->ref) != width)
				continue;
			uint64_t behind = place(taken, from, width);
			if (behind > end)
				end = behind;
		}
	}
	return end;
}

static uint64_t instance_size(const struct jvm *jvm, int i)
{
	bool taken[512] = { false };

	return align_up(lay_out(jvm, i, taken), jvm->alignment);
}

static uint32_t data_size(const struct jvm *jvm, int i)
{
	uint32_t size = 0;

	for (; i >= 0; i = classes[i].super)
		for (const char *p = classes[i].fields; *p; p++)
			size += width_of(*p, jvm->id_size);
	return size;
}

static uint64_t array_size(const struct jvm *jvm, unsigned width, uint64_t n)
{
	uint64_t start =
		width == 8 ? align_up(jvm->array_header, 8) : jvm->array_header;

	return align_up(start + n * width, jvm->alignment);
}

/* ---- a heap -------------------------------------------------------------- */

enum { OBJECTS = 6000, KINDS = CLASSES + 9 };

struct object {
	uint64_t id;
	unsigned kind; /* a class, or CLASSES + type - 3; 3 for references */
	uint32_t count;
};

struct heap {
	const struct jvm *jvm;
	struct maker maker;
	struct object objects[OBJECTS];
	uint64_t sums[KINDS], largest[KINDS];
};

static uint64_t class_id(const struct heap *heap, unsigned i)
{
	return 0x80000000 + (uint64_t)i * 16 * heap->jvm->alignment;
}

static uint64_t size_of(const struct jvm *jvm, const struct object *object)
{
	unsigned type = object->kind - CLASSES + 3;

	if (object->kind < CLASSES)
		return instance_size(jvm, (int)object->kind);
	return array_size(jvm, type == 3 ? jvm->ref : hprof_type_size(type, 0),
			  object->count);
}

/* Objects one behind the other; now and then a dead one between. */
static void allocate(struct heap *heap)
{
	uint64_t at = 0x90000000;

	for (unsigned i = 0; i < OBJECTS; i++) {
		struct object *object = &heap->objects[i];
		object->kind = (unsigned)maker_random(&heap->maker, KINDS);
		object->count = (uint32_t)maker_random(&heap->maker, 50);
		object->id = at;
		uint64_t size = size_of(heap->jvm, object);
		at += size;
		heap->sums[object->kind] += size;
		if (size > heap->largest[object->kind])
			heap->largest[object->kind] = size;
		if (maker_random(&heap->maker, 5) == 0)
			at += heap->jvm->alignment *
			      (1 + maker_random(&heap->maker, 20));
	}
}

static void shuffle(struct heap *heap)
{
	for (unsigned i = OBJECTS - 1; i > 0; i--) {
		unsigned k = (unsigned)maker_random(&heap->maker, i + 1);
		struct object object = heap->objects[i];
		heap->objects[i] = heap->objects[k];
		heap->objects[k] = object;
	}
}

static void write_classes(struct heap *heap)
{
	struct maker *m = &heap->maker;

	for (unsigned i = 0; i < CLASSES; i++)
		maker_load(m, class_id(heap, i), classes[i].name);
	maker_load(m, class_id(heap, CLASSES), "[Ljava/lang/Object;");
	maker_heap(m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct model_class *c = &classes[i];
		maker_class(
			m,
			&(struct maker_class){
				.class_id = class_id(heap, i),
				.super_id =
					c->super < 0
						? 0
						: class_id(heap,
							   (unsigned)c->super),
				.fields = c->fields,
				.names_id = 1 });
	}
}

static void write_objects(struct heap *heap)
{
	struct maker *m = &heap->maker;

	for (unsigned i = 0; i < OBJECTS; i++) {
		const struct object *object = &heap->objects[i];
		unsigned type = object->kind - CLASSES + 3;
		if (object->kind < CLASSES)
			maker_instance(m, object->id,
				       class_id(heap, object->kind),
				       data_size(heap->jvm, (int)object->kind));
		else if (type == 3)
			maker_objects(m, object->id, class_id(heap, CLASSES),
				      object->count);
		else
			maker_prims(m, object->id, type, object->count);
	}
	maker_heap_end(m);
}

static struct heap *make_heap(const struct jvm *jvm)
{
	struct heap *heap = calloc(1, sizeof *heap);

	cr_assert(heap != NULL);
	heap->jvm = jvm;
	heap->maker = maker_begin(jvm->id_size);
	allocate(heap);
	if (jvm->shuffled)
		shuffle(heap);
	write_classes(heap);
	write_objects(heap);
	return heap;
}

static void free_heap(struct heap *heap)
{
	buffer_free(&heap->maker.out);
	free(heap);
}

/* ---- summaries ----------------------------------------------------------- */

static struct hprof_summary *summarise(const struct buffer *bytes,
				       struct hprof_summary_options options)
{
	struct hprof_summary *summary;
	char path[32];

	snprintf(path, sizeof path, "sizes.%d", (int)getpid());
	options.size = sizeof options;
	maker_file(path, bytes->bytes, bytes->size);
	cr_assert(hprof_summary_read(INPUT_PATH(path), &options, &summary,
				     NULL) >= 0);
	unlink(path);
	return summary;
}

static const struct hprof_class_row *
row_of(const struct hprof_summary *s, const struct heap *heap, unsigned kind)
{
	const char *element = hprof_type_name(kind - CLASSES + 3);
	char name[64];

	snprintf(name, sizeof name, "%s[]", element ? element : "");
	for (size_t i = 0; i < s->class_count; i++) {
		const struct hprof_class_row *row = &s->class_rows[i];
		if (kind <= CLASSES ? row->class_id == class_id(heap, kind)
				    : strcmp(row->name, name) == 0)
			return row;
	}
	cr_assert(false, "no row for %u", kind);
	return NULL;
}

static void check_rows(const struct hprof_summary *s, const struct heap *heap)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		const struct hprof_class_row *row = row_of(s, heap, kind);
		cr_expect_eq(row->shallow, heap->sums[kind],
			     "%s, %s: %llu, not %llu", heap->jvm->name,
			     row->name, (unsigned long long)row->shallow,
			     (unsigned long long)heap->sums[kind]);
		cr_expect_eq(row->largest, heap->largest[kind], "%s, %s",
			     heap->jvm->name, row->name);
	}
}

Test(sizes, conventions)
{
	for (unsigned i = 0; i < JVMS; i++) {
		const struct jvm *jvm = &jvms[i];
		struct heap *heap = make_heap(jvm);
		struct hprof_summary *s = summarise(
			&heap->maker.out, (struct hprof_summary_options){ 0 });
		const struct hprof_size_convention *v = &s->convention;

		cr_expect(v->measured && !v->declared, "%s", jvm->name);
		cr_expect_eq(v->ref_width, jvm->ref, "%s: %s", jvm->name,
			     v->text);
		cr_expect_eq(v->header, jvm->header, "%s: %s", jvm->name,
			     v->text);
		cr_expect_eq(v->array_header, jvm->array_header, "%s: %u",
			     jvm->name, v->array_header);
		cr_expect_eq(v->alignment, jvm->alignment, "%s: %s", jvm->name,
			     v->text);
		cr_expect_eq(v->fill_gaps, jvm->fill_gaps, "%s", jvm->name);
		check_rows(s, heap);
		hprof_summary_free(s);
		free_heap(heap);
	}
}

/* ---- other rules --------------------------------------------------------- */

/* Given values override what is measured. */
Test(sizes, overrides)
{
	static const struct jvm forced[] = {
		{ "header", 8, 4, 16, 20, 8, true, false },
		{ "references", 8, 8, 12, 16, 8, true, false },
		{ "alignment", 8, 4, 12, 16, 64, true, false },
		{ "all", 8, 8, 24, 28, 16, true, false },
	};

	for (unsigned i = 0; i < sizeof forced / sizeof *forced; i++) {
		const struct jvm *jvm = &forced[i];
		struct heap *heap = make_heap(&jvms[0]);
		struct hprof_summary *s = summarise(
			&heap->maker.out,
			(struct hprof_summary_options){
				.header = jvm->header == 12 ? 0 : jvm->header,
				.ref_width = jvm->ref == 4 ? 0 : jvm->ref,
				.alignment = jvm->alignment == 8
						     ? 0
						     : jvm->alignment });
		cr_expect_eq(s->convention.ref_width, jvm->ref);
		cr_expect_eq(s->convention.header, jvm->header);
		cr_expect_eq(s->convention.array_header, jvm->array_header);
		cr_expect_eq(s->convention.alignment, jvm->alignment);
		memset(heap->sums, 0, sizeof heap->sums);
		memset(heap->largest, 0, sizeof heap->largest);
		for (unsigned k = 0; k < OBJECTS; k++) {
			const struct object *object = &heap->objects[k];
			uint64_t size = size_of(jvm, object);
			heap->sums[object->kind] += size;
			if (size > heap->largest[object->kind])
				heap->largest[object->kind] = size;
		}
		check_rows(s, heap);
		hprof_summary_free(s);
		free_heap(heap);
	}
}

/* Memory Analyzer's formulas, from the format's description. */
static uint64_t mat_fields(const struct jvm *jvm, int i)
{
	uint64_t own = 0;

	if (classes[i].super < 0)
		return jvm->id_size + jvm->ref;
	for (const char *p = classes[i].fields; *p; p++)
		own += width_of(*p, jvm->ref);
	return align_up(own + mat_fields(jvm, classes[i].super), jvm->ref);
}

static uint64_t mat_size(const struct jvm *jvm, const struct object *object)
{
	unsigned type = object->kind - CLASSES + 3;
	uint64_t head = jvm->id_size + jvm->ref + 4;

	if (object->kind < CLASSES)
		return align_up(mat_fields(jvm, (int)object->kind),
				jvm->alignment);
	if (type == 3)
		return align_up(head + (uint64_t)object->count * jvm->ref,
				jvm->alignment);
	return align_up(align_up(head, jvm->ref) +
				(uint64_t)object->count *
					hprof_type_size(type, 0),
			jvm->alignment);
}

static uint64_t data_of(const struct jvm *jvm, const struct object *object)
{
	unsigned type = object->kind - CLASSES + 3;

	if (object->kind < CLASSES)
		return data_size(jvm, (int)object->kind);
	return (uint64_t)object->count *
	       (type == 3 ? jvm->id_size : hprof_type_size(type, 0));
}

static void check_rule(const struct jvm *jvm, enum hprof_sizes sizes,
		       uint64_t (*size)(const struct jvm *jvm,
					const struct object *object))
{
	struct heap *heap = make_heap(jvm);
	struct hprof_summary *s =
		summarise(&heap->maker.out,
			  (struct hprof_summary_options){ .sizes = sizes });

	memset(heap->sums, 0, sizeof heap->sums);
	memset(heap->largest, 0, sizeof heap->largest);
	for (unsigned k = 0; k < OBJECTS; k++) {
		const struct object *object = &heap->objects[k];
		uint64_t n = size(jvm, object);
		heap->sums[object->kind] += n;
		if (n > heap->largest[object->kind])
			heap->largest[object->kind] = n;
	}
	check_rows(s, heap);
	cr_expect_eq(s->convention.sizes, sizes);
	hprof_summary_free(s);
	free_heap(heap);
}

/* It takes references and alignment as found, its own header. */
Test(sizes, as_memory_analyzer)
{
	for (unsigned i = 0; i < JVMS; i++)
		check_rule(&jvms[i], HPROF_SIZES_MAT, mat_size);
}

Test(sizes, data)
{
	for (unsigned i = 0; i < JVMS; i++)
		check_rule(&jvms[i], HPROF_SIZES_DATA, data_of);
}

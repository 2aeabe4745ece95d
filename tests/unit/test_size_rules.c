/* SPDX-License-Identifier: MIT */
/*
 * test_size_rules.c - sizes that follow no layout of fields: stack chunks,
 * fields that the JVM adds, class objects.
 */
#include <criterion/criterion.h>

#include "sizing.h"

/* ---- a 64-bit JVM with compressed references ----------------------------- */

enum {
	C = 0x1300,
	D = 0x1400,
	ODD = 0x1500 /* the class that is tested */
};

/* Strings, classes, and an open segment; ODD has FIELDS from NAMES on. */
static struct maker begin(const char *name, const char *fields,
			  const char *const *names)
{
	struct maker m = maker_begin(8);
	uint64_t names_id = m.strings + 1;

	for (; *names; names++)
		maker_string(&m, *names);
	maker_load(&m, OBJECT, "java/lang/Object");
	maker_load(&m, A, "A");
	maker_load(&m, B, "B");
	maker_load(&m, C, "C");
	maker_load(&m, D, "D");
	maker_load(&m, ODD, name);
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	maker_class(&m, &(struct maker_class){ OBJECT, 0, 0, "", "", 0 });
	maker_class(&m, &(struct maker_class){ A, OBJECT, 0, "I", "", 0 });
	maker_class(&m, &(struct maker_class){ B, OBJECT, 0, "LL", "", 0 });
	maker_class(&m, &(struct maker_class){ C, B, 0, "J", "", 0 });
	maker_class(&m, &(struct maker_class){ D, OBJECT, 0, "LLLL", "", 0 });
	maker_class(&m, &(struct maker_class){ ODD, OBJECT, 0, fields, "",
					       names_id });
	return m;
}

/* Objects that prove the layout; returns the next free address. */
static uint64_t prove(struct maker *m)
{
	uint64_t id = FIRST;

	maker_instance(m, id, A, 4);
	maker_instance(m, id += 16, B, 16);
	maker_instance(m, id += 24, C, 24);
	maker_instance(m, id += 32, D, 32);
	maker_instance(m, id += 32, A, 4);
	return id + 16;
}

static void check_convention(const struct hprof_summary *s)
{
	cr_expect(s->convention.measured);
	cr_expect_eq(s->convention.header, 12);
	cr_expect_eq(s->convention.ref_width, 4);
	cr_expect_eq(class_row(s, C)->shallow, 32);
	cr_expect_eq(class_row(s, D)->shallow, 32);
}

/* ---- stack chunks -------------------------------------------------------- */

static void put_chunk(struct maker *m, uint64_t id, uint32_t words)
{
	uint8_t data[8 + 3 * 4] = { 0 };
	struct hprof_record record = {
		.tag = HPROF_INSTANCE_DUMP,
		.u.instance_dump = { id,
				     0,
				     ODD,
				     sizeof data,
				     { data, sizeof data } },
	};

	data[8] = (uint8_t)(words >> 24);
	data[9] = (uint8_t)(words >> 16);
	data[10] = (uint8_t)(words >> 8);
	data[11] = (uint8_t)words;
	maker_put(m, &record);
}

/* The stack, and a bit for each half word that may hold a reference. */
static uint64_t chunk_size(uint32_t words)
{
	uint64_t fields = 12 + 4 + 3 * 4, added = 4 + 8 + 4 + 2;
	uint64_t head = (fields + added + 7) / 8 * 8;

	return head + 8 * (words + ((uint64_t)words * 2 + 63) / 64);
}

Test(size_rules, stack_chunks)
{
	static const char *const names[] = { "parent", "size", "sp", "bottom",
					     NULL };
	static const uint32_t words[] = { 0, 1, 32, 33, 100, 70000 };
	struct maker m = begin("jdk/internal/vm/StackChunk", "LIII", names);
	uint64_t id = prove(&m), sum = 0;

	for (unsigned i = 0; i < 6; i++) {
		put_chunk(&m, id, words[i]);
		id += chunk_size(words[i]);
		sum += chunk_size(words[i]);
	}
	maker_instance(&m, id, A, 4);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	check_convention(s);
	cr_expect_eq(class_row(s, ODD)->shallow, sum);
	cr_expect_eq(class_row(s, ODD)->largest, chunk_size(70000));
	hprof_summary_free(s);
}

/* Each chunk is aligned, not only their sum. */
Test(size_rules, stack_chunks_far_apart)
{
	static const char *const names[] = { "parent", "size", "sp", "bottom",
					     NULL };
	struct hprof_summary_options options = { .size = sizeof options };

	for (unsigned alignment = 8; alignment <= 256; alignment *= 2) {
		struct maker m =
			begin("jdk/internal/vm/StackChunk", "LIII", names);
		uint64_t id = prove(&m), sum = 0;
		/* Head and stack; a stack of so many words has one of bits. */
		uint64_t head = (46 + alignment - 1) / alignment * alignment;
		for (uint32_t words = 1; words < 30; words++) {
			put_chunk(&m, id += 4096, words);
			sum += head + (8 * (words + 1) + alignment - 1) /
					      alignment * alignment;
		}
		options.alignment = alignment;
		struct hprof_summary *s = summarise_by(&m, &options);
		cr_expect_eq(class_row(s, ODD)->shallow, sum, "%u", alignment);
		cr_expect_eq(class_row(s, ODD)->largest % alignment, 0, "%u",
			     alignment);
		hprof_summary_free(s);
	}
}

/* Without that field, only the fields determine the size. */
Test(size_rules, stack_chunks_of_another_kind)
{
	static const char *const names[] = { "parent", "length", "size", NULL };
	struct maker m = begin("jdk/internal/vm/StackChunk", "LIJ", names);
	uint64_t id = prove(&m);

	put_chunk(&m, id, 1000);
	maker_instance(&m, id + 5000, A, 4);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	check_convention(s);
	cr_expect_eq(class_row(s, ODD)->shallow, 32);
	hprof_summary_free(s);
}

/* ---- measured sizes ------------------------------------------------------ */

static const char *const no_names[] = { NULL };

static const struct {
	const char *name;
	unsigned count; /* instances, one behind the other */
	uint64_t size;	/* in the heap; 16 by its field */
	uint64_t expected;
} measured[] = {
	/* By the rule an address is injected: 24. */
	{ "java/lang/Module", 1, 16, 16 },
	{ "java/lang/Module", 1, 24, 24 },
	{ "java/lang/Module", 1, 32, 24 },
	{ "java/lang/Module", 3, 32, 24 },
	{ "java/lang/Module", 10, 32, 32 },
	{ "java/lang/Module", 10, 64, 24 },
	{ "java/util/concurrent/ForkJoinPool", 1, 272, 272 },
	{ "java/util/concurrent/ForkJoinPool", 1, 24, 16 },
	{ "java/util/concurrent/ForkJoinPool", 1, 152, 16 },
	{ "any/Other", 1, 24, 16 },
	/* No fields are injected into it: garbage in between, or CMS. */
	{ "any/Other", 10, 24, 16 },
	{ "any/Other", 3, 272, 16 },
	{ "any/Other", 10, 272, 272 },
	{ "any/Other", 10, 400, 400 },
	{ "any/Other", 10, 152, 16 },
	{ "any/Other", 10, 200, 16 },
	{ "any/Other", 10, 336, 16 },
};

Test(size_rules, measured)
{
	for (unsigned i = 0; i < sizeof measured / sizeof *measured; i++) {
		struct maker m = begin(measured[i].name, "I", no_names);
		uint64_t id = prove(&m);
		for (unsigned k = 0; k < measured[i].count; k++) {
			maker_instance(&m, id, ODD, 4);
			id += measured[i].size;
		}
		maker_instance(&m, id, A, 4);
		struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
		const struct hprof_class_row *row = class_row(s, ODD);
		check_convention(s);
		cr_expect_eq(row->shallow,
			     measured[i].count * measured[i].expected,
			     "%u: %llu", i, (unsigned long long)row->shallow);
		cr_expect_eq(row->measured,
			     measured[i].expected == measured[i].size, "%u", i);
		hprof_summary_free(s);
	}
}

/*
 * Padding that is inherited from java.lang.Thread, as JDK 17 does it: fields of
 * a subclass begin 128 bytes behind the last field of the superclass.
 */
static const struct {
	const char *fields;
	uint32_t data;
	uint64_t size;
} threads[] = {
	/* 12 + 8, 128, up to 8; the seeds 16, 128 */
	{ "JIILL", 32, 12 + 8 + 128 + 4 + 16 + 128 },
	{ "", 32, 296 },
	{ "IJL", 52, 296 + 8 + 4 + 4 },
	{ "B", 53, 312 + 128 + 8 },
	{ "", 53, 441 + 128 + 7 },
	{ "S", 55, 441 + 128 + 7 },
};
enum { THREADS = sizeof threads / sizeof *threads };

static struct maker begin_threads(bool named)
{
	static const char *const seeds[] = { "threadLocalRandomSeed",
					     "threadLocalRandomProbe",
					     "threadLocalRandomSecondarySeed",
					     NULL };
	struct maker m = begin("Odd", "I", seeds);
	const uint64_t first_name = 0x101;

	maker_heap_end(&m);
	maker_load(&m, 0x3000, "java/lang/Record");
	for (unsigned i = 0; i < THREADS; i++)
		maker_load(&m, 0x2000 + 0x10 * i,
			   i == 0 ? "java/lang/Thread" : "AThread");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	for (unsigned i = 0; i < THREADS; i++)
		maker_class(&m, &(struct maker_class){
					0x2000 + 0x10 * i,
					i ? 0x2000 + 0x10 * (i - 1) : OBJECT, 0,
					threads[i].fields, "",
					i || !named ? 0 : first_name });
	return m;
}

static void check_threads(bool named, unsigned count, uint64_t gap)
{
	struct maker m = begin_threads(named);
	uint64_t id = prove(&m);

	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < count; k++) {
			maker_instance(&m, id, 0x2000 + 0x10 * i,
				       threads[i].data);
			id += threads[i].size + gap;
		}
	maker_instance(&m, id, A, 4);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	check_convention(s);
	for (unsigned i = 0; i < THREADS; i++)
		cr_expect_eq(class_row(s, 0x2000 + 0x10 * i)->largest,
			     threads[i].size, "%u of %u: %llu", i, count,
			     (unsigned long long)class_row(s, 0x2000 + 0x10 * i)
				     ->largest);
	hprof_summary_free(s);
}

/* Measured, by the rule alone, across gaps; and where no rule is known. */
Test(size_rules, inherited_padding)
{
	check_threads(true, 10, 0);
	check_threads(true, 1, 0);
	check_threads(true, 1, 16);
	check_threads(false, 10, 0);
}

/* A class object lies between two instances, and ends the first. */
Test(size_rules, class_objects_between)
{
	struct maker m = begin("java/lang/Module", "I", no_names);

	maker_heap_end(&m);
	maker_load(&m, 0x200010, "Mirror");
	maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
	prove(&m);
	maker_instance(&m, 0x200000, ODD, 4);
	maker_instance(&m, 0x200010 + 0x60, A, 4);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	/* LOAD_CLASS comes after the first object: too late. */
	cr_expect_eq(class_row(s, ODD)->shallow, 24);
	hprof_summary_free(s);
	m = maker_begin(8);
	maker_load(&m, 0x200010, "Mirror");
	struct maker rest = begin("java/lang/Module", "I", no_names);
	buffer_add(&m.out, rest.out.bytes + 31, rest.out.size - 31);
	m.heap_at = rest.heap_at + m.out.size - rest.out.size;
	buffer_free(&rest.out);
	prove(&m);
	maker_instance(&m, 0x200000, ODD, 4);
	maker_instance(&m, 0x200010 + 0x60, A, 4);
	s = summarise(&m, HPROF_SIZES_JVM);
	check_convention(s);
	cr_expect_eq(class_row(s, ODD)->shallow, 16);
	cr_expect(class_row(s, ODD)->measured);
	hprof_summary_free(s);
}

/* An object with the id of a class, which no writer makes. */
Test(size_rules, object_with_the_id_of_a_class)
{
	struct maker m = begin("Odd", "I", no_names);
	uint64_t id = prove(&m);

	maker_instance(&m, 0x800, A, 4);
	maker_instance(&m, ODD, B, 16);
	maker_instance(&m, ODD + 0x18, A, 4);
	maker_instance(&m, id, A, 4);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	check_convention(s);
	cr_expect_eq(class_row(s, B)->shallow, 48);
	hprof_summary_free(s);
}

/* ---- class objects ------------------------------------------------------- */

Test(size_rules, class_objects)
{
	static const struct {
		enum hprof_sizes sizes;
		uint64_t shallow; /* of the three together */
	} rules[] = {
		/* Without statics 64, see static_fields_apart; L, gap, J, I. */
		{ HPROF_SIZES_JVM, 64 + 64 + 88 },
		{ HPROF_SIZES_MAT, 0 + 0 + 16 },
		{ HPROF_SIZES_DATA, 0 + 0 + 20 },
	};

	for (unsigned i = 0; i < 3; i++) {
		struct maker m = maker_begin(8);
		maker_load(&m, OBJECT, "java/lang/Object");
		maker_load(&m, A, "java/lang/Class");
		maker_load(&m, B, "B");
		maker_heap(&m, HPROF_HEAP_DUMP);
		maker_class(&m,
			    &(struct maker_class){ OBJECT, 0, 0, "", "", 0 });
		maker_class(&m,
			    &(struct maker_class){ A, OBJECT, 0, "LI", "", 0 });
		maker_class(&m, &(struct maker_class){ B, OBJECT, 0, "", "LIJ",
						       0 });
		struct hprof_summary *s = summarise(&m, rules[i].sizes);
		cr_expect_eq(class_row(s, A)->instances, 3);
		cr_expect_eq(class_row(s, A)->shallow, rules[i].shallow,
			     "%u: %llu", i,
			     (unsigned long long)class_row(s, A)->shallow);
		cr_expect_eq(s->objects, 3);
		cr_expect_eq(class_row(s, A)->data, 20);
		hprof_summary_free(s);
	}
}

/* What is not in a class object although it is dumped as its static field. */
Test(size_rules, static_fields_apart)
{
	static const char *const names[] = {
		"field",       "another", "<resolved_references>",
		"<init_lock>", "other",	  "more",
		"number",      NULL
	};
	static const struct {
		enum hprof_sizes sizes;
		const char *statics;
		unsigned first; /* of their names */
		uint64_t size;
	} rules[] = {
		/*
		 * Without static fields: a header, L and 3 references that are
		 * injected, 28; 2 addresses behind a gap, 48; I and 2 ints.
		 */
		{ HPROF_SIZES_JVM, "LL", 2, 64 },
		{ HPROF_SIZES_JVM, "LLL", 2, 64 + 8 },
		{ HPROF_SIZES_JVM, "LLLL", 2, 64 + 8 },
		{ HPROF_SIZES_JVM, "LLL", 4, 64 + 16 },
		{ HPROF_SIZES_MAT, "LLLL", 2, 16 },
		{ HPROF_SIZES_DATA, "LLLL", 2, 32 },
		/* Nothing fills the gap between references and a long. */
		{ HPROF_SIZES_JVM, "LJI", 4, 64 + 4 + 4 + 8 + 8 },
		{ HPROF_SIZES_JVM, "LLJI", 3, 64 + 4 + 4 + 8 + 8 },
		{ HPROF_SIZES_JVM, "LII", 4, 64 + 4 + 4 + 4 + 4 },
		{ HPROF_SIZES_MAT, "LJI", 4, 16 },
	};

	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
		struct maker m = maker_begin(8);
		uint64_t first = m.strings + 1;
		for (unsigned k = 0; names[k]; k++)
			maker_string(&m, names[k]);
		maker_load(&m, OBJECT, "java/lang/Object");
		maker_load(&m, A, "java/lang/Class");
		maker_heap(&m, HPROF_HEAP_DUMP);
		maker_class(&m,
			    &(struct maker_class){ OBJECT, 0, 0, "", "", 0 });
		maker_class(&m, &(struct maker_class){
					A, OBJECT, 0, "LI", rules[i].statics,
					first + rules[i].first - 2 });
		struct hprof_summary *s = summarise(&m, rules[i].sizes);
		cr_expect_eq(class_row(s, A)->largest, rules[i].size,
			     "%u: %llu", i,
			     (unsigned long long)class_row(s, A)->largest);
		hprof_summary_free(s);
	}
}

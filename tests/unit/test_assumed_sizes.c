/* SPDX-License-Identifier: MIT */
/*
 * test_assumed_sizes.c - sizes that objects do not show: those that the dump declares,
 * and those of a JVM that can only be guessed, as the dump shows too little.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "sizing.h"

/* ---- declared and assumed ------------------------------------------------ */

Test(assumed_sizes, declared)
{
	struct maker m = maker_begin(4);

	maker_load(&m, OBJECT, "java.lang.Object");
	maker_load(&m, A, "A");
	maker_load(&m, B, "B");
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_class(&m, &(struct maker_class){ OBJECT, 0, 8, "", "", 0 });
	maker_class(&m, &(struct maker_class){ A, OBJECT, 13, "IB", "", 0 });
	maker_class(&m, &(struct maker_class){ B, A, 40, "J", "", 0 });
	maker_instance(&m, FIRST, A, 5);
	maker_instance(&m, FIRST + 64, A, 5);
	maker_instance(&m, FIRST + 128, B, 13);
	maker_prims(&m, FIRST + 256, HPROF_TYPE_BYTE, 3);
	struct buffer copy = { 0 };
	maker_heap_end(&m);
	buffer_add(&copy, m.out.bytes, m.out.size);
	struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
	cr_expect(s->convention.declared && !s->convention.measured);
	cr_expect_eq(class_row(s, A)->shallow, 26);
	cr_expect_eq(class_row(s, B)->shallow, 40);
	hprof_summary_free(s);
	m.out = copy;
	s = summarise(&m, HPROF_SIZES_DATA);
	cr_expect(!s->convention.declared);
	cr_expect_eq(class_row(s, A)->shallow, 10);
	hprof_summary_free(s);
}

/* Ids that are no addresses, or too few objects: by the JVM's age. */
Test(assumed_sizes, assumed)
{
	for (unsigned i = 0; i < 4; i++) {
		bool records = i & 1, counted = i & 2;
		struct maker m = maker_begin(8);
		if (records)
			maker_load(&m, 0x3000, "java/lang/Record");
		maker_load(&m, A, "A");
		maker_load(&m, B, "B");
		maker_heap(&m, HPROF_HEAP_DUMP);
		maker_class(&m, &(struct maker_class){ A, 0, 0, "B", "", 0 });
		maker_class(&m, &(struct maker_class){ B, A, 0, "LB", "", 0 });
		for (unsigned k = 0; k < (counted ? 2000 : 2); k++)
			maker_instance(&m, FIRST + (counted ? k : 24 * k), B,
				       10);
		struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
		cr_expect(!s->convention.measured, "%u", i);
		cr_expect_eq(s->convention.fill_gaps, records, "%u", i);
		cr_expect_eq(s->convention.alignment, 8, "%u", i);
		cr_expect_eq(class_row(s, B)->largest, 24, "%u", i);
		hprof_summary_free(s);
	}
}

static void put_text(struct maker *m, uint64_t id, const char *text, bool wide)
{
	uint8_t data[128] = { 0 };
	unsigned width = wide ? 2 : 1;
	size_t size = strlen(text);
	struct hprof_record record = {
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.u.prim_array_dump = { id,
				       0,
				       (uint32_t)size,
				       wide ? HPROF_TYPE_CHAR : HPROF_TYPE_BYTE,
				       { data, size * width } },
	};

	for (size_t i = 0; i < size; i++)
		data[i * width + width - 1] = (uint8_t)text[i];
	maker_put(m, &record);
}

struct rule {
	const char *version; /* a class of it */
	const char *names[2];
	bool wide;
	unsigned ref, header;
};

static void check_assumed(unsigned id_size, const struct rule *rule, unsigned i)
{
	struct maker m = maker_begin(id_size);
	struct hprof_summary *s;

	if (rule->version) {
		maker_load(&m, 0x3000, rule->version);
		maker_load(&m, 0x3010, "java/lang/invoke/LambdaForm");
	}
	maker_load(&m, A, "A");
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_class(&m, &(struct maker_class){ A, 0, 0, "LL", "", 0 });
	maker_instance(&m, 1, A, 2 * id_size);
	for (unsigned k = 0; k < 2 && rule->names[k]; k++)
		put_text(&m, 2 + k, rule->names[k], rule->wide);
	maker_instance(&m, 5, A, 2 * id_size);
	s = summarise(&m, HPROF_SIZES_JVM);
	cr_expect(!s->convention.measured, "%u", i);
	cr_expect_eq(s->convention.ref_width, rule->ref, "%u", i);
	cr_expect_eq(s->convention.header, rule->header, "%u", i);
	cr_expect_eq(class_row(s, A)->largest,
		     (rule->header + 2 * rule->ref + 7) / 8 * 8, "%u", i);
	hprof_summary_free(s);
}

/* What the names of system properties say where nothing can be measured. */
Test(assumed_sizes, assumed_by_properties)
{
	static const char any[] = "java.vm.specification.name",
			  mode[] = "java.vm.compressedOopsMode",
			  name[] = "OpenJDK 64-Bit Server VM",
			  vendor[] = "Java HotSpot(TM) 64-Bit Server VM";
	static const struct rule rules[] = {
		{ "java/lang/Record", { any, NULL }, false, 8, 12 },
		{ "java/lang/Record", { any, NULL }, true, 8, 12 },
		{ "java/lang/Record", { any, mode }, false, 4, 12 },
		{ "java/lang/Record", { mode, any }, true, 4, 12 },
		{ "java/lang/Record", { NULL, NULL }, false, 4, 12 },
		{ "Other", { any, NULL }, true, 8, 16 },
		{ "Other", { any, mode }, true, 4, 12 },
		{ "Other", { "java.vm.specification.nam", NULL }, true, 4, 12 },
		{ "Other",
		  { "java.vm.specification.NAME", NULL },
		  true,
		  4,
		  12 },
		{ NULL, { any, NULL }, true, 4, 12 },
	};
	/* With identifiers of 4 bytes: what says that the JVM has 64 bits. */
	static const struct rule short_ids[] = {
		{ "java/lang/Record", { any, NULL }, false, 4, 8 },
		{ "java/lang/Record", { any, mode }, false, 4, 12 },
		{ "java/lang/Record", { any, name }, false, 8, 12 },
		{ "Other", { any, vendor }, true, 8, 16 },
		{ "Other", { vendor, NULL }, true, 4, 12 },
		{ "Other", { NULL, NULL }, true, 4, 8 },
	};

	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		check_assumed(8, &rules[i], i);
	for (unsigned i = 0; i < sizeof short_ids / sizeof *short_ids; i++)
		check_assumed(4, &short_ids[i], i);
}

/* ---- a 64-bit JVM whose dump has identifiers of 4 bytes --------------------- */

/* The distances in many classes show it; and that addresses in it are wide. */
Test(assumed_sizes, short_identifiers)
{
	enum { FEW = 20, MANY = 60, MODULE = 0x900000 };

	for (unsigned count = FEW; count <= MANY; count += MANY - FEW) {
		struct maker m = maker_begin(4);
		uint64_t id = FIRST;
		bool wide = count == MANY;
		maker_load(&m, MODULE, "java/lang/Module");
		for (unsigned i = 0; i < count; i++)
			maker_load(&m, A + 16 * i, "A");
		maker_heap(&m, HPROF_HEAP_DUMP_SEGMENT);
		/* An address is injected into it. */
		maker_class(&m,
			    &(struct maker_class){ MODULE, 0, 0, "IL", "", 0 });
		for (unsigned i = 0; i < count; i++)
			maker_class(&m, &(struct maker_class){ A + 16 * i, 0, 0,
							       "LL", "", 0 });
		for (unsigned i = 0; i <= count; i++, id += 24)
			maker_instance(&m, id, A + 16 * (i % count), 8);
		maker_instance(&m, id, MODULE, 8);
		struct hprof_summary *s = summarise(&m, HPROF_SIZES_JVM);
		cr_expect_eq(s->convention.measured, wide);
		cr_expect_eq(s->convention.header, wide ? 12 : 8);
		cr_expect_eq(s->convention.ref_width, 4);
		cr_expect_eq(strncmp(s->convention.text,
				     wide ? "64-bit" : "32-bit", 6),
			     0);
		cr_expect_eq(class_row(s, A)->shallow, wide ? 48 : 32);
		cr_expect_eq(class_row(s, MODULE)->shallow, wide ? 32 : 24);
		hprof_summary_free(s);
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * hotspot_layout.c - see hotspot_layout.h. The lists are facts about HotSpot
 * (JDK 8 to 28): fields that it injects, and classes for which a measured size
 * is right even though it is larger than these fields explain.
 */
#include "layout/hotspot_layout.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned quirks;
} known_quirks[] = {
	{ "java.lang.Class", HP_INJECTED },
	{ "java.lang.Thread", HP_INJECTED },
	{ "java.lang.ClassLoader", HP_INJECTED },
	{ "java.lang.Module", HP_INJECTED },
	{ "java.lang.InternalError", HP_INJECTED },
	{ "java.lang.StackFrameInfo", HP_INJECTED },
	{ "java.lang.invoke.MemberName", HP_INJECTED },
	{ "java.lang.invoke.ResolvedMethodName", HP_INJECTED },
	{ "java.lang.invoke.MethodHandleNatives$CallSiteContext", HP_INJECTED },
	{ "jdk.internal.reflect.ConstantPool", HP_INJECTED },
	{ "jdk.internal.vm.vector.VectorSupport$VectorPayload", HP_INJECTED },
	{ "sun.reflect.ConstantPool", HP_INJECTED },
	{ "sun.reflect.UnsafeStaticFieldAccessorImpl", HP_INJECTED },
	{ "java.util.concurrent.ForkJoinPool", HP_CONTENDED },
	{ "java.util.concurrent.ForkJoinPool$WorkQueue", HP_CONTENDED },
	{ "java.util.concurrent.ConcurrentHashMap$CounterCell", HP_CONTENDED },
	{ "java.util.concurrent.Exchanger$Node", HP_CONTENDED },
	{ "java.util.concurrent.Exchanger$Slot", HP_CONTENDED },
	{ "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
	  HP_CONTENDED },
	{ "java.util.concurrent.atomic.Striped64$Cell", HP_CONTENDED },
};

unsigned hp_hotspot_quirks(const struct hp_class_table *c, uint32_t i)
{
	/* No real class is nested deeper; a damaged file may claim more. */
	enum { DEPTH = 64 };
	unsigned quirks = 0;

	for (unsigned d = 0; i != HP_NO_CLASS && d < DEPTH; d++) {
		for (size_t k = 0;
		     k < sizeof known_quirks / sizeof *known_quirks; k++)
			if (strcmp(c->rows[i].name, known_quirks[k].name) == 0)
				quirks |= known_quirks[k].quirks;
		i = c->rows[i].super;
	}
	return quirks;
}

/* ---- fields -------------------------------------------------------------- */

/* The versions that inject a field, as far as the classes of a dump show. */
enum since {
	JDK_8,
	UNTIL_9, /* versions without ResolvedMethodName */
	JDK_9,
	JDK_21,
	JDK_24 /* java.lang.VirtualThread has another boolean */
};

/* Fields injected into the class itself; addresses are those of the JVM. */
static const struct injection {
	const char *name;
	enum since since;
	unsigned addresses;
	struct hp_fields fields;
} injections[] = {
	{ "java.lang.Class", JDK_8, 2, { .refs = 2, .n4 = 2 } },
	{ "java.lang.ClassLoader", JDK_8, 1, { 0 } },
	{ "java.lang.Module", JDK_9, 1, { 0 } },
	{ "java.lang.InternalError", JDK_9, 0, { .n1 = 1 } },
	{ "java.lang.StackFrameInfo", JDK_9, 0, { .n2 = 1 } },
	{ "java.lang.Thread", JDK_21, 1, { .n1 = 1, .n2 = 1, .n4 = 1 } },
	{ "java.lang.VirtualThread", JDK_24, 1, { 0 } },
	{ "java.lang.invoke.MemberName", JDK_8, 1, { 0 } },
	{ "java.lang.invoke.MemberName", UNTIL_9, 1, { .refs = 1 } },
	{ "java.lang.invoke.ResolvedMethodName", JDK_9, 1, { 0 } },
	{ "java.lang.invoke.MethodHandleNatives$CallSiteContext",
	  JDK_9,
	  1,
	  { .n8 = 1 } },
};

static bool applies(const struct hp_class_table *c,
		    const struct hp_fields *declared, enum since since)
{
	switch (since) {
	case JDK_8: /* a class of that name without fields is another one */
		return declared->refs > 0;
	case UNTIL_9:
		return !c->resolved_methods && declared->refs > 0;
	case JDK_9:
		return c->modules;
	case JDK_21:
		return c->virtual_threads;
	case JDK_24:
		return declared->n1 > 1;
	}
	return false;
}

static void add_fields(struct hp_fields *to, const struct hp_fields *more)
{
	to->refs += more->refs;
	to->n1 += more->n1;
	to->n2 += more->n2;
	to->n4 += more->n4;
	to->n8 += more->n8;
}

/* References that some versions declare in Java and others inject. */
static unsigned injected_refs(const struct hp_class_table *c,
			      const struct hp_class *row)
{
	const struct hp_fields *declared = &row->info->fields;

	if (strcmp(row->name, "java.lang.invoke.ResolvedMethodName") == 0)
		return declared->refs == 0;
	/* From JDK 25 on two of them are declared, and a boolean, too. */
	if (strcmp(row->name, "java.lang.Class") == 0 && declared->n1 == 0 &&
	    declared->refs > 0)
		return c->virtual_threads ? 2 : 1;
	return 0;
}

struct hp_fields hp_hotspot_fields(const struct hp_class_table *c, uint32_t i)
{
	const struct hp_class *row = &c->rows[i];
	struct hp_fields fields = row->info->fields;

	for (size_t k = 0; k < sizeof injections / sizeof *injections; k++) {
		const struct injection *in = &injections[k];
		if (strcmp(row->name, in->name) != 0 ||
		    !applies(c, &row->info->fields, in->since))
			continue;
		add_fields(&fields, &in->fields);
		if (c->word == 8)
			fields.n8 += in->addresses;
		else
			fields.n4 += in->addresses;
	}
	fields.refs += injected_refs(c, row);
	return fields;
}

unsigned hp_hotspot_contended(const struct hp_class_table *c, uint32_t i,
			      struct hp_fields *own)
{
	const struct hp_class *row = &c->rows[i];

	if (c->virtual_threads || !row->info->seeds || own->n8 < 1 ||
	    own->n4 < 2 || strcmp(row->name, "java.lang.Thread") != 0)
		return 0;
	own->n8 -= 1;
	own->n4 -= 2;
	return 8 + 4 + 4;
}

bool hp_hotspot_keeps_order(const struct hp_class_table *c, uint32_t i,
			    const struct hp_object_layout *l)
{
	const char *name = c->rows[i].name;

	return l->packing == HP_LEVELS &&
	       (strcmp(name, "java.lang.Class") == 0 ||
		strcmp(name, "java.lang.ClassLoader") == 0);
}

uint64_t hp_hotspot_chunks(const struct hp_chunks *chunks, uint32_t size_at,
			   uint64_t head, const struct hp_object_layout *l,
			   uint64_t *ret_largest)
{
	const struct hp_chunk_sum *sum;
	unsigned shift = 0;

	if (size_at >= HP_CHUNK_PLACES)
		return *ret_largest = 0;
	sum = &chunks->at[size_at];
	while (shift < HP_CHUNK_ALIGNMENTS - 1 && 8U << shift < l->alignment)
		shift++;
	*ret_largest =
		head + hp_hotspot_stack(sum->largest, l->ref, l->alignment);
	return chunks->count * head +
	       8 * (l->ref == 4 ? sum->narrow[shift] : sum->wide[shift]);
}

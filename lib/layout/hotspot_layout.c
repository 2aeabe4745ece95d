/* SPDX-License-Identifier: MIT */
/*
 * hotspot_layout.c - see hotspot_layout.h. The lists are facts about HotSpot
 * (JDK 8 to 25). They only tell for which classes a measured size is right even
 * though it is larger than the fields in the dump explain.
 */
#include "layout/hotspot_layout.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned quirks;
} known_quirks[] = {
	{ "java.lang.Thread", HP_INJECTED | HP_CONTENDED },
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

/*
 * In JDK 9 to 14 the fields of ClassLoader keep their order, so that no field
 * fills the gap between the references and the injected address.
 */
static unsigned loader_alignment_gap(const struct hp_class_table *c,
				     const struct hp_class *row,
				     const struct hp_object_layout *l)
{
	uint64_t end;

	if (!c->modules || l->packing != HP_LEVELS || !row->info)
		return 0;
	end = l->header + (uint64_t)row->info->fields.refs * l->ref;
	return (unsigned)(hp_align_up(end, 8) - end);
}

/*
 * Bytes that HotSpot injects into the class ROW itself. Used only for classes
 * whose size could not be measured. An address is as wide as an id. What is
 * injected into Thread depends on the version: with virtual threads it is 15
 * bytes.
 */
static unsigned injected_bytes(const struct hp_class_table *c,
			       const struct hp_class *row,
			       const struct hp_object_layout *layout)
{
	static const char *const address[] = { "java.lang.Module",
					       "java.lang.invoke.MemberName" };
	const char *name = row->name;
	const unsigned ref = layout->ref;

	if (strcmp(name, "java.lang.ClassLoader") == 0)
		return c->id_size + loader_alignment_gap(c, row, layout);
	for (size_t i = 0; i < sizeof address / sizeof *address; i++)
		if (strcmp(name, address[i]) == 0)
			return c->id_size;
	/* Later versions declare the holder as a field in Java. */
	if (strcmp(name, "java.lang.invoke.ResolvedMethodName") == 0)
		return c->id_size +
		       (row->info && row->info->fields.refs == 0 ? ref : 0);
	if (strcmp(name,
		   "java.lang.invoke.MethodHandleNatives$CallSiteContext") == 0)
		return c->id_size + 8;
	if (strcmp(name, "java.lang.InternalError") == 0)
		return 1;
	if (strcmp(name, "java.lang.Thread") == 0 && c->virtual_threads)
		return 15;
	return 0;
}

unsigned hp_hotspot_injected(const struct hp_class_table *c, uint32_t i,
			     const struct hp_object_layout *layout)
{
	enum { DEPTH = 64 };
	unsigned bytes = 0;

	for (unsigned d = 0; i != HP_NO_CLASS && d < DEPTH; d++) {
		bytes += injected_bytes(c, &c->rows[i], layout);
		i = c->rows[i].super;
	}
	return bytes;
}

uint64_t hp_hotspot_chunks(const struct hp_chunks *chunks, uint32_t size_at,
			   uint64_t head, bool narrow, uint64_t *ret_largest)
{
	const struct hp_chunk_sum *sum;

	if (size_at >= HP_CHUNK_PLACES)
		return *ret_largest = 0;
	sum = &chunks->at[size_at];
	*ret_largest = head + hp_hotspot_stack(sum->largest, narrow);
	return chunks->count * head +
	       8 * (sum->words +
		    (narrow ? sum->bitmap_narrow : sum->bitmap_wide));
}

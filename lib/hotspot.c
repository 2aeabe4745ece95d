/*
 * hotspot.c - see hotspot.h. The lists are facts about HotSpot (JDK 8 to 25)
 * and only say where a measured size is to be believed although the fields
 * in the dump do not explain it.
 */
#include "hotspot.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned habits;
} known[] = {
	{ "java.lang.Thread", HP_INJECTED | HP_CONTENDED },
	{ "java.lang.ClassLoader", HP_INJECTED },
	{ "java.lang.Module", HP_INJECTED },
	{ "java.lang.InternalError", HP_INJECTED },
	{ "java.lang.StackFrameInfo", HP_INJECTED },
	{ "java.lang.invoke.MemberName", HP_INJECTED },
	{ "java.lang.invoke.ResolvedMethodName", HP_INJECTED },
	{ "java.lang.invoke.MethodHandleNatives$CallSiteContext",
	  HP_INJECTED },
	{ "jdk.internal.reflect.ConstantPool", HP_INJECTED },
	{ "jdk.internal.vm.vector.VectorSupport$VectorPayload", HP_INJECTED },
	{ "sun.reflect.ConstantPool", HP_INJECTED },
	{ "sun.reflect.UnsafeStaticFieldAccessorImpl", HP_INJECTED },
	{ "java.util.concurrent.ForkJoinPool", HP_CONTENDED },
	{ "java.util.concurrent.ForkJoinPool$WorkQueue", HP_CONTENDED },
	{ "java.util.concurrent.ConcurrentHashMap$CounterCell",
	  HP_CONTENDED },
	{ "java.util.concurrent.Exchanger$Node", HP_CONTENDED },
	{ "java.util.concurrent.Exchanger$Slot", HP_CONTENDED },
	{ "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
	  HP_CONTENDED },
	{ "java.util.concurrent.atomic.Striped64$Cell", HP_CONTENDED },
};

unsigned hp_hotspot_habits(const struct hp_classes *c, uint32_t i)
{
	/* Deep enough for any real class; a file may claim more. */
	enum { DEPTH = 64 };
	unsigned habits = 0;

	for (unsigned d = 0; i != HP_NO_CLASS && d < DEPTH; d++) {
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (strcmp(c->rows[i].name, known[k].name) == 0)
				habits |= known[k].habits;
		i = c->rows[i].super;
	}
	return habits;
}

uint64_t hp_hotspot_chunks(const struct hp_chunks *chunks, uint32_t size_at,
			   uint64_t head, bool narrow, uint64_t *ret_largest)
{
	const struct hp_chunk_sum *sum;

	if (size_at >= HP_CHUNK_PLACES)
		return *ret_largest = 0;
	sum = &chunks->at[size_at];
	uint64_t bits = sum->largest << narrow;
	*ret_largest = head + 8 * (sum->largest + (bits + 63) / 64);
	return chunks->count * head +
	       8 * (sum->words +
		    (narrow ? sum->bitmap_narrow : sum->bitmap_wide));
}

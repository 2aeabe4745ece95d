/* SPDX-License-Identifier: MIT */
/*
 * outside_memory.c - hprof_summary_outside: what the classes that manage memory
 * outside of the heap have counted of it.
 *
 * The counters are statics, or AtomicLongs that statics refer to. So a few
 * CLASS_DUMPs and one fetch of a few objects are all that is read. Where the
 * ranges of identifiers say that the fetch would read much of the dump, it is
 * left out: this is a line of a report that must cost nothing.
 */
#include "hprof/report.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "java/field_lookup.h"

enum {
	CLASSES_MOST = 64, /* several loaders may each have a netty */
	READ_LEAST = 16 << 20,
	READ_SHARE = 32 /* no more than 1/32 of the dump */
};

/* No counter has more: it is not what it seems to be. */
#define BYTES_MOST (UINT64_C(1) << 47)

static const struct rule {
	enum hprof_outside_kind kind;
	const char *class_name; /* a pattern */
	/* Of JDK 9 and later, and before. */
	const char *bytes[2], *buffers[2];
} rules[] = {
	{ HPROF_OUTSIDE_DIRECT,
	  "java.nio.Bits",
	  { "RESERVED_MEMORY", "reservedMemory" },
	  { "COUNT", "count" } },
	{ HPROF_OUTSIDE_MAPPED,
	  "sun.nio.ch.FileChannelImpl$DefaultUnmapper",
	  { "totalSize" },
	  { "count" } },
	{ HPROF_OUTSIDE_MAPPED,
	  "sun.nio.ch.FileChannelImpl$SyncUnmapper",
	  { "totalSize" },
	  { "count" } },
	{ HPROF_OUTSIDE_MAPPED,
	  "sun.nio.ch.FileChannelImpl$Unmapper",
	  { "totalSize" },
	  { "count" } },
	/* The package of a library that was shaded has another beginning. */
	{ HPROF_OUTSIDE_NETTY,
	  "*.netty.util.internal.PlatformDependent",
	  { "DIRECT_MEMORY_COUNTER" },
	  { NULL } },
};

enum { RULES = sizeof rules / sizeof rules[0] };

/* A static, or the AtomicLong with ID. */
struct counter {
	uint64_t id; /* 0: VALUE has it */
	int64_t value;
};

struct counters {
	struct hp_object_fetch objects;
	struct hp_field_lookup layouts;
	struct {
		enum hprof_outside_kind kind;
		struct counter bytes, buffers;
	} found[CLASSES_MOST];
	size_t count;
};

static struct counter find_counter(struct counters *c, uint32_t index,
				   const char *const names[static 2])
{
	struct counter ret = { 0 };
	uint64_t bits;

	for (unsigned i = 0; i < 2 && names[i]; i++) {
		if (hp_field_lookup_static(&c->layouts, index, names[i],
					   HPROF_TYPE_OBJECT, &bits)) {
			ret.id = bits;
			hp_object_fetch_want(&c->objects, bits);
		} else if (hp_field_lookup_static(&c->layouts, index, names[i],
						  HPROF_TYPE_LONG, &bits)) {
			ret.value = (int64_t)bits;
		} else if (hp_field_lookup_static(&c->layouts, index, names[i],
						  HPROF_TYPE_INT, &bits)) {
			ret.value = (int32_t)bits;
		} else {
			continue;
		}
		break;
	}
	return ret;
}

static void look_at_class(struct counters *c, uint32_t index)
{
	const struct hp_class *class = &c->layouts.classes->rows[index];

	if (!class->info || class->kind != HPROF_CLASS_PLAIN)
		return;
	for (unsigned i = 0; i < RULES && c->count < CLASSES_MOST; i++) {
		const struct rule *rule = &rules[i];

		if (!hp_pattern_match(rule->class_name, class->name))
			continue;
		c->found[c->count].kind = rule->kind;
		c->found[c->count].bytes = find_counter(c, index, rule->bytes);
		c->found[c->count].buffers =
			find_counter(c, index, rule->buffers);
		c->count++;
	}
}

static enum hprof_status read_counters(struct counters *c,
				       const struct hprof_summary *summary,
				       struct hprof_error *error)
{
	uint64_t most = summary->input.bytes_read / READ_SHARE;

	if (hp_object_fetch_cost(&c->objects) >
	    (most > READ_LEAST ? most : READ_LEAST))
		return hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
			       "counters of memory outside of the heap may be "
			       "anywhere in the dump");
	return hp_object_fetch_fetch(&c->objects, error);
}

static uint64_t value_of(struct counters *c, const struct counter *counter)
{
	uint64_t value = (uint64_t)counter->value;

	if (counter->id &&
	    !hp_field_lookup_get(&c->layouts,
				 hp_object_fetch_get(&c->objects, counter->id),
				 HP_ATOMIC_LONG, &value))
		return 0;
	return value <= BYTES_MOST ? value : 0;
}

static void add_all(struct counters *c, struct hprof_outside_table *table)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hprof_outside_sum *sum = &table->kinds[c->found[i].kind];
		uint64_t bytes = value_of(c, &c->found[i].bytes);

		sum->bytes += bytes;
		sum->buffers += value_of(c, &c->found[i].buffers);
		table->bytes += bytes;
	}
}

static enum hprof_status make_table(struct counters *c,
				    const struct hprof_summary *summary,
				    struct hprof_outside_table *table,
				    struct hprof_error *error)
{
	const struct hp_class_table *classes = &summary->impl->classes;

	HP_TRY(hp_object_fetch_open(&c->objects, summary, error));
	if (hp_field_lookup_init(&c->layouts, &c->objects) != HPROF_OK)
		return hp_no_memory(error);
	for (size_t i = 0; i < classes->count; i++)
		look_at_class(c, (uint32_t)i);
	HP_TRY(read_counters(c, summary, error));
	add_all(c, table);
	return c->layouts.no_memory ? hp_no_memory(error) : HPROF_OK;
}

enum hprof_status hprof_summary_outside(const struct hprof_summary *summary,
					struct hprof_outside_table **ret_table,
					struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_outside_table *table;
	struct counters *c;
	enum hprof_status status;

	HP_NEED(error, summary);
	HP_NEED(error, ret_table);
	table = hp_calloc(1, sizeof *table);
	c = hp_calloc(1, sizeof *c);
	status = table && c ? make_table(c, summary, table, error)
			    : hp_no_memory(error);
	if (c) {
		hp_field_lookup_done(&c->layouts);
		hp_object_fetch_done(&c->objects);
	}
	hp_free(c);
	if (status < 0) {
		hp_free(table);
		return status;
	}
	*ret_table = table;
	return HPROF_OK;
}

void hprof_outside_table_free(struct hprof_outside_table *table)
{
	hp_free(table);
}

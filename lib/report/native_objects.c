/* SPDX-License-Identifier: MIT */
/*
 * native_objects.c - see native_objects.h.
 *
 * What an object is, its class says; how much memory it owns, its fields, which
 * JDKs name differently. An object without the fields is left out.
 */
#include "report/native_objects.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "graph/kind_search.h"
#include "report/native_finder.h"
#include "report/native_pools.h"

/*
 * What zlib allocates (its manual, zconf.h) with the settings of
 * java.util.zip: windows of 32 KiB, memory level 8.
 */
enum {
	INFLATER_BYTES = (1 << 15) + 1440 * 2 * 4,
	DEFLATER_BYTES = (1 << 17) + (1 << 17)
};

static enum hprof_status found(struct hp_native_finder *f,
			       enum hprof_native_kind kind, uint64_t address,
			       uint64_t bytes)
{
	struct hp_natives *to = f->to;

	if (bytes == 0 || bytes > HP_NATIVE_MOST)
		return HPROF_OK;
	if (hp_grow((void **)&to->items, &to->room, to->count,
		    sizeof *to->items) != HPROF_OK)
		return HPROF_E_NOMEM;
	to->items[to->count++] = (struct hp_native){
		.kind = kind,
		.object = f->at,
		.bytes = bytes,
		.address = address,
	};
	return HPROF_OK;
}

/* ---- direct and mapped buffers ------------------------------------------- */

/*
 * The size that the buffer's Cleaner will free, which may be larger than the
 * capacity because of alignment. HPROF_END: it has no Cleaner that says so.
 */
static enum hprof_status cleaner_size(struct hp_native_finder *f,
				      uint64_t *ret_bytes)
{
	struct hprof_object unused;
	enum hprof_status status =
		hp_native_follow(f, "cleaner", NULL, &unused);

	if (status == HPROF_OK)
		status = hp_native_follow(f, "thunk", "action", &unused);
	if (status == HPROF_OK)
		status = hp_native_get(f, "size", "capacity", ret_bytes);
	return status;
}

/* Buffers that share the memory of another object name it. */
static enum hprof_status is_view(struct hp_native_finder *f, bool *ret)
{
	uint64_t attachment, segment;

	HP_TRY(hp_native_get_or_0(f, "att", NULL, &attachment));
	HP_TRY(hp_native_get_or_0(f, "segment", NULL, &segment));
	*ret = attachment || segment;
	return HPROF_OK;
}

static enum hprof_status find_buffer(struct hp_native_finder *f)
{
	enum hprof_native_kind kind = HPROF_NATIVE_DIRECT;
	uint64_t capacity, bytes = 0, file, cleaner;
	enum hprof_status status;
	bool view;

	HP_TRY(is_view(f, &view));
	status = view ? HPROF_END
		      : hp_native_get(f, "capacity", NULL, &capacity);
	if (status != HPROF_OK)
		return status == HPROF_END ? HPROF_OK : status;
	HP_TRY(hp_native_get_or_0(f, "fd", NULL, &file));
	HP_TRY(hp_native_get_or_0(f, "cleaner", NULL, &cleaner));
	if (file)
		kind = HPROF_NATIVE_MAPPED;
	else if (!cleaner)
		kind = HPROF_NATIVE_UNMANAGED;
	status = cleaner_size(f, &bytes);
	if (status < 0)
		return status;
	return found(f, kind, 0, status == HPROF_OK ? bytes : capacity);
}

/* ---- memory segments ----------------------------------------------------- */

static enum hprof_status is_closed(struct hp_native_finder *f, bool *ret)
{
	struct hprof_object unused;
	uint64_t state = 0;
	enum hprof_status status =
		hp_native_follow(f, "scope", "session", &unused);

	if (status == HPROF_OK)
		status = hp_native_get_or_0(f, "state", NULL, &state);
	*ret = status == HPROF_OK && (int64_t)state < 0;
	return status < 0 ? status : HPROF_OK;
}

static enum hprof_status find_segment(struct hp_native_finder *f)
{
	uint64_t address, length, file;
	enum hprof_status status = hp_native_get(f, "min", NULL, &address);
	bool closed;

	if (status == HPROF_OK)
		status = hp_native_get(f, "length", NULL, &length);
	if (status != HPROF_OK)
		return status == HPROF_END ? HPROF_OK : status;
	HP_TRY(hp_native_get_or_0(f, "unmapper", NULL, &file));
	HP_TRY(is_closed(f, &closed));
	return closed ? HPROF_OK
		      : found(f,
			      file ? HPROF_NATIVE_MAPPED : HPROF_NATIVE_SEGMENT,
			      address, length);
}

/* ---- zip ----------------------------------------------------------------- */

static enum hprof_status find_zip(struct hp_native_finder *f,
				  enum hprof_native_kind kind, uint64_t bytes)
{
	struct hprof_object unused;
	uint64_t address = 0;
	enum hprof_status status = hp_native_follow(f, "zsRef", NULL, &unused);

	if (status == HPROF_OK)
		status = hp_native_get_or_0(f, "address", NULL, &address);
	if (status < 0)
		return status;
	return address ? found(f, kind, 0, bytes) : HPROF_OK;
}

static enum hprof_status find_inflater(struct hp_native_finder *f)
{
	return find_zip(f, HPROF_NATIVE_INFLATER, INFLATER_BYTES);
}

static enum hprof_status find_deflater(struct hp_native_finder *f)
{
	return find_zip(f, HPROF_NATIVE_DEFLATER, DEFLATER_BYTES);
}

/* ---- threads ------------------------------------------------------------- */

/* Only of threads that were made with a size: the dump has no other. */
static enum hprof_status find_stack(struct hp_native_finder *f)
{
	struct hprof_object unused;
	uint64_t running, bytes;
	enum hprof_status status;

	HP_TRY(hp_native_get_or_0(f, "eetop", NULL, &running));
	if (!running)
		return HPROF_OK;
	status = hp_native_get(f, "stackSize", NULL, &bytes);
	if (status == HPROF_END) {
		status = hp_native_follow(f, "holder", NULL, &unused);
		if (status == HPROF_OK)
			status = hp_native_get(f, "stackSize", NULL, &bytes);
	}
	if (status != HPROF_OK)
		return status == HPROF_END ? HPROF_OK : status;
	return found(f, HPROF_NATIVE_STACK, 0, bytes);
}

/* ---- rules --------------------------------------------------------------- */

static const struct {
	const char *class_name; /* a pattern: libraries are shaded */
	hp_native_find_fn *find;
} rules[] = {
	{ "java.nio.DirectByteBuffer", find_buffer },
	{ "jdk.internal.foreign.NativeMemorySegmentImpl", find_segment },
	{ "java.util.zip.Inflater", find_inflater },
	{ "java.util.zip.Deflater", find_deflater },
	{ "java.lang.Thread", find_stack },
	{ "*.netty.buffer.PoolChunk", hp_native_find_chunk },
	{ "*.netty.buffer.AdaptivePoolingAllocator$Chunk",
	  hp_native_find_adaptive_chunk },
};

enum { RULES = sizeof rules / sizeof rules[0] };

enum { NO_RULE = RULES + 1, ON_THE_WAY };

static size_t superclass(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);
	uint64_t id = summary->class_rows[row].super_id;

	return id ? hprof_heap_class(heap, id) : SIZE_MAX;
}

/*
 * A class without a rule has that of its nearest superclass with one. Each class
 * is passed twice at most, whatever the superclasses are, circles included.
 */
static void inherit_rule(struct hp_native_finder *f,
			 const struct hprof_heap *heap, size_t row)
{
	uint8_t rule = NO_RULE;
	size_t at = row;

	for (; at != SIZE_MAX && !f->class_rule[at]; at = superclass(heap, at))
		f->class_rule[at] = ON_THE_WAY;
	if (at != SIZE_MAX && f->class_rule[at] != ON_THE_WAY)
		rule = f->class_rule[at];
	for (at = row; at != SIZE_MAX && f->class_rule[at] == ON_THE_WAY;
	     at = superclass(heap, at))
		f->class_rule[at] = rule;
}

static enum hprof_status find_classes(struct hp_native_finder *f,
				      const struct hprof_heap *heap)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	f->class_rule = hp_calloc(summary->class_count + 1, 1);
	if (!f->class_rule)
		return HPROF_E_NOMEM;
	for (size_t row = 0; row < summary->class_count; row++) {
		const char *name = summary->class_rows[row].name;

		for (unsigned i = 0; name && i < RULES; i++)
			if (hp_pattern_match(rules[i].class_name, name))
				f->class_rule[row] = (uint8_t)(i + 1);
	}
	for (size_t row = 0; row < summary->class_count; row++)
		inherit_rule(f, heap, row);
	return HPROF_OK;
}

/* The rules of classes, by kind. */
static uint8_t *rules_by_kind(const struct hp_native_finder *f,
			      const struct hprof_heap *heap)
{
	size_t classes = hprof_heap_summary(heap)->class_count;
	uint8_t *marks = hp_calloc(hp_kind_count(classes), sizeof *marks);

	for (size_t row = 0; marks && row < classes; row++)
		if (f->class_rule[row] <= RULES)
			marks[hp_kind_of_instances(row)] = f->class_rule[row];
	return marks;
}

static enum hprof_status look_at_all(struct hp_native_finder *f,
				     const struct hp_look *look)
{
	uint64_t count = hprof_heap_count(look->heap);
	uint8_t *marks = rules_by_kind(f, look->heap);
	enum hprof_status status = marks ? HPROF_OK : HPROF_E_NOMEM;
	uint64_t i = marks ? hp_kind_search_next(look->graph, marks, 0) : count;

	for (; i < count && status >= 0;
	     i = hp_kind_search_next(look->graph, marks, i + 1)) {
		uint32_t kind = hp_graph_kind(look->graph, (uint32_t)i);

		f->at = i;
		status = hp_native_seek(f, i);
		if (status >= 0)
			status = rules[marks[kind] - 1].find(f);
	}
	hp_free(marks);
	return status < 0 ? status : HPROF_OK;
}

/* ---- pieces that overlap ------------------------------------------------- */

/* The first of a piece is the largest one that begins there. */
static int compare_addresses(const void *left, const void *right)
{
	const struct hp_native *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static int compare_objects(const void *left, const void *right)
{
	const struct hp_native *a = left, *b = right;

	return a->object < b->object ? -1 : a->object > b->object;
}

/* Slices give up what a segment before them has. */
static void count_once(struct hp_natives *n)
{
	uint64_t end = 0;
	size_t kept = 0;

	if (n->count)
		qsort(n->items, n->count, sizeof *n->items, compare_addresses);
	for (size_t i = 0; i < n->count; i++) {
		struct hp_native item = n->items[i];
		uint64_t item_end = item.address + item.bytes;

		if (item.address && item.address < end) {
			if (item_end <= end)
				continue;
			item.bytes = item_end - end;
		}
		if (item.address)
			end = item_end;
		n->items[kept++] = item;
	}
	n->count = kept;
	if (kept)
		qsort(n->items, kept, sizeof *n->items, compare_objects);
}

enum hprof_status hp_natives_find(struct hp_natives *natives,
				  const struct hp_look *look,
				  struct hprof_error *error)
{
	struct hp_native_finder f = { .to = natives, .cursor = look->cursor };
	enum hprof_status status = find_classes(&f, look->heap);

	if (status == HPROF_OK)
		status = look_at_all(&f, look);
	hp_free(f.class_rule);
	if (status == HPROF_E_NOMEM)
		return hp_no_memory(error);
	if (status < 0)
		return hp_look_failure(look, error);
	count_once(natives);
	return HPROF_OK;
}

void hp_natives_done(struct hp_natives *natives)
{
	hp_free(natives->items);
	hp_free(natives->chunks);
	*natives = (struct hp_natives){ .items = NULL };
}

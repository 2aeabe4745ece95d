/* SPDX-License-Identifier: MIT */
/*
 * live_code.c - see live_code.h.
 *
 * A code heap is an array of segments. A byte for each tells how many segments
 * before it the block begins, in hops if that is far, or that the segment is free.
 * A block has a header, and after it what HotSpot calls a blob: code of a method
 * (an nmethod, which has a state), or a stub. Code heaps are made when the JVM
 * starts, and stay; their memory is there up to the upper end that is read, so
 * that nothing here can touch what is not.
 */
#include "agent/sampling/live_code.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* An address that HotSpot changes while it is read. */
typedef _Atomic uintptr_t word;

enum {
	HEAPS_MOST = 8,
	FREE = 0xff,
	HOPS_MOST = 1 << 16,
	/* States of a method's code: those above are given up. */
	NOT_ENTRANT = 2,
};

struct heap {
	const word *low, *high; /* of its memory */
	const word *segments;	/* its bytes */
	unsigned segment_bits;
};

static struct {
	struct heap heaps[HEAPS_MOST];
	size_t heap_count; /* 0: nothing is known */
	size_t header;	   /* bytes of a block's */
	size_t used, name, state;
} the;

/* ---- learning ------------------------------------------------------------ */

static const struct ag_vm_field *find(const struct ag_vm_field *fields,
				      const char *type, const char *name)
{
	for (; fields->type; fields++)
		if (strcmp(fields->type, type) == 0 && fields->name &&
		    strcmp(fields->name, name) == 0)
			return fields;
	return NULL;
}

static size_t size_of(const struct ag_vm_type *types, const char *name)
{
	for (; types->name; types++)
		if (strcmp(types->name, name) == 0)
			return (size_t)types->size;
	return 0;
}

/* The fields that are needed, by the order of WANTED. */
enum {
	HEAPS,
	ARRAY_COUNT,
	ARRAY_DATA,
	MEMORY,
	SEGMAP,
	SEGMENT_BITS,
	SPACE_LOW,
	SPACE_HIGH,
	BLOCK_HEADER,
	BLOCK_USED,
	BLOB_NAME,
	STATE,
	FIELDS
};

static bool find_all(const struct ag_vm_field *fields,
		     const struct ag_vm_field *ret[FIELDS])
{
	static const char *const wanted[FIELDS][2] = {
		[HEAPS] = { "CodeCache", "_heaps" },
		[ARRAY_COUNT] = { "GrowableArrayBase", "_len" },
		[ARRAY_DATA] = { "GrowableArray<int>", "_data" },
		[MEMORY] = { "CodeHeap", "_memory" },
		[SEGMAP] = { "CodeHeap", "_segmap" },
		[SEGMENT_BITS] = { "CodeHeap", "_log2_segment_size" },
		[SPACE_LOW] = { "VirtualSpace", "_low" },
		[SPACE_HIGH] = { "VirtualSpace", "_high" },
		[BLOCK_HEADER] = { "HeapBlock", "_header" },
		[BLOCK_USED] = { "HeapBlock::Header", "_used" },
		[BLOB_NAME] = { "CodeBlob", "_name" },
		[STATE] = { "nmethod", "_state" },
	};

	for (size_t i = 0; i < FIELDS; i++) {
		ret[i] = find(fields, wanted[i][0], wanted[i][1]);
		if (!ret[i])
			return false;
	}
	return ret[HEAPS]->is_static && ret[HEAPS]->address;
}

static const void *at(const void *start, uint64_t offset)
{
	return (const unsigned char *)start + offset;
}

static struct heap learn_heap(const void *heap,
			      const struct ag_vm_field *f[FIELDS])
{
	const void *memory = at(heap, f[MEMORY]->offset);
	const void *map = at(heap, f[SEGMAP]->offset);
	struct heap h = {
		.low = at(memory, f[SPACE_LOW]->offset),
		.high = at(memory, f[SPACE_HIGH]->offset),
		.segments = at(map, f[SPACE_LOW]->offset),
	};

	memcpy(&h.segment_bits, at(heap, f[SEGMENT_BITS]->offset),
	       sizeof h.segment_bits);
	return h;
}

static bool learn_heaps(const struct ag_vm_field *f[FIELDS])
{
	const void *array, *const *data;
	int count;

	memcpy(&array, f[HEAPS]->address, sizeof array);
	if (!array)
		return false;
	memcpy(&count, at(array, f[ARRAY_COUNT]->offset), sizeof count);
	memcpy(&data, at(array, f[ARRAY_DATA]->offset), sizeof data);
	if (count <= 0 || count > HEAPS_MOST)
		return false;
	for (int i = 0; i < count; i++) {
		the.heaps[i] = learn_heap(data[i], f);
		if (the.heaps[i].segment_bits > 20)
			return false;
	}
	the.heap_count = (size_t)count;
	return true;
}

bool ag_live_code_learn(const struct ag_vm_field *fields,
			const struct ag_vm_type *types)
{
	const struct ag_vm_field *f[FIELDS];

	the.heap_count = 0;
	if (!fields || !types || !find_all(fields, f))
		return false;
	the.header = size_of(types, "HeapBlock");
	the.used = (size_t)(f[BLOCK_HEADER]->offset + f[BLOCK_USED]->offset);
	the.name = (size_t)f[BLOB_NAME]->offset;
	the.state = (size_t)f[STATE]->offset;
	return the.header && learn_heaps(f);
}

void ag_live_code_find(void)
{
	void *fields, *types;

	if (the.heap_count)
		return;
	fields = dlsym(RTLD_DEFAULT, "gHotSpotVMStructs");
	types = dlsym(RTLD_DEFAULT, "gHotSpotVMTypes");
	if (fields && types)
		ag_live_code_learn(*(struct ag_vm_field **)fields,
				   *(struct ag_vm_type **)types);
}

/* ---- asking -------------------------------------------------------------- */

static const struct heap *heap_of(uintptr_t address)
{
	for (size_t i = 0; i < the.heap_count; i++)
		if (address >= atomic_load(the.heaps[i].low) &&
		    address < atomic_load(the.heaps[i].high))
			return &the.heaps[i];
	return NULL;
}

/* The block that has ADDRESS; 0 if it is free. */
static uintptr_t block_of(const struct heap *h, uintptr_t address)
{
	const uintptr_t low = atomic_load(h->low);
	const volatile unsigned char *segments =
		(const unsigned char *)atomic_load(h->segments);
	size_t i = (address - low) >> h->segment_bits;

	for (unsigned hops = 0; hops < HOPS_MOST; hops++) {
		const unsigned char back = segments[i];

		if (back == 0)
			return low + (i << h->segment_bits);
		if (back == FREE || back > i)
			return 0;
		i -= back;
	}
	return 0;
}

/* By a system call: of a blob that is just being made the name may be anything. */
static bool is_method(uintptr_t name)
{
	char text[sizeof "native nmethod"] = "";
	struct iovec local = { text, sizeof text };
	struct iovec remote = { (void *)name, sizeof text };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
		       (ssize_t)sizeof text &&
	       (memcmp(text, "nmethod", sizeof "nmethod") == 0 ||
		memcmp(text, "native nmethod", sizeof text) == 0);
}

static bool is_alive(uintptr_t blob)
{
	const uintptr_t name = *(const volatile uintptr_t *)(blob + the.name);
	const signed char state =
		*(const volatile signed char *)(blob + the.state);

	return (state >= 0 && state <= NOT_ENTRANT) || !is_method(name);
}

bool ag_live_code_has(uintptr_t address)
{
	const struct heap *h = heap_of(address);
	uintptr_t block;

	if (!h)
		return the.heap_count == 0;
	block = block_of(h, address);
	return block && *(const volatile bool *)(block + the.used) &&
	       address >= block + the.header && is_alive(block + the.header);
}

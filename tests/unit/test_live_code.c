/* SPDX-License-Identifier: MIT */
/*
 * test_live_code.c - a code heap as HotSpot lays it out, made here: a stub, code of
 * methods in each state, a block in several hops, a free one.
 */
#include <criterion/criterion.h>
#include <stddef.h>
#include <string.h>

#include "agent/sampling/live_code.h"

enum { BITS = 6, SEGMENT = 1 << BITS, SEGMENTS = 40, NO_BLOCK = 0xff };

/* Not one of these is laid out as in a real JVM: the tables tell. */
struct header {
	uint64_t length;
	bool used;
};
struct blob {
	uint64_t filler;
	const char *name;
	signed char state;
};
struct space {
	char *low, *high;
};
struct code_heap {
	struct space memory;
	uint64_t filler;
	struct space segmap;
	int bits;
};
struct array {
	int count, room;
	struct code_heap **data;
};

static char memory[SEGMENTS * SEGMENT] __attribute__((aligned(16)));
static unsigned char segmap[SEGMENTS];
static struct code_heap heap = {
	.memory = { memory, memory + sizeof memory },
	.segmap = { (char *)segmap, (char *)segmap + sizeof segmap },
	.bits = BITS,
};
static struct code_heap *heaps_data[] = { &heap };
static struct array array = { 1, 1, heaps_data };
static struct array *heaps = &array;

#define FIELD(type, name, offset) { type, name, "", 0, offset, NULL }

static const struct ag_vm_field all_fields[] = {
	FIELD("nmethod", "_other", 0),
	{ "CodeCache", "_heaps", "", 1, 0, &heaps },
	FIELD("GrowableArrayBase", "_len", offsetof(struct array, count)),
	FIELD("GrowableArray<int>", "_data", offsetof(struct array, data)),
	FIELD("CodeHeap", "_memory", offsetof(struct code_heap, memory)),
	FIELD("CodeHeap", "_segmap", offsetof(struct code_heap, segmap)),
	FIELD("CodeHeap", "_log2_segment_size",
	      offsetof(struct code_heap, bits)),
	FIELD("VirtualSpace", "_low", offsetof(struct space, low)),
	FIELD("VirtualSpace", "_high", offsetof(struct space, high)),
	FIELD("HeapBlock", "_header", 0),
	FIELD("HeapBlock::Header", "_used", offsetof(struct header, used)),
	FIELD("CodeBlob", "_name", offsetof(struct blob, name)),
	FIELD("nmethod", "_state", offsetof(struct blob, state)),
	FIELD(NULL, NULL, 0),
};
static const struct ag_vm_type all_types[] = {
	{ "Other", NULL, 0, 0, 0, 8 },
	{ "HeapBlock", NULL, 0, 0, 0, sizeof(struct header) },
	{ NULL, NULL, 0, 0, 0, 0 },
};

/* A block of COUNT segments; how far each is from its beginning, in hops of 2. */
static uintptr_t put(unsigned first, unsigned count, const char *name,
		     signed char state)
{
	const struct header header = { count, true };
	const struct blob blob = { 0, name, state };
	char *block = &memory[first * SEGMENT];

	memcpy(block, &header, sizeof header);
	memcpy(block + sizeof header, &blob, sizeof blob);
	for (unsigned i = 0; i < count; i++)
		segmap[first + i] = (unsigned char)(i < 2 ? i : 2);
	return (uintptr_t)block + count * SEGMENT - 1;
}

static void set_up(void)
{
	memset(segmap, NO_BLOCK, sizeof segmap);
	cr_assert(ag_live_code_learn(all_fields, all_types));
}

/* What is read of a name may go past its end. */
static char method[32] = "nmethod", wrapper[32] = "native nmethod",
	    stub[32] = "nmethod stub";

Test(live_code, of_methods_by_their_state, .init = set_up)
{
	for (signed char state = -1; state <= 4; state++) {
		const bool lives = state >= 0 && state <= 2;

		cr_assert_eq(ag_live_code_has(put(0, 3, method, state)), lives,
			     "state %d", state);
		cr_assert_eq(ag_live_code_has(put(3, 3, wrapper, state)), lives,
			     "state %d", state);
		/* There that byte is no state. */
		cr_assert(ag_live_code_has(put(6, 3, stub, state)));
	}
}

Test(live_code, at_each_place_of_a_block, .init = set_up)
{
	const uintptr_t last = put(4, 9, method, 3),
			first = last - 9 * SEGMENT + 1;

	put(0, 4, method, 0);
	for (uintptr_t at = first; at <= last; at++)
		cr_assert_not(ag_live_code_has(at));
	/* A header is no code, what follows is. */
	cr_assert_not(ag_live_code_has((uintptr_t)memory));
	cr_assert(ag_live_code_has((uintptr_t)memory + sizeof(struct header)));
	cr_assert(ag_live_code_has(first - 1));
	cr_assert_not(ag_live_code_has(last + 1));
}

Test(live_code, that_is_not_there, .init = set_up)
{
	const uintptr_t at = put(2, 2, method, 0);

	cr_assert(ag_live_code_has(at));
	((struct header *)(void *)&memory[2 * SEGMENT])->used = false;
	cr_assert_not(ag_live_code_has(at));
	cr_assert_not(ag_live_code_has((uintptr_t)memory - 1));
	cr_assert_not(ag_live_code_has((uintptr_t)memory + sizeof memory));
	cr_assert_not(ag_live_code_has(0));
}

Test(live_code, with_a_map_that_is_changing, .init = set_up)
{
	segmap[0] = 1; /* before the heap */
	segmap[1] = 200;
	cr_assert_not(ag_live_code_has((uintptr_t)memory));
	cr_assert_not(ag_live_code_has((uintptr_t)memory + SEGMENT));
}

Test(live_code, with_a_name_that_is_not_readable, .init = set_up)
{
	cr_assert(ag_live_code_has(put(0, 2, (const char *)8, 3)));
}

/* Without any of the fields nothing is known, so all code may live. */
Test(live_code, of_a_jvm_that_does_not_tell)
{
	const size_t count = sizeof all_fields / sizeof *all_fields;
	struct ag_vm_field fields[sizeof all_fields / sizeof *all_fields];

	for (size_t i = 1; i + 1 < count; i++) {
		memcpy(fields, all_fields, sizeof fields);
		fields[i].name = "_renamed";
		cr_assert_not(ag_live_code_learn(fields, all_types), "%s",
			      all_fields[i].name);
		cr_assert(ag_live_code_has((uintptr_t)memory));
	}
	cr_assert_not(ag_live_code_learn(NULL, all_types));
	cr_assert_not(ag_live_code_learn(all_fields, NULL));
	cr_assert_not(ag_live_code_learn(all_fields, &all_types[2]));
	heaps = NULL;
	cr_assert_not(ag_live_code_learn(all_fields, all_types));
	heaps = &array;
	array.count = 100;
	cr_assert_not(ag_live_code_learn(all_fields, all_types));
	cr_assert(ag_live_code_has(0));
}

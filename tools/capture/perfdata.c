/* SPDX-License-Identifier: MIT */
/*
 * perfdata.c - see perfdata.h.
 *
 * Header (32 bytes): magic cafec0c0, u1 byte order (1: little endian), u1
 * major, u1 minor, u1 accessible, u4 used, u4 overflow, u8 modification time,
 * u4 offset of the first entry, u4 number of entries. Entry (20 bytes): u4
 * length, u4 offset of the name, u4 vector length (0: a scalar), u1 type, u1
 * flags, u1 unit, u1 variability, u4 offset of the data; both offsets from
 * the entry's start.
 */
#include <stdio.h>
#include <string.h>

#include "tools/capture/perfdata.h"

enum { HEADER = 32, ENTRY = 20, MOST_ENTRIES = 1 << 16 };

static uint64_t get(const struct perfdata *p, size_t at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 |
			p->bytes[at + (p->big_endian ? i : size - 1 - i)];
	return value;
}

bool perfdata_open(struct perfdata *p, const void *bytes, size_t size)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	enum { ORDER_AT = 4, MAJOR_AT, ACCESSIBLE_AT = 7, FIRST_AT = 24 };

	*p = (struct perfdata){ .bytes = bytes, .size = size };
	if (size < HEADER || memcmp(p->bytes, magic, sizeof(magic)) != 0 ||
	    p->bytes[MAJOR_AT] != 2 || p->bytes[ACCESSIBLE_AT] == 0)
		return false;
	p->big_endian = p->bytes[ORDER_AT] == 0;
	p->first = (uint32_t)get(p, FIRST_AT, 4);
	p->count = (uint32_t)get(p, FIRST_AT + 4, 4);
	if (p->count > MOST_ENTRIES)
		p->count = MOST_ENTRIES;
	return true;
}

struct entry {
	size_t at, size;
	size_t data; /* offset in the file */
	uint32_t vector_length;
	uint8_t type;
};

/* Does the string at AT equal NAME, with its NUL before END? */
static bool has_name(const struct perfdata *p, size_t at, size_t end,
		     const char *name)
{
	size_t size = strlen(name) + 1;

	return at < end && end - at >= size &&
	       memcmp(p->bytes + at, name, size) == 0;
}

static bool find(const struct perfdata *p, const char *name,
		 struct entry *ret_entry)
{
	size_t at = p->first;

	for (uint32_t i = 0; i < p->count; i++) {
		if (at > p->size || p->size - at < ENTRY)
			return false;
		size_t size = (size_t)get(p, at, 4);
		if (size < ENTRY || size > p->size - at)
			return false;
		size_t name_at = (size_t)get(p, at + 4, 4);
		size_t data = (size_t)get(p, at + 16, 4);
		if (data <= size &&
		    has_name(p, at + name_at, at + size, name)) {
			*ret_entry = (struct entry){
				.at = at,
				.size = size,
				.data = at + data,
				.vector_length = (uint32_t)get(p, at + 8, 4),
				.type = p->bytes[at + 12],
			};
			return true;
		}
		at += size;
	}
	return false;
}

bool perfdata_number(const struct perfdata *p, const char *name,
		     uint64_t *ret_number)
{
	struct entry e;

	if (!find(p, name, &e) || e.type != 'J' || e.vector_length != 0 ||
	    e.at + e.size - e.data < 8)
		return false;
	*ret_number = get(p, e.data, 8);
	return true;
}

bool perfdata_text(const struct perfdata *p, const char *name, char *out,
		   size_t room)
{
	struct entry e;

	if (!find(p, name, &e) || e.type != 'B' || e.vector_length == 0)
		return false;
	size_t size = e.at + e.size - e.data;
	if (size > e.vector_length)
		size = e.vector_length;
	size = strnlen((const char *)p->bytes + e.data, size);
	if (size >= room)
		size = room - 1;
	memcpy(out, p->bytes + e.data, size);
	out[size] = '\0';
	return true;
}

/*
 * If the heap consists of regions, young and old may each grow to the whole
 * heap; otherwise they share it.
 */
static uint64_t most_of(const struct perfdata *p, uint64_t young, uint64_t old)
{
	char policy[32];

	if (perfdata_text(p, "sun.gc.policy.name", policy, sizeof(policy)) &&
	    strcmp(policy, "GarbageFirst") == 0)
		return young > old ? young : old;
	return young + old;
}

bool perfdata_get_heap(const struct perfdata *p, struct perfdata_heap *ret)
{
	uint64_t most[2] = { 0, 0 }, number;
	struct perfdata_heap heap = { 0 };
	bool any = false;
	char name[64];

	for (unsigned g = 0; g < 2; g++) {
		for (unsigned s = 0; s < 3; s++) {
			snprintf(name, sizeof(name),
				 "sun.gc.generation.%u.space.%u.used", g, s);
			if (!perfdata_number(p, name, &number))
				continue;
			any = true;
			heap.used += number;
			snprintf(name, sizeof(name),
				 "sun.gc.generation.%u.space.%u.capacity", g,
				 s);
			if (perfdata_number(p, name, &number))
				heap.capacity += number;
		}
		snprintf(name, sizeof(name), "sun.gc.generation.%u.maxCapacity",
			 g);
		perfdata_number(p, name, &most[g]);
	}
	heap.most = most_of(p, most[0], most[1]);
	if (any)
		*ret = heap;
	return any;
}

bool perfdata_get_pauses(const struct perfdata *p, struct perfdata_pauses *ret)
{
	uint64_t time, count, frequency;

	if (!perfdata_number(p, "sun.rt.safepointTime", &time) ||
	    !perfdata_number(p, "sun.rt.safepoints", &count) ||
	    !perfdata_number(p, "sun.os.hrt.frequency", &frequency) ||
	    frequency == 0)
		return false;
	ret->count = count;
	ret->time_ns =
		frequency == 1000000000
			? time
			: (uint64_t)((double)time / (double)frequency * 1e9);
	return true;
}

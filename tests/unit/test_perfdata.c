/* SPDX-License-Identifier: MIT */
/*
 * test_perfdata.c - a JVM's counters, in both byte orders, and damaged in
 * every byte.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/capture/perfdata.h"

/* ---- a file ------------------------------------------------------------- */

struct file {
	uint8_t bytes[4096];
	size_t size;
	unsigned entries;
	bool big;
};

static void put(struct file *f, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		f->bytes[at + (f->big ? size - 1 - i : i)] =
			(uint8_t)(value >> (8 * i));
}

static void begin(struct file *f, bool big)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };

	*f = (struct file){ .size = 32, .big = big };
	memcpy(f->bytes, magic, sizeof magic);
	f->bytes[4] = big ? 0 : 1;
	f->bytes[5] = 2;
	f->bytes[7] = 1;
	put(f, 24, 32, 4);
}

/* An entry of SIZE data bytes, at an offset that is a multiple of 8. */
static size_t add(struct file *f, const char *name, char type, uint32_t vector,
		  size_t size)
{
	size_t at = f->size, data = (20 + strlen(name) + 1 + 7) / 8 * 8;
	size_t length = (data + size + 7) / 8 * 8;

	put(f, at, length, 4);
	put(f, at + 4, 20, 4);
	put(f, at + 8, vector, 4);
	f->bytes[at + 12] = (uint8_t)type;
	put(f, at + 16, data, 4);
	memcpy(f->bytes + at + 20, name, strlen(name) + 1);
	f->size += length;
	put(f, 28, ++f->entries, 4);
	return at + data;
}

static void add_number(struct file *f, const char *name, uint64_t value)
{
	put(f, add(f, name, 'J', 0, 8), value, 8);
}

static void add_text(struct file *f, const char *name, const char *text,
		     size_t room)
{
	memcpy(f->bytes + add(f, name, 'B', (uint32_t)room, room), text,
	       strlen(text));
}

static struct file a_file(bool big)
{
	struct file f;

	begin(&f, big);
	add_text(&f, "sun.rt.javaCommand", "Main a b", 64);
	add_number(&f, "sun.gc.generation.0.maxCapacity", 1000);
	add_number(&f, "sun.gc.generation.1.maxCapacity", 1008);
	add_number(&f, "sun.gc.generation.0.space.0.used", 10);
	add_number(&f, "sun.gc.generation.0.space.0.capacity", 100);
	add_number(&f, "sun.gc.generation.1.space.0.used", 0x0102030405060708);
	add_number(&f, "sun.gc.generation.1.space.0.capacity", 200);
	add_number(&f, "sun.rt.safepointTime", 5000);
	add_number(&f, "sun.rt.safepoints", 7);
	add_number(&f, "sun.os.hrt.frequency", 1000000);
	add_text(&f, "sun.gc.policy.name", "GarbageFirst", 12);
	return f;
}

/* ---- tests -------------------------------------------------------------- */

static void check_file(bool big)
{
	struct file f = a_file(big);
	struct perfdata p;
	struct perfdata_heap heap;
	struct perfdata_pauses pauses;
	char text[32];
	uint64_t number;

	cr_assert(perfdata_open(&p, f.bytes, f.size));
	cr_assert(perfdata_text(&p, "sun.rt.javaCommand", text, sizeof text));
	cr_assert_str_eq(text, "Main a b");
	cr_assert(perfdata_text(&p, "sun.rt.javaCommand", text, 5));
	cr_assert_str_eq(text, "Main");
	/* No NUL behind it, as the room is full. */
	cr_assert(perfdata_text(&p, "sun.gc.policy.name", text, sizeof text));
	cr_assert_str_eq(text, "GarbageFirst");
	cr_assert(perfdata_get_heap(&p, &heap));
	cr_assert_eq(heap.used, 0x0102030405060708 + 10);
	cr_assert_eq(heap.capacity, 300u);
	cr_assert_eq(heap.most, 1008u, "both may become all of it");
	cr_assert(perfdata_get_pauses(&p, &pauses));
	cr_assert(pauses.count == 7 && pauses.time_ns == 5000000);
	/* Others, and of another type. */
	cr_assert(!perfdata_number(&p, "sun.rt.safepoint", &number));
	cr_assert(!perfdata_number(&p, "sun.rt.javaCommand", &number));
	cr_assert(!perfdata_text(&p, "sun.rt.safepoints", text, sizeof text));
}

Test(perfdata, little_endian)
{
	check_file(false);
}

Test(perfdata, big_endian)
{
	check_file(true);
}

Test(perfdata, heap_of_generations)
{
	struct file f;
	struct perfdata p;
	struct perfdata_heap heap;

	begin(&f, false);
	add_number(&f, "sun.gc.generation.0.maxCapacity", 1000);
	add_number(&f, "sun.gc.generation.1.maxCapacity", 2000);
	cr_assert(perfdata_open(&p, f.bytes, f.size));
	cr_assert(!perfdata_get_heap(&p, &heap), "no spaces");
	add_number(&f, "sun.gc.generation.1.space.0.used", 5);
	cr_assert(perfdata_open(&p, f.bytes, f.size));
	cr_assert(perfdata_get_heap(&p, &heap));
	cr_assert(heap.used == 5 && heap.most == 3000 && heap.capacity == 0);
}

Test(perfdata, none)
{
	struct file f = a_file(false);
	struct perfdata p;

	for (size_t size = 0; size < 32; size++)
		cr_assert(!perfdata_open(&p, f.bytes, size));
	for (size_t at = 0; at < 4; at++) {
		f.bytes[at] ^= 1;
		cr_assert(!perfdata_open(&p, f.bytes, f.size));
		f.bytes[at] ^= 1;
	}
	f.bytes[5] = 1; /* of JDK 1.4 */
	cr_assert(!perfdata_open(&p, f.bytes, f.size));
	f.bytes[5] = 2;
	f.bytes[7] = 0; /* not complete yet */
	cr_assert(!perfdata_open(&p, f.bytes, f.size));
}

/* Asks everything, of arbitrary bytes. */
static void ask_all(const uint8_t *bytes, size_t size)
{
	struct perfdata p;
	struct perfdata_heap heap;
	struct perfdata_pauses pauses;
	char text[16];

	if (!perfdata_open(&p, bytes, size))
		return;
	perfdata_get_heap(&p, &heap);
	perfdata_get_pauses(&p, &pauses);
	if (perfdata_text(&p, "sun.rt.javaCommand", text, sizeof text))
		cr_assert_lt(strlen(text), sizeof text);
}

/* Nothing outside is read, which only sanitizers see. */
Test(perfdata, damaged)
{
	struct file f = a_file(false);

	for (size_t size = 0; size <= f.size; size++) {
		uint8_t *cut = malloc(size + !size);
		memcpy(cut, f.bytes, size);
		ask_all(cut, size);
		free(cut);
	}
	uint8_t *bytes = malloc(f.size);
	memcpy(bytes, f.bytes, f.size);
	for (size_t at = 4; at < f.size; at++) {
		static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
		for (size_t i = 0; i < sizeof values; i++) {
			bytes[at] = values[i];
			ask_all(bytes, f.size);
		}
		bytes[at] = f.bytes[at];
	}
	free(bytes);
}

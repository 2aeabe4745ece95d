/* SPDX-License-Identifier: MIT */
/*
 * mutant.c - damages a dump in its structure, the same way each time for the
 * same seed.
 *
 *   mutant SEED OUT DUMP...
 *
 * One to six changes: a length, id, count, type, tag or number replaced, often
 * by another one of the dump; a record or sub-record doubled, with another id or
 * the same, moved or left out; a string replaced by a name that readers look
 * for; the file cut. Further DUMPs are appended. What encloses a change usually
 * gets the right length, so that readers follow the dump to its end; byte by
 * byte damage is in tests/mutate.c.
 */
#include "tests/fuzz/places.h"

#include <hprof/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20, MOST_CHANGES = 6, RECORD_HEADER = 9 };

static uint64_t state;
static uint8_t bytes[2 * MOST];
static size_t size;
static struct places places;

/* Below LIMIT; by the generator xorshift64*. */
static size_t pick(size_t limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (size_t)((state * 0x2545f4914f6cdd1dU) >> 33) % limit;
}

/* Names that readers look for, and text that is no name. */
static const char *const names[] = {
	"",
	"[",
	"[[[[[[[[[[I",
	"[Ljava/lang/Object;",
	"[B",
	"[C",
	"java/lang/Class",
	"java/lang/Object",
	"java/lang/String",
	"java/lang/Thread",
	"java/lang/ThreadGroup",
	"java/lang/Thread$FieldHolder",
	"java/lang/VirtualThread",
	"java/lang/ClassLoader",
	"java/lang/Integer",
	"java/lang/Boolean",
	"java/lang/ref/Reference",
	"java/lang/ref/WeakReference",
	"java/lang/ref/SoftReference",
	"java/lang/ref/Finalizer",
	"java/lang/ThreadLocal$ThreadLocalMap",
	"java/lang/ThreadLocal$ThreadLocalMap$Entry",
	"java/nio/DirectByteBuffer",
	"java/util/ArrayList",
	"java/util/ArrayDeque",
	"java/util/HashMap",
	"java/util/HashMap$Node",
	"java/util/HashMap$TreeNode",
	"java/util/HashSet",
	"java/util/LinkedList",
	"java/util/LinkedList$Node",
	"java/util/Hashtable",
	"java/util/Properties",
	"java/util/TreeMap",
	"java/util/TreeMap$Entry",
	"java/util/IdentityHashMap",
	"java/util/Collections$UnmodifiableMap",
	"java/util/concurrent/ConcurrentHashMap",
	"java/util/concurrent/ConcurrentHashMap$Node",
	"java/util/concurrent/CopyOnWriteArrayList",
	"java/util/ImmutableCollections$MapN",
	"jdk/internal/vm/StackChunk",
	"android/graphics/Bitmap",
	"array",
	"capacity",
	"cap",
	"classLoader",
	"coder",
	"count",
	"elementData",
	"elements",
	"entry",
	"first",
	"group",
	"hash",
	"head",
	"holder",
	"key",
	"last",
	"left",
	"m",
	"map",
	"modCount",
	"name",
	"next",
	"offset",
	"parent",
	"props",
	"referent",
	"root",
	"right",
	"size",
	"tail",
	"table",
	"target",
	"tid",
	"val",
	"value",
	"\xc0\x80\xed\xa0\x80\xff",
	("\x1b]0;x\x07\x9b"
	 "31m"),
	"=1+1|\"'\r\n,;\t",
	"../../a\\b//c",
	"a.b$$Lambda$14/0x0000000800c03000+0x12",
	"\xd8\x9c\xe2\x80\xae\xe2\x80\xa8\xe2\x80\x8b",
};

static uint64_t get(size_t at, unsigned width)
{
	uint64_t number = 0;

	while (width-- > 0)
		number = number << 8 | bytes[at++];
	return number;
}

static void put(size_t at, unsigned width, uint64_t number)
{
	while (width-- > 0) {
		bytes[at + width] = (uint8_t)number;
		number >>= 8;
	}
}

/* Adds CHANGE to the length of the record at RECORD. */
static void lengthen(size_t record, size_t change)
{
	if (pick(12) > 0)
		put(record + 5, 4, get(record + 5, 4) + change);
}

/* Replaces REMOVED bytes at AT by LENGTH others; false if they have no room. */
static bool splice(size_t at, size_t removed, const void *added, size_t length)
{
	if (size - removed + length > sizeof bytes)
		return false;
	memmove(bytes + at + length, bytes + at + removed, size - at - removed);
	memcpy(bytes + at, added, length);
	size += length - removed;
	return true;
}

static const struct place *pick_place(enum place_kind kind)
{
	/* The next one of this kind, from anywhere. */
	size_t start = pick(places.count);

	for (size_t i = 0; i < places.count; i++) {
		const struct place *place =
			&places.places[(start + i) % places.count];
		if (place->kind == kind)
			return place;
	}
	return NULL;
}

static const struct part *pick_part(void)
{
	return places.part_count ? &places.parts[pick(places.part_count)]
				 : NULL;
}

static uint64_t other_number(uint64_t number, unsigned width)
{
	static const uint64_t limits[] = { 0,	       1,	   2,
					   16,	       0x7f,	   0xff,
					   0xffff,     0x7fffffff, 0x80000000,
					   0xfffffff0, 0xffffffff, 1U << 28,
					   UINT64_MAX, INT64_MAX };
	switch (pick(6)) {
	case 0:
		return number + 1;
	case 1:
		return number - 1;
	case 2:
		return number * 2;
	case 3:
		return number ^ (uint64_t)1 << pick(8 * width);
	case 4:
		return number + 8;
	default:
		return limits[pick(sizeof limits / sizeof limits[0])];
	}
}

/* A place gets another value: one of its kind in this dump, or a limit. */
static void change_place(enum place_kind kind)
{
	const struct place *place = pick_place(kind);
	const struct place *other =
		pick_place(kind == PLACE_VALUE && pick(2) ? PLACE_ID : kind);

	if (!place)
		return;
	uint64_t number = get(place->at, place->width);
	bool copies = other &&
		      pick(kind == PLACE_ID || kind == PLACE_VALUE ? 8 : 3) > 0;
	/* No reader goes on without a size of ids. */
	if (place == places.places && pick(8) > 0)
		return;
	put(place->at, place->width,
	    copies ? get(other->at, other->width)
		   : other_number(number, place->width));
}

/* Behind which part a copy of PART goes: a record belongs between records. */
static const struct part *pick_neighbour(const struct part *part)
{
	const struct part *near = pick(4) ? part : pick_part();

	for (int tries = 0;
	     tries < 8 && part->segment == 0 && near->segment != 0; tries++)
		near = pick_part();
	return near;
}

/* Copies a part to behind another one; often under a new id. */
static void double_part(void)
{
	static uint8_t copy[MOST];
	const struct part *part = pick_part();

	if (part->size > sizeof copy)
		return;
	const struct part *near = pick_neighbour(part);
	unsigned z = places.id_size;
	size_t length = part->size, at = near->at + near->size;
	size_t id = part->segment ? 1 : RECORD_HEADER;
	memcpy(copy, bytes + part->at, length);
	for (size_t left = pick(16) ? 1 : 1 + pick(64);
	     left > 0 && splice(at, 0, copy, length); left--) {
		if (near->segment)
			lengthen(near->segment, length);
		if (pick(3) && length >= id + z)
			put(at + id, z, get(at + id, z) + 8 * pick(1000));
	}
}

static void remove_part(void)
{
	const struct part *part = pick_part();

	if (part->segment)
		lengthen(part->segment, (size_t)0 - part->size);
	splice(part->at, part->size, "", 0);
}

static void rename_string(void)
{
	const struct part *part = pick_part();
	const char *name = names[pick(sizeof names / sizeof names[0])];

	for (int tries = 0; tries < 64 && !part->text; tries++)
		part = pick_part();
	if (!part->text || part->text > part->at + part->size)
		return;
	size_t old = part->at + part->size - part->text;
	size_t length = strlen(name);
	lengthen(part->at, length - old);
	splice(part->text, old, name, length);
}

static void cut(void)
{
	const struct part *part = pick_part();

	size = part->at + pick(part->size + 1);
}

static void change(void)
{
	static const enum place_kind kinds[] = {
		PLACE_LENGTH, PLACE_ID,	   PLACE_ID,	PLACE_ID,
		PLACE_COUNT,  PLACE_COUNT, PLACE_TYPE,	PLACE_TAG,
		PLACE_NUMBER, PLACE_VALUE, PLACE_VALUE, PLACE_VALUE
	};
	places_find(&places, bytes, size);
	if (places.part_count == 0)
		return;
	switch (pick(12)) {
	case 0:
	case 1:
		double_part();
		break;
	case 2:
		remove_part();
		break;
	case 3:
	case 4:
		rename_string();
		break;
	case 5:
		if (pick(4) == 0)
			cut();
		break;
	default:
		change_place(kinds[pick(sizeof kinds / sizeof kinds[0])]);
	}
}

static bool append(const char *name)
{
	FILE *in = fopen(name, "rb");

	if (!in)
		return false;
	if (size < MOST)
		size += fread(bytes + size, 1, MOST - size, in);
	fclose(in);
	return true;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: mutant SEED OUT DUMP...\n", stderr);
		return 2;
	}
	state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15U + 1;
	pick(1);
	for (int i = 3; i < argc; i++)
		if (!append(argv[i])) {
			perror(argv[i]);
			return 2;
		}
	for (size_t left = 1 + pick(MOST_CHANGES); left > 0; left--)
		change();
	places_free(&places);
	FILE *out = fopen(argv[2], "wb");
	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
		perror(argv[2]);
		return 2;
	}
	return 0;
}

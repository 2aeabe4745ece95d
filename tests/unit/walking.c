/* SPDX-License-Identifier: MIT */
/*
 * walking.c - see walking.h.
 */
#include "walking.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maker.h"
#include "../inputs.h"
#include "writing.h"

/* Bytes of a place in tags: all objects of these heaps have 16 bytes. */
static unsigned unit;

struct taken take_with(struct fake_jvm *jvm, unsigned id_size, bool live)
{
	const struct ag_dump_options o = {
		.live = live,
		.constants = true,
		.id_size = id_size,
		.level = 2,
		.heap_is_full = jvm->heap_is_full,
	};
	struct hprof_writer *writer;
	struct taken t = { .status = -1 };

	unit = id_size == 4 ? 1 : 16;
	cr_assert_eq(hprof_writer_open_callback(buffer_add, &t.bytes, NULL,
						&writer, NULL),
		     HPROF_OK);
	t.status = ag_dump(&jvm->jvmti, &jvm->jni, writer, &o, &t.result);
	if (t.status == 0)
		cr_assert_eq(hprof_writer_finish(writer), HPROF_OK);
	hprof_writer_free(writer);
	return t;
}

struct taken take(struct fake_jvm *jvm, unsigned id_size, bool live)
{
	struct taken t = take_with(jvm, id_size, live);
	struct hprof_check_options o = { .size = sizeof o,
					 .readers = HPROF_FOR_JDK };
	struct hprof_check_result *r;
	char name[40]; /* the tests run side by side */

	cr_assert_eq(t.status, 0, "%s", t.result.error);
	cr_assert_eq(t.result.lost, 0u);
	snprintf(name, sizeof name, "walk-%ld.hprof", (long)getpid());
	maker_file(name, t.bytes.bytes, t.bytes.size);
	cr_assert_eq(hprof_check(INPUT_PATH(name), &o, &r, NULL), HPROF_OK);
	unlink(name);
	for (size_t i = 0; i < r->code_count; i++)
		cr_expect(r->codes[i].count == 0, "%s", r->codes[i].code);
	cr_assert_eq(r->objects, t.result.objects);
	hprof_check_result_free(r);
	return t;
}

static struct hprof_reader *open_dump(const struct taken *t)
{
	struct hprof_reader *reader;

	cr_assert_eq(
		hprof_reader_open(INPUT_MEMORY(t->bytes.bytes, t->bytes.size),
				  NULL, &reader, NULL),
		HPROF_OK);
	return reader;
}

/* What of R is bytes in the dump; NULL if that is not asked for. */
static struct hprof_bytes *data_of(struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_INSTANCE_DUMP:
		return &r->u.instance_dump.data;
	case HPROF_OBJ_ARRAY_DUMP:
		return &r->u.obj_array_dump.elements;
	case HPROF_PRIM_ARRAY_DUMP:
		return &r->u.prim_array_dump.elements;
	case HPROF_CLASS_DUMP:
		return &r->u.class_dump.constants;
	default:
		return NULL;
	}
}

/* All of BYTES, loaded or not, in memory of our own. */
static void keep(struct hprof_reader *reader, struct hprof_bytes *bytes)
{
	static uint8_t *kept;
	size_t size = 0, n = 1;

	free(kept);
	kept = malloc((size_t)bytes->size + 1);
	cr_assert_not_null(kept);
	if (bytes->data) {
		size = (size_t)bytes->size;
		memcpy(kept, bytes->data, size);
	}
	while (n && size < bytes->size &&
	       hprof_reader_body(reader, kept + size,
				 (size_t)bytes->size - size, &n) == HPROF_OK)
		size += n;
	bytes->data = kept;
}

bool find(const struct taken *t, unsigned tag, uint64_t id,
	  struct hprof_record *ret)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	bool found = false;

	while (!found && hprof_reader_next(reader, &r) == HPROF_OK) {
		/* The object is the first member of all of them. */
		found = r.tag == tag && r.u.root.object_id == id;
		if (found && data_of(&r))
			keep(reader, data_of(&r));
		if (found)
			*ret = r;
	}
	hprof_reader_close(reader);
	return found;
}

uint64_t id_of(const struct fake_object *o)
{
	return (uint64_t)(uint32_t)o->tag * unit;
}

struct hprof_record object(const struct taken *t, unsigned tag,
			   const struct fake_object *o)
{
	struct hprof_record r = { 0 };

	cr_assert(find(t, tag, id_of(o), &r), "no record of object %llu",
		  (unsigned long long)id_of(o));
	return r;
}

unsigned count(const struct taken *t, unsigned tag)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	unsigned n = 0;

	while (hprof_reader_next(reader, &r) == HPROF_OK)
		n += r.tag == tag;
	hprof_reader_close(reader);
	return n;
}

/* For classes that came late, it follows the heap. */
static uint64_t name_id(const struct taken *t, const char *name)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	uint64_t id = 0;

	while (!id && hprof_reader_next(reader, &r) == HPROF_OK)
		if (r.tag == HPROF_UTF8 && r.u.utf8.text.size == strlen(name) &&
		    memcmp(r.u.utf8.text.data, name, strlen(name)) == 0)
			id = r.u.utf8.string_id;
	hprof_reader_close(reader);
	return id;
}

bool find_static(const struct taken *t, const struct fake_class *c,
		 const char *name, struct hprof_class_entry *ret)
{
	uint64_t wanted = name_id(t, name);
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	bool found = false;

	while (!found && hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag != HPROF_CLASS_DUMP ||
		    r.u.class_dump.class_id != id_of(&c->mirror))
			continue;
		struct hprof_class_cursor cursor = hprof_class_statics(&r);
		while (!found && hprof_class_next(&cursor, ret) == HPROF_OK)
			found = ret->name_id == wanted;
	}
	hprof_reader_close(reader);
	return found;
}

void done(struct fake_jvm *jvm, struct taken *t)
{
	buffer_free(&t->bytes);
	fake_jvm_free(jvm);
}

struct fake_object *rooted(struct fake_jvm *jvm, struct fake_object *o)
{
	fake_root(jvm, JVMTI_HEAP_REFERENCE_JNI_GLOBAL, o);
	return o;
}

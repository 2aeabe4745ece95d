/* SPDX-License-Identifier: MIT */
/*
 * maker.c - see maker.h.
 */
#include "maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker maker_begin(unsigned id_size)
{
	struct maker m = { .id_size = id_size, .strings = 0x100, .random = 1 };
	struct hprof_header header = { "JAVA PROFILE 1.0.2", id_size, 0 };
	uint8_t bytes[64];
	size_t used;

	cr_assert(hprof_header_encode(&header, bytes, sizeof bytes, &used) ==
		  HPROF_OK);
	buffer_add(&m.out, bytes, used);
	return m;
}

void maker_put(struct maker *m, const struct hprof_record *record)
{
	uint64_t size;
	size_t used;
	uint8_t small[256], *bytes = small;

	cr_assert(hprof_record_size(record, m->id_size, &size) == HPROF_OK);
	if (size > sizeof small)
		bytes = malloc((size_t)size);
	cr_assert(bytes != NULL);
	cr_assert(hprof_record_encode(record, m->id_size, bytes, (size_t)size,
				      &used) == HPROF_OK);
	buffer_add(&m->out, bytes, used);
	if (bytes != small)
		free(bytes);
}

void maker_heap(struct maker *m, unsigned tag)
{
	struct hprof_record record = { .tag = (uint16_t)tag };

	maker_heap_end(m);
	m->heap_at = m->out.size;
	maker_put(m, &record);
}

void maker_heap_end(struct maker *m)
{
	size_t length = m->out.size - m->heap_at - HPROF_RECORD_HEADER;

	if (m->heap_at == 0)
		return;
	for (unsigned i = 0; i < 4; i++)
		m->out.bytes[m->heap_at + 5 + i] =
			(uint8_t)(length >> (24 - 8 * i));
	m->heap_at = 0;
}

uint64_t maker_string(struct maker *m, const char *text)
{
	struct hprof_record record = {
		.tag = HPROF_UTF8,
		.u.utf8 = { ++m->strings,
			    { (const uint8_t *)text, strlen(text) } },
	};

	maker_put(m, &record);
	return m->strings;
}

uint64_t maker_field_names(struct maker *m, unsigned count)
{
	const uint64_t first = m->strings + 1;
	char name[16];

	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof name, "f%u", i);
		maker_string(m, name);
	}
	return first;
}

void maker_load(struct maker *m, uint64_t class_id, const char *name)
{
	struct hprof_record record = {
		.tag = HPROF_LOAD_CLASS,
		.u.load_class = { ++m->classes, class_id, 0,
				  maker_string(m, name) },
	};

	maker_put(m, &record);
}

unsigned maker_type(char letter)
{
	static const char letters[] = "??L?ZCFDBSIJ";
	const char *at = strchr(letters, letter);

	cr_assert(at != NULL && letter != '?');
	return (unsigned)(at - letters);
}

static void put_big(uint8_t *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

void maker_class(struct maker *m, const struct maker_class *c)
{
	const char *fields = c->fields ? c->fields : "";
	const char *statics = c->statics ? c->statics : "";
	uint8_t names[4096], values[1024];
	size_t n = 0, s = 0;
	unsigned z = m->id_size;
	uint64_t next_name = c->names_id;

	for (const char *p = fields; *p; p++) {
		put_big(names + n, next_name++, z);
		n += z;
		names[n++] = (uint8_t)maker_type(*p);
	}
	next_name = c->names_id ? next_name : 0;
	for (const char *p = statics; *p; p++) {
		unsigned size = hprof_type_size(maker_type(*p), z);
		put_big(values + s, next_name, z);
		next_name += c->names_id != 0;
		s += z;
		values[s++] = (uint8_t)maker_type(*p);
		memset(values + s, 0, size);
		s += size;
	}
	struct hprof_record record = {
		.tag = HPROF_CLASS_DUMP,
		.id_size = (uint8_t)z,
		.u.class_dump = { .class_id = c->class_id,
				  .super_id = c->super_id,
				  .instance_size = c->instance_size,
				  .field_count = (uint16_t)strlen(fields),
				  .static_count = (uint16_t)strlen(statics),
				  .statics = { values, s },
				  .fields = { names, n } },
	};
	maker_put(m, &record);
}

static struct hprof_bytes zeros(uint64_t size)
{
	static uint8_t *bytes;
	static size_t room;

	if (size > room) {
		free(bytes);
		room = (size_t)size * 2;
		bytes = calloc(room, 1);
		cr_assert(bytes != NULL);
	}
	return (struct hprof_bytes){ bytes, size };
}

void maker_instance(struct maker *m, uint64_t id, uint64_t class_id,
		    uint32_t data_size)
{
	struct hprof_record record = {
		.tag = HPROF_INSTANCE_DUMP,
		.u.instance_dump = { id, 0, class_id, data_size,
				     zeros(data_size) },
	};

	maker_put(m, &record);
}

void maker_objects(struct maker *m, uint64_t id, uint64_t class_id,
		   uint32_t count)
{
	struct hprof_record record = {
		.tag = HPROF_OBJ_ARRAY_DUMP,
		.id_size = (uint8_t)m->id_size,
		.u.obj_array_dump = { id, 0, count, class_id,
				      zeros((uint64_t)count * m->id_size) },
	};

	maker_put(m, &record);
}

void maker_prims(struct maker *m, uint64_t id, unsigned type, uint32_t count)
{
	struct hprof_record record = {
		.tag = HPROF_PRIM_ARRAY_DUMP,
		.u.prim_array_dump = { id, 0, count, (uint8_t)type,
				       zeros((uint64_t)count *
					     hprof_type_size(type, 0)) },
	};

	maker_put(m, &record);
}

void maker_fields(struct maker *m, uint64_t id, uint64_t class_id,
		  const uint8_t *data, uint32_t size)
{
	struct hprof_record record = {
		.tag = HPROF_INSTANCE_DUMP,
		.id_size = (uint8_t)m->id_size,
		.u.instance_dump = { .object_id = id,
				     .class_id = class_id,
				     .data_size = size,
				     .data = { data, size } },
	};

	maker_put(m, &record);
}

void maker_elements(struct maker *m, uint64_t id, uint64_t class_id,
		    const uint8_t *ids, uint32_t count)
{
	struct hprof_record record = {
		.tag = HPROF_OBJ_ARRAY_DUMP,
		.id_size = (uint8_t)m->id_size,
		.u.obj_array_dump = { .object_id = id,
				      .count = count,
				      .class_id = class_id,
				      .elements = { ids,
						    8 * (uint64_t)count } },
	};

	maker_put(m, &record);
}

void maker_id(uint8_t *at, uint64_t id)
{
	put_big(at, id, 8);
}

void maker_owner(struct maker *m, uint64_t class_id, uint64_t super_id,
		 uint64_t name, uint64_t object_id)
{
	uint8_t statics[17] = { 0 };

	maker_id(statics, name);
	statics[8] = HPROF_TYPE_OBJECT;
	maker_id(statics + 9, object_id);
	maker_put(m, &(struct hprof_record){
			     .tag = HPROF_CLASS_DUMP,
			     .id_size = 8,
			     .u.class_dump = { .class_id = class_id,
					       .super_id = super_id,
					       .static_count = 1,
					       .statics = { statics, 17 } } });
}

void maker_root(struct maker *m, uint64_t object_id)
{
	struct hprof_record record = {
		.tag = HPROF_ROOT_JNI_GLOBAL,
		.u.root = { .object_id = object_id, .frame = -1 },
	};

	maker_put(m, &record);
}

void maker_root_of(struct maker *m, unsigned tag, uint64_t object_id,
		   uint32_t serial)
{
	maker_put(m, &(struct hprof_record){
			     .tag = tag,
			     .id_size = 8,
			     .u.root = { .object_id = object_id,
					 .thread_serial = serial,
					 .trace_serial = serial } });
}

uint64_t maker_random(struct maker *m, uint64_t below)
{
	m->random = m->random * 6364136223846793005 + 1442695040888963407;
	return (m->random >> 33) % below;
}

struct maker maker_numbered(bool ascending)
{
	enum { CLASS = 0x20000, ARRAYS = 0x90000 };
	struct maker m = maker_begin(8);
	struct maker_class object = { CLASS, 0, 0, "", "", 1 };
	struct maker_class arrays = { ARRAYS, CLASS, 0, "", "", 1 };

	maker_load(&m, CLASS, "java/lang/Object");
	maker_load(&m, ARRAYS, "[Ljava/lang/Object;");
	maker_heap(&m, HPROF_HEAP_DUMP);
	maker_class(&m, &object);
	for (unsigned i = 0; i < NUMBERED; i++) {
		unsigned k = ascending ? i : (i * 7919) % NUMBERED;
		uint64_t id = 0x10000 + 0x80 * (uint64_t)(k + 1) + 8;
		if (i % 3 == 0)
			maker_objects(&m, id, ARRAYS, i % 50);
		else
			maker_instance(&m, id, CLASS, 0);
	}
	maker_class(&m, &arrays);
	maker_heap_end(&m);
	return m;
}

const char *maker_file(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "wb");

	cr_assert(file != NULL);
	cr_assert(fwrite(bytes, 1, size, file) == size);
	cr_assert(fclose(file) == 0);
	return name;
}

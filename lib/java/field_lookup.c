/* SPDX-License-Identifier: MIT */
/*
 * field_lookup.c - see field_lookup.h. What was found is kept by class and
 * field, since many instances of few classes are looked at.
 */
#include "java/field_lookup.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "stream/reader.h"
#include "base/wire.h"

enum {
	DUMP_FIRST = 4 << 10, /* most CLASS_DUMPs are no longer */
	DUMP_MAX = 4 << 20,   /* and none can be */
	DEPTH_MAX = 100	      /* of the chain of supers; compilers make 20 */
};

/* Without class: of the nearest class that declares such a field. */
static const struct {
	const char *class_name, *name;
	bool is_ref;
} known_fields[HP_FIELD_COUNT] = {
	[HP_STRING_VALUE] = { NULL, "value", true },
	[HP_STRING_CODER] = { NULL, "coder", false },
	[HP_STRING_OFFSET] = { NULL, "offset", false },
	[HP_STRING_COUNT] = { NULL, "count", false },
	[HP_THREAD_NAME] = { "java.lang.Thread", "name", true },
	[HP_THREAD_DAEMON] = { "java.lang.Thread", "daemon", false },
	[HP_THREAD_PRIORITY] = { "java.lang.Thread", "priority", false },
	[HP_THREAD_STATUS] = { "java.lang.Thread", "threadStatus", false },
	[HP_THREAD_TID] = { "java.lang.Thread", "tid", false },
	[HP_THREAD_ID] = { "java.lang.Thread", "id", false }, /* Android */
	[HP_THREAD_HOLDER] = { "java.lang.Thread", "holder", true },
	[HP_HOLDER_DAEMON] = { NULL, "daemon", false },
	[HP_HOLDER_PRIORITY] = { NULL, "priority", false },
	[HP_HOLDER_STATUS] = { NULL, "threadStatus", false },
	[HP_VIRTUAL_STATE] = { "java.lang.VirtualThread", "state", false },
	[HP_LOADER_NAME] = { "java.lang.ClassLoader", "name", true },
	[HP_PROPERTIES_MAP] = { "java.util.Properties", "map", true },
	[HP_PROPERTIES_DEFAULTS] = { "java.util.Properties", "defaults", true },
	[HP_HASHTABLE_TABLE] = { "java.util.Hashtable", "table", true },
	[HP_CONCURRENT_TABLE] = { "java.util.concurrent.ConcurrentHashMap",
				  "table", true },
	[HP_ENTRY_KEY] = { NULL, "key", true },
	[HP_ENTRY_VAL] = { NULL, "val", true },
	[HP_ENTRY_VALUE] = { NULL, "value", true },
	[HP_ENTRY_NEXT] = { NULL, "next", true },
	[HP_TREE_FIRST] = { "java.util.concurrent.ConcurrentHashMap$TreeBin",
			    "first", true },
	[HP_FORWARD_TABLE] = { "java.util.concurrent.ConcurrentHashMap$"
			       "ForwardingNode",
			       "nextTable", true },
	[HP_ATOMIC_LONG] = { "java.util.concurrent.atomic.AtomicLong", "value",
			     false },
};

/* The fields that a class itself declares. */
struct hp_own_fields {
	uint32_t count;
	struct own_field {
		uint64_t name_id;
		uint32_t offset;
		uint8_t type;
	} fields[];
};

/* Where a field lies in the instances of a class. */
struct hp_place {
	bool found;
	uint8_t type;
	uint64_t offset;
};

/* ---- CLASS_DUMPs --------------------------------------------------------- */

static bool grow_buffer(struct hp_field_lookup *l, size_t size)
{
	uint8_t *larger = hp_realloc(l->buffer, size, 1);

	if (!larger) {
		l->no_memory = true;
		return false;
	}
	l->buffer = larger;
	l->room = size;
	return true;
}

/* Reads the CLASS_DUMP of class INDEX again, into the buffer. */
static bool read_dump(struct hp_field_lookup *l, uint32_t index,
		      struct hprof_record *ret)
{
	struct hp_source *source = l->objects->parent->source;
	const struct hp_class_info *info = l->classes->rows[index].info;
	enum hprof_status status = HPROF_E_TRUNCATED;
	struct hprof_error ignored;
	size_t n = 0, used;

	for (size_t size = DUMP_FIRST;
	     info && status == HPROF_E_TRUNCATED && size <= DUMP_MAX;
	     size *= 32) {
		if (size > l->room && !grow_buffer(l, size))
			return false;
		if (source->ops->pread(source, info->offset, l->buffer, size,
				       &n, &ignored) != HPROF_OK)
			return false;
		status = hprof_sub_decode(l->buffer, n, l->objects->id_size,
					  ret, &used);
	}
	return info && status == HPROF_OK && ret->tag == HPROF_CLASS_DUMP &&
	       ret->u.class_dump.class_id == info->class_id;
}

static bool name_is(const struct hp_string *string, const char *name)
{
	size_t size = strlen(name);

	return string && string->size == size &&
	       memcmp(string->bytes, name, size) == 0;
}

void hp_field_lookup_statics(struct hp_field_lookup *l, uint32_t index,
			     hp_static_fn *fn, void *user)
{
	struct hprof_class_cursor cursor;
	struct hprof_class_entry entry;
	struct hprof_record record;
	bool more = true;

	if (index == HP_NO_CLASS || !read_dump(l, index, &record))
		return;
	cursor = hprof_class_statics(&record);
	while (more && hprof_class_next(&cursor, &entry) == HPROF_OK) {
		const struct hp_string *name = hp_string_table_get(
			&l->symbols->strings, entry.name_id);
		more = !name || fn(user, name, &entry);
	}
}

struct static_search {
	const char *name;
	unsigned type;
	bool found;
	uint64_t value;
};

static bool match_static(void *user, const struct hp_string *name,
			 const struct hprof_class_entry *entry)
{
	struct static_search *search = user;

	if (entry->type != search->type || !name_is(name, search->name))
		return true;
	search->found = true;
	search->value = entry->value;
	return false;
}

bool hp_field_lookup_static(struct hp_field_lookup *l, uint32_t index,
			    const char *name, unsigned type,
			    uint64_t *ret_value)
{
	struct static_search search = { name, type, false, 0 };

	hp_field_lookup_statics(l, index, match_static, &search);
	if (search.found)
		*ret_value = search.value;
	return search.found;
}

/* ---- fields -------------------------------------------------------------- */

static struct hp_own_fields *read_own(struct hp_field_lookup *l, uint32_t index)
{
	struct hprof_record record = { 0 };
	struct hprof_class_cursor cursor = { 0 };
	struct hprof_class_entry entry;
	struct hp_own_fields *own;
	uint32_t count = 0, offset = 0;

	if (read_dump(l, index, &record)) {
		count = record.u.class_dump.field_count;
		cursor = hprof_class_fields(&record);
	}
	own = hp_arena_take(&l->arena,
			    sizeof *own + count * sizeof own->fields[0]);
	if (!own || hp_u64_map_put(&l->own, index + 1, own) != HPROF_OK) {
		l->no_memory = true;
		return NULL;
	}
	own->count = 0;
	while (own->count < count &&
	       hprof_class_next(&cursor, &entry) == HPROF_OK) {
		own->fields[own->count++] =
			(struct own_field){ entry.name_id, offset, entry.type };
		offset += hprof_type_size(entry.type, l->objects->id_size);
	}
	return own;
}

static const struct own_field *find_own(struct hp_field_lookup *l,
					uint32_t index, enum hp_field field)
{
	struct hp_own_fields *own = hp_u64_map_get(&l->own, index + 1);

	if (!own)
		own = read_own(l, index);
	for (uint32_t i = 0; own && i < own->count; i++) {
		bool is_ref = own->fields[i].type == HPROF_TYPE_OBJECT;
		if (is_ref == known_fields[field].is_ref &&
		    name_is(hp_string_table_get(&l->symbols->strings,
						own->fields[i].name_id),
			    known_fields[field].name))
			return &own->fields[i];
	}
	return NULL;
}

static uint64_t own_size(const struct hp_class_info *info, unsigned id_size)
{
	const struct hp_fields *f = &info->fields;

	return (uint64_t)f->refs * id_size + f->n1 + 2 * (uint64_t)f->n2 +
	       4 * (uint64_t)f->n4 + 8 * (uint64_t)f->n8;
}

/* Data of an instance: the class' own fields, then its super's, and so on. */
static struct hp_place search(struct hp_field_lookup *l, uint32_t index,
			      enum hp_field field)
{
	const char *declaring = known_fields[field].class_name;
	struct hp_place place = { 0 };

	for (unsigned i = 0; i < DEPTH_MAX && index != HP_NO_CLASS; i++) {
		const struct hp_class *row = &l->classes->rows[index];
		const struct own_field *own = NULL;
		if (!row->info)
			break;
		if (!declaring || strcmp(row->name, declaring) == 0)
			own = find_own(l, index, field);
		if (own) {
			place.found = true;
			place.type = own->type;
			place.offset += own->offset;
			return place;
		}
		place.offset += own_size(row->info, l->objects->id_size);
		index = row->super;
	}
	return place;
}

static const struct hp_place *find_place(struct hp_field_lookup *l,
					 uint32_t index, enum hp_field field)
{
	uint64_t key = (uint64_t)index * HP_FIELD_COUNT + field;
	struct hp_place *place = hp_u64_map_get(&l->places, key);

	if (place)
		return place;
	place = hp_arena_take(&l->arena, sizeof *place);
	if (!place) {
		l->no_memory = true;
		return NULL;
	}
	*place = search(l, index, field);
	if (hp_u64_map_put(&l->places, key, place) != HPROF_OK)
		l->no_memory = true;
	return place;
}

bool hp_field_lookup_get(struct hp_field_lookup *l,
			 const struct hp_object *object, enum hp_field field,
			 uint64_t *ret_value)
{
	const struct hp_place *place;
	uint32_t index;
	unsigned width;

	if (!object || object->kind != HP_OBJECT_INSTANCE)
		return false;
	index = hp_class_table_find(l->classes, object->class_id);
	place = index != HP_NO_CLASS ? find_place(l, index, field) : NULL;
	if (!place || !place->found)
		return false;
	width = hprof_type_size(place->type, l->objects->id_size);
	if (place->offset + width > object->kept)
		return false;
	*ret_value = hp_get_id(object->bytes + place->offset, width);
	return true;
}

uint64_t hp_field_lookup_ref(struct hp_field_lookup *l,
			     const struct hp_object *object,
			     enum hp_field field)
{
	uint64_t value;

	return hp_field_lookup_get(l, object, field, &value) ? value : 0;
}

/* ---- classes ------------------------------------------------------------- */

uint32_t hp_field_lookup_class(const struct hp_field_lookup *l,
			       const char *name)
{
	uint32_t found = HP_NO_CLASS;

	for (size_t i = 0; i < l->classes->count; i++) {
		const struct hp_class *row = &l->classes->rows[i];
		if (!row->info || strcmp(row->name, name) != 0)
			continue;
		if (row->info->loader_id == 0)
			return (uint32_t)i;
		if (found == HP_NO_CLASS)
			found = (uint32_t)i;
	}
	return found;
}

const char *hp_field_lookup_class_name(const struct hp_field_lookup *l,
				       const struct hp_object *object)
{
	uint32_t index = HP_NO_CLASS;

	if (object && object->kind != HP_OBJECT_PRIM_ARRAY)
		index = hp_class_table_find(l->classes, object->class_id);
	return index != HP_NO_CLASS ? l->classes->rows[index].name : NULL;
}

/* ---- life ---------------------------------------------------------------- */

enum hprof_status hp_field_lookup_init(struct hp_field_lookup *l,
				       struct hp_object_fetch *objects)
{
	memset(l, 0, sizeof *l);
	l->objects = objects;
	l->classes = &objects->impl->classes;
	l->symbols = &objects->impl->census.symbols;
	HP_TRY(hp_u64_map_init(&l->own, 3));
	return hp_u64_map_init(&l->places, 3);
}

void hp_field_lookup_done(struct hp_field_lookup *l)
{
	hp_u64_map_done(&l->own);
	hp_u64_map_done(&l->places);
	hp_arena_done(&l->arena);
	hp_free(l->buffer);
}

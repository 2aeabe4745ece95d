/* SPDX-License-Identifier: MIT */
/* class_count.c - of each class, what sizes follow from: its fields and statics. */
#include "census/object_count.h"

#include "base/mem.h"

static void count_field(struct hp_fields *f, unsigned type)
{
	switch (type == HPROF_TYPE_OBJECT ? 0 : hprof_type_size(type, 0)) {
	case 0:
		f->refs++;
		break;
	case 1:
		f->n1++;
		break;
	case 2:
		f->n2++;
		break;
	case 4:
		f->n4++;
		break;
	default:
		f->n8++;
	}
}

static bool is_known(const struct hp_tally *t, enum hp_known_name name,
		     const struct hprof_class_entry *entry)
{
	return entry->name_id != 0 && entry->name_id == t->known[name];
}

static void note_fields(struct hp_tally *t, const struct hprof_record *record,
			struct hp_class_info *info)
{
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry entry;
	bool chunk = info->class_id == t->chunks.class_id;
	uint32_t at = 0;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		count_field(&info->fields, entry.type);
		if (chunk && entry.name_id == t->known[HP_NAME_SIZE] &&
		    entry.type == HPROF_TYPE_INT)
			info->chunk_size_at = at;
		info->seeds = info->seeds ||
			      is_known(t, HP_NAME_SECONDARY_SEED, &entry);
		at += hprof_type_size(entry.type, record->id_size);
	}
}

/*
 * HotSpot also dumps as static fields what belongs to a class but is stored
 * elsewhere: resolved constants are part of the constant pool, and the lock of
 * the initialization is a field that the JVM injects into each class object.
 */
static bool is_apart(const struct hp_tally *t,
		     const struct hprof_class_entry *entry)
{
	return is_known(t, HP_NAME_RESOLVED_REFERENCES, entry) ||
	       is_known(t, HP_NAME_INIT_LOCK, entry);
}

static void note_statics(const struct hp_tally *t,
			 const struct hprof_record *record,
			 struct hp_class_info *info)
{
	struct hprof_class_cursor cursor = hprof_class_statics(record);
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		unsigned size = hprof_type_size(entry.type, record->id_size);
		info->statics_data += size;
		if (entry.type != HPROF_TYPE_OBJECT) {
			info->statics_wide = info->statics_wide || size == 8;
			continue;
		}
		info->statics_refs++;
		info->statics_apart += is_apart(t, &entry);
		info->lock_apart = info->lock_apart ||
				   is_known(t, HP_NAME_INIT_LOCK_8, &entry);
	}
}

void hp_tally_class(struct hp_tally *t, const struct hprof_record *record)
{
	const struct hprof_class_dump *dump = &record->u.class_dump;
	struct hp_class_info *info;

	if (hp_grow((void **)&t->classes, &t->class_room, t->class_count,
		    sizeof *t->classes) != HPROF_OK) {
		t->no_memory = true;
		return;
	}
	t->announced++;
	info = &t->classes[t->class_count++];
	*info = (struct hp_class_info){ .offset = record->offset,
					.class_id = dump->class_id,
					.super_id = dump->super_id,
					.loader_id = dump->loader_id,
					.instance_size = dump->instance_size,
					.chunk_size_at = UINT32_MAX };
	note_statics(t, record, info);
	note_fields(t, record, info);
}

/* SPDX-License-Identifier: MIT */
/* field_list.c - entries in fields: those of List.of(a, b), Map1 and so on. */
#include <string.h>

#include "base/error.h"
#include "collections/collection.h"
#include "collections/field_path.h"
#include "heap/cursor.h"

/* Name I of LIST, which has commas. False: there are fewer. */
static bool pick_name(const char *list, unsigned i, char name[static 256])
{
	size_t size;

	for (; list && i; i--) {
		list = strchr(list, ',');
		list = list ? list + 1 : NULL;
	}
	if (!list)
		return false;
	size = strcspn(list, ",");
	if (size >= 256)
		return false;
	memcpy(name, list, size);
	name[size] = '\0';
	return true;
}

/* A second element that there is not is a plain Object in the JDK's lists. */
static enum hprof_status is_used(struct hprof_cursor *cursor, unsigned i,
				 uint64_t id, bool *ret)
{
	const struct hprof_summary *summary = cursor->heap->summary;
	uint64_t object = hprof_heap_find(cursor->heap, id);
	struct hprof_object at;

	*ret = i == 0 || object != HPROF_NO_OBJECT;
	if (i == 0 || object == HPROF_NO_OBJECT)
		return HPROF_OK;
	HP_TRY(hprof_cursor_seek(cursor, object, &at));
	*ret = at.class_row >= summary->class_count ||
	       strcmp(summary->class_rows[at.class_row].name,
		      "java.lang.Object") != 0;
	return HPROF_OK;
}

static enum hprof_status read_one(struct hprof_cursor *cursor,
				  const struct hprof_collection *c,
				  const char *list, unsigned i, unsigned *type,
				  uint64_t *bits)
{
	struct hprof_field field;
	enum hprof_status status;
	char name[256];

	if (!list)
		return HPROF_OK;
	if (!pick_name(list, i, name))
		return HPROF_END;
	status = hp_field_path_read(cursor, c->object, c->known_row, name,
				    &field);
	if (status == HPROF_OK) {
		*type = field.type;
		*bits = field.value;
	}
	return status;
}

enum hprof_status hp_field_list_entry(struct hprof_cursor *cursor,
				      const struct hprof_collection *c,
				      const struct hp_form *form, unsigned i,
				      struct hprof_collection_entry *ret,
				      bool *ret_used)
{
	struct hprof_collection_entry entry = { .number = i,
						.node = c->object };
	enum hprof_status status;

	if (!form->value)
		return HPROF_END;
	status = read_one(cursor, c, form->key, i, &entry.key_type, &entry.key);
	if (status == HPROF_OK)
		status = read_one(cursor, c, form->value, i, &entry.value_type,
				  &entry.value);
	if (status == HPROF_OK && form->kind != HPROF_COLLECTION_MAP)
		status = is_used(cursor, i, entry.value, ret_used);
	else
		*ret_used = true;
	if (status == HPROF_OK)
		*ret = entry;
	return status;
}

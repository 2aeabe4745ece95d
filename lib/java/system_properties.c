/* SPDX-License-Identifier: MIT */
/*
 * system_properties.c - hprof_summary_properties: the system properties.
 *
 *   System.props -> Properties
 *     JDK 9 and later   map -> ConcurrentHashMap, table -> Node[]
 *     JDK 8 and earlier table -> Hashtable$Entry[]
 *     an entry          key, val or value, next
 *     defaults          the Properties that are searched after these
 *
 * The walk does not check classes: whatever fields of this list an object has
 * are followed. The references found in one pass over the file are the objects
 * that the next pass fetches.
 */
#include "hprof/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "java/object_inspect.h"
#include "base/mem.h"

enum {
	PASSES_MAX = 100, /* since each may read the whole file */
	VISITS_MAX = 1 << 20,
	ENTRIES_MAX = 1 << 16
};

struct entry {
	uint64_t key, value; /* object ids */
	size_t order;	     /* of discovery; defaults are found last */
	struct hprof_property row;
};

struct walk {
	struct hp_object_inspect inspect;
	uint64_t *ids; /* of all objects to visit, without duplicates */
	size_t id_count, id_room;
	size_t done; /* how many of them have been visited */
	struct entry *entries;
	size_t entry_count, entry_room;
	struct hp_u64_map seen; /* a set of ids; the values mean nothing */
	bool no_memory;
};

/* ---- from System to the entries ------------------------------------------ */

static void visit_later(struct walk *w, uint64_t id)
{
	if (id == 0 || w->id_count >= VISITS_MAX ||
	    hp_u64_map_get(&w->seen, id))
		return;
	if (hp_grow((void **)&w->ids, &w->id_room, w->id_count,
		    sizeof *w->ids) != HPROF_OK ||
	    hp_u64_map_put(&w->seen, id, w) != HPROF_OK) {
		w->no_memory = true;
		return;
	}
	w->ids[w->id_count++] = id;
	hp_object_fetch_want(&w->inspect.objects, id);
}

/* Begins the walk at System.props, which has other names on Android. */
static void visit_system(struct walk *w)
{
	static const char *const names[] = { "props", "systemProperties",
					     "unchangeableSystemProperties" };
	struct hp_field_lookup *l = &w->inspect.layouts;
	uint32_t system = hp_field_lookup_class(l, "java.lang.System");
	uint64_t id = 0;

	for (size_t i = 0; i < sizeof names / sizeof names[0] && !id; i++)
		if (hp_field_lookup_static(l, system, names[i],
					   HPROF_TYPE_OBJECT, &id))
			visit_later(w, id);
}

static void add_entry(struct walk *w, uint64_t key, uint64_t value)
{
	if (w->entry_count >= ENTRIES_MAX)
		return;
	if (hp_grow((void **)&w->entries, &w->entry_room, w->entry_count,
		    sizeof *w->entries) != HPROF_OK) {
		w->no_memory = true;
		return;
	}
	w->entries[w->entry_count] =
		(struct entry){ key, value, w->entry_count, { NULL, NULL } };
	w->entry_count++;
}

static void visit_instance(struct walk *w, const struct hp_object *object)
{
	static const enum hp_field containers[] = {
		HP_PROPERTIES_MAP, HP_HASHTABLE_TABLE, HP_CONCURRENT_TABLE,
		HP_TREE_FIRST,	   HP_FORWARD_TABLE,   HP_PROPERTIES_DEFAULTS
	};
	struct hp_field_lookup *l = &w->inspect.layouts;
	uint64_t key = hp_field_lookup_ref(l, object, HP_ENTRY_KEY);
	uint64_t value = hp_field_lookup_ref(l, object, HP_ENTRY_VAL);

	if (!value)
		value = hp_field_lookup_ref(l, object, HP_ENTRY_VALUE);
	if (key) {
		add_entry(w, key, value);
		visit_later(w, hp_field_lookup_ref(l, object, HP_ENTRY_NEXT));
		return;
	}
	for (size_t i = 0; i < sizeof containers / sizeof containers[0]; i++)
		visit_later(w, hp_field_lookup_ref(l, object, containers[i]));
}

static void visit_array(struct walk *w, const struct hp_object *array)
{
	size_t count = array->kept / w->inspect.objects.id_size;

	for (size_t i = 0; i < count && !w->no_memory; i++)
		visit_later(w,
			    hp_object_element(&w->inspect.objects, array, i));
}

static enum hprof_status find_entries(struct walk *w, struct hprof_error *error)
{
	for (unsigned i = 0; i < PASSES_MAX && w->done < w->id_count; i++) {
		HP_TRY(hp_object_fetch_fetch(&w->inspect.objects, error));
		for (size_t end = w->id_count; w->done < end; w->done++) {
			const struct hp_object *object = hp_object_fetch_get(
				&w->inspect.objects, w->ids[w->done]);
			if (object && object->kind == HP_OBJECT_OBJ_ARRAY)
				visit_array(w, object);
			else if (object)
				visit_instance(w, object);
		}
		if (w->no_memory)
			return hp_no_memory(error);
	}
	return HPROF_OK;
}

/* ---- texts of the entries ------------------------------------------------ */

/* Keys and values may be any objects; those that are no String give NULL. */
static const char *string_text(struct hp_object_inspect *in, uint64_t id)
{
	if (!hp_strings_is(&in->strings, hp_object_fetch_get(&in->objects, id)))
		return NULL;
	return hp_strings_text(&in->strings, id);
}

static enum hprof_status read_texts(struct walk *w, struct hprof_error *error)
{
	struct hp_object_inspect *in = &w->inspect;

	for (size_t i = 0; i < w->entry_count; i++) {
		hp_object_fetch_want(&in->objects, w->entries[i].key);
		hp_object_fetch_want(&in->objects, w->entries[i].value);
	}
	HP_TRY(hp_object_fetch_fetch(&in->objects, error));
	for (size_t i = 0; i < w->entry_count; i++) {
		hp_strings_want(&in->strings, w->entries[i].key);
		hp_strings_want(&in->strings, w->entries[i].value);
	}
	HP_TRY(hp_object_fetch_fetch(&in->objects, error));
	for (size_t i = 0; i < w->entry_count; i++) {
		struct entry *entry = &w->entries[i];
		entry->row.key = string_text(in, entry->key);
		entry->row.value = string_text(in, entry->value);
	}
	return hp_object_inspect_status(in, error);
}

/* ---- the table ----------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int by_key = 0;

	if (!x->row.key || !y->row.key)
		by_key = !x->row.key - !y->row.key;
	else
		by_key = strcmp(x->row.key, y->row.key);
	if (by_key)
		return by_key;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Each key is listed once: an entry hides a default with the same key. */
static enum hprof_status fill_table(struct walk *w,
				    struct hprof_property_table *table)
{
	const char *last = NULL;

	table->rows = hp_calloc(w->entry_count + 1, sizeof *table->rows);
	if (!table->rows)
		return HPROF_E_NOMEM;
	if (w->entry_count)
		qsort(w->entries, w->entry_count, sizeof *w->entries,
		      compare_entries);
	for (size_t i = 0; i < w->entry_count; i++) {
		const struct hprof_property *row = &w->entries[i].row;
		if (!row->key)
			break;
		if (!last || strcmp(last, row->key) != 0)
			table->rows[table->count++] = *row;
		last = row->key;
	}
	return HPROF_OK;
}

static enum hprof_status make_table(struct walk *w,
				    const struct hprof_summary *summary,
				    struct hprof_property_table *table,
				    struct hprof_error *error)
{
	HP_TRY(hp_object_inspect_open(&w->inspect, summary, table->impl,
				      error));
	if (hp_u64_map_init(&w->seen, 3) != HPROF_OK)
		return hp_no_memory(error);
	visit_system(w);
	HP_TRY(find_entries(w, error));
	HP_TRY(read_texts(w, error));
	if (fill_table(w, table) != HPROF_OK)
		return hp_no_memory(error);
	return HPROF_OK;
}

enum hprof_status
hprof_summary_properties(const struct hprof_summary *summary,
			 struct hprof_property_table **ret_table,
			 struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_property_table *table;
	struct walk w = { 0 };
	enum hprof_status status;

	HP_NEED(error, summary);
	HP_NEED(error, ret_table);
	table = hp_calloc(1, sizeof *table);
	if (table)
		table->impl = hp_calloc(1, sizeof(struct hp_arena));
	if (!table || !table->impl) {
		hp_free(table);
		return hp_no_memory(error);
	}
	status = make_table(&w, summary, table, error);
	hp_u64_map_done(&w.seen);
	hp_object_inspect_done(&w.inspect);
	hp_free(w.ids);
	hp_free(w.entries);
	if (status < 0) {
		hprof_property_table_free(table);
		return status;
	}
	*ret_table = table;
	return HPROF_OK;
}

void hprof_property_table_free(struct hprof_property_table *table)
{
	if (!table)
		return;
	if (table->impl)
		hp_arena_done(table->impl);
	hp_free(table->impl);
	hp_free(table->rows);
	hp_free(table);
}

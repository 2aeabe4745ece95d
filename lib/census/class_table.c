/* SPDX-License-Identifier: MIT */
/*
 * class_table.c - see class_table.h. There is one row for each class object, so
 * two classes with the same name have two rows. Arrays whose class is not in
 * the dump get a row of their own.
 */
#include "census/class_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct hp_class *add_row(struct hp_class_table *c, uint64_t class_id)
{
	if (c->count >= HP_NO_CLASS - 1 ||
	    hp_grow((void **)&c->rows, &c->room, c->count, sizeof *c->rows))
		return NULL;
	struct hp_class *row = &c->rows[c->count++];
	*row = (struct hp_class){ .class_id = class_id, .super = HP_NO_CLASS };
	return row;
}

uint32_t hp_class_table_find(const struct hp_class_table *c, uint64_t class_id)
{
	size_t index = hp_u64_map_number(&c->by_id, class_id);

	return index == HP_NO_NUMBER ? HP_NO_CLASS : (uint32_t)index;
}

static struct hp_class *row_of(struct hp_class_table *c, uint64_t class_id)
{
	uint32_t index = hp_class_table_find(c, class_id);

	if (index != HP_NO_CLASS)
		return &c->rows[index];
	struct hp_class *row = add_row(c, class_id);
	if (row && hp_u64_map_put_number(&c->by_id, class_id, c->count - 1) !=
			   HPROF_OK)
		return NULL;
	return row;
}

/* Adds CLASS_DUMPs in file order; of several for one class the last counts. */
static enum hprof_status add_dumped(struct hp_class_table *c,
				    const struct hp_tally *tally)
{
	for (size_t i = 0; i < tally->class_count; i++) {
		struct hp_class *row = row_of(c, tally->classes[i].class_id);
		if (!row)
			return HPROF_E_NOMEM;
		c->class_objects += row->info == NULL;
		row->info = &tally->classes[i];
	}
	return HPROF_OK;
}

static enum hprof_status add_loaded(struct hp_class_table *c,
				    const struct hp_name_table *symbols)
{
	for (const struct hp_known_class *k = symbols->classes.first; k;
	     k = k->next) {
		struct hp_class *row = row_of(c, k->id);
		if (!row)
			return HPROF_E_NOMEM;
		row->loaded = true;
	}
	return HPROF_OK;
}

static bool is_array_name(const struct hp_text *name)
{
	return name->size > 2 && strcmp(name->text + name->size - 2, "[]") == 0;
}

/* The type code of the elements of, say, "int[]"; 0 for other names. */
static unsigned prim_array_type(const char *name)
{
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		size_t size = strlen(hprof_type_name(type));
		if (strncmp(name, hprof_type_name(type), size) == 0 &&
		    strcmp(name + size, "[]") == 0)
			return type;
	}
	return 0;
}

static enum hprof_status name_rows(struct hp_class_table *c,
				   struct hp_name_table *symbols)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[i];
		const struct hp_text *name =
			hp_name_table_class_name(symbols, row->class_id);
		if (!name)
			return HPROF_E_NOMEM;
		row->name = name->text;
		if (prim_array_type(row->name))
			row->kind = HPROF_CLASS_PRIM_ARRAY;
		else if (is_array_name(name))
			row->kind = HPROF_CLASS_OBJ_ARRAY;
		if (strcmp(row->name, "java.lang.Class") == 0 &&
		    c->java_lang_class == HP_NO_CLASS)
			c->java_lang_class = (uint32_t)i;
		if (strcmp(row->name, "java.lang.VirtualThread") == 0 ||
		    strcmp(row->name, "java.lang.Thread$FieldHolder") == 0)
			c->virtual_threads = true;
		if (strcmp(row->name, "java.lang.invoke.ResolvedMethodName") ==
		    0)
			c->resolved_methods = true;
		if (strcmp(row->name, "java.lang.Module") == 0)
			c->modules = true;
		if (strcmp(row->name, "java.lang.invoke.LambdaForm") == 0)
			c->lambda_forms = true;
		if (strcmp(row->name, "java.lang.Object") == 0 &&
		    c->java_lang_object == HP_NO_CLASS)
			c->java_lang_object = (uint32_t)i;
	}
	return HPROF_OK;
}

/*
 * Arrays whose class is not an array class: the writer stored the element class
 * E instead (old JVMPI agents, Q23). They get a separate row "E[]".
 */
static enum hprof_status add_element_array(struct hp_class_table *c,
					   uint32_t element,
					   struct hp_slot *slot)
{
	size_t size = strlen(c->rows[element].name) + 3;
	char *name = hp_arena_take(&c->arena, size);
	struct hp_class *row = name ? add_row(c, 0) : NULL;

	if (!row)
		return HPROF_E_NOMEM;
	snprintf(name, size, "%s[]", c->rows[element].name);
	row->name = name;
	row->kind = HPROF_CLASS_OBJ_ARRAY;
	row->arrays = slot;
	return HPROF_OK;
}

static enum hprof_status link_slots(struct hp_class_table *c,
				    const struct hp_tally *tally)
{
	size_t rows = c->count;

	for (size_t i = 0; i < tally->slot_count; i++) {
		struct hp_slot *slot = tally->slots[i];
		if (slot == tally->overflow || slot->count == 0)
			continue;
		uint32_t index = hp_class_table_find(c, slot->class_id);
		if (index == HP_NO_CLASS || index >= rows)
			return HPROF_E_NOMEM;
		struct hp_class *row = &c->rows[index];
		if (slot->kind == HPROF_CLASS_PLAIN)
			row->instances = slot;
		else if (row->kind != HPROF_CLASS_OBJ_ARRAY && row->loaded) {
			if (add_element_array(c, index, slot) != HPROF_OK)
				return HPROF_E_NOMEM;
		} else {
			row->kind = HPROF_CLASS_OBJ_ARRAY;
			row->arrays = slot;
		}
	}
	return HPROF_OK;
}

/* Adds classes of objects that have neither LOAD_CLASS nor CLASS_DUMP. */
static enum hprof_status add_unannounced(struct hp_class_table *c,
					 const struct hp_tally *tally)
{
	for (size_t i = 0; i < tally->slot_count; i++) {
		const struct hp_slot *slot = tally->slots[i];
		if (slot != tally->overflow && slot->count &&
		    !row_of(c, slot->class_id))
			return HPROF_E_NOMEM;
	}
	return HPROF_OK;
}

static enum hprof_status link_prims(struct hp_class_table *c,
				    struct hp_tally *tally)
{
	bool linked[16] = { false };

	for (size_t i = 0; i < c->count; i++) {
		unsigned type = prim_array_type(c->rows[i].name);
		if (type && !linked[type] && c->rows[i].class_id) {
			c->rows[i].arrays = &tally->prims[type];
			linked[type] = true;
		}
	}
	for (unsigned type = 0; type < 16; type++) {
		if (linked[type] || tally->prims[type].count == 0)
			continue;
		struct hp_class *row = add_row(c, 0);
		if (!row)
			return HPROF_E_NOMEM;
		const char *element = hprof_type_name(type);
		size_t size = strlen(element) + 3;
		row->kind = HPROF_CLASS_PRIM_ARRAY;
		row->arrays = &tally->prims[type];
		char *name = hp_arena_take(&c->arena, size);
		if (!name)
			return HPROF_E_NOMEM;
		snprintf(name, size, "%s[]", element);
		row->name = name;
	}
	return HPROF_OK;
}

static enum hprof_status add_overflow(struct hp_class_table *c,
				      const struct hp_tally *tally)
{
	if (tally->overflow->count == 0)
		return HPROF_OK;
	struct hp_class *row = add_row(c, 0);
	if (!row)
		return HPROF_E_NOMEM;
	row->name = "(objects of further unknown classes)";
	row->kind = HPROF_CLASS_OBJ_ARRAY;
	row->arrays = tally->overflow;
	return HPROF_OK;
}

static void link_supers(struct hp_class_table *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct hp_class_info *info = c->rows[i].info;
		if (info && info->super_id)
			c->rows[i].super =
				hp_class_table_find(c, info->super_id);
	}
}

/*
 * Orders classes so that superclasses come first. It does not recurse, since a
 * file may have chains of any length. A link that closes a cycle is cut. While
 * a dump is being read, class_chain.h guards against both. Here all CLASS_DUMPs
 * are known, and code that uses rows by index (sizes, the heap, graphs) follows
 * "order" once, or links, which all end.
 */
static enum hprof_status order_classes(struct hp_class_table *c)
{
	enum { NEW, BUSY, DONE };
	uint8_t *state = hp_calloc(c->count + 1, 1);
	uint32_t *stack = hp_calloc(c->count + 1, sizeof *stack);
	size_t placed = 0;

	c->order = hp_calloc(c->count + 1, sizeof *c->order);
	if (!state || !stack || !c->order) {
		hp_free(state);
		hp_free(stack);
		return HPROF_E_NOMEM;
	}
	for (size_t i = 0; i < c->count; i++) {
		size_t depth = 0;
		uint32_t at = (uint32_t)i;
		while (at != HP_NO_CLASS && state[at] == NEW) {
			state[at] = BUSY;
			stack[depth++] = at;
			at = c->rows[at].super;
		}
		if (at != HP_NO_CLASS && state[at] == BUSY) {
			c->rows[stack[depth - 1]].super = HP_NO_CLASS;
			c->cycles++;
		}
		while (depth > 0) {
			at = stack[--depth];
			state[at] = DONE;
			c->order[placed++] = at;
		}
	}
	hp_free(state);
	hp_free(stack);
	return HPROF_OK;
}

static void note_complete(struct hp_class_table *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[c->order[i]];
		row->complete = row->info && (row->info->super_id == 0 ||
					      (row->super != HP_NO_CLASS &&
					       c->rows[row->super].complete));
	}
}

enum hprof_status hp_class_table_build(struct hp_class_table *c,
				       struct hp_name_table *symbols,
				       struct hp_tally *tally)
{
	memset(c, 0, sizeof *c);
	c->java_lang_class = c->java_lang_object = HP_NO_CLASS;
	c->tally = tally;
	c->id_size = tally->id_size;
	if (hp_u64_map_init(&c->by_id, 3) != HPROF_OK ||
	    add_dumped(c, tally) != HPROF_OK ||
	    add_loaded(c, symbols) != HPROF_OK ||
	    add_unannounced(c, tally) != HPROF_OK ||
	    name_rows(c, symbols) != HPROF_OK ||
	    link_slots(c, tally) != HPROF_OK ||
	    link_prims(c, tally) != HPROF_OK ||
	    add_overflow(c, tally) != HPROF_OK)
		return HPROF_E_NOMEM;
	link_supers(c);
	if (order_classes(c) != HPROF_OK)
		return HPROF_E_NOMEM;
	note_complete(c);
	return HPROF_OK;
}

void hp_class_table_done(struct hp_class_table *c)
{
	hp_arena_done(&c->arena);
	hp_free(c->rows);
	hp_free(c->order);
	hp_u64_map_done(&c->by_id);
}

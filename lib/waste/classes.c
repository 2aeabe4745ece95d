/* SPDX-License-Identifier: MIT */
/*
 * classes.c - what instances of each class are, and where they have the fields that
 * matter.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/same_text.h"
#include "collections/field_path.h"
#include "report/object_info.h"
#include "waste/waste.h"

static struct hp_place find_place(const struct hp_waste *w, size_t row,
				  size_t known, const char *path)
{
	struct hprof_field field;
	const char *rest = NULL;

	if (!path || !*path ||
	    hp_field_path_first(w->heap, row, known, path, &field, &rest) ==
		    SIZE_MAX)
		return (struct hp_place){ HP_NO_FIELD, 0 };
	/* A path into another object is left to the cursor. */
	if (rest && field.type == HPROF_TYPE_OBJECT)
		return (struct hp_place){ HP_NO_FIELD, 0 };
	return (struct hp_place){ field.offset, field.type };
}

static void take_string(struct hp_waste *w, size_t row,
			struct hp_waste_class *c)
{
	c->store = find_place(w, row, row, "value");
	c->coder = find_place(w, row, row, "coder");
	c->partial = find_place(w, row, row, "offset").at != HP_NO_FIELD;
	if (c->store.at != HP_NO_FIELD && c->store.type == HPROF_TYPE_OBJECT)
		c->role = HP_ROLE_STRING;
}

static void take_collection(struct hp_waste *w, size_t row,
			    struct hp_waste_class *c)
{
	const struct hp_form *form = c->known.form;
	size_t known = c->known.known_row;

	c->role = HP_ROLE_COLLECTION;
	c->weak = strcmp(form->class_name, "java.util.WeakHashMap") == 0;
	c->size = find_place(w, row, known, form->size);
	c->store = find_place(w, row, known, form->store);
	c->cells = find_place(w, row, known, form->cells);
	c->changes = find_place(w, row, known, "modCount");
	if (form->walk != HP_WALK_RING)
		return;
	c->head = find_place(w, row, known, form->key);
	c->tail = find_place(w, row, known, form->value);
}

static bool is_box(const char *name)
{
	static const char *const boxes[] = {
		"Boolean", "Byte",    "Character", "Double",
		"Float",   "Integer", "Long",	   "Short",
	};
	static const char package[] = "java.lang.";

	if (strncmp(name, package, sizeof package - 1) != 0)
		return false;
	for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
		if (strcmp(name + sizeof package - 1, boxes[i]) == 0)
			return true;
	return false;
}

/* ---- references ---------------------------------------------------------- */

/*
 * A reference of the program counts before one of the runtime, such as an
 * iterator; of an array that a string has, the string before all others.
 */
enum hp_referrer_rank hp_waste_rank(const struct hp_waste_class *c,
				    bool is_class)
{
	return (is_class || c->role == HP_ROLE_OTHER) && c->runtime
		       ? HP_REFERRER_RUNTIME
		       : HP_REFERRER_OTHER;
}

/* Where a reference leads from an object: away from what has it is DOWN. */
enum direction { DOWN, SIDEWAYS, UP };

/*
 * By the names of fields of parts. Of those that lead down there are no circles: where
 * nodes are in a tree, or in the list of their bucket, it is that; and any other order
 * that they are linked in as well leads sideways, as in the buckets of a HashMap that
 * are trees, in LinkedHashMap, in caches and maps of Guava.
 */
static enum direction direction_of_part(const char *name, bool in_tree)
{
	static const char *const up[] = {
		"parent", "before", "earlier", "last", "tail",
	};
	static const char *const sideways[] = { "after", "later" };

	/* previousAccess, predecessorInValueSet */
	if (hp_begins_with(name, "prev") || hp_begins_with(name, "pred"))
		return UP;
	if (hp_begins_with(name, "succ"))
		return SIDEWAYS;
	for (size_t i = 0; i < sizeof up / sizeof *up; i++)
		if (strcmp(name, up[i]) == 0)
			return UP;
	for (size_t i = 0; i < sizeof sideways / sizeof *sideways; i++)
		if (strcmp(name, sideways[i]) == 0)
			return SIDEWAYS;
	if (strcmp(name, "next") == 0)
		return in_tree ? SIDEWAYS : DOWN;
	/* nextAccess, nextInWriteQueue; but that is a list of a bucket: */
	return hp_begins_with(name, "next") &&
			       strcmp(name, "nextInKToVBucket") != 0 &&
			       strcmp(name, "nextInValueBucket") != 0
		       ? SIDEWAYS
		       : DOWN;
}

static enum direction direction_of(const struct hp_waste_class *c,
				   const char *name, bool in_tree)
{
	if (hp_begins_with(name, "this$"))
		return UP;
	return c->role == HP_ROLE_PART ? direction_of_part(name, in_tree)
				       : DOWN;
}

/* What leads sideways counts only where nothing else of the program leads. */
static enum hp_referrer_rank rank_of_field(const struct hp_waste_class *c,
					   uint32_t at,
					   enum direction direction)
{
	if (direction == SIDEWAYS)
		return HP_REFERRER_RUNTIME;
	return c->role == HP_ROLE_STRING && at == c->store.at
		       ? HP_REFERRER_STRING
		       : hp_waste_rank(c, false);
}

/*
 * The name of the field at OFFSET, to which WALK moves: offsets ascend from one call
 * to the next.
 */
static const char *name_at(struct hp_field_walk *walk, uint32_t offset)
{
	struct hprof_field field;

	while (hp_field_walk_next(walk, &field))
		if (field.offset == offset)
			return field.name;
	return "";
}

static enum hprof_status take_references(struct hp_waste *w, size_t row,
					 struct hp_waste_class *c)
{
	struct hp_field_walk walk = hp_field_walk_begin(w->heap, c->of);
	const uint32_t n = c->of->ref_count;
	bool in_tree;

	if (!n)
		return HPROF_OK;
	c->refs = hp_calloc((size_t)n + 1, sizeof *c->refs);
	if (!c->refs)
		return hp_no_memory(w->error);
	in_tree = c->role == HP_ROLE_PART &&
		  find_place(w, row, row, "left").at != HP_NO_FIELD;
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t at = c->of->refs[k];
		const enum direction direction =
			direction_of(c, name_at(&walk, at), in_tree);
		const bool referent = at == c->of->referent;
		struct hp_waste_ref *ref = &c->refs[k];

		ref->referrer = hp_referrer_make(
			rank_of_field(c, at, direction), HP_NOBODY, k);
		ref->at = at;
		if (referent || direction == UP)
			ref->special |= HP_REF_UP;
		/* These never count as null: what the collector clears, and what
		   is not told apart from others. */
		if (!referent && k < HP_FIELD_LAST)
			ref->special |= HP_REF_NULL;
		if (at == c->store.at) {
			ref->special |= HP_REF_STORE;
			c->store_is_far = k >= HP_FIELD_LAST;
		}
	}
	c->refs[n].referrer = hp_referrer_make(hp_waste_rank(c, false),
					       HP_NOBODY, HP_FIELD_MOST);
	return HPROF_OK;
}

/* ---- all classes --------------------------------------------------------- */

/* FORMS: see hp_recognise_known. */
static enum hprof_status take_class(struct hp_waste *w, size_t row,
				    uint16_t *forms)
{
	struct hp_waste_class *c = &w->classes[row];
	const struct hprof_class_row *info =
		&hprof_heap_summary(w->heap)->class_rows[row];
	const char *name = info->name;
	const struct hp_place none = { HP_NO_FIELD, 0 };
	const struct hp_heap_class *of = hp_heap_row(w->heap, row);

	if (!of)
		return HPROF_OK; /* there is one for each row */
	c->of = of;
	c->store = c->size = c->head = c->tail = none;
	c->changes = c->coder = c->cells = none;
	c->runtime = hp_class_is_runtime(name);
	if (of->info->kind == HPROF_CLASS_OBJ_ARRAY)
		c->role = HP_ROLE_OBJ_ARRAY;
	else if (of->info->kind == HPROF_CLASS_PRIM_ARRAY)
		c->role = HP_ROLE_PRIM_ARRAY;
	else if (info->instances == 0)
		c->role = HP_ROLE_OTHER; /* most are; to recognise one costs */
	else if (strcmp(name, "java.lang.String") == 0)
		take_string(w, row, c);
	else if (is_box(name))
		c->role = HP_ROLE_BOX;
	else if (hprof_collection_is_part(w->heap, row))
		c->role = HP_ROLE_PART;
	else if (hp_recognise_known(w->heap, row, forms, &c->known) &&
		 !c->known.form->no_waste)
		take_collection(w, row, c);
	HP_TRY(take_references(w, row, c));
	return hp_waste_find_numbers(w, c);
}

enum hprof_status hp_waste_classes(struct hp_waste *w)
{
	enum hprof_status status = HPROF_OK;
	uint16_t *forms;

	w->class_count = hprof_heap_summary(w->heap)->class_count;
	w->classes = hp_calloc(w->class_count + 1, sizeof *w->classes);
	w->roles = hp_calloc(hp_kind_count(w->class_count), sizeof *w->roles);
	forms = hp_calloc(w->class_count + 1, sizeof *forms);
	if (!w->classes || !w->roles || !forms)
		status = hp_no_memory(w->error);
	for (size_t row = 0; status == HPROF_OK && row < w->class_count;
	     row++) {
		status = take_class(w, row, forms);
		w->roles[hp_kind_of_instances(row)] =
			(uint8_t)w->classes[row].role;
	}
	hp_free(forms);
	return status;
}

void hp_waste_classes_done(struct hp_waste *w)
{
	for (size_t i = 0; w->classes && i < w->class_count; i++) {
		hp_free(w->classes[i].refs);
		hp_free(w->classes[i].numbers);
	}
	hp_free(w->classes);
	hp_free(w->roles);
}

/* SPDX-License-Identifier: MIT */
/*
 * classes.c - what instances of each class are, where they have the fields that
 * matter, and how many there are; which objects are of some kinds of classes.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/parallel_for.h"
#include "collections/field_path.h"
#include "report/object_info.h"
#include "report/retained_sets.h"
#include "waste/waste.h"

static struct hp_place find_place(const struct hp_waste *w, size_t row,
				  size_t known, const char *path)
{
	const struct hprof_field *field;
	const char *rest = NULL;

	if (!path || !*path ||
	    hp_field_path_first(w->heap, row, known, path, &field, &rest) ==
		    SIZE_MAX)
		return (struct hp_place){ HP_NO_FIELD, 0 };
	/* A path into another object is left to the cursor. */
	if (rest && field->type == HPROF_TYPE_OBJECT)
		return (struct hp_place){ HP_NO_FIELD, 0 };
	return (struct hp_place){ field->offset, field->type };
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

static enum hp_referrer_rank rank_of_field(const struct hp_waste_class *c,
					   uint32_t at)
{
	return c->role == HP_ROLE_STRING && at == c->store.at
		       ? HP_REFERRER_STRING
		       : hp_waste_rank(c, false);
}

/* Names of fields by which parts refer to what has them. */
static bool leads_up(const struct hp_waste_class *c, const char *name)
{
	static const char *const names[] = {
		"prev", "parent", "before", "earlier", "last", "tail",
	};

	if (strncmp(name, "this$", 5) == 0)
		return true;
	if (c->role != HP_ROLE_PART)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static const char *name_at(const struct hprof_field *fields, size_t count,
			   uint32_t offset)
{
	for (size_t i = 0; i < count; i++)
		if (fields[i].offset == offset)
			return fields[i].name;
	return "";
}

static enum hprof_status take_references(struct hp_waste *w, size_t row,
					 struct hp_waste_class *c)
{
	const struct hprof_field *fields;
	uint32_t n = c->of->ref_count;
	size_t count;

	if (!n)
		return HPROF_OK;
	c->refs = hp_calloc((size_t)n + 1, sizeof *c->refs);
	if (!c->refs)
		return hp_no_memory(w->error);
	hprof_heap_layout(w->heap, row, &fields, &count);
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t at = c->of->refs[k];
		const bool referent = at == c->of->referent;
		struct hp_waste_ref *ref = &c->refs[k];

		ref->referrer =
			hp_referrer_make(rank_of_field(c, at), HP_NOBODY, k);
		ref->at = at;
		if (referent || leads_up(c, name_at(fields, count, at)))
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

static enum hprof_status take_class(struct hp_waste *w, size_t row)
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
	else if (hp_recognise(w->heap, row, &c->known))
		take_collection(w, row, c);
	HP_TRY(take_references(w, row, c));
	return hp_waste_find_numbers(w, row, c);
}

enum hprof_status hp_waste_classes(struct hp_waste *w)
{
	w->class_count = hprof_heap_summary(w->heap)->class_count;
	w->classes = hp_calloc(w->class_count + 1, sizeof *w->classes);
	w->roles = hp_calloc(hp_kind_count(w->class_count), sizeof *w->roles);
	if (!w->classes || !w->roles)
		return hp_no_memory(w->error);
	for (size_t row = 0; row < w->class_count; row++) {
		HP_TRY(take_class(w, row));
		w->roles[hp_kind_of_instances(row)] =
			(uint8_t)w->classes[row].role;
	}
	return HPROF_OK;
}

/* ---- their objects ------------------------------------------------------- */

enum { AT_ONCE = 1024 };

/* Which these are cannot be predicted, so no branch depends on it. */
enum hprof_status hp_waste_find_by_role(struct hp_waste *w, unsigned roles,
					hp_waste_take_fn *take, void *user)
{
	uint32_t found[AT_ONCE + 64];
	size_t count = 0;

	for (uint64_t at = 0; at < hp_bit_words(w->heap->count); at++) {
		for (uint64_t left = w->asked[at]; left; left &= left - 1) {
			uint32_t i = (uint32_t)(at << 6 | hp_bit_lowest(left));

			found[count] = i;
			count += roles >> hp_waste_role(w, i) & 1;
		}
		if (count < AT_ONCE)
			continue;
		HP_TRY(take(user, found, count));
		count = 0;
		hp_waste_trim_memory(w);
	}
	return take(user, found, count);
}

/* ---- how many there are -------------------------------------------------- */

/* What one thread finds. */
struct counting {
	const struct hp_waste *w;
	uint64_t *counts; /* of reachable objects, by kind */
};

/* Those from BEGIN to below END. */
static void count_span(void *state, uint32_t begin, uint32_t end)
{
	const struct counting *c = state;

	for (uint32_t i = begin; i < end; i++)
		c->counts[hp_graph_kind(c->w->graph, i)] +=
			hp_waste_reachable(c->w, i);
}

static void add_instances(struct hp_waste *w, const uint64_t *counts)
{
	for (size_t row = 0; row < w->class_count; row++)
		w->classes[row].instances += counts[hp_kind_of_instances(row)];
}

/* COUNTS has a row of all kinds for each of THREADS. */
static void count_all(struct hp_waste *w, uint64_t *counts, unsigned threads)
{
	struct counting items[HP_WASTE_THREADS_MOST];
	void *states[HP_WASTE_THREADS_MOST] = { NULL };
	const size_t kinds = hp_kind_count(w->class_count);

	for (unsigned i = 0; i < threads; i++) {
		items[i] = (struct counting){ w, counts + i * kinds };
		states[i] = &items[i];
	}
	hp_parallel_for((uint32_t)w->heap->count, threads, states, count_span);
	for (unsigned i = 0; i < threads; i++)
		add_instances(w, items[i].counts);
}

/* Of an array whose class came late, only the list of arrays says that it is one. */
static void leave_out_arrays(const struct hp_waste *w)
{
	for (size_t i = 0; i < w->rows.count; i++) {
		bool is_class;
		size_t row =
			hp_waste_row(w, w->rows.items[i].object, &is_class);
		uint64_t *instances = &w->classes[row].instances;

		if (!is_class && w->classes[row].role != HP_ROLE_OBJ_ARRAY)
			*instances -= *instances > 0;
	}
}

/* If sums of all objects were found meanwhile, no pass is needed. */
enum hprof_status hp_waste_count_instances(struct hp_waste *w)
{
	const unsigned threads = hp_parallel_for_threads(
		(uint32_t)w->heap->count, hp_waste_threads(w));
	uint64_t *counts =
		hp_calloc(threads * (size_t)hp_kind_count(w->class_count),
			  sizeof *counts);

	if (!counts)
		return hp_no_memory(w->error);
	if (hp_retained_kinds_count(w->graph, counts))
		add_instances(w, counts);
	else
		count_all(w, counts, threads);
	hp_free(counts);
	leave_out_arrays(w);
	return HPROF_OK;
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

/* SPDX-License-Identifier: MIT */
/*
 * holders.c - who holds an object.
 *
 * The holder is the referrer that counts; of what is in a collection or an array it
 * is who refers to that. Nodes of a collection may be a long chain, so the way
 * up is noted for all of them once it is known. Hostile nodes may form a
 * circle, and arrays a long chain: the holder is not known then. Nor is it where all
 * that refers to an object does not count, unless that is a root.
 *
 * Classes of one name that several loaders have defined are one holder, since
 * each web application or plugin would have a row of its own otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/same_text.h"
#include "waste/waste.h"

enum {
	UP_MOST = 64,	/* arrays and collections in each other */
	SHORT_MOST = 4, /* parts that are passed again, until there are tops */
	/* What is noted of a top: 0 if nothing, else by how much more than the top. */
	TOP_MORE = 3
};

/* Holders that are no fields, by their numbers. */
enum { NOT_KNOWN, A_ROOT };

/* In place of a holder: the object is a root. No object has this number. */
#define HP_A_ROOT (HP_NOBODY - 1)

#define HASH_START UINT64_C(0xcbf29ce484222325)

struct holder {
	uint32_t row; /* of the class; HP_NOBODY: not known; HP_A_ROOT */
	uint8_t field;
	bool is_static, nameless;
};

struct holders {
	struct hp_u64_map by_place; /* -> number of the holder, plus 1 */
	struct hp_u64_map by_name;  /* the same, by a hash of its names */
	uint32_t *namesake;	    /* of each class: the first of its name */
	struct holder *items;
	size_t count, room;
	/*
	 * Once there are long chains: the numbers of all parts, and a row for each:
	 * what is above its chain, plus TOP_MORE; 0: not known.
	 */
	struct hp_mapped_table part_table, top_table;
	struct hp_ranked_bits *parts;
	uint32_t *tops;
	bool has_chains;
	/* What came last often comes again: elements of one array, say. */
	uint32_t last_up, last_holder;
};

/* ---- names --------------------------------------------------------------- */

/* FNV-1a; never 0, which is no key. */
static uint64_t hash_name(uint64_t hash, const char *name)
{
	for (; name && *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

static const char *name_of(const struct hp_waste *w, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(w->heap);

	return row < w->class_count ? summary->class_rows[row].name : NULL;
}

/* Of names with the same hash, only the first one has namesakes. */
static enum hprof_status find_namesakes(struct hp_waste *w)
{
	struct holders *h = w->holders;
	struct hp_u64_map by_name = { 0 };
	enum hprof_status status;

	h->namesake = hp_calloc(w->class_count + 1, sizeof *h->namesake);
	if (!h->namesake)
		return hp_no_memory(w->error);
	status = hp_u64_map_init(&by_name, 1);
	for (size_t i = 0; status == HPROF_OK && i <= w->class_count; i++) {
		const char *name = name_of(w, i);
		uint64_t hash = hash_name(HASH_START, name);
		size_t known = hp_u64_map_number(&by_name, hash);

		h->namesake[i] = (uint32_t)i;
		if (!name)
			continue;
		if (known == HP_NO_NUMBER)
			status = hp_u64_map_put_number(&by_name, hash, i);
		else if (hp_same_text(name, name_of(w, known)))
			h->namesake[i] = (uint32_t)known;
	}
	hp_u64_map_done(&by_name);
	return status == HPROF_OK ? HPROF_OK : hp_no_memory(w->error);
}

enum hprof_status hp_holders_open(struct hp_waste *w)
{
	struct holders *h = w->holders = hp_calloc(1, sizeof *h);

	if (!h || hp_u64_map_init(&h->by_place, 2) != HPROF_OK ||
	    hp_u64_map_init(&h->by_name, 2) != HPROF_OK)
		return hp_no_memory(w->error);
	for (; h->count <= A_ROOT; h->count++) {
		if (hp_grow((void **)&h->items, &h->room, h->count,
			    sizeof *h->items) != HPROF_OK)
			return hp_no_memory(w->error);
		h->items[h->count] = (struct holder){
			.row = h->count == A_ROOT ? HP_A_ROOT : HP_NOBODY
		};
	}
	h->last_up = HP_NOBODY;
	return find_namesakes(w);
}

void hp_holders_done(struct hp_waste *w)
{
	struct holders *h = w->holders;

	if (!h)
		return;
	hp_u64_map_done(&h->by_place);
	hp_u64_map_done(&h->by_name);
	hp_mapped_table_free(&w->tables, &h->part_table);
	hp_mapped_table_free(&w->tables, &h->top_table);
	hp_free(h->namesake);
	hp_free(h->items);
	hp_free(h);
	w->holders = NULL;
}

/* ---- the way up ---------------------------------------------------------- */

static inline bool is_object(uint32_t at)
{
	return at < HP_A_ROOT;
}

static inline bool is_part(const struct hp_waste *w, uint32_t at)
{
	return is_object(at) &&
	       hp_roles_is_part(&w->referrers.steps[at >> 6].roles, at);
}

static uint32_t *top_of(const struct holders *h, uint32_t part)
{
	return &h->tops[hp_ranked_bits_number(h->parts, part)];
}

/* What refers to OBJECT; if that is nobody that counts, HP_A_ROOT or HP_NOBODY. */
static inline uint32_t above(const struct hp_waste *w, uint32_t object)
{
	const uint32_t up = hp_waste_referrer(w, object);

	return up == HP_NOBODY && hp_bit(w->graph->edges.roots, object)
		       ? HP_A_ROOT
		       : up;
}

/* The same of PART, or what is known to be above its chain. */
static uint32_t above_part(const struct hp_waste *w, uint32_t part)
{
	const struct holders *h = w->holders;
	uint32_t top = h->tops ? *top_of(h, part) : 0;

	return top ? top - TOP_MORE : above(w, part);
}

/* Notes for all parts of the chain that TOP, which may be no object, is above them. */
static void note_chain(const struct hp_waste *w, uint32_t part, uint32_t top)
{
	struct holders *h = w->holders;

	_Static_assert((uint32_t)(HP_A_ROOT + TOP_MORE) > 0,
		       "0 is what is not known");
	h->has_chains = true;
	while (h->tops && is_part(w, part) && !*top_of(h, part)) {
		*top_of(h, part) = top + TOP_MORE;
		part = hp_waste_referrer(w, part);
	}
}

/* The first object above the chain of parts that begins at PART; or what above says. */
static uint32_t above_parts(const struct hp_waste *w, uint32_t part)
{
	uint32_t at = part, mark = part;
	uint64_t steps = 0, limit = 1, length = 0;

	while (is_part(w, at)) {
		at = above_part(w, at);
		length++;
		if (at == mark) { /* a circle, by Brent's method */
			at = HP_NOBODY;
			break;
		}
		if (++steps == limit) {
			mark = at;
			limit *= 2;
			steps = 0;
		}
	}
	/* Once there are tops, to look one up is cheaper than a second step. */
	if (length > SHORT_MOST || w->holders->tops)
		note_chain(w, part, at);
	return at;
}

/*
 * The same. Nearly all parts are right in an array of their collection, but not those
 * that several refer to: in lists and trees both neighbours do.
 */
static uint32_t above_part_or_chain(const struct hp_waste *w, uint32_t part)
{
	uint32_t up;

	if (w->holders->tops && !hp_referrers_is_single(&w->referrers, part))
		return above_parts(w, part);
	up = above(w, part);
	return is_part(w, up) ? above_parts(w, part) : up;
}

/* Once there are long chains: numbers the parts, so that only these have a row. */
static enum hprof_status make_tops(struct hp_waste *w)
{
	struct holders *h = w->holders;
	const size_t words = hp_bit_words(w->heap->count);
	struct hp_ranked_bits *parts;

	if (h->tops || !h->has_chains)
		return HPROF_OK;
	HP_TRY(hp_mapped_table_make(&w->tables, &h->part_table, words,
				    sizeof *parts, HP_MAPPED_TABLE_RAW,
				    w->error));
	parts = h->part_table.at;
	for (size_t i = 0; i < words; i++) {
		parts[i].bits = hp_roles_in(&w->referrers.steps[i].roles,
					    HP_ROLE_BIT(HP_ROLE_PART));
		if (i % (HP_TRIM_INTERVAL / 64) == 0)
			hp_waste_trim_memory(w);
	}
	HP_TRY(hp_mapped_table_make(&w->tables, &h->top_table,
				    hp_ranked_bits_finish(parts, words) + 1,
				    sizeof *h->tops, HP_MAPPED_TABLE_CLEAR,
				    w->error));
	h->parts = parts;
	h->tops = h->top_table.at;
	return HPROF_OK;
}

/*
 * The object outside of collections and arrays that holds OBJECT, to which UP refers;
 * *FIELD is set. Or HP_A_ROOT, or HP_NOBODY.
 */
static uint32_t find_top(const struct hp_waste *w, uint32_t object, uint32_t up,
			 uint8_t *field)
{
	for (unsigned i = 0; i < UP_MOST && is_object(up); i++) {
		if (!hp_waste_is_inside(w, up)) {
			*field = hp_referrers_field(&w->referrers, object);
			return up;
		}
		if (is_part(w, up)) {
			up = above_part_or_chain(w, up);
			*field = HP_FIELD_MOST;
			if (!is_object(up) || !hp_waste_is_inside(w, up))
				return up;
		}
		object = up;
		up = above(w, object);
	}
	return is_object(up) ? HP_NOBODY : up;
}

/* ---- numbers of holders -------------------------------------------------- */

static const char *static_name(const struct hp_heap_class *of, uint8_t field)
{
	return of->own && field < of->own->static_count &&
			       field != HP_FIELD_MOST
		       ? of->own->statics[field].name
		       : NULL;
}

static const char *field_name(const struct hp_waste *w,
			      const struct hp_heap_class *of, uint8_t field,
			      size_t *ret_row)
{
	struct hp_field_walk walk = hp_field_walk_begin(w->heap, of);
	struct hprof_field at;

	if (field == HP_FIELD_MOST || field >= of->ref_count)
		return NULL;
	while (hp_field_walk_next(&walk, &at)) {
		if (at.offset != of->refs[field])
			continue;
		*ret_row = at.class_row;
		return at.name;
	}
	return NULL;
}

static struct hprof_waste_holder describe(const struct hp_waste *w,
					  const struct holder *one)
{
	struct hprof_waste_holder ret = { .class_row = SIZE_MAX,
					  .is_root = one->row == HP_A_ROOT };
	const struct hp_heap_class *of;

	of = one->row < w->class_count ? w->classes[one->row].of : NULL;
	if (!of)
		return ret;
	ret.class_row = one->row;
	ret.is_static = one->is_static;
	ret.field = one->is_static
			    ? static_name(of, one->field)
			    : field_name(w, of, one->field, &ret.class_row);
	return ret;
}

struct hprof_waste_holder hp_holder_get(const struct hp_waste *w,
					uint32_t holder)
{
	return describe(w, &w->holders->items[holder]);
}

/* The holder with the names of ONE, which may be of another loader; or 0. */
static size_t find_named(const struct hp_waste *w, const struct holder *one,
			 uint64_t hash, const struct hprof_waste_holder *names)
{
	const struct holders *h = w->holders;
	size_t number = hp_u64_map_number(&h->by_name, hash);
	struct hprof_waste_holder other;

	if (number == HP_NO_NUMBER)
		return 0;
	other = hp_holder_get(w, (uint32_t)number);
	return other.is_static == one->is_static &&
			       hp_same_text(other.field, names->field) &&
			       hp_same_text(name_of(w, other.class_row),
					    name_of(w, names->class_row))
		       ? number
		       : 0;
}

static enum hprof_status add_holder(struct hp_waste *w,
				    const struct holder *one, uint64_t key,
				    uint32_t *ret)
{
	struct hprof_waste_holder names = describe(w, one);
	struct holders *h = w->holders;
	uint64_t hash;
	size_t number;

	hash = hash_name(HASH_START, name_of(w, names.class_row));
	hash = hash_name(hash ^ ('.' + names.is_static), names.field);
	number = find_named(w, one, hash, &names);
	if (!number) {
		number = h->count;
		if (hp_grow((void **)&h->items, &h->room, h->count,
			    sizeof *h->items) != HPROF_OK)
			return hp_no_memory(w->error);
		h->items[h->count++] = *one;
		if (!hp_u64_map_get(&h->by_name, hash) &&
		    hp_u64_map_put_number(&h->by_name, hash, number) !=
			    HPROF_OK)
			return hp_no_memory(w->error);
	} else if (one->row < h->items[number].row) {
		/* Whichever was found first, the same one is named. */
		h->items[number] = *one;
	}
	if (hp_u64_map_put_number(&h->by_place, key, number) != HPROF_OK)
		return hp_no_memory(w->error);
	*ret = (uint32_t)number;
	return HPROF_OK;
}

static enum hprof_status intern(struct hp_waste *w, const struct holder *one,
				uint32_t *ret)
{
	uint64_t key = (uint64_t)one->row << 16 | (uint64_t)one->field << 8 |
		       one->is_static;
	size_t known = hp_u64_map_number(&w->holders->by_place, key);

	if (known == HP_NO_NUMBER)
		return add_holder(w, one, key, ret);
	*ret = (uint32_t)known;
	return HPROF_OK;
}

enum hprof_status hp_holder_of(struct hp_waste *w, uint32_t object,
			       uint32_t *ret)
{
	struct holders *h = w->holders;
	struct holder one = { .row = HP_NOBODY };
	uint32_t up = above(w, object), top;
	bool is_class;

	*ret = up == HP_A_ROOT ? A_ROOT : NOT_KNOWN;
	if (!is_object(up))
		return HPROF_OK;
	if (up == h->last_up) {
		*ret = h->last_holder;
		return HPROF_OK;
	}
	top = find_top(w, object, up, &one.field);
	HP_TRY(make_tops(w));
	if (top == HP_A_ROOT) {
		*ret = A_ROOT;
	} else if (top != HP_NOBODY) {
		one.row = (uint32_t)hp_waste_row(w, top, &is_class);
		one.is_static = is_class;
		HP_TRY(intern(w, &one, ret));
	}
	/* All that is in one collection or array has the same holder. */
	if (hp_waste_is_inside(w, up)) {
		h->last_up = up;
		h->last_holder = *ret;
	}
	return HPROF_OK;
}

size_t hp_holders_namesake(const struct hp_waste *w, size_t row)
{
	return w->holders->namesake[row];
}

uint32_t hp_holders_count(const struct hp_waste *w)
{
	return (uint32_t)w->holders->count;
}

/* SPDX-License-Identifier: MIT */
/*
 * find_referrers.c - who refers to each object, as the references of the heap tell;
 * and what notes say by which field alone: the array of a collection, that of a
 * string. It is not known yet which objects are reachable. That does not matter for
 * those with a single referrer; of others, all referrers are noted.
 *
 * Each reference may cost two cache misses: whether its target is asked for, and
 * the target's field, so these are collected and written in batches.
 */
#include <assert.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "base/search.h"
#include "graph/edge_build.h"
#include "graph/edge_partitions.h"
#include "waste/notes.h"

enum { BATCH = 64 };

/* As a row of referrers.h, but for which object. */
struct reference {
	uint64_t referrer;
	uint32_t to;
};

/* The objects of one part, and what the lists say of those that come next. */
struct visit {
	struct hp_waste *w;
	const struct hp_edges *edges;
	struct hp_waste_thread *thread;
	/* Copied: offers could have changed them for all that a compiler knows. */
	const uint32_t *target;
	const uint8_t *field;		 /* as many as there are targets */
	const uint64_t *asked, *several; /* bits */
	/* Between objects: how many of the batch are collected (see offer). */
	unsigned count;
	struct reference batch[BATCH];
	struct reference last; /* that is noted */
	struct hp_row_array *row, *row_end;
	struct hp_seen *seen, *seen_end;
	struct hp_characters *wide, *wide_end;
};

/* ---- referrers ----------------------------------------------------------- */

/*
 * All elements of a long array may be the same object. Where steps are counted from has
 * to be said at the beginning of what is moved together, as notes of other threads may
 * be before it, and where a step is too long.
 */
static void note_offer(struct visit *v, const struct reference *o)
{
	const uint32_t from = hp_referrer_from(o->referrer);
	uint32_t step = from - hp_referrer_from(v->last.referrer);

	_Static_assert(HP_NOTES_BUFFER > 1, "two notes are moved together");
	if (o->to == v->last.to && o->referrer == v->last.referrer)
		return;
	v->last = *o;
	if (step > UINT16_MAX || hp_notes_moves(v->thread, HP_NOTES_OFFERS)) {
		step = 0;
		do
			*HP_NOTES_NEXT(v->thread, HP_NOTES_OFFERS,
				       struct hp_offer) =
				(struct hp_offer){ .to = from,
						   .rank = HP_REFERRER_NONE };
		while (hp_notes_moves(v->thread, HP_NOTES_OFFERS));
	}
	*HP_NOTES_NEXT(v->thread, HP_NOTES_OFFERS, struct hp_offer) =
		hp_offer_make(o->referrer, (uint16_t)step, o->to);
}

/* Writes the COUNT that are collected. */
static void flush_batch(struct visit *v, unsigned count)
{
	uint8_t *const of_target = v->w->referrers.field;

	for (unsigned i = 0; i < count; i++)
		hp_prefetch_write(&of_target[v->batch[i].to]);
	for (unsigned i = 0; i < count; i++) {
		const struct reference *o = &v->batch[i];

		if (hp_bit(v->several, o->to))
			note_offer(v, o);
		else
			of_target[o->to] = hp_referrer_field(o->referrer);
	}
}

static void flush(struct visit *v)
{
	flush_batch(v, v->count);
	v->count = 0;
}

/*
 * FROM refers to TO. By which field matters only if nothing else does so, and not if
 * FROM is INSIDE of a collection. Of what was withdrawn a field is written in vain:
 * settle has the last word. Nobody can predict which targets are asked for: no branch.
 *
 * COUNT are collected; returns how many are then. For one object the caller keeps that
 * in a variable of its own, so that it need not be written for each reference.
 */
static inline unsigned offer(struct visit *v, unsigned count, uint32_t from,
			     uint32_t to, uint64_t referrer, const bool inside)
{
	const uint32_t at = to == HP_NONE ? from : to;
	const uint64_t bits = (inside ? v->several : v->asked)[at >> 6];

	v->batch[count] = (struct reference){ referrer, at };
	count += (unsigned)(bits >> (at & 63) & 1) & (at != from);
	if (count < BATCH)
		return count;
	flush_batch(v, count);
	return 0;
}

/*
 * FROM refers to TO, which does not count. True: nothing else does so, and TO has
 * no referrer any more. Each reference is either offered or withdrawn.
 */
static bool withdraw(struct visit *v, uint32_t from, uint32_t to)
{
	if (to == HP_NONE || to == from ||
	    !hp_referrers_is_single(&v->w->referrers, to))
		return false;
	hp_referrers_withdraw(&v->w->referrers, to);
	return true;
}

/* ---- one object ---------------------------------------------------------- */

/* Objects of a list come in the order in which they are visited. */
#define PASS(next, end, item_object)                                           \
	while ((next) != (end) && (item_object) < object)                      \
	(next)++

/* TO is the array, or the first node, that OBJECT has its content in. */
static void take_store(struct visit *v, const struct hp_waste_class *c,
		       uint32_t object, uint32_t to)
{
	if (c->role == HP_ROLE_COLLECTION) {
		PASS(v->seen, v->seen_end, v->seen->object);
		if (v->seen != v->seen_end && v->seen->object == object)
			v->seen->store = to;
	} else if (c->role == HP_ROLE_STRING) {
		PASS(v->wide, v->wide_end, v->wide->string);
		if (v->wide != v->wide_end && v->wide->string == object)
			v->wide->array = to;
	}
}

/* An instance whose references are taken. */
struct instance {
	const struct hp_waste_class *c;
	uint32_t object;
	const uint32_t *to;
	const uint8_t *field; /* of each target */
	uint64_t count;	      /* of them, but for the class */
	bool withdrew;	      /* from being the referrer of some */
};

static inline struct hp_waste_ref *ref_of(const struct instance *i, uint64_t k)
{
	const struct hp_waste_class *c = i->c;
	const uint32_t f = i->field[k];
	uint32_t number =
		f == HP_FIELD_LAST ? c->of->ref_count : f + (f >= c->left_out);

	assert(number <= c->of->ref_count && c->of->ref_count);
	return &c->refs[number];
}

static inline unsigned special_of(const struct hp_waste_ref *ref)
{
	return __atomic_load_n(&ref->special, __ATOMIC_RELAXED);
}

/*
 * Does what is special about reference K of I, in several threads at once. False:
 * nobody is to be offered as the referrer of its target.
 */
static bool take_special(struct visit *v, struct instance *i, uint64_t k,
			 struct hp_waste_ref *ref, unsigned special)
{
	if (special & HP_REF_NULL)
		__atomic_fetch_and(&ref->special, (uint8_t)~HP_REF_NULL,
				   __ATOMIC_RELAXED);
	if (special & HP_REF_STORE)
		take_store(v, i->c, i->object, i->to[k]);
	if (!(special & HP_REF_UP))
		return true;
	if (withdraw(v, i->object, i->to[k]))
		i->withdrew = true;
	return false;
}

/* Reference K of I counts if only I refers to its target. */
static void enter_single(const struct visit *v, const struct instance *i,
			 uint64_t k)
{
	const struct hp_referrers *r = &v->w->referrers;
	const struct hp_waste_ref *ref = ref_of(i, k);
	const uint32_t to = i->to[k];

	if (to == HP_NONE || (special_of(ref) & HP_REF_UP) ||
	    !hp_waste_is_asked(v->w, to) || hp_bit(r->several, to) ||
	    r->of_single[to] != i->object + 1)
		return;
	hp_referrers_enter(r, to, hp_referrer_field(ref->referrer));
}

/*
 * Several references of I may lead to an object to which nothing else refers. Where
 * the batch does not say which of them counts: the first that leads down, but that
 * of a string to its characters before all others.
 */
static void settle(struct visit *v, const struct instance *i)
{
	flush(v);
	for (uint64_t k = i->count; k-- > 0;)
		enter_single(v, i, k);
	for (uint64_t k = 0; i->c->role == HP_ROLE_STRING && k < i->count; k++)
		if (special_of(ref_of(i, k)) & HP_REF_STORE)
			enter_single(v, i, k);
}

/* From the last one to the first, which is written last. */
static inline void take_references(struct visit *v, struct instance *i,
				   const bool inside)
{
	unsigned count = v->count;

	for (uint64_t k = i->count; k-- > 0;) {
		struct hp_waste_ref *ref = ref_of(i, k);
		unsigned special = special_of(ref);

		if (special && !take_special(v, i, k, ref, special))
			continue;
		count = offer(v, count, i->object, i->to[k],
			      hp_referrer_of(ref->referrer, i->object), inside);
	}
	v->count = count;
	if (i->withdrew || (i->c->role == HP_ROLE_STRING && i->count > 1))
		settle(v, i);
}

static inline void take_instance(struct visit *v,
				 const struct hp_waste_class *c,
				 uint32_t object, const uint32_t *to,
				 uint64_t count)
{
	const uint8_t *field = v->field + (to - v->target);
	const bool has_class = count && field[count - 1] == HP_FIELD_CLASS;
	struct instance i = { c, object, to, field, count - has_class, false };

	/* Something else may have the id of a class that is not in the dump. */
	if (has_class && !c->of->own)
		i.withdrew = withdraw(v, object, to[count - 1]);
	if (hp_role_is_inside(c->role))
		take_references(v, &i, true);
	else
		take_references(v, &i, false);
}

/* Behind the elements there may be the class, or what has its id. */
static inline void take_array(struct visit *v, struct hp_row_array *row,
			      const uint32_t *to, uint64_t count)
{
	const uint32_t object = row->object, present = row->present;
	const uint64_t referrer =
		hp_referrer_make(HP_REFERRER_OTHER, object, 0);
	const uint32_t last = count > present ? to[count - 1] : HP_NONE;
	unsigned collected = v->count;

	if (present)
		row->first = to[0];
	for (uint32_t k = 0; k < present; k++)
		collected = offer(v, collected, object, to[k], referrer, true);
	v->count = collected;
	if (!withdraw(v, object, last))
		return;
	for (uint32_t k = 0; k < present; k++)
		if (to[k] == last)
			hp_referrers_enter(&v->w->referrers, last, 0);
}

/* What an array is its kind does not say if its class came too late for that. */
static inline void take_object(struct visit *v, uint32_t object,
			       const uint32_t *to, uint64_t count)
{
	struct hp_waste *w = v->w;
	const uint32_t kind = hp_edges_kind(v->edges, object);
	const size_t row = hp_kind_row(kind);

	PASS(v->row, v->row_end, v->row->object);
	if (v->row != v->row_end && v->row->object == object) {
		take_array(v, v->row, to, count);
	} else if (!hp_kind_is_class(kind) && w->classes[row].of) {
		take_instance(v, &w->classes[row], object, to, count);
	} else {
		for (uint64_t k = 0; k < count; k++)
			withdraw(v, object, to[k]);
	}
}

/* ---- all objects --------------------------------------------------------- */

struct following {
	struct hp_waste *w;
	const struct hp_build *build;
	const struct hp_edges *edges;
};

static struct hp_waste_thread *take_thread(struct hp_waste *w)
{
	struct hp_waste_thread *t = w->threads;

	pthread_mutex_lock(&w->lock);
	while (t->busy)
		t++;
	t->busy = true;
	pthread_mutex_unlock(&w->lock);
	return t;
}

static void leave_thread(struct hp_waste_thread *t)
{
	hp_notes_move(t);
	pthread_mutex_lock(&t->w->lock);
	t->busy = false;
	pthread_mutex_unlock(&t->w->lock);
}

/* NEXT up to END become the items of LIST from that of the object BEGIN on. */
#define FIND_ITEMS(list, key, begin, next, end)                                \
	do {                                                                   \
		size_t first;                                                  \
                                                                               \
		HP_LOWER_BOUND(&first, (list)->count,                          \
			       (list)->items[hp_at].key < (begin));            \
		(next) = (end) = (list)->items;                                \
		if (!(list)->items)                                            \
			break; /* there is nothing to add to */                \
		(next) += first;                                               \
		(end) += (list)->count;                                        \
	} while (0)

static void find_items(struct visit *v, uint32_t begin)
{
	struct hp_waste *w = v->w;

	FIND_ITEMS(&w->rows, object, begin, v->row, v->row_end);
	FIND_ITEMS(&w->seen, object, begin, v->seen, v->seen_end);
	FIND_ITEMS(&w->wide, string, begin, v->wide, v->wide_end);
}

/* A block that WALK has entered. */
static void visit_block(struct visit *v, struct hp_edge_walk *walk,
			uint32_t first)
{
	const uint8_t *degree = walk->degree + first;
	const uint64_t begin = walk->at;
	struct hp_block_sums sums;

	walk->at += hp_block_sums_find(&sums, degree);
	for (uint64_t left = hp_block_nonzero(degree); left; left &= left - 1) {
		const unsigned i = (unsigned)hp_bit_lowest(left);

		take_object(v, first + i,
			    v->target + begin + hp_block_sums_before(&sums, i),
			    degree[i]);
	}
}

/* The objects from FIRST up to END, at most 64. */
static void visit_each(struct visit *v, struct hp_edge_walk *walk,
		       uint32_t first, uint32_t end)
{
	const uint32_t *to = NULL;

	for (uint32_t i = first; i < end; i++) {
		uint64_t count = hp_edge_walk_next(walk, i, &to);

		if (count)
			take_object(v, i, to, count);
	}
}

static void visit_part(void *user, struct hp_edge_partition *part)
{
	const struct following *f = user;
	struct hp_waste *w = f->w;
	struct visit v = { .w = w,
			   .edges = f->edges,
			   .thread = take_thread(w),
			   .target = f->edges->target.at,
			   .field = w->notes.field.at,
			   .asked = w->asked,
			   .several = w->referrers.several };
	struct hp_edge_walk walk = part->walk;
	uint32_t n;

	find_items(&v, part->begin);
	for (uint32_t i = part->begin; i < part->end; i += n) {
		n = part->end - i < HP_EDGE_BLOCK ? part->end - i
						  : HP_EDGE_BLOCK;
		hp_build_trim_memory(f->build, i);
		if (i % HP_TRIM_INTERVAL == 0)
			hp_notes_trim_memory(w);
		if (hp_edge_walk_enter_block(&walk, i, part->end))
			visit_block(&v, &walk, i);
		else
			visit_each(&v, &walk, i, i + n);
	}
	flush(&v);
	leave_thread(v.thread);
}

/* ---- before and after ---------------------------------------------------- */

/* Which reference of each class is that to its referent, if that does not hold. */
static void find_left_out(struct hp_waste *w, unsigned hold)
{
	for (size_t row = 0; row < w->class_count; row++) {
		struct hp_waste_class *c = &w->classes[row];

		c->left_out = UINT32_MAX;
		if (!c->of || c->of->referent == UINT32_MAX ||
		    hp_class_holds(c->of, hold))
			continue;
		for (uint32_t k = 0; k < c->of->ref_count; k++)
			if (c->of->refs[k] == c->of->referent)
				c->left_out = k;
	}
}

enum hprof_status hp_waste_find_referrers(struct hp_waste *w,
					  const struct hp_build *build,
					  const struct hp_edges *edges,
					  unsigned hold)
{
	struct following following = { w, build, edges };
	struct hp_build noted = *build;
	struct hp_edge_partitions parts;

	/* There is a state for each thread that has noted something. */
	noted.threads = w->thread_count;
	HP_TRY(hp_referrers_make(w, &noted, edges));
	/* Hardly ever more than one for each reference. */
	HP_WASTE_RESERVE(w, &w->offers,
			 edges->target_count + edges->apart_count);
	if (hp_edge_partitions_make(&parts, edges, noted.threads) != HPROF_OK)
		return hp_no_memory(w->error);
	find_left_out(w, hold);
	hp_edge_partitions_run(&noted, &parts, visit_part, &following);
	hp_edge_partitions_done(&parts);
	return hp_notes_failure(w, w->error);
}

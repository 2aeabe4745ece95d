/* SPDX-License-Identifier: MIT */
/*
 * class_chain.c - what follows from a class and its superclasses together.
 *
 * A chain of them may be as long as the file likes, and each class of it may
 * be asked for. So no way up is gone twice: each class on it gets a short cut
 * to its end, and the sum of what lies between. From a pipe classes come one
 * by one; then a chain ends at a class that is not known yet, and goes on
 * from there once it is.
 */
#include <string.h>

#include "convert/convert.h"

/* ---- sizes, and rings ---------------------------------------------------- */

/*
 * From K to the end of the short cuts, and the sum of it. NULL: that is the
 * end of the chain; else a class without CLASS_DUMP, or in a ring.
 */
static struct hp_cv_class *climb(struct hp_convert *c, struct hp_cv_class *k,
				 struct hp_cv_sum *ret)
{
	uint64_t walk = ++c->model.walks;

	*ret = (struct hp_cv_sum){ 0 };
	while (k && k->dumped && !k->ring) {
		if (k->walk == walk) {
			k->ring = true;
			break;
		}
		k->walk = walk;
		ret->bytes += k->sum.bytes;
		ret->refs += k->sum.refs;
		k = k->top;
	}
	return k;
}

static void shorten(struct hp_cv_class *k, struct hp_cv_class *end,
		    struct hp_cv_sum sum)
{
	while (k != end) {
		struct hp_cv_sum own = k->sum;
		struct hp_cv_class *top = k->top;
		k->sum = sum;
		k->top = end;
		k->ring = end && end->ring;
		sum.bytes -= own.bytes;
		sum.refs -= own.refs;
		k = top;
	}
}

static struct hp_cv_class *find_end(struct hp_convert *c,
				    struct hp_cv_class *k,
				    struct hp_cv_sum *ret)
{
	struct hp_cv_class *end = climb(c, k, ret);

	shorten(k, end, *ret);
	return end;
}

uint64_t hp_cv_data_size(struct hp_convert *c, struct hp_cv_class *k,
			 unsigned id_size)
{
	struct hp_cv_sum sum;
	const struct hp_cv_class *end = find_end(c, k, &sum);

	return end ? 0 : sum.bytes + sum.refs * id_size;
}

bool hp_cv_in_ring(struct hp_convert *c, struct hp_cv_class *k)
{
	struct hp_cv_sum sum;
	const struct hp_cv_class *end = find_end(c, k, &sum);

	return end && end->ring;
}

/* ---- fields -------------------------------------------------------------- */

static bool has_none(const struct hp_cv_class *k)
{
	return k && k->dumped && k->field_count == 0;
}

struct hp_cv_class *hp_cv_next_level(struct hp_convert *c,
				     struct hp_cv_class *k)
{
	struct hp_cv_class *at = k->up, *end = k->up, *up;
	uint64_t walk;

	if (!has_none(end))
		return end;
	walk = ++c->model.walks;
	while (has_none(end) && end->walk != walk) {
		end->walk = walk;
		end = end->up;
	}
	if (has_none(end))
		end = NULL; /* a ring */
	k->up = end;
	for (; at != end; at = up) {
		up = at->up;
		at->up = end;
	}
	return end;
}

/* ---- references ---------------------------------------------------------- */

static bool is_named_reference(struct hp_convert *c,
			       const struct hp_cv_class *k)
{
	char name[32];

	hp_cv_class_name(c, k, name, sizeof name);
	return strcmp(name, "java.lang.ref.Reference") == 0;
}

static struct hp_cv_class *super_of(struct hp_convert *c,
				    const struct hp_cv_class *k)
{
	return k->super_id ? hp_cv_class(c, k->super_id, false) : NULL;
}

bool hp_cv_is_reference(struct hp_convert *c, struct hp_cv_class *k)
{
	uint64_t walk = ++c->model.walks;
	struct hp_cv_class *end = k;
	bool is_one = false;

	while (end && end->walk != walk && !end->sought && !is_one) {
		end->walk = walk;
		is_one = is_named_reference(c, end);
		if (!is_one)
			end = super_of(c, end);
	}
	is_one = is_one || (end && end->sought && end->is_reference);
	for (; k && !k->sought; k = k == end ? NULL : super_of(c, k)) {
		k->sought = true;
		k->is_reference = is_one;
	}
	return is_one;
}

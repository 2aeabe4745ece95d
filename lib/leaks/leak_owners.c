/* SPDX-License-Identifier: MIT */
/*
 * leak_owners.c - see leak_owners.h.
 *
 * The nearest object of the program on the path is often a wrapper that it has many of, a
 * buffer or a session. If several suspects are held alike by that, who has the wrapper
 * says more. The owners of all that are alike move up together, so that their headlines
 * still can be compared; where that leads to no difference, they stay.
 */
#include "leaks/leak_owners.h"

#include "base/same_text.h"
#include "leaks/leak_subject.h"

enum { LEAKS_MOST = 100 }; /* the largest; the others stay as they are */

struct alike {
	size_t of[LEAKS_MOST]; /* numbers of leaks */
	size_t owner[LEAKS_MOST];
	size_t count;
};

/* ---- comparison ---------------------------------------------------------- */

static bool has_owner(const struct hprof_leak *leak)
{
	return leak->path_count && leak->kind != HPROF_LEAK_THREADS &&
	       leak->kind != HPROF_LEAK_LOADERS &&
	       leak->owner_step != SIZE_MAX && leak->subject_step != SIZE_MAX;
}

static bool is_same_step(const struct hprof_path_step *a,
			 const struct hprof_path_step *b)
{
	return a->edge == b->edge && hp_same_text(a->field, b->field) &&
	       hp_same_text(a->key, b->key) &&
	       hp_same_text(a->local_class, b->local_class) &&
	       hp_same_text(a->local_field, b->local_field);
}

/* Whether the owners of A and B hold them alike. */
static bool is_alike(const struct hprof_leak *a, const struct hprof_leak *b)
{
	const struct hprof_path_step *from = a->paths[0].steps + a->owner_step;
	const struct hprof_path_step *other = b->paths[0].steps + b->owner_step;
	size_t count = a->subject_step - a->owner_step;

	if (b->subject_step - b->owner_step != count ||
	    !hp_same_text(from->held.class_name, other->held.class_name) ||
	    !hp_same_text(from[count].held.class_name,
			  other[count].held.class_name))
		return false;
	for (size_t i = 1; i <= count; i++)
		if (!is_same_step(&from[i], &other[i]))
			return false;
	return true;
}

static void find_alike(const struct hprof_leak *leaks, size_t first,
		       size_t count, struct alike *ret)
{
	ret->count = 0;
	for (size_t i = first; i < count; i++) {
		if (!has_owner(&leaks[i]) ||
		    !is_alike(&leaks[first], &leaks[i]))
			continue;
		ret->of[ret->count] = i;
		ret->owner[ret->count++] = leaks[i].owner_step;
	}
}

/* ---- the way up ---------------------------------------------------------- */

/* Whether each of ALIKE has a further owner, which it has then. */
static bool move_up(const struct hp_look *look, struct hprof_leak *leaks,
		    const struct alike *alike)
{
	for (size_t i = 0; i < alike->count; i++) {
		struct hprof_leak *leak = &leaks[alike->of[i]];

		leak->owner_step = hp_leak_owner_step(look, &leak->paths[0],
						      leak->owner_step);
		if (leak->owner_step == SIZE_MAX)
			return false;
	}
	return true;
}

static bool differ(const struct hprof_leak *leaks, const struct alike *alike)
{
	for (size_t i = 1; i < alike->count; i++)
		if (!is_alike(&leaks[alike->of[0]], &leaks[alike->of[i]]))
			return true;
	return false;
}

void hp_leak_owners_tell_apart(const struct hp_look *look,
			       struct hprof_leak *leaks, size_t count)
{
	struct alike alike;

	if (count > LEAKS_MOST)
		count = LEAKS_MOST;
	for (size_t i = 0; i < count; i++) {
		bool apart = false, moved = true;

		if (!has_owner(&leaks[i]))
			continue;
		find_alike(leaks, i, count, &alike);
		while (alike.count > 1 && moved && !apart) {
			moved = move_up(look, leaks, &alike);
			apart = moved && differ(leaks, &alike);
		}
		for (size_t k = 0; k < alike.count && !apart; k++)
			leaks[alike.of[k]].owner_step = alike.owner[k];
	}
}

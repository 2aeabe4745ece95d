/* SPDX-License-Identifier: MIT */
/*
 * check_objects.c - checks classes, sizes and references of instances and
 * arrays.
 */
#include "check/check.h"
#include "base/wire.h"

/* Counts an instance whose class, or a superclass of it, is not known yet. */
static void note_unlaid(struct hp_check *c, struct hp_kclass *k,
			uint64_t offset)
{
	if (c->pass != HP_PASS_ALL)
		return;
	if (k->unlaid++ == 0) {
		k->unlaid_offset = offset;
		k->early = !k->link.dumped;
	}
}

/* True if the first pass has already checked this instance. */
static inline bool is_done(const struct hp_check *c, const struct hp_kclass *k,
			   uint64_t offset)
{
	return c->pass == HP_PASS_LATE && offset >= k->laid_offset;
}

static inline void note_size(const struct hp_check *c, struct hp_kclass *k,
			     uint32_t size, uint64_t offset)
{
	if (size == k->size || k->partial || c->pass == HP_PASS_LOCATE)
		return;
	if (k->bad_size++ == 0 || offset < k->bad_offset)
		k->bad_offset = offset;
}

struct hp_kclass *hp_check_instance(struct hp_check *c, uint64_t offset,
				    uint64_t class_id, const uint8_t *data,
				    uint32_t size)
{
	struct hp_kclass *k = hp_check_class(c, class_id);
	unsigned z = c->id_size;

	if (!k) {
		c->stray_instances += c->pass == HP_PASS_ALL;
		return NULL;
	}
	if (!k->has_instances) {
		k->has_instances = true;
		k->first_instance = offset;
	}
	if (!k->laid_out && !hp_check_layout(c, k)) {
		note_unlaid(c, k, offset);
		return NULL;
	}
	if (is_done(c, k, offset))
		return NULL;
	if (c->pass == HP_PASS_ALL && offset < k->laid_offset)
		k->laid_offset = offset;
	note_size(c, k, size, offset);
	if (c->pass == HP_PASS_ALL && !k->partial)
		k->common_size = k->size + 1;
	for (uint32_t i = 0; data && i < k->ref_count; i++)
		if ((uint64_t)k->refs[i] + z <= size)
			hp_check_refer(c, hp_get_id(data + k->refs[i], z),
				       offset, "an instance", class_id);
	return k;
}

/* The class of an array must be an array class (Q23). */
static void note_array_class(struct hp_check *c, uint64_t class_id,
			     uint64_t offset)
{
	struct hp_kclass *k = hp_check_class(c, class_id);

	if (!k || k->has_arrays)
		return;
	k->has_arrays = true;
	k->first_array = offset;
}

void hp_check_obj_array(struct hp_check *c, uint64_t offset, uint64_t class_id,
			const uint8_t *elements, uint32_t n)
{
	unsigned z = c->id_size;

	if (c->pass == HP_PASS_LATE)
		return;
	if (c->pass == HP_PASS_LOCATE) {
		hp_check_refer(c, class_id, offset, "an array", 0);
	} else if (class_id) {
		note_array_class(c, class_id, offset);
		hp_id_marks_refer(&c->ids, class_id);
	}
	for (uint32_t i = 0; elements && i < n; i++)
		hp_check_refer(c, hp_get_id(elements + (size_t)i * z, z),
			       offset, "an array", class_id);
}

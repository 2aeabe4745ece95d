/* SPDX-License-Identifier: MIT */
/*
 * instance_sizes.c - see instance_sizes.h.
 *
 * The dump does not show all that makes an object large: fields that HotSpot
 * injects into some of its own classes, and the padding around @Contended
 * fields, which subclasses inherit. So classes are gone through with supers
 * first, and of each one is known where its fields end, by the rules or by what
 * was measured.
 *
 * The distance from an object to the next is an upper bound of its size. A
 * smaller one than the rules say refutes them. A larger one may be a gap,
 * where an object was that is not in the dump, and even most instances of a
 * class may agree on it: CMS keeps objects of two words three words apart, and
 * where one thing is made, garbage of one size was made beside it. So the
 * excess counts only if most instances agree and if it is what the JVM can have
 * added: padding to any class, fields to some of its own.
 */
#include "layout/instance_sizes.h"

#include <assert.h>

#include "base/mem.h"
#include "layout/hotspot_layout.h"

enum {
	PADDING = 128, /* on each side, -XX:ContendedPaddingWidth */
	INJECTED = 24, /* bytes that are injected into a class, at most */
	SEVERAL = 4    /* instances whose distances agree, at least */
};

/* Where the fields of a class end. */
struct place {
	uint64_t end;  /* of an instance, before alignment */
	uint64_t last; /* of the last field, if PADDED */
	bool padded;   /* something in it or in a superclass is @Contended */
};

/* ---- by the rules -------------------------------------------------------- */

static bool has_fields(const struct hp_fields *f)
{
	return f->refs || f->n1 || f->n2 || f->n4 || f->n8;
}

/*
 * Since JDK 15 the fields of a class that inherits padding begin behind as
 * much again, whether or not the superclass itself ends with it.
 */
static void append_padded(const struct hp_fields *own,
			  const struct hp_object_layout *l, struct place *p)
{
	p->end = p->last + PADDING;
	if (has_fields(own))
		p->end = p->last =
			hp_object_layout_append(own, l, false, p->end);
}

static struct place place_by_rule(const struct hp_class_table *c, uint32_t i,
				  const struct hp_object_layout *l,
				  const struct place *super)
{
	struct hp_fields own = hp_hotspot_fields(c, i);
	unsigned contended = hp_hotspot_contended(c, i, &own);
	struct place p = *super;

	if (p.padded && l->packing == HP_FILLED)
		append_padded(&own, l, &p);
	else if (has_fields(&own))
		p.end = hp_hotspot_keeps_order(c, i, l)
				? hp_object_layout_append(&own, l, true, p.end)
				: hp_object_layout_end(&own, l, p.end);
	if (contended) {
		p.last = hp_align_up(p.end + PADDING, 8) + contended;
		p.end = p.last + PADDING;
		p.padded = true;
	}
	return p;
}

/* ---- as measured --------------------------------------------------------- */

static bool most_agree(const struct hp_slot *slot)
{
	return (slot->alike[0] >= SEVERAL &&
		slot->alike[0] >= slot->count / 2) ||
	       (slot->alike[1] >= SEVERAL &&
		slot->alike[1] >= slot->sampled / 2);
}

/*
 * True if @Contended explains MORE bytes: padding before and behind each group
 * of fields, and what aligns these.
 */
static bool is_padding(uint64_t more, unsigned alignment)
{
	const uint64_t paddings = (more + alignment) / PADDING;

	return paddings >= 2 &&
	       more <= paddings * PADDING + hp_align_up(INJECTED, alignment);
}

/*
 * What can have been added to a class that RULE gives a size, if most instances
 * agree. Hardly any garbage is as small as one word, so this is a gap among
 * fields that the rules do not know; but CMS keeps at least three words apart.
 */
static uint64_t most_added(const struct hp_class_table *c,
			   const struct hp_object_layout *l, bool injected,
			   uint64_t rule)
{
	if (injected)
		return hp_align_up(INJECTED, l->alignment);
	return rule >= 3 * c->id_size ? 8 : 0;
}

/* Takes the measured size of class I instead of RULE; false if it is none. */
static bool take_measured(const struct hp_class_table *c, uint32_t i,
			  const struct hp_object_layout *l, uint64_t least,
			  struct place *p)
{
	const struct hp_slot *slot = c->rows[i].instances;
	const uint64_t rule = hp_align_up(p->end, l->alignment);

	if (!slot || slot->slack == HP_NO_SLACK || slot->slack < (int64_t)least)
		return false;
	const uint64_t size = (uint64_t)slot->slack;
	if (size % l->alignment != 0)
		return false;
	if (size == rule)
		return true;
	if (size < rule) {
		p->padded = p->padded && rule - size < PADDING;
		p->end = size;
		return true;
	}
	const unsigned quirks = hp_hotspot_quirks(c, i);
	const bool agreed = most_agree(slot);
	if (!agreed && !(quirks & HP_CONTENDED))
		return false;
	if (is_padding(size - rule, l->alignment)) {
		*p = (struct place){ size, size - PADDING, true };
		return true;
	}
	if (!agreed ||
	    size - rule > most_added(c, l, quirks & HP_INJECTED, rule))
		return false;
	p->end += size - rule;
	return true;
}

enum hprof_status hp_instance_sizes(struct hp_class_table *c,
				    const struct hp_object_layout *l,
				    bool measured, const uint64_t *ends)
{
	const struct place header = { .end = l->header };
	struct place *places = hp_calloc(c->count + 1, sizeof *places);

	if (!places)
		return HPROF_E_NOMEM;
	for (size_t k = 0; k < c->count; k++) {
		const uint32_t i = c->order[k];
		struct hp_class *row = &c->rows[i];
		if (!row->complete)
			continue;
		assert(row->super == HP_NO_CLASS || places[row->super].end);
		places[i] = place_by_rule(c, i, l,
					  row->super == HP_NO_CLASS
						  ? &header
						  : &places[row->super]);
		row->measured =
			measured &&
			take_measured(c, i, l,
				      hp_align_up(ends[i], l->alignment),
				      &places[i]);
		row->instance = hp_align_up(places[i].end, l->alignment);
	}
	hp_free(places);
	return HPROF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * instance_sizes.c - see instance_sizes.h.
 *
 * The dump does not show everything that contributes to the size of an object:
 * HotSpot injects fields into some of its own classes, and puts padding around
 * @Contended fields, which subclasses inherit. So classes are processed after
 * their superclasses, and for each it is determined, by the rules or by
 * measurement, where its fields end.
 *
 * The distance from an object to the next is an upper bound of its size. A
 * distance smaller than the rules predict refutes them. A larger one may
 * include a gap left by an object that is not in the dump, and even most
 * instances of a class may have the same gap: CMS keeps objects of two words
 * three words apart, and code that creates an object may always create garbage
 * of the same size beside it. So the excess counts only if most instances agree
 * and if it is something that the JVM can have added: padding to any class,
 * fields to some of its own.
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

/* The end of the fields of a class. */
struct place {
	uint64_t end;  /* of an instance, before alignment */
	uint64_t last; /* end of the last field, if PADDED */
	bool padded;   /* it or a superclass has something @Contended */
};

/* ---- by the rules -------------------------------------------------------- */

static bool has_fields(const struct hp_fields *f)
{
	return f->refs || f->n1 || f->n2 || f->n4 || f->n8;
}

/*
 * From JDK 15 on, the fields of a class that inherits padding begin after as
 * much padding again, whether or not the superclass itself ends with it.
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
 * True if @Contended explains MORE bytes: padding before and after each group
 * of fields, and the alignment of these.
 */
static bool is_padding(uint64_t more, unsigned alignment)
{
	const uint64_t paddings = (more + alignment) / PADDING;

	return paddings >= 2 &&
	       more <= paddings * PADDING + hp_align_up(INJECTED, alignment);
}

/*
 * The bytes that can have been added to a class whose size is RULE by the
 * rules, if most instances agree. Hardly any garbage is as small as one word,
 * so one word is a gap among fields that the rules do not know; but CMS keeps
 * objects at least three words apart.
 */
static uint64_t most_added(const struct hp_class_table *c,
			   const struct hp_object_layout *l, bool injected,
			   uint64_t rule)
{
	if (injected)
		return hp_align_up(INJECTED, l->alignment);
	return rule >= 3 * c->word ? 8 : 0;
}

/*
 * Takes the measured size of class I instead of RULE; false if there is none.
 */
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

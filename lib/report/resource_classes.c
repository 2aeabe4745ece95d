/* SPDX-License-Identifier: MIT */
/* resource_classes.c - see resource_classes.h. */
#include "report/resource_classes.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/u64_map.h"
#include "report/resource_forms.h"

enum { UNSEEN = HP_NO_RESOURCE - 2, ON_THE_WAY = HP_NO_RESOURCE - 1 };

struct classes {
	const struct hprof_summary *summary;
	struct hp_u64_map rows; /* by class id */
	uint8_t *form;		/* of each row */
};

static size_t superclass(const struct classes *c, size_t row)
{
	uint64_t id = c->summary->class_rows[row].super_id;

	return id ? hp_u64_map_number(&c->rows, id) : SIZE_MAX;
}

static uint8_t named(const struct hprof_class_row *row)
{
	for (size_t i = 0; row->name && i < hp_resource_form_count; i++)
		if (!strcmp(row->name, hp_resource_forms[i].class_name))
			return (uint8_t)i;
	return UNSEEN;
}

/* Each class is passed twice at most, circles of superclasses included. */
static void inherit(struct classes *c, size_t row)
{
	uint8_t form = HP_NO_RESOURCE;
	size_t at = row;

	for (; at != SIZE_MAX && c->form[at] == UNSEEN; at = superclass(c, at))
		c->form[at] = ON_THE_WAY;
	if (at != SIZE_MAX && c->form[at] != ON_THE_WAY)
		form = c->form[at];
	for (at = row; at != SIZE_MAX && c->form[at] == ON_THE_WAY;
	     at = superclass(c, at))
		c->form[at] = form;
}

static enum hprof_status fill(struct classes *c)
{
	const struct hprof_summary *summary = c->summary;

	for (size_t i = 0; i < summary->class_count; i++) {
		const struct hprof_class_row *row = &summary->class_rows[i];

		c->form[i] = named(row);
		if (row->class_id &&
		    hp_u64_map_put_number(&c->rows, row->class_id, i) !=
			    HPROF_OK)
			return HPROF_E_NOMEM;
	}
	for (size_t i = 0; i < summary->class_count; i++)
		inherit(c, i);
	c->form[summary->class_count] = HP_NO_RESOURCE;
	return HPROF_OK;
}

uint8_t *hp_resource_classes(const struct hprof_summary *summary)
{
	struct classes c = { .summary = summary };

	assert(hp_resource_form_count < UNSEEN);
	if (hp_u64_map_init(&c.rows, 1) != HPROF_OK)
		return NULL;
	c.form = hp_calloc(summary->class_count + 1, 1);
	if (c.form && fill(&c) != HPROF_OK) {
		hp_free(c.form);
		c.form = NULL;
	}
	hp_u64_map_done(&c.rows);
	return c.form;
}

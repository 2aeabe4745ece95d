/* SPDX-License-Identifier: MIT */
/* forms.c - the tables of all collections as one; see forms.h. */
#include "collections/forms.h"

static const struct hp_form_table *const tables[] = {
	&hp_forms_java,
	&hp_forms_languages,
	&hp_forms_libraries,
};

const struct hp_form *hp_form_get(size_t number)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		if (number < tables[i]->count)
			return &tables[i]->forms[number];
		number -= tables[i]->count;
	}
	return NULL;
}

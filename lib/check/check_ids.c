/* SPDX-License-Identifier: MIT */
/*
 * check_ids.c - ids: the name of a class in messages, defined ids, and dangling
 * references. With one bit for each, one pass tells which ids dangle; a second
 * pass finds where.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/check.h"
#include "base/utf8.h"

/* ---- names --------------------------------------------------------------- */

/* Takes only the start of a name, since a file may have names of any length. */
static size_t class_name(const struct hp_name_table *s, uint64_t class_id,
			 char *out, size_t room)
{
	enum { MOST_RAW = 256 };
	const struct hp_string *name =
		hp_name_table_raw_class_name(s, class_id);
	size_t size;

	if (!name)
		return 0;
	size = hprof_class_name_decode(
		name->bytes, name->size < MOST_RAW ? name->size : MOST_RAW, out,
		room);
	return size < room ? size : room;
}

struct hp_class_text hp_check_class_text(const struct hp_check *c,
					 uint64_t class_id)
{
	struct hp_class_text ret;
	char name[256] = "", shown[200];
	size_t size = class_name(&c->symbols, class_id, name, sizeof name);

	hp_text_escape(name, size, shown, sizeof shown);
	if (size)
		snprintf(ret.text, sizeof ret.text, "%s (0x%" PRIx64 ")", shown,
			 class_id);
	else
		snprintf(ret.text, sizeof ret.text, "0x%" PRIx64, class_id);
	return ret;
}

/* ---- references ---------------------------------------------------------- */

void hp_check_locate(struct hp_check *c, uint64_t id, uint64_t offset,
		     const char *what, uint64_t class_id)
{
	bool loaded = hp_known_classes_loaded(&c->symbols.classes, id);
	struct hp_class_text of = hp_check_class_text(c, class_id);

	if (c->located++ >= HP_KEPT_PER_CODE)
		return;
	hp_diag_list_say(
		&c->diagnostics, HPROF_NOTE, HP_DIAG_DANGLING_REFERENCE, offset,
		"%s%s%s refers to %s%s, which is not in the dump", what,
		class_id ? " of class " : "", class_id ? of.text : "",
		loaded ? "class " : "", hp_check_class_text(c, id).text);
}

void hp_check_define(struct hp_check *c, uint64_t id, uint64_t offset)
{
	if (c->pass != HP_PASS_ALL)
		return;
	c->objects++;
	if (id == 0)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_ID_ZERO, offset,
				 "an object with the id 0");
	else if (!hp_id_marks_define(&c->ids, id))
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_DUPLICATE_ID, offset,
				 "object 0x%" PRIx64 " was defined before", id);
}

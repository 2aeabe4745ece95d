/* SPDX-License-Identifier: MIT */
/* life_report.c - see life_report.h. */
#include "agent/profile/life_report.h"

/* Columns of the text: 1, 2, 4, 8 and 16 collections. */
enum { COLUMNS = 5 };

/* ---- text ---------------------------------------------------------------- */

static void put_row(struct text_writer *w, size_t rank,
		    const struct ag_life_row *row, const char *class_name)
{
	text_put(w, "%5u %9u", (uint64_t)rank, row->objects);
	for (unsigned i = 0; i < COLUMNS; i++)
		text_put(w, " %8u", row->survived[i]);
	text_put(w, " %8u %8u %5u %s\n", row->late_garbage, row->live_objects,
		 (uint64_t)row->trace, class_name ? class_name : "?");
}

void ag_life_put_text(struct text_writer *w, const struct ag_life_table *t,
		      const struct ag_life_names *names, uint64_t time_ms)
{
	text_put(w, "LIFE BEGIN (ordered by late garbage, collections = %u) ",
		 t->collections);
	text_put_time(w, time_ms);
	text_put(w, "                       objects that lived through\n");
	text_put(w, " rank allocated        1        2        4        8"
		    "       16  garbage     live trace name\n");
	for (size_t i = 0; i < t->count; i++)
		put_row(w, i + 1, &t->rows[i],
			names->class_name(names->user,
					  t->rows[i].class_number));
	text_put(w, "LIFE END\n");
}

/* ---- JSON ---------------------------------------------------------------- */

static void put_unit(struct text_writer *w, unsigned unit)
{
	static const char digits[] = "0123456789abcdef";
	char text[7] = "\\u";

	for (unsigned i = 0; i < 4; i++)
		text[2 + i] = digits[unit >> (12 - 4 * i) & 15];
	text_put(w, text);
}

/*
 * A string of UTF-8, or of Java's modified form, whose halves of pairs and
 * zeros are written by their numbers. No byte is taken for a directive.
 */
static void put_string(struct text_writer *w, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!text) {
		text_put(w, "null");
		return;
	}
	text_put(w, "\"");
	for (; *p; p++) {
		const char byte[2] = { (char)*p, '\0' };

		if (*p < ' ' || *p == '"' || *p == '\\' || *p == '%')
			put_unit(w, *p);
		else if (p[0] == 0xed && p[1] >= 0xa0 && p[2] >= 0x80) {
			put_unit(w, 0xd000u | (p[1] & 63u) << 6 | (p[2] & 63u));
			p += 2;
		} else if (p[0] == 0xc0 && p[1] == 0x80) {
			put_unit(w, 0);
			p++;
		} else
			text_put(w, byte);
	}
	text_put(w, "\"");
}

static void put_frames(struct text_writer *w, uint32_t trace,
		       const struct ag_life_names *names)
{
	for (uint32_t depth = 0;; depth++) {
		const struct hprof_stack_frame f =
			names->frame(names->user, trace, depth);

		if (!f.method && !f.class_name)
			return;
		text_put(w, depth ? ", {\"class\": " : "{\"class\": ");
		put_string(w, f.class_name);
		text_put(w, ", \"method\": ");
		put_string(w, f.method);
		text_put(w, ", \"source\": ");
		put_string(w, f.source);
		text_put(w, ", \"line\": %d}", (int64_t)f.line);
	}
}

static void put_json_row(struct text_writer *w, const struct ag_life_row *row,
			 const struct ag_life_names *names)
{
	text_put(w, "{\"class\": ");
	put_string(w, names->class_name(names->user, row->class_number));
	text_put(w, ", \"objects\": %u, \"bytes\": %u, \"survived\": [",
		 row->objects, row->bytes);
	for (unsigned i = 0; i < AG_LIFE_ROWS; i++)
		text_put(w, i ? ", %u" : "%u", row->survived[i]);
	text_put(w,
		 "], \"late_garbage\": %u, \"live_objects\": %u, "
		 "\"live_bytes\": %u, \"frames\": [",
		 row->late_garbage, row->live_objects, row->live_bytes);
	put_frames(w, row->trace, names);
	text_put(w, "]}");
}

void ag_life_put_json(struct text_writer *w, const struct ag_life_table *t,
		      const struct ag_life_names *names)
{
	text_put(w,
		 "{\"collections\": %u, \"interval\": %u, \"uncertain\": %u,\n"
		 "\"sites\": [",
		 t->collections, t->interval, t->uncertain);
	for (size_t i = 0; i < t->count; i++) {
		text_put(w, i ? ",\n" : "\n");
		put_json_row(w, &t->rows[i], names);
	}
	text_put(w, "\n]}\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * show_entries.c - what the object that is shown stands for, and its elements
 * or entries if it is a collection.
 *
 * A walk lends the cursor to the library, so the entries are gathered first, as
 * many as are shown, and looked at afterwards.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/cli.h"
#include "tools/common/describe.h"
#include "tools/common/table.h"
#include "tools/common/units.h"
#include "tools/report/show.h"

enum { COUNT_MOST = 1 << 20 }; /* entries, if the collection does not */

/* ---- what it is ---------------------------------------------------------- */

static bool count_one(void *user, const struct hprof_collection_entry *entry)
{
	(void)user;
	(void)entry;
	return true;
}

/*
 * Lists and queues of single links do not know how many elements they have. Those in
 * arrays do, unless the size is a lie.
 */
static void count_entries(const struct show *show, struct hprof_collection *c)
{
	struct hprof_collection_walk walk = { .complete = false };

	if (c->size == HPROF_COLLECTION_UNKNOWN &&
	    c->shape != HPROF_COLLECTION_ARRAY &&
	    hprof_collection_each(show->cursor, c->object, COUNT_MOST,
				  count_one, NULL, &walk) == HPROF_OK &&
	    walk.complete)
		c->size = walk.entries;
}

/* "map, 3 entries, 16 slots"; what is not known is left out. */
static void collection_line(struct show *show, const struct hprof_collection *c)
{
	bool sized = c->size != HPROF_COLLECTION_UNKNOWN;
	bool has_room = c->capacity != HPROF_COLLECTION_UNKNOWN;
	char *size = sized ? show_size_label(c) : NULL;
	char *room =
		has_room ? describe_count(c->capacity, "slot", "slots") : NULL;
	char *line = describe_format(
		"%s%s%s%s%s", show_collection_word(c->kind), sized ? ", " : "",
		sized ? size : "", has_room ? ", " : "", has_room ? room : "");

	show_line(show, "", "collection", line);
	free(line);
	free(room);
	free(size);
}

void show_meaning(struct show *show, uint64_t object)
{
	struct hprof_object at;
	struct show_value value;
	char *brief;

	if (hprof_cursor_seek(show->cursor, object, &at) != HPROF_OK)
		return;
	show_take_value(show, HPROF_TYPE_OBJECT, at.id, &value);
	if (value.is_collection)
		count_entries(show, &value.collection);
	if (value.text) {
		/* text_line has shown it. */
	} else if (show->as_json) {
		show_meaning_json(&show->json, &value);
	} else if (value.boxed || value.plain) {
		brief = show_value_brief(&value);
		printf("%-12s%s\n", "value", brief);
		free(brief);
	} else if (value.is_collection) {
		collection_line(show, &value.collection);
	}
	show_value_done(&value);
}

/* ---- gathering ----------------------------------------------------------- */

struct gathered {
	struct hprof_collection_entry *entries;
	size_t count, room;
};

static bool gather(void *user, const struct hprof_collection_entry *entry)
{
	struct gathered *g = user;

	if (g->count == g->room) {
		g->room = g->room ? 2 * g->room : 64;
		g->entries =
			cli_realloc(g->entries, g->room, sizeof(*g->entries));
	}
	g->entries[g->count++] = *entry;
	return true;
}

/* ---- entries of a map ---------------------------------------------------- */

/* NULL: a set of numbers, or so, has no such part. */
static struct show_value *take_part(const struct show *show, unsigned type,
				    uint64_t bits, struct show_value *room)
{
	if (!type)
		return NULL;
	show_take_value(show, type, bits, room);
	return room;
}

static void part_done(struct show_value *part)
{
	if (part)
		show_value_done(part);
}

static void part_json(struct json *json, const char *key,
		      const struct show_value *part)
{
	if (!part)
		return;
	json_begin_object(json, key, JSON_LINE);
	show_value_json(json, part);
	json_end(json);
}

static void retained_cell(struct table *table, const struct show_value *value)
{
	char size[UNITS_MAX];

	if (value && value->type == HPROF_TYPE_OBJECT &&
	    value->object.object != HPROF_NO_OBJECT)
		table_text(table, units_bytes(value->object.retained, size));
	else
		table_text(table, "");
}

static void put_entry(struct show *show, struct table *table,
		      const struct hprof_collection_entry *entry)
{
	struct show_value rooms[2];
	struct show_value *key =
		take_part(show, entry->key_type, entry->key, &rooms[0]);
	struct show_value *value =
		take_part(show, entry->value_type, entry->value, &rooms[1]);
	char *key_text, *value_text, *line;

	if (show->as_json) {
		json_begin_object(&show->json, NULL, JSON_LINE);
		part_json(&show->json, "key", key);
		part_json(&show->json, "value", value);
		json_end(&show->json);
	} else {
		key_text = key ? show_value_brief(key) : cli_strdup("?");
		value_text = value ? show_value_brief(value) : cli_strdup("?");
		line = describe_format("%s = %s", key_text, value_text);
		retained_cell(table, value);
		table_text(table, line);
		free(line);
		free(value_text);
		free(key_text);
	}
	part_done(key);
	part_done(value);
}

/* ---- elements of the others ---------------------------------------------- */

static void put_element(struct show *show, struct table *table,
			const struct hprof_collection_entry *entry,
			bool numbered)
{
	bool has_value = entry->value_type != 0;
	struct show_value value;
	char *text;

	show_take_value(show, has_value ? entry->value_type : entry->key_type,
			has_value ? entry->value : entry->key, &value);
	if (show->as_json) {
		json_begin_object(&show->json, NULL, JSON_LINE);
		json_number(&show->json, "index", entry->number);
		show_value_json(&show->json, &value);
		json_end(&show->json);
	} else {
		text = numbered
			       ? describe_format("[%" PRIu64 "]", entry->number)
			       : cli_strdup("");
		table_text(table, text);
		free(text);
		retained_cell(table, &value);
		text = show_value_brief(&value);
		table_text(table, text);
		free(text);
	}
	show_value_done(&value);
}

/* ---- the section --------------------------------------------------------- */

/* Says what is left out, and what a damaged or lying collection lacks. */
static void tell_rest(const struct hprof_collection *c,
		      const struct hprof_collection_walk *walk, uint64_t shown)
{
	char found[UNITS_MAX], said[UNITS_MAX];
	bool known = c->size != HPROF_COLLECTION_UNKNOWN;

	if (walk->odd && known && c->size != walk->entries)
		printf("  (its size is %s, but %s were found)\n",
		       units_count(c->size, said),
		       units_count(walk->entries, found));
	else if (walk->odd)
		printf("  (its links are damaged)\n");
	else if (walk->entries > shown && known && c->size > shown)
		printf("  (%s more)\n", units_count(c->size - shown, said));
	else if (walk->entries > shown)
		printf("  (and more)\n");
}

static void put_rows(struct show *show, const struct gathered *g,
		     const struct hprof_collection *c)
{
	static const struct table_column of_map[] = {
		{ "retained", TABLE_RIGHT },
		{ "entry", TABLE_LEFT },
	};
	static const struct table_column of_others[] = {
		{ "", TABLE_RIGHT },
		{ "retained", TABLE_RIGHT },
		{ "element", TABLE_LEFT },
	};
	bool is_map = c->kind == HPROF_COLLECTION_MAP;
	struct table *table =
		table_new(is_map ? of_map : of_others, is_map ? 2 : 3);

	for (size_t i = 0; i < g->count; i++) {
		if (is_map)
			put_entry(show, table, &g->entries[i]);
		else
			put_element(show, table, &g->entries[i],
				    c->kind != HPROF_COLLECTION_SET);
	}
	if (!show->as_json && g->count)
		table_print(table, stdout, 2);
	table_free(table);
}

/*
 * One entry more than is shown is asked for, so that a walk that was cut short
 * has one that is left out.
 */
static bool gather_all(struct show *show, uint64_t object, struct gathered *g,
		       struct hprof_collection_walk *walk)
{
	uint64_t most = show->top ? show->top + 1 : 0;

	if (hprof_collection_each(show->cursor, object, most, gather, g,
				  walk) != HPROF_OK)
		return false;
	if (show->top && g->count > show->top)
		g->count = (size_t)show->top;
	return true;
}

static void begin_section(struct show *show, bool is_map, bool is_empty)
{
	if (is_map)
		show_begin(show, "entries",
			   is_empty ? "no entries" : "entries");
	else
		show_begin(show, "elements",
			   is_empty ? "no elements" : "elements");
}

void show_entries(struct show *show, uint64_t object)
{
	struct hprof_collection_walk walk = { 0 };
	struct hprof_collection c;
	struct gathered g = { 0 };

	if (hprof_collection_open(show->cursor, object, &c) != HPROF_OK ||
	    !gather_all(show, object, &g, &walk)) {
		free(g.entries);
		return;
	}
	begin_section(show, c.kind == HPROF_COLLECTION_MAP, !g.count);
	put_rows(show, &g, &c);
	show_end(show);
	if (show->as_json) {
		json_bool(&show->json, "complete",
			  walk.complete && g.count == walk.entries);
		json_bool(&show->json, "odd", walk.odd);
	} else {
		tell_rest(&c, &walk, g.count);
	}
	free(g.entries);
}

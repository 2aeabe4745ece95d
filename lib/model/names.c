/* SPDX-License-Identifier: MIT */
/*
 * names.c - struct hprof_names: the tables of lib/model for programs that read
 * records one by one.
 */
#include "hprof/names.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "model/class_chain.h"
#include "model/decoded_names.h"

enum {
	FIELDS_MOST = 1 << 16, /* of a layout */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	ALL_FIELDS_MOST = 1 << 17
#else
	ALL_FIELDS_MOST = 1 << 22 /* of all layouts ever made */
#endif
};

struct own_field {
	uint64_t name_id;
	uint8_t type;
};

struct names_class {
	struct hp_class_link link; /* first: see class_chain.h */
	struct hprof_named_class shown;
	struct own_field *fields; /* link.field_count */
	size_t field_room;
	/* NULL, or from the EPOCH of the chains: see hprof_names_layout. */
	struct hprof_named_field *layout;
	size_t layout_count;
	uint64_t epoch;
};

struct hprof_names {
	struct hp_arena arena;
	struct hp_string_table strings;
	struct hp_decoded_names decoded;
	struct hp_known_classes classes; /* of struct names_class */
	struct hp_class_chains chains;
	struct hp_u64_map frames; /* id -> struct hprof_frame */
	size_t fields_left;	  /* out of ALL_FIELDS_MOST */
	unsigned id_size;	  /* of the last CLASS_DUMP */
	bool no_memory;
};

/* ---- life ---------------------------------------------------------------- */

enum hprof_status hprof_names_new(struct hprof_names **ret_names,
				  struct hprof_error *ret_error)
{
	struct hprof_names *names;

	HP_NEED(ret_error, ret_names);
	names = hp_calloc(1, sizeof *names);
	if (!names)
		return hp_no_memory(ret_error);
	if (hp_string_table_init(&names->strings, sizeof(struct hp_string),
				 UINT32_MAX) != HPROF_OK ||
	    hp_decoded_names_init(&names->decoded, &names->strings,
				  &names->arena) != HPROF_OK ||
	    hp_known_classes_init(&names->classes, sizeof(struct names_class),
				  1) != HPROF_OK ||
	    hp_u64_map_init(&names->frames, 3) != HPROF_OK) {
		hprof_names_free(names);
		return hp_no_memory(ret_error);
	}
	hp_class_chains_init(&names->chains, &names->classes);
	names->fields_left = ALL_FIELDS_MOST;
	*ret_names = names;
	return HPROF_OK;
}

void hprof_names_free(struct hprof_names *names)
{
	if (!names)
		return;
	hp_string_table_done(&names->strings);
	hp_decoded_names_done(&names->decoded);
	hp_known_classes_done(&names->classes);
	hp_u64_map_done(&names->frames);
	hp_arena_done(&names->arena);
	hp_free(names);
}

/* ---- records ------------------------------------------------------------- */

/* Updates what is known of OF by now. */
static void refresh(struct hprof_names *names, struct names_class *of)
{
	const struct hp_known_class *known = &of->link.known;
	const struct hp_text *name =
		hp_decoded_class_name(&names->decoded, known->name_id);

	of->shown = (struct hprof_named_class){
		.class_id = known->id,
		.super_id = of->link.super_id,
		.number = known->number,
		.name = name ? name->text : NULL,
		.name_size = name ? name->size : 0,
		.serial = known->serial,
		.dumped = of->link.dumped,
	};
}

/*
 * NULL stays NULL. Once the name is known, only records of the class change
 * anything, and these refresh it; so millions of instances may ask cheaply.
 */
static const struct hprof_named_class *show(struct hprof_names *names,
					    struct names_class *of)
{
	if (of && !of->shown.name)
		refresh(names, of);
	return of ? &of->shown : NULL;
}

/* False without memory; so do those below. */
static bool learn_string(struct hprof_names *names,
			 const struct hprof_utf8 *utf8)
{
	return hp_string_table_take(&names->strings, utf8, NULL) !=
	       HP_STRING_NO_MEMORY;
}

static bool learn_load(struct hprof_names *names,
		       const struct hprof_load_class *load)
{
	struct names_class *of = hp_known_classes_load(&names->classes, load);

	if (of)
		refresh(names, of);
	return of;
}

static bool learn_frame(struct hprof_names *names,
			const struct hprof_frame *frame)
{
	struct hprof_frame *kept =
		hp_u64_map_get(&names->frames, frame->frame_id);

	if (!kept) {
		kept = hp_arena_take(&names->arena, sizeof *kept);
		if (!kept || hp_u64_map_put(&names->frames, frame->frame_id,
					    kept) != HPROF_OK)
			return false;
	}
	*kept = *frame;
	return true;
}

/* The number of fields that the record really has. */
static size_t count_fields(const struct hprof_record *record)
{
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry entry;
	size_t count = 0;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		count++;
	return count;
}

static bool make_field_room(struct hprof_names *names, struct names_class *of,
			    size_t count)
{
	struct own_field *fields;

	if (count <= of->field_room)
		return true;
	fields = hp_arena_take(&names->arena, count * sizeof *fields);
	if (!fields)
		return false;
	if (of->link.field_count)
		memcpy(fields, of->fields,
		       of->link.field_count * sizeof *fields);
	of->fields = fields;
	of->field_room = count;
	return true;
}

static bool learn_class(struct hprof_names *names,
			const struct hprof_record *record)
{
	struct names_class *of = hp_known_classes_add(
		&names->classes, record->u.class_dump.class_id);
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry entry;
	enum hprof_status taken;

	names->id_size = record->id_size;
	if (!of || !make_field_room(names, of, count_fields(record)))
		return false;
	taken = hp_class_chains_dump(&names->chains, &of->link, record,
				     record->id_size);
	for (uint32_t i = 0; taken == HPROF_OK && i < of->link.field_count &&
			     hprof_class_next(&cursor, &entry) == HPROF_OK;
	     i++)
		of->fields[i] = (struct own_field){ entry.name_id, entry.type };
	assert(of->link.field_count <= of->field_room);
	refresh(names, of);
	return taken != HPROF_E_NOMEM;
}

enum hprof_status hprof_names_learn(struct hprof_names *names,
				    const struct hprof_record *record)
{
	bool good = true;

	if (!names || !record)
		return HPROF_E_USAGE;
	switch (record->tag) {
	case HPROF_UTF8:
		good = learn_string(names, &record->u.utf8);
		break;
	case HPROF_LOAD_CLASS:
		good = learn_load(names, &record->u.load_class);
		break;
	case HPROF_FRAME:
		good = learn_frame(names, &record->u.frame);
		break;
	case HPROF_CLASS_DUMP:
		good = learn_class(names, record);
		break;
	default:
		break;
	}
	names->no_memory = names->no_memory || !good;
	return hprof_names_status(names);
}

enum hprof_status hprof_names_status(const struct hprof_names *names)
{
	if (!names)
		return HPROF_E_USAGE;
	return names->no_memory || names->decoded.no_memory ? HPROF_E_NOMEM
							    : HPROF_OK;
}

/* ---- questions ----------------------------------------------------------- */

const char *hprof_names_string(struct hprof_names *names, uint64_t string_id,
			       size_t *ret_size)
{
	const struct hp_text *text =
		names ? hp_decoded_text(&names->decoded, string_id) : NULL;

	if (text && ret_size)
		*ret_size = text->size;
	return text ? text->text : NULL;
}

const struct hprof_named_class *hprof_names_class(struct hprof_names *names,
						  uint64_t class_id)
{
	return names ? show(names,
			    hp_known_classes_get(&names->classes, class_id))
		     : NULL;
}

const struct hprof_named_class *
hprof_names_class_by_serial(struct hprof_names *names, uint32_t class_serial)
{
	/* All items of the table are ours. */
	return names ? show(names,
			    (struct names_class *)hp_known_classes_serial(
				    &names->classes, class_serial))
		     : NULL;
}

const struct hprof_frame *hprof_names_frame(const struct hprof_names *names,
					    uint64_t frame_id)
{
	return names ? hp_u64_map_get(&names->frames, frame_id) : NULL;
}

/* ---- layouts ------------------------------------------------------------- */

static struct names_class *class_of_link(struct hp_class_link *link)
{
	return (struct names_class *)link; /* its first member */
}

static void fill_layout(struct hprof_names *names, struct names_class *of,
			struct hprof_named_field *layout, size_t count)
{
	uint64_t offset = 0;
	size_t n = 0;

	while (n < count) {
		const struct hprof_named_class *shown = show(names, of);

		assert(of && of->link.field_count <= count - n);
		for (uint32_t i = 0; i < of->link.field_count; i++) {
			const struct own_field *own = &of->fields[i];
			struct hprof_named_field *field = &layout[n++];

			*field = (struct hprof_named_field){
				.name_id = own->name_id,
				.declared_by = shown,
				.offset = offset,
				.type = own->type,
			};
			field->name = hprof_names_string(names, own->name_id,
							 &field->name_size);
			offset += hprof_type_size(own->type, names->id_size);
		}
		of = class_of_link(
			hp_class_chain_level(&names->chains, &of->link));
	}
}
/* NULL without memory, or if it must not be made. */
static struct hprof_named_field *
make_layout(struct hprof_names *names, struct names_class *of, size_t count)
{
	struct hprof_named_field *layout;

	if (count > FIELDS_MOST || count >= names->fields_left)
		return NULL;
	names->fields_left -=
		count + 1; /* so that empty layouts are limited, too */
	layout = hp_arena_take(&names->arena, (count + 1) * sizeof *layout);
	if (layout)
		fill_layout(names, of, layout, count);
	else
		names->no_memory = true;
	return layout;
}

bool hprof_names_layout(struct hprof_names *names,
			const struct hprof_named_class *class_of,
			const struct hprof_named_field **ret_fields,
			size_t *ret_count)
{
	struct names_class *of;
	struct hp_field_sum sum;

	if (!names || !class_of)
		return false;
	/* Only the caller's view of it is const. */
	of = (struct names_class *)((char *)(uintptr_t)class_of -
				    offsetof(struct names_class, shown));
	if (!of->layout || of->epoch != names->chains.epoch) {
		if (hp_class_chain_sum(&names->chains, &of->link, &sum) !=
		    HP_CHAIN_WHOLE)
			return false;
		of->layout = make_layout(names, of, (size_t)sum.fields);
		of->layout_count = (size_t)sum.fields;
		of->epoch = names->chains.epoch;
	}
	if (!of->layout)
		return false;
	*ret_fields = of->layout;
	*ret_count = of->layout_count;
	return true;
}

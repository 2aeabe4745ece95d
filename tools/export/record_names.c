/* SPDX-License-Identifier: MIT */
/*
 * record_names.c - see record_names.h.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/export/record_names.h"

/* No class of a compiler comes near; a damaged one must not take more. */
enum { MOST_FIELDS = 65535 };

typedef size_t decode_fn(const void *bytes, size_t size, char *out,
			 size_t room);

static struct record_text *make_text(const void *bytes, size_t size,
				     decode_fn *decode)
{
	size_t length = decode(bytes, size, NULL, 0);
	struct record_text *text = cli_calloc(sizeof(*text) + length + 1, 1);

	text->size = length;
	decode(bytes, size, text->bytes, length);
	return text;
}

/* ---- learning ------------------------------------------------------------ */

static void learn_text(struct record_names *names,
		       const struct hprof_utf8 *utf8)
{
	struct record_text *text;

	if (!utf8->text.data && utf8->text.size)
		return;
	text = make_text(utf8->text.data, (size_t)utf8->text.size,
			 hprof_text_decode);
	free(id_table_put(&names->texts, utf8->string_id, text));
}

static struct record_class *class_of(struct record_names *names, uint64_t id)
{
	struct record_class *of = id_table_get(&names->classes, id);

	if (!of) {
		of = cli_calloc(1, sizeof(*of));
		of->id = id;
		id_table_put(&names->classes, id, of);
	}
	return of;
}

/* Decoded again, since a string may stand for a class and for itself. */
static const struct record_text *class_name(struct record_names *names,
					    uint64_t name_id)
{
	const struct record_text *plain = record_names_text(names, name_id);
	struct record_text *text = id_table_get(&names->names, name_id);

	if (text || !plain)
		return text;
	text = make_text(plain->bytes, plain->size, hprof_class_name_decode);
	id_table_put(&names->names, name_id, text);
	return text;
}

static void learn_load(struct record_names *names,
		       const struct hprof_load_class *load)
{
	struct record_class *of = class_of(names, load->class_id);
	const struct record_text *name = class_name(names, load->name_id);

	if (name)
		of->name = name;
	id_table_put(&names->serials, load->class_serial, of);
}

static void learn_frame(struct record_names *names,
			const struct hprof_frame *frame)
{
	struct record_frame *kept = cli_calloc(1, sizeof(*kept));

	*kept = (struct record_frame){ frame->method_id, frame->signature_id,
				       frame->source_id, frame->class_serial,
				       frame->line };
	free(id_table_put(&names->frames, frame->frame_id, kept));
}

static void learn_class(struct record_names *names,
			const struct hprof_record *record)
{
	const struct hprof_class_dump *dump = &record->u.class_dump;
	struct record_class *of = class_of(names, dump->class_id);
	struct hprof_class_cursor cursor = hprof_class_fields(record);
	struct hprof_class_entry entry;

	names->dumps++;
	if (of->dumped)
		names->round++;
	free(of->fields);
	of->fields = cli_calloc(dump->field_count + 1u, sizeof(*of->fields));
	of->field_count = 0;
	while (of->field_count < MOST_FIELDS &&
	       of->field_count < dump->field_count &&
	       hprof_class_next(&cursor, &entry) == HPROF_OK)
		of->fields[of->field_count++] =
			(struct record_field){ entry.name_id, entry.type };
	of->super_id = dump->super_id;
	of->dumped = true;
}

void record_names_learn(struct record_names *names,
			const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_UTF8:
		learn_text(names, &record->u.utf8);
		break;
	case HPROF_LOAD_CLASS:
		learn_load(names, &record->u.load_class);
		break;
	case HPROF_FRAME:
		learn_frame(names, &record->u.frame);
		break;
	case HPROF_CLASS_DUMP:
		learn_class(names, record);
		break;
	default:
		break;
	}
}

/* ---- asking -------------------------------------------------------------- */

const struct record_text *record_names_text(const struct record_names *names,
					    uint64_t string_id)
{
	return id_table_get(&names->texts, string_id);
}

const struct record_class *record_names_class(const struct record_names *names,
					      uint64_t class_id)
{
	return id_table_get(&names->classes, class_id);
}

const struct record_class *record_names_serial(const struct record_names *names,
					       uint32_t class_serial)
{
	return id_table_get(&names->serials, class_serial);
}

const char *record_names_class_name(const struct record_class *of)
{
	return of && of->name ? of->name->bytes : NULL;
}

/* ---- the end ------------------------------------------------------------- */

static void free_class(void *value)
{
	struct record_class *of = value;

	free(of->fields);
	free(of->layout);
	free(of);
}

void record_names_done(struct record_names *names)
{
	id_table_done(&names->texts, free);
	id_table_done(&names->names, free);
	id_table_done(&names->serials, NULL);
	id_table_done(&names->classes, free_class);
	id_table_done(&names->frames, free);
}

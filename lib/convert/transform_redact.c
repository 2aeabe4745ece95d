/* SPDX-License-Identifier: MIT */
/*
 * transform_redact.c - what is blanked, and what a keep list exempts.
 *
 * Text is: every byte[] and char[], hashes of text in strings and in maps that
 * have strings as keys, and every UTF8 record that is not the name of a class,
 * method, source file or field (JVMs write their whole symbol table, which has
 * the string literals of all classes). Numbers are fields, statics and elements
 * of primitive types. The coder, offset and count of a java.lang.String stay,
 * since its length would change without them. No other field of a string stays:
 * one whose name is damaged, or not known yet, may be the hash.
 */
#include <stdio.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/wire.h"

struct redact {
	struct hp_id_marks kept; /* arrays and strings that are not blanked */
	bool keeps;		 /* kept is in use */
};

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.redact;
}

/* ---- the header ---------------------------------------------------------- */

/*
 * The header's text may contain anything after the part that readers check, so
 * only known versions are written: the one whose start matches.
 */
static void header(struct hp_convert *c, void *state,
		   struct hprof_header *header)
{
	static const char *const known[] = { "JAVA PROFILE 1.0.1",
					     "JAVA PROFILE 1.0.3",
					     "JAVA PROFILE 1.0.2" };
	const size_t last = sizeof known / sizeof *known - 1;
	size_t i = 0;

	(void)c;
	(void)state;
	while (i < last &&
	       strncmp(header->version, known[i], strlen(known[i])) != 0)
		i++;
	strcpy(header->version, known[i]);
}

/* The first record of the result tells what was blanked. */
static enum hprof_status before(struct hp_convert *c, void *state,
				unsigned select)
{
	static const char *const kinds[] = { "", "strings", "primitives",
					     "strings and primitives" };
	const struct hprof_convert_options *o = &c->plan->options;
	char text[100];
	int size = snprintf(text, sizeof text, "REDACTED: %s (%zu kept)",
			    kinds[o->redact & 3], o->keep_count);
	struct hprof_record r = {
		.tag = HPROF_UTF8,
		.u.utf8 = { .string_id = UINT64_MAX >> (64 - 8 * c->plan->to),
			    .text = { (const uint8_t *)text, (uint64_t)size } },
	};

	(void)state;
	return select & HP_CV_NAMES ? hp_cv_emit(c, &r) : HPROF_OK;
}

/* ---- keep lists ---------------------------------------------------------- */

/*
 * Does the pattern of SIZE bytes match TEXT? '*' at its end matches anything.
 */
static bool fits_pattern(const char *pattern, size_t size, const char *text)
{
	if (size && pattern[size - 1] == '*')
		return strncmp(pattern, text, size - 1) == 0;
	return strlen(text) == size && memcmp(pattern, text, size) == 0;
}

/*
 * Is it in the list as CLASS or CLASS#FIELD? With FIELD NULL: the whole class?
 */
static bool is_listed(const struct hp_convert *c, const char *class_name,
		      const char *field)
{
	for (size_t i = 0; i < c->plan->options.keep_count; i++) {
		const char *item = c->plan->options.keep[i];
		const char *hash = strchr(item, '#');
		size_t size = hash ? (size_t)(hash - item) : strlen(item);
		if (!fits_pattern(item, size, class_name))
			continue;
		if (!hash ||
		    (field && fits_pattern(hash + 1, strlen(hash + 1), field)))
			return true;
	}
	return false;
}

static void field_name(struct hp_convert *c, uint64_t name_id, char *out,
		       size_t room)
{
	const struct hp_cv_string *s = hp_cv_string(c, name_id, false);
	size_t size = s && s->string.bytes && s->string.size < room
			      ? s->string.size
			      : 0;

	if (size && hp_cv_is_doubtful(s))
		size = 0;
	if (size)
		memcpy(out, s->string.bytes, size);
	out[size] = '\0';
}

/* ---- classes ------------------------------------------------------------- */

enum { NAME_MOST = 1024 };

static bool is_hash(const char *field)
{
	static const char *const names[] = { "hash", "hash32", "hashCode" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(field, names[i]) == 0)
			return true;
	return false;
}

/* What can be concluded from all fields of a class together. */
struct habits {
	const char *name;  /* name of the class */
	bool has_value;	   /* a reference "value", as strings have it */
	unsigned forms[3]; /* how many fields have each of the names */
};

static const char *const forms[3] = { "coder", "offset", "count" };

/*
 * The fields of a java.lang.String that refer to its text or say how it is
 * stored.
 */
static bool is_form(const struct habits *habits,
		    const struct hp_cv_field *field, const char *name)
{
	if (field->type == HPROF_TYPE_OBJECT)
		return !is_hash(name);
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(name, forms[i]) == 0)
			return habits->forms[i] == 1 &&
			       field->type ==
				       (i ? HPROF_TYPE_INT : HPROF_TYPE_BYTE);
	return false;
}

/*
 * A hash of text outside of strings. If names are missing, any number may be
 * one. The name of java.lang.String may be damaged, but then the names of its
 * fields are not.
 */
static bool may_be_hash(const struct habits *habits,
			const struct hp_cv_field *field, const char *name)
{
	static const char maps[] = "java.util.";

	if (field->type != HPROF_TYPE_INT)
		return false;
	if (!*habits->name)
		return !*name || is_hash(name);
	return is_hash(name) &&
	       (habits->has_value ||
		strncmp(habits->name, maps, sizeof maps - 1) == 0);
}

static struct habits find_habits(struct hp_convert *c,
				 const struct hp_cv_class *k,
				 const char *class_name)
{
	struct habits habits = { .name = class_name };
	char name[NAME_MOST];

	for (uint32_t i = 0; i < k->link.field_count; i++) {
		field_name(c, k->fields[i].name_id, name, sizeof name);
		for (unsigned f = 0; f < 3; f++)
			habits.forms[f] += strcmp(name, forms[f]) == 0;
		if (k->fields[i].type == HPROF_TYPE_OBJECT &&
		    strcmp(name, "value") == 0)
			habits.has_value = true;
	}
	return habits;
}

static void judge_field(struct hp_convert *c, const struct hp_cv_class *k,
			const struct habits *habits, struct hp_cv_field *field)
{
	unsigned redact = c->plan->options.redact;
	char name[NAME_MOST];

	field_name(c, field->name_id, name, sizeof name);
	field->keep = is_listed(c, habits->name, name);
	field->blank = false;
	if (field->keep)
		return;
	if (k->is_string)
		field->blank = !is_form(habits, field, name);
	else if (field->type != HPROF_TYPE_OBJECT)
		field->blank = redact & HPROF_REDACT_PRIMITIVES ||
			       may_be_hash(habits, field, name);
}

static void judge(struct hp_convert *c, void *state, struct hp_cv_class *k)
{
	char name[NAME_MOST];
	struct habits habits;

	(void)state;
	hp_cv_class_name(c, k, name, sizeof name);
	habits = find_habits(c, k, name);
	k->is_string = strcmp(name, "java.lang.String") == 0;
	for (uint32_t i = 0; i < k->link.field_count; i++)
		judge_field(c, k, &habits, &k->fields[i]);
}

/* ---- arrays and statics -------------------------------------------------- */

static bool blanks_static(struct hp_convert *c, void *state, uint64_t class_id,
			  const struct hprof_class_entry *entry)
{
	const struct hp_cv_class *k = hp_cv_class(c, class_id, false);
	char name[NAME_MOST], field[NAME_MOST];

	(void)state;
	if (!(c->plan->options.redact & HPROF_REDACT_PRIMITIVES))
		return false;
	if (!k || c->plan->options.keep_count == 0)
		return true;
	hp_cv_class_name(c, k, name, sizeof name);
	field_name(c, entry->name_id, field, sizeof field);
	return !is_listed(c, name, field);
}

/*
 * Where one bit of a type code is wrong, text is an array of numbers, and what
 * follows it is out of step, which is an error: then no type is believed.
 */
static bool blanks_prims(const struct hp_convert *c, struct redact *m,
			 const struct hprof_prim_array_dump *array)
{
	bool is_text = array->type == HPROF_TYPE_BYTE ||
		       array->type == HPROF_TYPE_CHAR;

	if (array->type == HPROF_TYPE_OBJECT || c->input.damaged)
		return true;
	if (!(c->plan->options.redact &
	      (is_text ? HPROF_REDACT_STRINGS : HPROF_REDACT_PRIMITIVES)))
		return false;
	return !m->keeps || !hp_id_marks_is_defined(&m->kept, array->object_id);
}

/*
 * An array of a class about which nothing is known may be text: if a bit of the
 * tag is wrong, the beginning of the text is taken for the class.
 */
static bool blanks_objects(struct hp_convert *c,
			   const struct hprof_obj_array_dump *array)
{
	const struct hp_cv_class *k = hp_cv_class(c, array->class_id, false);

	return !c->plan->options.repair &&
	       !(k && (k->link.known.loaded || k->link.dumped));
}

static bool blanks_array(struct hp_convert *c, void *state,
			 const struct hprof_record *r)
{
	return r->tag == HPROF_OBJ_ARRAY_DUMP
		       ? blanks_objects(c, &r->u.obj_array_dump)
		       : blanks_prims(c, state, &r->u.prim_array_dump);
}

/* ---- what the listed fields refer to ------------------------------------- */

/*
 * Marks what the kept references among the fields at P refer to; for strings,
 * the array of characters.
 */
static size_t mark_fields(struct hp_convert *c, struct redact *m,
			  const struct hp_cv_class *k, const uint8_t *p,
			  size_t left, bool all)
{
	size_t at = 0;

	for (uint32_t i = 0; i < k->link.field_count; i++) {
		const struct hp_cv_field *field = &k->fields[i];
		unsigned width = hprof_type_size(field->type, c->plan->from);
		if (width > left - at)
			return left;
		if (field->type == HPROF_TYPE_OBJECT && (field->keep || all))
			hp_id_marks_define(&m->kept, hp_get_id(p + at, width));
		at += width;
	}
	return at;
}

static void mark_instance(struct hp_convert *c, struct redact *m,
			  struct hp_cv_class *k, const struct hprof_bytes *data,
			  bool all)
{
	size_t left = (size_t)data->size, n;
	const uint8_t *p = data->data;

	for (; k && k->link.dumped && left > 0; k = hp_cv_next_level(c, k)) {
		hp_cv_know_fields(c, k);
		n = mark_fields(c, m, k, p, left, all);
		p += n;
		left -= n;
	}
}

static void mark_statics(struct hp_convert *c, struct redact *m,
			 const struct hprof_record *r)
{
	const struct hp_cv_class *k =
		hp_cv_class(c, r->u.class_dump.class_id, false);
	struct hprof_class_cursor cursor = hprof_class_statics(r);
	struct hprof_class_entry entry;
	char name[NAME_MOST], field[NAME_MOST];

	if (!k)
		return;
	hp_cv_class_name(c, k, name, sizeof name);
	while (hprof_class_next(&cursor, &entry) == HPROF_OK) {
		if (entry.type != HPROF_TYPE_OBJECT)
			continue;
		field_name(c, entry.name_id, field, sizeof field);
		if (is_listed(c, name, field))
			hp_id_marks_define(&m->kept, entry.value);
	}
}

static enum hprof_status load_and_mark(struct hp_convert *c, struct redact *m,
				       struct hp_cv_class *k,
				       struct hprof_bytes *data, bool all)
{
	bool loaded;

	HP_TRY(hp_cv_load(c, data, &loaded));
	if (loaded && data->size)
		mark_instance(c, m, k, data, all);
	return m->kept.no_memory ? hp_no_memory(c->error) : HPROF_OK;
}

/* The class of an instance if it is in the dump, with its fields judged. */
static struct hp_cv_class *known_class(struct hp_convert *c,
				       const struct hprof_record *r)
{
	struct hp_cv_class *k =
		r->tag != HPROF_INSTANCE_DUMP
			? NULL
			: hp_cv_class(c, r->u.instance_dump.class_id, false);

	if (!k || !k->link.dumped)
		return NULL;
	hp_cv_know_fields(c, k);
	return k;
}

static enum hprof_status mark_listed(struct hp_convert *c, void *state,
				     struct hprof_record *r)
{
	struct hp_cv_class *k = known_class(c, r);

	if (r->tag == HPROF_CLASS_DUMP)
		mark_statics(c, state, r);
	return !k ? HPROF_OK
		  : load_and_mark(c, state, k, &r->u.instance_dump.data, false);
}

static enum hprof_status mark_texts(struct hp_convert *c, void *state,
				    struct hprof_record *r)
{
	struct hp_cv_class *k = known_class(c, r);
	struct redact *m = state;

	if (!k || !k->is_string ||
	    !hp_id_marks_is_defined(&m->kept, r->u.instance_dump.object_id))
		return HPROF_OK;
	return load_and_mark(c, m, k, &r->u.instance_dump.data, true);
}

/*
 * Which strings are kept is known only after a pass. Another one finds their
 * arrays.
 */
static enum hprof_status learnt(struct hp_convert *c, void *state)
{
	struct redact *m = state;

	if (c->plan->options.keep_count == 0)
		return HPROF_OK;
	m->keeps = true; /* from here on it has to be freed */
	if (hp_id_marks_init(&m->kept) != HPROF_OK)
		return hp_no_memory(c->error);
	HP_TRY(hp_cv_pass(c, mark_listed, m));
	return hp_cv_pass(c, mark_texts, m);
}

static enum hprof_status end(struct hp_convert *c, void *state)
{
	(void)state;
	if (!c->input.damaged)
		return HPROF_OK;
	hp_cv_say(c, HPROF_WARNING, HP_DIAG_MORE_REDACTED, HP_NO_OFFSET,
		  c->looked ? "the dump is damaged: all primitive arrays are "
			      "blanked"
			    : "the dump is damaged: all primitive arrays "
			      "behind the first error are blanked, but text "
			      "may stand before it; redact a file, not a pipe");
	c->result.warnings++;
	return HPROF_OK;
}

static void done(struct hp_convert *c, void *state)
{
	struct redact *m = state;

	(void)c;
	if (m->keeps)
		hp_id_marks_done(&m->kept);
}

/* ---- records ------------------------------------------------------------- */

/* A record of an unknown kind may hold anything. */
static bool keeps(struct hp_convert *c, void *state,
		  const struct hprof_record *r)
{
	(void)c;
	(void)state;
	return r->tag >= HPROF_SUB || hprof_record_describe(r->tag);
}

static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	(void)c;
	(void)state;
	(void)ret_gone;
	if (r->tag == HPROF_START_THREAD) /* its name is text as well */
		r->u.start_thread.name_id = r->u.start_thread.group_id =
			r->u.start_thread.parent_id = 0;
	r->rest = (struct hprof_bytes){ 0 };
	return HPROF_OK;
}

const struct hp_transform hp_transform_redact = {
	.name = "redact",
	.state_size = sizeof(struct redact),
	.wanted = wanted,
	.learnt = learnt,
	.header = header,
	.before = before,
	.keeps = keeps,
	.record = record,
	.judge = judge,
	.blanks_array = blanks_array,
	.blanks_static = blanks_static,
	.end = end,
	.done = done,
};

/* SPDX-License-Identifier: MIT */
/*
 * transform_obfuscate.c - renames classes, fields and methods, and writes the
 * old names to a map.
 *
 * Names of the platform stay, since readers look for them: java.lang.String and
 * its field "value". The name of a field is one string for all classes that
 * have a field of that name; it stays if one of these classes belongs to the
 * platform. Each text is replaced by one other text, so the map is a list of
 * pairs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/string_map.h"

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.obfuscate != NULL;
}

/* ---- the platform -------------------------------------------------------- */

static bool starts(const uint8_t *text, size_t size, const char *prefix)
{
	for (size_t i = 0; prefix[i]; i++)
		if (i == size || (text[i] != (uint8_t)prefix[i] &&
				  !(prefix[i] == '.' && text[i] == '/')))
			return false;
	return true;
}

static bool is_platform(const uint8_t *text, size_t size)
{
	static const char *const prefixes[] = { "java.",    "javax.",
						"jdk.",	    "sun.",
						"com.sun.", "android.",
						"dalvik.",  "libcore." };

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (starts(text, size, prefixes[i]))
			return true;
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		const char *name = hprof_type_name(type);
		if (strlen(name) == size && memcmp(name, text, size) == 0)
			return true;
	}
	return size == 4 && memcmp(text, "void", 4) == 0;
}

/*
 * The name of the element class in the name of a class, without "[", "L" and
 * ";".
 */
static struct hprof_bytes base_of(const uint8_t *text, size_t size)
{
	while (size > 2 && memcmp(text + size - 2, "[]", 2) == 0)
		size -= 2;
	if (size && text[0] == '[') {
		while (size && text[0] == '[') {
			text++;
			size--;
		}
		if (size > 2 && text[0] == 'L' && text[size - 1] == ';')
			return (struct hprof_bytes){ text + 1, size - 2 };
		size = 0; /* a primitive type */
	}
	return (struct hprof_bytes){ text, size };
}

static bool is_platform_class(struct hp_convert *c, const struct hp_cv_class *k)
{
	const struct hp_cv_string *s =
		k ? hp_cv_string(c, k->link.known.name_id, false) : NULL;
	struct hprof_bytes base = { 0 };

	if (!s || !s->string.bytes)
		return false;
	base = base_of(s->string.bytes, s->string.size);
	return base.size == 0 || is_platform(base.data, (size_t)base.size);
}

static enum hprof_status learn(struct hp_convert *c, void *state,
			       const struct hprof_record *r)
{
	const struct hprof_frame *frame = &r->u.frame;
	struct hprof_class_cursor cursors[2];
	struct hprof_class_entry entry;
	struct hp_cv_string *s;

	(void)state;
	if (r->tag == HPROF_FRAME &&
	    is_platform_class(c, hp_u64_map_get(&c->model.classes.serials,
						frame->class_serial))) {
		if ((s = hp_cv_string(c, frame->method_id, false)))
			s->uses |= HP_CV_PLATFORM;
		if ((s = hp_cv_string(c, frame->source_id, false)))
			s->uses |= HP_CV_PLATFORM;
	}
	if (r->tag != HPROF_CLASS_DUMP ||
	    !is_platform_class(c,
			       hp_cv_class(c, r->u.class_dump.class_id, false)))
		return HPROF_OK;
	cursors[0] = hprof_class_statics(r);
	cursors[1] = hprof_class_fields(r);
	for (unsigned i = 0; i < 2; i++)
		while (hprof_class_next(&cursors[i], &entry) == HPROF_OK)
			if ((s = hp_cv_string(c, entry.name_id, false)))
				s->uses |= HP_CV_PLATFORM;
	return HPROF_OK;
}

/* ---- new names ----------------------------------------------------------- */

struct naming {
	struct hp_convert *c;
	struct hp_string_map bases; /* class names, from old to new */
	/* all texts of the dump, to the first string of each */
	struct hp_string_map texts;
	unsigned classes, methods, fields, sources;
	char *text; /* the name in the making */
	size_t used, room;
	bool no_memory;
};

static void add(struct naming *n, const void *bytes, size_t size)
{
	if (n->room - n->used < size) {
		size_t room = 2 * n->room + size + 64;
		char *text = hp_realloc(n->text, room, 1);
		if (!text) {
			n->no_memory = true;
			return;
		}
		n->text = text;
		n->room = room;
	}
	if (size)
		memcpy(n->text + n->used, bytes, size);
	n->used += size;
}

/* A new name: PREFIX and the next number that no text of the dump has. */
static size_t new_name(struct naming *n, const char *prefix, unsigned *number,
		       const char *suffix, char *out, size_t room)
{
	struct hprof_bytes there;
	int size;

	do
		size = snprintf(out, room, "%s%u%s", prefix, ++*number, suffix);
	while (hp_string_map_get(&n->texts, out, (size_t)size, &there));
	return (size_t)size;
}

static void add_number(struct naming *n, const char *prefix, unsigned *number,
		       const char *suffix)
{
	char text[64];
	size_t size = new_name(n, prefix, number, suffix, text, sizeof text);

	add(n, text, size);
}

/* Chooses the new name of a class, the same in each text that contains it. */
static void add_class(struct naming *n, const uint8_t *base, size_t size)
{
	struct hprof_bytes other;
	char text[32];

	if (is_platform(base, size)) {
		add(n, base, size);
		return;
	}
	if (!hp_string_map_get(&n->bases, base, size, &other)) {
		size_t length = new_name(n, "obf/C", &n->classes, "", text,
					 sizeof text);
		if (!hp_string_map_put(&n->bases, base, size, text, length) ||
		    !hp_string_map_get(&n->bases, base, size, &other)) {
			n->no_memory = true;
			return;
		}
	}
	add(n, other.data, (size_t)other.size);
}

static void name_class(struct naming *n, const struct hp_cv_string *s)
{
	struct hprof_bytes base = base_of(s->string.bytes, s->string.size);
	size_t before = base.size ? (size_t)(base.data - s->string.bytes)
				  : s->string.size;

	add(n, s->string.bytes, before);
	if (base.size == 0)
		return;
	add_class(n, base.data, (size_t)base.size);
	before += (size_t)base.size;
	add(n, s->string.bytes + before, s->string.size - before);
}

/* (ILcom/acme/Order;)V */
static void name_signature(struct naming *n, const struct hp_cv_string *s)
{
	const uint8_t *p = s->string.bytes,
		      *end = s->string.bytes + s->string.size;

	while (p < end) {
		const uint8_t *semicolon =
			*p == 'L' ? memchr(p, ';', (size_t)(end - p)) : NULL;
		add(n, p++, 1);
		if (!semicolon)
			continue;
		add_class(n, p, (size_t)(semicolon - p));
		p = semicolon;
	}
}

/*
 * A thread with the name of a method gets the new name of the method as well.
 */
static void make_name(struct naming *n, const struct hp_cv_string *s)
{
	unsigned uses = s->uses;

	if (uses & HP_CV_CLASS)
		name_class(n, s);
	else if (uses & HP_CV_SIGNATURE)
		name_signature(n, s);
	else if (uses & HP_CV_PLATFORM || uses & HP_CV_HEAP ||
		 s->string.size == 0 || hp_string_is(&s->string, "<init>") ||
		 hp_string_is(&s->string, "<clinit>"))
		add(n, s->string.bytes, s->string.size);
	else if (uses & HP_CV_METHOD)
		add_number(n, "m", &n->methods, "");
	else if (uses & HP_CV_FIELD)
		add_number(n, "f", &n->fields, "");
	else if (uses & HP_CV_SOURCE)
		add_number(n, "S", &n->sources, ".java");
	else
		/* only used for a thread */
		add(n, s->string.bytes, s->string.size);
}

/* A text that several strings have gets one new name. */
static void name_string(struct naming *n, const struct hp_cv_string *s,
			struct hp_string_map *names)
{
	struct hprof_bytes other;

	if (!s->string.bytes || !s->uses ||
	    hp_string_map_get(names, s->string.bytes, s->string.size, &other))
		return;
	n->used = 0;
	make_name(n, s);
	if (!hp_string_map_put(names, s->string.bytes, s->string.size, n->text,
			       n->used))
		n->no_memory = true;
}

/* A text has the uses of all strings that have this text. */
static void join_uses(struct hp_convert *c, struct naming *n)
{
	struct hprof_bytes at;

	for (struct hp_cv_string *s = c->model.first_string; s; s = s->next) {
		struct hp_cv_string *other;
		if (!s->string.bytes || !s->uses)
			continue;
		if (!hp_string_map_get(&n->texts, s->string.bytes,
				       s->string.size, &at)) {
			if (!hp_string_map_put(&n->texts, s->string.bytes,
					       s->string.size, &s, sizeof s))
				n->no_memory = true;
			continue;
		}
		memcpy(&other, at.data, sizeof other);
		other->uses |= s->uses;
	}
}

static enum hprof_status learnt(struct hp_convert *c, void *state)
{
	struct naming n = { .c = c };

	(void)state;
	join_uses(c, &n);
	for (const struct hp_cv_string *s = c->model.first_string; s;
	     s = s->next)
		name_string(&n, s, &c->renamed);
	hp_string_map_done(&n.bases);
	hp_string_map_done(&n.texts);
	hp_free(n.text);
	return n.no_memory ? hp_no_memory(c->error) : HPROF_OK;
}

/* ---- the map ------------------------------------------------------------- */

struct map {
	struct hprof_output *output;
};

/*
 * A line is NEW, a tab, OLD. In both, \\ \t \n stand for backslash, tab and
 * newline.
 */
static void put_text(struct hprof_output *out, const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		const char *escaped = text[i] == '\\'	? "\\\\"
				      : text[i] == '\t' ? "\\t"
				      : text[i] == '\n' ? "\\n"
							: NULL;
		if (escaped)
			hprof_output_write(out, escaped, 2);
		else
			hprof_output_write(out, &text[i], 1);
	}
}

static void put_pair(void *user, const uint8_t *old, size_t old_size,
		     const uint8_t *new, size_t new_size)
{
	struct hprof_output *out = user;

	if (old_size == new_size && memcmp(old, new, old_size) == 0)
		return;
	put_text(out, new, new_size);
	hprof_output_write(out, "\t", 1);
	put_text(out, old, old_size);
	hprof_output_write(out, "\n", 1);
}

static enum hprof_status map_failed(struct hp_convert *c,
				    const struct hprof_error *why)
{
	const struct hprof_error error = *why; /* may be c->error itself */

	hp_fail(c->error, error.status, error.offset, "the map: %s",
		error.text);
	c->error->sys_errno = error.sys_errno;
	return error.status;
}

/*
 * The map never replaces a file, even if the dump may: an existing map has
 * names that are nowhere else. This is checked before the conversion starts.
 */
static enum hprof_status begin(struct hp_convert *c, void *state)
{
	const char *path = c->plan->options.obfuscate;
	struct map *map = state;
	const struct hprof_writer_options how = {
		.size = sizeof how,
		.mode = 0600, /* it has what the dump hides */
		.new_only = true,
	};

	if (c->plan->out && strcmp(c->plan->out, path) == 0)
		return hp_cv_fail(c, HPROF_E_USAGE, HP_NO_OFFSET,
				  "the map would be the same file");
	if (hprof_output_create(path, &how, &map->output, c->error) == HPROF_OK)
		return HPROF_OK;
	return map_failed(c, c->error);
}

/* The map gets its name before the dump, so that no dump lacks its map. */
static enum hprof_status end(struct hp_convert *c, void *state)
{
	const struct map *map = state;

	hp_string_map_each(&c->renamed, put_pair, map->output);
	return hprof_output_finish(map->output) < 0
		       ? map_failed(c, hprof_output_error(map->output))
		       : HPROF_OK;
}

static void withdraw(struct hp_convert *c, void *state)
{
	(void)state;
	unlink(c->plan->options.obfuscate); /* it was created for this dump */
}

static void done(struct hp_convert *c, void *state)
{
	const struct map *map = state;

	(void)c;
	hprof_output_free(map->output);
}

const struct hp_transform hp_transform_obfuscate = {
	.name = "obfuscate",
	.state_size = sizeof(struct map),
	.wanted = wanted,
	.begin = begin,
	.learn = learn,
	.learnt = learnt,
	.end = end,
	.withdraw = withdraw,
	.done = done,
};

/* SPDX-License-Identifier: MIT */
/*
 * recipe_assemble.c - assembles the lines and blocks of a recipe to a dump.
 *
 * A top-level record is held in memory until it is complete, because its
 * length precedes its body. A block with an absolute length= need not be held.
 */
#include "base/error.h"
#include "base/mem.h"
#include "recipe/recipe.h"
#include "base/wire.h"

/* A block that need not be held is written in parts of about this size. */
#define PASS ((size_t)64 << 10)

/* Writes what is in a->out. */
static bool flush(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;
	size_t size = a->out.used;

	if (size == 0)
		return true;
	if (size > a->left)
		return hp_recipe_fail(r, HPROF_E_LIMIT, r->p,
				      "more than %llu bytes",
				      (unsigned long long)HP_RECIPE_OUTPUT_MAX);
	if (a->write(a->user, a->out.data, size) != 0) {
		r->status = hp_fail_errno(r->error, "cannot write");
		return false;
	}
	a->left -= size;
	a->out.used = 0;
	return true;
}

/* ---- top-level records --------------------------------------------------- */

static bool put_record_header(struct hp_assembler *a,
			      const struct hp_recipe_line *line)
{
	uint64_t tag = line->info ? line->info->tag
				  : line->slots[HP_KEY_TAG].number.value;
	uint64_t time = line->slots[HP_KEY_TIME_US].number.value;

	return hp_recipe_put(&a->r, &a->out, tag, 1) &&
	       hp_recipe_put(&a->r, &a->out, time, 4) &&
	       hp_recipe_put(&a->r, &a->out, 0, 4); /* end_record */
}

/* The record in a->out is complete: fills in its length and writes it. */
static bool end_record(struct hp_assembler *a,
		       const struct hp_recipe_slot *given)
{
	uint64_t length;

	if (!hp_recipe_resolve(&a->r, given, a->out.used - HPROF_RECORD_HEADER,
			       UINT32_MAX, &length))
		return false;
	hp_put32(a->out.data + 5, (uint32_t)length);
	return flush(a);
}

static bool begin_block(struct hp_assembler *a,
			const struct hp_recipe_line *line)
{
	struct hp_recipe *r = &a->r;
	const struct hprof_record_info *info = line->info;

	if (!info || (info->tag != HPROF_HEAP_DUMP &&
		      info->tag != HPROF_HEAP_DUMP_SEGMENT))
		return hp_recipe_bad(r, r->p,
				     "only HEAP_DUMP and "
				     "HEAP_DUMP_SEGMENT take a block");
	if (line->slots[0].at || line->slots[HP_KEY_BODY].at ||
	    line->slots[HP_KEY_REST].at)
		return hp_recipe_bad(r, r->p,
				     "expected either a body or a "
				     "block");
	a->block = r->p++;
	a->in_block = true;
	a->block_length = line->slots[HP_KEY_LENGTH];
	a->passed = a->block_length.at && !a->block_length.number.sign;
	return !a->passed || end_record(a, &a->block_length);
}

static bool put_top(struct hp_assembler *a, const struct hp_recipe_line *line)
{
	struct hp_recipe *r = &a->r;

	if (!put_record_header(a, line))
		return false;
	if (hp_recipe_peek(r) == '{')
		return begin_block(a, line);
	return hp_recipe_body(r, line, &a->out) &&
	       end_record(a, &line->slots[HP_KEY_LENGTH]);
}

static bool end_block(struct hp_assembler *a)
{
	if (!a->in_block)
		return hp_recipe_bad(&a->r, a->r.p, "a '}' without '{'");
	a->r.p++;
	a->block = NULL;
	a->in_block = false;
	return a->passed ? flush(a) : end_record(a, &a->block_length);
}

/* Writes the part of a block that need not be held, once it is large. */
static bool flush_if_large(struct hp_assembler *a)
{
	return !a->passed || a->out.used < PASS || flush(a);
}

/* ---- lines --------------------------------------------------------------- */

static bool put_sub(struct hp_assembler *a, const struct hp_recipe_line *line)
{
	struct hp_recipe *r = &a->r;

	if (hp_recipe_peek(r) == '{')
		return hp_recipe_bad(r, r->p, "expected a field");
	return hp_recipe_put(r, &a->out, line->info->tag - HPROF_SUB, 1) &&
	       hp_recipe_body(r, line, &a->out) && flush_if_large(a);
}

static const struct hprof_record_info *
find_record(struct hp_assembler *a, const char *word, size_t size)
{
	const struct hprof_record_info **met =
		&a->met[size < HP_RECIPE_LETTERS ? size : 0];
	const struct hprof_record_info *info = *met;

	if (info && hp_recipe_word_is(word, size, info->name))
		return info;
	for (unsigned i = 0; (info = hprof_record_list(i)) != NULL; i++)
		if (hp_recipe_word_is(word, size, info->name))
			return *met = info;
	return NULL;
}

/* Fails if a record of this kind is not allowed here. */
static bool check_place(struct hp_assembler *a, const char *word,
			const struct hprof_record_info *info)
{
	bool sub = info && info->tag >= HPROF_SUB;

	if (sub && !a->in_block)
		return hp_recipe_bad(&a->r, word,
				     "%s stands only inside a "
				     "heap dump's { }",
				     info->name);
	if (!sub && a->in_block)
		return hp_recipe_bad(&a->r, word,
				     "expected a sub-record, raw "
				     "or '}'");
	if (info && a->r.id_size == 0)
		return hp_recipe_bad(&a->r, word,
				     "expected a header with an id_size of 1, "
				     "2, 4 or 8, or id_size before this");
	return true;
}

static bool record_line(struct hp_assembler *a, const char *word, size_t size)
{
	struct hp_recipe_line *line = &a->line;

	line->info = find_record(a, word, size);
	line->tail.used = 0;
	memset(line->slots, 0, sizeof line->slots);
	if (!line->info && !hp_recipe_word_is(word, size, "RECORD"))
		return hp_recipe_bad(&a->r, word, "an unknown record");
	return check_place(a, word, line->info) &&
	       hp_recipe_fields(&a->r, line) &&
	       (a->in_block ? put_sub(a, line) : put_top(a, line));
}

static bool raw_line(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;

	hp_recipe_skip_blanks(r);
	while (!hp_recipe_at_line_end(r)) {
		if (!hp_recipe_bytes(r, &a->out) || !hp_recipe_delimited(r))
			return false;
		hp_recipe_skip_blanks(r);
	}
	return a->in_block ? flush_if_large(a) : flush(a);
}

/* "id_size N" sets the width of ids from here on, whatever a header says. */
static bool id_size_line(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;
	const char *start;
	uint64_t id_size;

	hp_recipe_skip_blanks(r);
	start = r->p;
	if (!hp_recipe_unsigned(r, 8, &id_size))
		return false;
	if (!hprof_id_size_valid(id_size))
		return hp_recipe_bad(r, start, "expected 1, 2, 4 or 8");
	r->id_size = (unsigned)id_size;
	return true;
}

/* Reads id_size= and time_ms= of a header line. */
static bool header_fields(struct hp_recipe *r, uint64_t *id_size,
			  uint64_t *time_ms)
{
	const char *word;
	size_t size;

	for (;;) {
		bool is_time;
		hp_recipe_skip_blanks(r);
		if (hp_recipe_at_line_end(r))
			return true;
		if (!hp_recipe_word(r, "id_size= or time_ms=", &word, &size))
			return false;
		is_time = hp_recipe_word_is(word, size, "time_ms");
		if (!is_time && !hp_recipe_word_is(word, size, "id_size"))
			return hp_recipe_bad(r, word,
					     "expected id_size= or time_ms=");
		if (!hp_recipe_expect(r, '=') ||
		    !hp_recipe_unsigned(r, is_time ? UINT64_MAX : UINT32_MAX,
					is_time ? time_ms : id_size) ||
		    !hp_recipe_delimited(r))
			return false;
	}
}

/* header "TEXT" id_size=N time_ms=N; any text is allowed, a NUL is added. */
static bool header_line(struct hp_assembler *a, const char *word)
{
	struct hp_recipe *r = &a->r;
	uint64_t id_size = 8;
	uint64_t time_ms = 0;

	if (a->in_block)
		return hp_recipe_bad(r, word,
				     "expected a sub-record, raw or "
				     "'}'");
	hp_recipe_skip_blanks(r);
	if (!hp_recipe_string(r, &a->out) || !hp_recipe_delimited(r) ||
	    !header_fields(r, &id_size, &time_ms) ||
	    !hp_recipe_put(r, &a->out, 0, 1) ||
	    !hp_recipe_put(r, &a->out, id_size, 4) ||
	    !hp_recipe_put(r, &a->out, time_ms, 8))
		return false;
	r->id_size = hprof_id_size_valid(id_size) ? (unsigned)id_size : 0;
	return flush(a);
}

static bool parse_line(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;
	const char *word;
	size_t size;

	if (hp_recipe_peek(r) == '}')
		return end_block(a);
	if (!hp_recipe_word(r, "a record", &word, &size))
		return false;
	if (hp_recipe_word_is(word, size, "header"))
		return header_line(a, word);
	if (hp_recipe_word_is(word, size, "id_size"))
		return id_size_line(a);
	if (hp_recipe_word_is(word, size, "raw"))
		return raw_line(a);
	return record_line(a, word, size);
}

static bool whole_line(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;

	if (!parse_line(a))
		return false;
	hp_recipe_skip_blanks(r);
	return hp_recipe_at_line_end(r) ||
	       hp_recipe_bad(r, r->p, "expected the end of the line");
}

bool hp_assemble_lines(struct hp_assembler *a)
{
	struct hp_recipe *r = &a->r;

	for (;;) {
		hp_recipe_skip_lines(r);
		if (r->p == r->end)
			return true;
		const char *start = r->p;
		size_t used = a->out.used;
		bool in_block = a->in_block;
		if (!whole_line(a)) {
			a->torn = r->status == HPROF_E_CORRUPT &&
				  a->in_block == in_block;
			if (a->torn)
				a->out.used = used;
			r->p = start;
			return false;
		}
	}
}

void hp_assemble_free(struct hp_assembler *a)
{
	hp_free(a->out.data);
	hp_free(a->line.tail.data);
}

void hp_assemble_forget(struct hp_assembler *a)
{
	if (a->block)
		a->block_place = hp_recipe_find(&a->r, a->block);
	a->block = NULL;
	if (a->in_block && a->block_length.at)
		a->block_length.at = a->r.text; /* any pointer: it was given */
}

bool hp_assemble_end(struct hp_assembler *a)
{
	if (!a->in_block)
		return true;
	hp_assemble_forget(a);
	return hp_recipe_fail_at(&a->r, HPROF_E_CORRUPT, &a->block_place,
				 "a '{' without '}'");
}

enum hprof_status hprof_recipe_assemble(const char *text, size_t size,
					hprof_write_fn *write, void *user,
					struct hprof_error *ret_error)
{
	struct hp_assembler a = { .write = write,
				  .user = user,
				  .left = HP_RECIPE_OUTPUT_MAX };

	if ((!text && size) || !write)
		return hp_fail(ret_error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "no text, or no function to write");
	if (size == 0)
		return HPROF_OK;
	a.r.text = text;
	a.r.p = text;
	a.r.end = text + size;
	a.r.error = ret_error;
	if (hp_assemble_lines(&a))
		hp_assemble_end(&a);
	hp_assemble_free(&a);
	return a.r.status;
}

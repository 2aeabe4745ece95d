/* SPDX-License-Identifier: MIT */
/*
 * recipe_file.c - recipes of inputs that may be larger than memory.
 *
 * A dump is read through a window. The text of a recipe is cut after a newline,
 * which may be in the middle of a list; the assembler fails there. Only then is
 * every character examined to find the end of the list, since that is slow.
 */
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "io/input.h"
#include "recipe/recipe.h"
#include "recipe/recipe_out.h"
#include "io/window.h"

#define TEXT_FIRST ((size_t)1 << 20)
#define TEXT_MOST ((size_t)1 << 30) /* limit on the text of one list */

struct file {
	struct hp_source *source;
	struct hprof_input input;
};

/* F->input is taken. A number at the end of its path is a part of the name. */
static enum hprof_status open_file(struct file *f, struct hprof_error *error)
{
	const struct hprof_input *input = &f->input;
	bool is_stdin = input->kind == HPROF_INPUT_PATH &&
			strcmp(input->path, "-") == 0;
	struct hp_source *bottom;

	if (input->dump)
		return hp_bad_argument(error, "input",
				       "dump is not 0, but all of the file is "
				       "taken");
	HP_TRY(hp_input_bottom(input, is_stdin ? NULL : input->path, &bottom,
			       error));
	return hp_source_open(bottom, input->member, input->threads, &f->source,
			      error);
}

/* ---- a dump to its recipe ------------------------------------------------ */

struct writing {
	const struct file *file;
	const struct hp_window *window;
	struct hprof_error *error;
	unsigned count;
};

static enum hprof_status report_progress(void *user)
{
	struct writing *w = user;
	const struct hp_source *source = w->file->source;

	if (w->count++ & 0xff)
		return HPROF_OK;
	return hp_input_progress(&w->file->input, "recipe",
				 source->ops->pread ? w->window->offset
						    : hp_source_used(source),
				 source->file_size, w->error);
}

static enum hprof_status write_file(struct file *f, hprof_write_fn *write,
				    void *user, struct hprof_error *error)
{
	struct hp_window window;
	struct writing writing = { .file = f,
				   .window = &window,
				   .error = error };
	enum hprof_status status;

	status = hp_window_init(&window, f->source, 0);
	if (status != HPROF_OK) {
		*error = window.error;
		return status;
	}
	status = hp_recipe_write_window(&window, write, user, report_progress,
					&writing);
	if (status < 0 && status != HPROF_E_CANCELLED) {
		hp_fail_errno(error, "cannot write");
	} else if (status >= 0 && window.status < 0) {
		status = window.status;
		*error = window.error;
	}
	hp_window_done(&window);
	return status;
}

enum hprof_status hprof_recipe_write_input(const struct hprof_input *input,
					   hprof_write_fn *write, void *user,
					   struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	enum hprof_status status;
	struct file f;

	HP_NEED(error, write);
	HP_TRY(hp_input_take(input, &f.input, error));
	HP_TRY(open_file(&f, error));
	status = write_file(&f, write, user, error);
	hp_source_close(f.source);
	return status;
}

/* ---- a recipe to its dump ------------------------------------------------ */

/* Finds where text can be cut: after a line that ends outside of lists. */
struct cutter {
	size_t seen; /* bytes that have been examined */
	size_t cut;  /* the end of the last line that ends outside of lists */
	unsigned depth; /* nesting of brackets */
	bool in_string, escaped, in_comment;
};

static void cut_at_newline(struct cutter *c)
{
	c->in_string = c->escaped = c->in_comment = false;
	if (c->depth == 0)
		c->cut = c->seen + 1;
}

static void cut_in_string(struct cutter *c, char letter)
{
	if (c->escaped)
		c->escaped = false;
	else if (letter == '\\')
		c->escaped = true;
	else if (letter == '"')
		c->in_string = false;
}

static void find_cut(struct cutter *c, const char *text, size_t size)
{
	for (; c->seen < size; c->seen++) {
		char letter = text[c->seen];
		if (letter == '\n')
			cut_at_newline(c);
		else if (c->in_string)
			cut_in_string(c, letter);
		else if (c->in_comment)
			continue;
		else if (letter == '"')
			c->in_string = true;
		else if (letter == '#')
			c->in_comment = true;
		else if (letter == '[')
			c->depth++;
		else if (letter == ']' && c->depth)
			c->depth--;
	}
}

struct text {
	char *bytes;
	size_t used, room;
	struct cutter cutter;
	size_t searched; /* there is no newline in this many first bytes */
	bool in_list;	 /* it starts with a line that is not complete yet */
	bool at_end;
};

/* Reads more text and appends it. */
static enum hprof_status read_text(struct file *f, struct text *t,
				   struct hprof_error *error)
{
	enum hprof_status status;
	size_t n = 0;

	if (t->used == t->room) {
		size_t room = t->room ? 2 * t->room : TEXT_FIRST;
		if (room > TEXT_MOST)
			return hp_fail(error, HPROF_E_LIMIT, HP_NO_OFFSET,
				       "a list of more than %zu bytes of text",
				       TEXT_MOST / 2);
		char *bytes = hp_realloc(t->bytes, room, 1);
		if (!bytes)
			return hp_no_memory(error);
		t->bytes = bytes;
		t->room = room;
	}
	status = f->source->ops->read(f->source, t->bytes + t->used,
				      t->room - t->used, &n);
	if (status < 0)
		*error = f->source->error;
	t->at_end = status == HPROF_END;
	t->used += n;
	return status;
}

/* The number of bytes that can be assembled now; 0 if more must be read. */
static size_t find_part(struct text *t)
{
	size_t size = t->used;

	if (t->at_end)
		return size;
	if (t->in_list) {
		find_cut(&t->cutter, t->bytes, t->used);
		return t->cutter.cut;
	}
	while (size > t->searched && t->bytes[size - 1] != '\n')
		size--;
	if (size > t->searched)
		return size;
	t->searched = t->used;
	return 0;
}

/*
 * The assembler failed at the line that starts at offset AT. True if that line
 * ends in a list, so that it continues in text that is not read yet.
 */
static bool line_continues(struct hp_assembler *a, struct text *t, size_t at,
			   size_t size)
{
	if (!a->torn || t->in_list || t->at_end)
		return false;
	t->cutter = (struct cutter){ .seen = at };
	find_cut(&t->cutter, t->bytes, size);
	t->in_list = t->cutter.cut == 0;
	return t->in_list;
}

/* Assembles the first SIZE bytes of T or fewer, and removes them from T. */
static bool assemble_part(struct hp_assembler *a, struct text *t, size_t size)
{
	struct hp_recipe *r = &a->r;

	r->text = r->p = t->bytes;
	r->end = t->bytes + size;
	if (hp_assemble_lines(a)) {
		t->in_list = false;
	} else {
		size_t at = (size_t)(r->p - r->text);
		if (!line_continues(a, t, at, size))
			return false;
		r->status = HPROF_OK;
		size = at;
	}
	hp_assemble_forget(a);
	r->base = hp_recipe_find(r, t->bytes + size);
	memmove(t->bytes, t->bytes + size, t->used - size);
	t->used -= size;
	t->cutter.seen -= t->in_list ? size : 0;
	t->cutter.cut = 0;
	t->searched = 0;
	return true;
}

static enum hprof_status assemble_file(struct file *f, struct hp_assembler *a,
				       struct text *t,
				       struct hprof_error *error)
{
	while (!t->at_end) {
		HP_TRY(read_text(f, t, error));
		HP_TRY(hp_input_progress(&f->input, "recipe",
					 hp_source_used(f->source),
					 f->source->file_size, error));
		size_t size = find_part(t);
		if (size && !assemble_part(a, t, size))
			return a->r.status;
	}
	hp_assemble_end(a);
	return a->r.status;
}

enum hprof_status hprof_recipe_assemble_input(const struct hprof_input *input,
					      hprof_write_fn *write, void *user,
					      struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_assembler a = { .write = write,
				  .user = user,
				  .left = UINT64_MAX };
	/* An error in a line that may turn out to be only incomplete. */
	struct hprof_error line_error = { 0 };
	struct text t = { 0 };
	enum hprof_status status;
	struct file f;

	HP_NEED(error, write);
	HP_TRY(hp_input_take(input, &f.input, error));
	HP_TRY(open_file(&f, error));
	a.r.error = &line_error;
	status = assemble_file(&f, &a, &t, error);
	if (a.r.status < 0)
		*error = line_error;
	hp_free(t.bytes);
	hp_assemble_free(&a);
	hp_source_close(f.source);
	return status;
}

/* ---- recognition --------------------------------------------------------- */

/*
 * True if the first word after blanks and comments is one that starts a line
 * of a recipe, or if there are only comments.
 */
static bool looks_like_recipe(const char *p, const char *end)
{
	struct hp_recipe r = { .text = p, .p = p, .end = end };
	const char *word;
	size_t size;

	hp_recipe_skip_lines(&r);
	if (!hp_recipe_word(&r, "a word", &word, &size))
		return r.p == r.end && r.p > p;
	if (hp_recipe_word_is(word, size, "header") ||
	    hp_recipe_word_is(word, size, "id_size") ||
	    hp_recipe_word_is(word, size, "raw") ||
	    hp_recipe_word_is(word, size, "RECORD"))
		return r.p < r.end && *r.p == ' ';
	return false;
}

bool hprof_recipe_is(const struct hprof_input *input)
{
	char text[4096];
	struct hprof_error error;
	struct file f;
	size_t n = 0;
	bool found;

	if (hp_input_take(input, &f.input, &error) != HPROF_OK ||
	    hp_input_repeatable(&f.input, &found, &error) != HPROF_OK ||
	    !found || open_file(&f, &error) != HPROF_OK)
		return false;
	found = f.source->ops->read(f.source, text, sizeof text, &n) ==
			HPROF_OK &&
		looks_like_recipe(text, text + n);
	hp_source_close(f.source);
	return found;
}

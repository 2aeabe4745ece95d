/* SPDX-License-Identifier: MIT */
/*
 * recipe.h - shared by the files of the recipe assembler: a cursor over the
 * text, which also keeps the first error, and a growing buffer of bytes.
 *
 * A function that returns bool returns false after a failure; the error is in
 * the cursor, and callers only pass the false on. The grammar is described in
 * hprof/recipe.h.
 */
#ifndef HP_RECIPE_H
#define HP_RECIPE_H

#include "hprof/recipe.h"

/* Limits, so that a short text such as 00*1000000000 cannot exhaust memory. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define HP_RECIPE_REPEAT_MAX ((uint64_t)1 << 16)
#define HP_RECIPE_OUTPUT_MAX ((uint64_t)1 << 20)
#else
#define HP_RECIPE_REPEAT_MAX ((uint64_t)64 << 20)
#define HP_RECIPE_OUTPUT_MAX ((uint64_t)1 << 30)
#endif

#define HP_RECIPE_LETTERS 32 /* names of records are shorter than this */

/* Decimal digits of a mantissa that a double can hold exactly. */
#define HP_RECIPE_DIGITS 15

/* A position in the text, for messages. */
struct hp_recipe_place {
	uint64_t offset;
	uint64_t line; /* from 0 */
	uint64_t column;
};

struct hp_recipe {
	const char *text; /* what is in memory, from the start of a line */
	struct hp_recipe_place base; /* the position of TEXT in the recipe */
	const char *p;		     /* the cursor */
	const char *end;
	unsigned id_size; /* 0: not known yet */
	enum hprof_status status;
	struct hprof_error *error;
};

struct hp_buffer {
	uint8_t *data;
	size_t used;
	size_t room;
};

struct hp_number {
	uint64_t value; /* two's complement if negative */
	bool negative;
	bool sign; /* a '+' or '-' was written */
};

/* ---- recipe_lex.c -------------------------------------------------------- */

/* Records an error at AT, unless there is one already; returns false. */
bool hp_recipe_fail(struct hp_recipe *r, enum hprof_status status,
		    const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The position of AT, which is in the text in memory. */
struct hp_recipe_place hp_recipe_find(const struct hp_recipe *r,
				      const char *at);
bool hp_recipe_fail_at(struct hp_recipe *r, enum hprof_status status,
		       const struct hp_recipe_place *place, const char *what);

/* The same for text that does not follow the grammar. */
#define hp_recipe_bad(r, at, ...) \
	hp_recipe_fail(r, HPROF_E_CORRUPT, at, __VA_ARGS__)

/* The next character; NUL at the end of the text. */
static inline char hp_recipe_peek(const struct hp_recipe *r)
{
	return r->p < r->end ? *r->p : '\0';
}

static inline bool hp_recipe_at_line_end(const struct hp_recipe *r)
{
	return r->p == r->end || *r->p == '\n';
}

static inline bool hp_recipe_accept(struct hp_recipe *r, char c)
{
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

bool hp_recipe_expect(struct hp_recipe *r, char c);
void hp_recipe_skip_blanks(struct hp_recipe *r); /* and a comment */
void hp_recipe_skip_lines(struct hp_recipe *r);	 /* the same and newlines */
/* Fails unless a blank, a closing bracket or the end follows an item. */
bool hp_recipe_delimited(struct hp_recipe *r);

/*
 * Reads a word of letters, digits and '_'. If there is none, the error says
 * that WHAT was expected.
 */
bool hp_recipe_word(struct hp_recipe *r, const char *what, const char **ret,
		    size_t *ret_size);
static inline bool hp_recipe_word_is(const char *word, size_t size,
				     const char *text)
{
	size_t i = 0;

	while (i < size && word[i] == text[i]) /* a word has no NUL */
		i++;
	return i == size && text[i] == '\0';
}

bool hp_recipe_number(struct hp_recipe *r, struct hp_number *ret);
/* Reads a number from 0 to MAX. */
bool hp_recipe_unsigned(struct hp_recipe *r, uint64_t max, uint64_t *ret);
/* Reads a number that fits in WIDTH bytes, signed or unsigned. */
bool hp_recipe_integer(struct hp_recipe *r, unsigned width, uint64_t *ret);
/* Reads "..." and appends its bytes to TO, escapes replaced. */
bool hp_recipe_string(struct hp_recipe *r, struct hp_buffer *to);
bool hp_recipe_hex(struct hp_recipe *r, struct hp_buffer *to);

/*
 * Extends TO by SIZE bytes and returns where they start, for the caller to
 * fill in; NULL after a failure.
 */
uint8_t *hp_recipe_grow(struct hp_recipe *r, struct hp_buffer *to, size_t size);
/* Appends VALUE, big-endian in WIDTH bytes. */
bool hp_recipe_put(struct hp_recipe *r, struct hp_buffer *to, uint64_t value,
		   unsigned width);

/* ---- recipe_value.c ------------------------------------------------------ */

/* Reads a type, which is given by name or code. */
bool hp_recipe_type(struct hp_recipe *r, uint64_t *ret_type);
/* Reads a value of TYPE; for an unknown type, hexadecimal digits. */
bool hp_recipe_value(struct hp_recipe *r, unsigned type, struct hp_buffer *to);
/* Reads one piece of plain bytes, or several in brackets. */
bool hp_recipe_bytes(struct hp_recipe *r, struct hp_buffer *to);
bool hp_recipe_piece(struct hp_recipe *r, struct hp_buffer *to);

/* Reads one item of a list and appends it to TO; CONTEXT is the caller's. */
typedef bool hp_recipe_item_fn(struct hp_recipe *r, const void *context,
			       struct hp_buffer *to);
/*
 * Reads a list in brackets. An item is repeated if "*N" follows it. *RET_COUNT
 * is the number of items with all repetitions.
 */
bool hp_recipe_list(struct hp_recipe *r, hp_recipe_item_fn *item,
		    const void *context, struct hp_buffer *to,
		    uint64_t *ret_count);
/* Readers of items: an id; an element of an array of type *CONTEXT. */
hp_recipe_item_fn hp_recipe_id_item;
hp_recipe_item_fn hp_recipe_element_item;

/*
 * The value of a decimal fraction, MANTISSA / 10^SCALE. The writer computes it
 * too, and writes a decimal only if that gives the same bits again.
 */
double hp_recipe_decimal(uint64_t mantissa, unsigned scale, bool negative);

/* ---- recipe_line.c ------------------------------------------------------- */

/* Keys that are not fields in the description of a record. */
enum hp_recipe_key {
	HP_KEY_TIME_US = 12, /* smaller numbers are the record's own fields */
	HP_KEY_LENGTH,
	HP_KEY_REST,
	HP_KEY_BODY,
	HP_KEY_TAG,
	HP_KEY_CONSTANTS, /* the lists of CLASS_DUMP, in file order */
	HP_KEY_STATICS,
	HP_KEY_FIELDS,
	HP_KEY_CONSTANT_COUNT, /* their counts, in the same order */
	HP_KEY_STATIC_COUNT,
	HP_KEY_FIELD_COUNT,
	HP_KEY_END
};

/* The value of a field in a line. */
struct hp_recipe_slot {
	const char *at; /* its key in the text; NULL if not given */
	struct hp_number number;
	size_t start; /* of lists and bytes: offset in the line's tail */
	size_t size;
	uint64_t count; /* number of items of a list */
};

struct hp_recipe_line {
	const struct hprof_record_info *info; /* NULL: RECORD */
	struct hp_recipe_slot slots[HP_KEY_END];
	unsigned next; /* the field that probably follows, tried first */
	struct hp_buffer tail; /* owned; freed by hp_assemble_free */
};

/* Reads the fields up to the end of the line or a '{'. */
bool hp_recipe_fields(struct hp_recipe *r, struct hp_recipe_line *line);
/* Appends the body of the record to OUT. */
bool hp_recipe_body(struct hp_recipe *r, const struct hp_recipe_line *line,
		    struct hp_buffer *out);
/*
 * The count or length to write, at most MAX: RIGHT if SLOT gives none, else
 * the number in SLOT, which may be relative to RIGHT ("+1").
 */
bool hp_recipe_resolve(struct hp_recipe *r, const struct hp_recipe_slot *slot,
		       uint64_t right, uint64_t max, uint64_t *ret);

/* ---- recipe_assemble.c --------------------------------------------------- */

/* The state from one line to the next. */
struct hp_assembler {
	struct hp_recipe r;
	struct hp_buffer out;	    /* the top-level record so far */
	struct hp_recipe_line line; /* the current one; its memory is reused */
	/* The last record read whose name has that many letters: a cache. */
	const struct hprof_record_info *met[HP_RECIPE_LETTERS];
	uint64_t left; /* bytes that may still be written */
	hprof_write_fn *write;
	void *user;
	bool torn; /* the failed line may continue in text not read yet */
	bool in_block;
	bool passed;	   /* the block's length is written: bytes can follow */
	const char *block; /* its '{'; NULL: see block_place */
	struct hp_recipe_place block_place;
	struct hp_recipe_slot block_length;
};

/*
 * Assembles the lines from a->r.p to a->r.end. After a failure a->r.p is the
 * start of the failed line. If a->torn is set, the line may only be incomplete:
 * with more text, and a->r.status reset, it can be tried again.
 */
bool hp_assemble_lines(struct hp_assembler *a);
void hp_assemble_free(struct hp_assembler *a);
/* To be called after the last line: fails if a block is still open. */
bool hp_assemble_end(struct hp_assembler *a);
/* Drops all pointers into the text, which the caller is about to move. */
void hp_assemble_forget(struct hp_assembler *a);

#endif

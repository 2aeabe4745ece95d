/* SPDX-License-Identifier: MIT */
/*
 * recipe.h - what the parts of the recipe assembler share: a cursor over the
 * text with the first error, and growing bytes.
 *
 * Functions that return bool say false once something failed; the error then
 * stands in the cursor, and all just return. Grammar: hprof/recipe.h.
 */
#ifndef HP_RECIPE_H
#define HP_RECIPE_H

#include "hprof/recipe.h"

/* Limits that keep a short text from filling the memory. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define HP_RECIPE_REPEAT_MAX ((uint64_t)1 << 16)
#define HP_RECIPE_OUTPUT_MAX ((uint64_t)1 << 20)
#else
#define HP_RECIPE_REPEAT_MAX ((uint64_t)64 << 20)
#define HP_RECIPE_OUTPUT_MAX ((uint64_t)1 << 30)
#endif

#define HP_RECIPE_LETTERS 32 /* of the name of a record, fewer than */

/* Decimals of a float with this many digits are exact in a double. */
#define HP_RECIPE_DIGITS 15

/* A place in the text, for messages. */
struct hp_recipe_place {
	uint64_t offset;
	uint64_t line; /* from 0 */
	uint64_t column;
};

struct hp_recipe {
	const char *text; /* the start of a line */
	struct hp_recipe_place base; /* where that is: lines before, bytes */
	const char *p;
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
	uint64_t value; /* of a negative number: two's complement */
	bool negative;
	bool sign; /* '+' or '-' was written */
};

/* ---- recipe_lex.c -------------------------------------------------------- */

/* Notes the first error, at AT in the text; returns false. */
bool hp_recipe_fail(struct hp_recipe *r, enum hprof_status status,
		    const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Where AT is. */
struct hp_recipe_place hp_recipe_find(const struct hp_recipe *r,
				      const char *at);
bool hp_recipe_fail_at(struct hp_recipe *r, enum hprof_status status,
		       const struct hp_recipe_place *place, const char *what);

/* The same for bad text. */
#define hp_recipe_bad(r, at, ...) \
	hp_recipe_fail(r, HPROF_E_CORRUPT, at, __VA_ARGS__)

/* The next character, NUL at the end. */
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
void hp_recipe_skip_lines(struct hp_recipe *r);	 /* and newlines */
/* After an item: a blank, a bracket, ... must follow. */
bool hp_recipe_delimited(struct hp_recipe *r);

/* Letters, digits and '_'; WHAT is said to be expected if there are none. */
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
/* A number from 0 to MAX. */
bool hp_recipe_unsigned(struct hp_recipe *r, uint64_t max, uint64_t *ret);
/* A number of WIDTH bytes, signed or not. */
bool hp_recipe_integer(struct hp_recipe *r, unsigned width, uint64_t *ret);
/* "..." with escapes, to the end of TO. */
bool hp_recipe_string(struct hp_recipe *r, struct hp_buffer *to);
bool hp_recipe_hex(struct hp_recipe *r, struct hp_buffer *to);

uint8_t *hp_recipe_grow(struct hp_recipe *r, struct hp_buffer *to, size_t size);
bool hp_recipe_put(struct hp_recipe *r, struct hp_buffer *to, uint64_t value,
		   unsigned width);

/* ---- recipe_value.c ------------------------------------------------------ */

/* A type by name or code. */
bool hp_recipe_type(struct hp_recipe *r, uint64_t *ret_type);
/* A value of TYPE; of an unknown type: hexadecimal digits. */
bool hp_recipe_value(struct hp_recipe *r, unsigned type, struct hp_buffer *to);
/* One piece of plain bytes, or [pieces]. */
bool hp_recipe_bytes(struct hp_recipe *r, struct hp_buffer *to);
bool hp_recipe_piece(struct hp_recipe *r, struct hp_buffer *to);

/* Appends an item of a list to TO; CONTEXT is the caller's. */
typedef bool hp_recipe_item_fn(struct hp_recipe *r, const void *context,
			       struct hp_buffer *to);
/* [items], each repeated if "*N" follows. *RET_COUNT items were added. */
bool hp_recipe_list(struct hp_recipe *r, hp_recipe_item_fn *item,
		    const void *context, struct hp_buffer *to,
		    uint64_t *ret_count);
/* Items of lists: an id; an element of an array of the type at CONTEXT. */
hp_recipe_item_fn hp_recipe_id_item;
hp_recipe_item_fn hp_recipe_element_item;

/*
 * SIGN DIGITS . DIGITS: the value of MANTISSA / 10^SCALE, the same for the
 * writer, which uses it only where it gives the bits back.
 */
double hp_recipe_decimal(uint64_t mantissa, unsigned scale, bool negative);

/* ---- recipe_line.c ------------------------------------------------------- */

/* Keys beside those that the description of a record lists. */
enum hp_recipe_key {
	HP_KEY_TIME_US = 12, /* behind the record's own fields */
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

/* A field as the line gives it. */
struct hp_recipe_slot {
	const char *at; /* in the text; NULL: not given */
	struct hp_number number;
	size_t start; /* lists and bytes: in the line's tail */
	size_t size;
	uint64_t count; /* items of the list */
};

struct hp_recipe_line {
	const struct hprof_record_info *info; /* NULL: RECORD */
	struct hp_recipe_slot slots[HP_KEY_END];
	unsigned next; /* the field that probably comes now */
	struct hp_buffer tail; /* owned; freed by hp_assemble_free */
};

/* The fields up to the end of the line or a '{'. */
bool hp_recipe_fields(struct hp_recipe *r, struct hp_recipe_line *line);
/* The body of the record to the end of OUT. */
bool hp_recipe_body(struct hp_recipe *r, const struct hp_recipe_line *line,
		    struct hp_buffer *out);
/* The number in SLOT where RIGHT is the right one; both at most MAX. */
bool hp_recipe_resolve(struct hp_recipe *r, const struct hp_recipe_slot *slot,
		       uint64_t right, uint64_t max, uint64_t *ret);

/* ---- recipe_assemble.c --------------------------------------------------- */

/* What is kept from one line to the next. */
struct hp_assembler {
	struct hp_recipe r;
	struct hp_buffer out; /* the top-level record so far */
	struct hp_recipe_line line; /* that is read; its room is used again */
	/* The last record met whose name has so many letters. */
	const struct hprof_record_info *met[HP_RECIPE_LETTERS];
	uint64_t left;	      /* bytes that may still be written */
	hprof_write_fn *write;
	void *user;
	bool torn;
	bool in_block;
	bool passed; /* the block's length is written; its bytes can go, too */
	const char *block; /* its '{'; NULL: it was at block_place */
	struct hp_recipe_place block_place;
	struct hp_recipe_slot block_length;
};

/*
 * The lines from a->r.p to a->r.end. After a failure a->r.p is where its line
 * starts, and a->torn says that there may be more of the line: with that, and
 * a->r.status reset, it can be tried again.
 */
bool hp_assemble_lines(struct hp_assembler *a);
void hp_assemble_free(struct hp_assembler *a);
/* Behind the last line. */
bool hp_assemble_end(struct hp_assembler *a);
/* The text will lie elsewhere: lets go of places in it. */
void hp_assemble_forget(struct hp_assembler *a);

#endif

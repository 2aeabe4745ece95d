/* SPDX-License-Identifier: MIT */
/*
 * recipe_out_value.c - writes bytes, elements and values of a recipe, as
 * recipe_value.c reads them.
 *
 * Bytes are divided into pieces: a run of equal bytes is written as 00*100,
 * printable text as "text", the rest as hexadecimal digits. Each piece is found
 * in a single pass.
 */
#include "recipe/recipe_out.h"

#include "base/wire.h"

#include <assert.h>
#include <string.h>

enum {
	HEX_PIECE = 32,	       /* most bytes of a piece in hexadecimal */
	TEXT_PIECE = 60,       /* most bytes of a string in a list */
	VALUE_WIDTH = 12,      /* approximate width of a value in columns */
	TEXT_WHOLE = 1024,     /* text up to this size is not divided */
	REPEAT_LEAST = 16,     /* fewest equal bytes written as 00*16 */
	ELEMENTS_LEAST = 4,    /* fewest equal elements written as 0*4 */
	TEXT_LEAST = 4,	       /* fewest characters written as a string */
	REPEAT_MOST = 1 << 16, /* the assembler refuses long repetitions */
};

/* ---- bytes --------------------------------------------------------------- */

enum piece_kind { REPEAT, TEXT, HEX };

struct piece {
	enum piece_kind kind;
	size_t size;
};

/* The number of equal bytes at P, at most MOST. */
static size_t equal_run(const uint8_t *p, size_t size, size_t most)
{
	size_t run = 1;

	while (run < size && run < most && p[run] == p[0])
		run++;
	return run;
}

/* The number of bytes of printable ASCII at P, at most MOST. */
static size_t text_run(const uint8_t *p, size_t size, size_t most)
{
	size_t run = 0;

	while (run < size && run < most && p[run] >= 0x20 && p[run] < 0x7f)
		run++;
	return run;
}

static struct piece data_piece(const uint8_t *p, size_t size)
{
	size_t run = equal_run(p, size, REPEAT_MOST);

	if (run >= REPEAT_LEAST)
		return (struct piece){ REPEAT, run };
	run = text_run(p, size, TEXT_PIECE);
	if (run >= TEXT_LEAST)
		return (struct piece){ TEXT, run };
	for (run = 1; run < size && run < HEX_PIECE; run++)
		if (equal_run(p + run, size - run, REPEAT_LEAST) ==
			    REPEAT_LEAST ||
		    text_run(p + run, size - run, TEXT_LEAST) == TEXT_LEAST)
			break;
	return (struct piece){ HEX, run };
}

/* Fields that hold text are written as strings, except for long repetitions. */
static struct piece text_piece(const uint8_t *p, size_t size)
{
	size_t run = equal_run(p, size, REPEAT_MOST);
	size_t most = size <= TEXT_WHOLE ? size : TEXT_PIECE;

	if (run >= 4 * REPEAT_LEAST)
		return (struct piece){ REPEAT, run };
	for (run = 1; run < most; run++)
		if (equal_run(p + run, size - run, 4 * REPEAT_LEAST) ==
		    4 * REPEAT_LEAST)
			break;
	/* Do not divide a UTF-8 character if its end is near. */
	while (run < size && run < most + 3 && (p[run] & 0xc0) == 0x80)
		run++;
	return (struct piece){ TEXT, run };
}

static void put_piece(struct hp_recipe_out *o, const uint8_t *p,
		      struct piece piece)
{
	if (piece.kind == TEXT) {
		hp_out_string(o, p, piece.size);
		return;
	}
	hp_out_pairs(o, p, piece.kind == REPEAT ? 1 : piece.size);
	if (piece.kind == REPEAT) {
		hp_out_text(o, "*");
		hp_out_decimal(o, piece.size);
	}
}

static size_t piece_width(struct piece piece)
{
	return piece.kind == REPEAT ? VALUE_WIDTH
	       : piece.kind == TEXT ? piece.size + 2
				    : piece.size * 2;
}

void hp_out_bytes(struct hp_recipe_out *o, const char *name, const uint8_t *p,
		  size_t size, bool text)
{
	struct piece (*next)(const uint8_t *p, size_t size) =
		text ? text_piece : data_piece;
	struct piece piece;

	if (size == 0)
		return;
	hp_out_key(o, name);
	piece = next(p, size);
	if (piece.size == size) {
		put_piece(o, p, piece);
		return;
	}
	hp_out_begin_list(o);
	for (; size > 0; size -= piece.size, p += piece.size) {
		piece = next(p, size);
		hp_out_item(o, piece_width(piece));
		put_piece(o, p, piece);
	}
	hp_out_end_list(o);
}

void hp_out_raw(struct hp_recipe_out *o, const uint8_t *p, size_t size)
{
	while (size > 0 && o->status == HPROF_OK) {
		struct piece piece = data_piece(p, size);
		hp_out_text(o, o->indent ? "\traw " : "raw ");
		put_piece(o, p, piece);
		hp_out_line(o);
		p += piece.size;
		size -= piece.size;
	}
}

/* ---- typed values -------------------------------------------------------- */

/* Finds a short decimal, mantissa / 10^scale, that is exactly VALUE. */
static bool find_decimal(double value, bool single, uint64_t *ret_mantissa,
			 unsigned *ret_scale)
{
	double power = 1;

	if (!(value >= 0 && value < 1e9))
		return false;
	for (unsigned scale = 1; scale <= 6; scale++) {
		power *= 10;
		uint64_t mantissa = (uint64_t)(value * power + 0.5);
		double back = hp_recipe_decimal(mantissa, scale, false);
		if (single ? (float)back == (float)value : back == value) {
			*ret_mantissa = mantissa;
			*ret_scale = scale;
			return true;
		}
	}
	return false;
}

/*
 * Writes a float or double as a decimal if that is short and exact, otherwise
 * its bits in hexadecimal.
 */
static void put_float(struct hp_recipe_out *o, uint64_t bits, unsigned width)
{
	uint32_t low = (uint32_t)bits;
	bool negative = bits >> (8 * width - 1);
	uint64_t mantissa;
	uint64_t power = 1;
	unsigned scale;
	double value;
	float single;

	memcpy(&single, &low, sizeof single);
	memcpy(&value, &bits, sizeof value);
	if (width == sizeof single)
		value = single;
	if (!find_decimal(negative ? -value : value, width == sizeof single,
			  &mantissa, &scale)) {
		hp_out_format(o, "0x%llx", (unsigned long long)bits);
		return;
	}
	for (unsigned i = 0; i < scale; i++)
		power *= 10;
	hp_out_format(o, "%s%llu.%0*llu", negative ? "-" : "",
		      (unsigned long long)(mantissa / power), (int)scale,
		      (unsigned long long)(mantissa % power));
}

void hp_out_value(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		  unsigned id_size)
{
	unsigned width = hprof_type_size(type, id_size);
	uint64_t value = hp_get_id(p, width);

	switch (type) {
	case HPROF_TYPE_OBJECT:
		hp_out_hex(o, value);
		break;
	case HPROF_TYPE_FLOAT:
	case HPROF_TYPE_DOUBLE:
		put_float(o, value, width);
		break;
	case HPROF_TYPE_BYTE:
		hp_out_signed(o, (int8_t)value);
		break;
	case HPROF_TYPE_SHORT:
		hp_out_signed(o, (int16_t)value);
		break;
	case HPROF_TYPE_INT:
		hp_out_signed(o, (int32_t)value);
		break;
	case HPROF_TYPE_LONG:
		hp_out_signed(o, (int64_t)value);
		break;
	default: /* boolean, char */
		hp_out_decimal(o, value);
	}
}

/* ---- elements ------------------------------------------------------------ */

/* The number of equal elements of WIDTH bytes at P. */
static size_t equal_elements(const uint8_t *p, size_t size, unsigned width)
{
	size_t run = 1;

	while ((run + 1) * width <= size && run < REPEAT_MOST / 8 &&
	       memcmp(p, p + run * width, width) == 0)
		run++;
	return run;
}

/* The number of UTF-16 units at P that are printable ASCII. */
static size_t wide_run(const uint8_t *p, size_t size)
{
	size_t run = 0;

	while (2 * run + 1 < size && run < TEXT_PIECE && p[2 * run] == 0 &&
	       p[2 * run + 1] >= 0x20 && p[2 * run + 1] < 0x7f)
		run++;
	return run;
}

static void put_wide(struct hp_recipe_out *o, const uint8_t *p, size_t count)
{
	uint8_t text[TEXT_PIECE];

	for (size_t i = 0; i < count; i++)
		text[i] = p[2 * i + 1];
	hp_out_string(o, text, count);
}

/* Writes one item of the list; returns the number of bytes it stands for. */
static size_t put_elements(struct hp_recipe_out *o, unsigned type,
			   const uint8_t *p, size_t size, unsigned id_size)
{
	unsigned width = hprof_type_size(type, id_size);
	size_t run = equal_elements(p, size, width);
	size_t wide = type == HPROF_TYPE_CHAR ? wide_run(p, size) : 0;

	if (run < ELEMENTS_LEAST && wide > 0) {
		run = wide;
		hp_out_item(o, run + 2);
		put_wide(o, p, run);
		return 2 * run;
	}
	if (run < ELEMENTS_LEAST)
		run = 1;
	hp_out_item(o, VALUE_WIDTH);
	hp_out_value(o, type, p, id_size);
	if (run > 1) {
		hp_out_text(o, "*");
		hp_out_decimal(o, run);
	}
	return run * width;
}

/* A byte[] is written as bytes: it is more often text than numbers. */
static size_t put_byte_elements(struct hp_recipe_out *o, const uint8_t *p,
				size_t size)
{
	struct piece piece = data_piece(p, size);

	hp_out_item(o, piece_width(piece));
	if (piece.kind == HEX)
		hp_out_format(o, "hex:");
	if (piece.kind == REPEAT)
		hp_out_format(o, "%d*%zu", (int8_t)p[0], piece.size);
	else
		put_piece(o, p, piece);
	return piece.size;
}

void hp_out_elements(struct hp_recipe_out *o, unsigned type, const uint8_t *p,
		     size_t size, unsigned id_size)
{
	/* Each item must stand for at least one byte. */
	assert(hprof_type_size(type, id_size) > 0);
	hp_out_begin_list(o);
	while (size > 0 && o->status == HPROF_OK) {
		size_t used = type == HPROF_TYPE_BYTE
				      ? put_byte_elements(o, p, size)
				      : put_elements(o, type, p, size, id_size);
		p += used;
		size -= used;
	}
	hp_out_end_list(o);
}

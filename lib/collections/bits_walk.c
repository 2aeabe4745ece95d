/* SPDX-License-Identifier: MIT */
/*
 * bits_walk.c - elements that are bits: numbers, or constants of an enum whose
 * numbers they are.
 */
#include "base/error.h"
#include "collections/field_path.h"
#include "collections/walk.h"
#include "heap/cursor.h"

enum {
	WORD_BITS = 64,
	CHUNK = 64,	     /* words that are read at once */
	WORDS_MOST = 1 << 12 /* that are counted */
};

struct bits {
	struct hp_walk_state *w;
	bool in_field; /* WORD has all bits */
	uint64_t word;
	uint64_t words; /* an array; HPROF_NO_OBJECT: none */
	/* The array that has the elements; HPROF_NO_OBJECT: they are numbers. */
	uint64_t universe;
};

static enum hprof_status find_bits(struct hp_walk_state *w, struct bits *ret)
{
	struct hprof_field field;
	enum hprof_status status;

	*ret = (struct bits){ .w = w,
			      .words = w->c->storage,
			      .universe = HPROF_NO_OBJECT };
	if (!w->form->key)
		return HPROF_OK;
	ret->universe = w->c->storage;
	ret->words = HPROF_NO_OBJECT;
	status = hp_field_path_read(w->cursor, w->c->object, w->c->known_row,
				    w->form->key, &field);
	if (status != HPROF_OK)
		return status < 0 ? status : HPROF_OK;
	ret->in_field = field.type != HPROF_TYPE_OBJECT;
	if (ret->in_field)
		ret->word = field.value;
	else
		ret->words = hp_walk_follow(w, field.value);
	return HPROF_OK;
}

/* Up to CHUNK words from word FIRST on. */
static enum hprof_status read_words(const struct bits *b, uint64_t first,
				    uint64_t ret[static CHUNK],
				    size_t *ret_count)
{
	unsigned type = HPROF_TYPE_LONG;

	if (b->in_field) {
		ret[0] = b->word;
		*ret_count = first == 0;
		return HPROF_OK;
	}
	HP_TRY(hp_walk_elements(b->w, b->words, first, CHUNK, ret, ret_count,
				&type));
	if (type != HPROF_TYPE_LONG)
		*ret_count = 0;
	return HPROF_OK;
}

static enum hprof_status emit_word(const struct bits *b, uint64_t number,
				   uint64_t word)
{
	struct hp_walk_state *w = b->w;
	bool numbers = b->universe == HPROF_NO_OBJECT;
	struct hprof_collection_entry entry = {
		.node = numbers ? b->words : b->universe,
		.value_type = numbers ? HPROF_TYPE_INT : HPROF_TYPE_OBJECT,
	};
	uint64_t ids[WORD_BITS];
	size_t n = WORD_BITS;

	if (!numbers && word)
		HP_TRY(hp_walk_elements(w, b->universe, number, WORD_BITS, ids,
					&n, NULL));
	for (unsigned i = 0; word && i < WORD_BITS && !w->stopped; i++) {
		if (!(word >> i & 1))
			continue;
		if (i >= n) {
			w->result.odd = true; /* there is no such constant */
			break;
		}
		entry.value = numbers ? number + i : ids[i];
		hp_walk_emit(w, entry);
	}
	return HPROF_OK;
}

enum hprof_status hp_walk_bits(struct hp_walk_state *w)
{
	uint64_t words[CHUNK];
	struct bits b;
	size_t n = CHUNK;

	HP_TRY(find_bits(w, &b));
	for (uint64_t i = 0; n == CHUNK && !w->stopped; i += n) {
		HP_TRY(read_words(&b, i, words, &n));
		for (size_t k = 0; k < n && !w->stopped; k++)
			HP_TRY(emit_word(&b, (i + k) * WORD_BITS, words[k]));
	}
	return HPROF_OK;
}

static unsigned count_word(uint64_t word)
{
	unsigned count = 0;

	for (; word; word &= word - 1)
		count++;
	return count;
}

enum hprof_status hp_walk_count_bits(struct hp_walk_state *w, uint64_t *ret)
{
	uint64_t words[CHUNK], count = 0;
	struct bits b;
	size_t n = CHUNK;

	HP_TRY(find_bits(w, &b));
	for (uint64_t i = 0; n == CHUNK; i += n) {
		if (i >= WORDS_MOST)
			return HPROF_END;
		HP_TRY(read_words(&b, i, words, &n));
		for (size_t k = 0; k < n; k++)
			count += count_word(words[k]);
	}
	*ret = count;
	return HPROF_OK;
}

/* SPDX-License-Identifier: MIT */
/*
 * reader_frame.c - is this a record header? The rules by which the reader
 * finds its way again (a plausible header: known tag, a length that fits the
 * tag, within the input).
 */
#include "codec/decode.h"
#include "stream/reader.h"

/* The lengths a known tag can have: fixed bytes, then a multiple of step. */
struct shape {
	bool known;
	uint32_t fixed; /* least length */
	uint32_t step;	/* 0: exactly fixed */
};

static struct shape shape_of(unsigned tag, unsigned z)
{
	switch (tag) {
#define RECORD(S, m, d)                                                        \
	case HPROF_##S: {                                                      \
		struct shape s = { true, (uint32_t)(hp_ids_##S * z +            \
						    hp_fix_##S), 0 };
#define ROOT(S, d) RECORD(S, root, d)
#define REST(m, f, R) s.step = 1;
#define BYTES(m, f, c, R) s.step = 1;
#define IDS(m, f, c, R) s.step = z;
#define VALUES(m, f, c, t) s.step = 1;
#define LIST(m, f, c, g) s.step = hp_fix_##g;
#define END(S)                                                                 \
		return s;                                                      \
	}
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
	default:
		return (struct shape){ false, 0, 0 };
	}
}

bool hp_plausible_header(const uint8_t *p, unsigned id_size)
{
	struct shape shape = shape_of(p[0], id_size);
	uint32_t length = hp_get32(p + 5);

	if (!shape.known || length < shape.fixed)
		return false;
	if (shape.step == 0)
		return length == shape.fixed;
	return (length - shape.fixed) % shape.step == 0;
}

static bool is_heap_tag(unsigned tag)
{
	return tag == HPROF_HEAP_DUMP || tag == HPROF_HEAP_DUMP_SEGMENT;
}

enum hp_guess hp_reader_header_at(struct hprof_reader *r, uint64_t at)
{
	uint8_t p[HPROF_RECORD_HEADER];
	int n = hp_window_peek(&r->window, at, p, sizeof p);

	if (n < 0)
		return HP_MAYBE;
	if (n == 0)
		return hp_window_ends_before(&r->window, at) ? HP_NO : HP_YES;
	if (n < (int)sizeof p || !hp_plausible_header(p, r->id_size))
		return HP_NO;
	/* A heap record may be cut or have wrapped; another must fit. */
	if (!is_heap_tag(p[0]) &&
	    hp_window_ends_before(&r->window, at + sizeof p + hp_get32(p + 5)))
		return HP_NO;
	return HP_YES;
}

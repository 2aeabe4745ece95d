/* SPDX-License-Identifier: MIT */
/*
 * decode.h - the decoder that records.def expands to. It is inline, so that a
 * constant id size folds away (measured: as fast as hand-written code).
 *
 * hp_fields_X reads the fixed fields of one kind of record. hp_decode_body
 * reads those of any record and computes the length of the tail, but does not
 * check that the tail is there. The reader needs that for bodies larger than
 * its window.
 */
#ifndef HP_DECODE_H
#define HP_DECODE_H

#include "hprof/record.h"
#include "base/wire.h"

/* What hp_decode_body found behind the fixed fields. */
struct hp_tail {
	struct hprof_bytes *bytes; /* the member to fill; NULL: no tail */
	uint64_t size;
	bool rest; /* the tail extends to the record's end; size is 0 */
};

/* CLASS_DUMP's three lists; hand-written, in class_dump.c. */
enum hprof_status hp_class_lists_decode(const uint8_t *p, const uint8_t *end,
					unsigned z,
					struct hprof_class_dump *ret_class,
					const uint8_t **ret_end);

/* The fixed fields have hp_ids_X * id size + hp_fix_X bytes. */
enum {
#define RECORD(S, m, d) hp_ids_##S = 0
#define ROOT(S, d) hp_ids_##S = 0
#define GROUP(S, m) hp_ids_##S = 0
#define END(S) ,
#define ID(m, f, r) +1
#include "codec/records.def"
#define RECORD(S, m, d) hp_fix_##S = 0
#define ROOT(S, d) hp_fix_##S = 0
#define GROUP(S, m) hp_fix_##S = 0
#define END(S) ,
#define U1(m, f, r) +1
#define U2(m, f, r) +2
#define U4(m, f, r) +4
#define I4(m, f, r) +4
#define U8(m, f, r) +8
#define TYPE(m, f) +1
#define COUNT(m, f) +4
#define CLASS_LISTS(m) +6
#include "codec/records.def"
	hp_fix_last
};

/*
 * Reads the fixed fields of an X at P, which must all be there. Returns where
 * they end. Members of RET that are not fixed fields of X do not change.
 */
#define RECORD(S, m, d)                                                        \
	static inline __attribute__((always_inline)) const uint8_t *           \
	hp_fields_##S(const uint8_t *p, unsigned z, struct hprof_##m *ret)     \
	{                                                                      \
		(void)z;                                                       \
		(void)ret;
#define END(S)                                                                 \
		return p;                                                      \
	}
#define ID(m, f, R) ret->f = hp_get_id(p, z); p += z;
#define U1(m, f, R) ret->f = p[0]; p += 1;
#define U2(m, f, R) ret->f = hp_get16(p); p += 2;
#define U4(m, f, R) ret->f = hp_get32(p); p += 4;
#define I4(m, f, R) ret->f = (int32_t)hp_get32(p); p += 4;
#define U8(m, f, R) ret->f = hp_get64(p); p += 8;
#define TYPE(m, f) U1(m, f, NONE)
#define COUNT(m, f) U4(m, f, NONE)
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS

static inline size_t hp_room(const uint8_t *p, const uint8_t *end)
{
	return (size_t)(end - p);
}

/*
 * Decodes the body of r->tag from [P, END), id size Z. HPROF_E_TRUNCATED if
 * the fixed fields (of CLASS_DUMP: everything) are not all there,
 * HPROF_E_UNSUPPORTED for an unknown tag, HPROF_E_CORRUPT for an invalid type
 * code. *RET_END is the end of the fixed fields.
 */
static inline __attribute__((always_inline)) enum hprof_status
hp_decode_body(const uint8_t *p, const uint8_t *end, unsigned z,
	       struct hprof_record *r, struct hp_tail *tail,
	       const uint8_t **ret_end)
{
	tail->bytes = NULL;
	tail->size = 0;
	tail->rest = false;
	switch (r->tag) {
#define FIXED(S, m)                                                            \
		if (hp_room(p, end) < (size_t)hp_ids_##S * z + hp_fix_##S)      \
			return HPROF_E_TRUNCATED;                              \
		p = hp_fields_##S(p, z, &r->u.m);
#define RECORD(S, m, d)                                                        \
	case HPROF_##S:                                                        \
		FIXED(S, m)
#define ROOT(S, d)                                                             \
	case HPROF_##S:                                                        \
		r->u.root = (struct hprof_root){ 0 };                          \
		FIXED(S, root)
#define END(S)                                                                 \
		*ret_end = p;                                                  \
		return HPROF_OK;
#define TYPE(m, f)                                                             \
		if (!hprof_type_size(r->u.m.f, z))                             \
			return HPROF_E_CORRUPT;
#define REST(m, f, R) tail->bytes = &r->u.m.f; tail->rest = true;
#define TAIL(m, f, n) tail->bytes = &r->u.m.f; tail->size = (n);
#define BYTES(m, f, c, R) TAIL(m, f, r->u.m.c)
#define IDS(m, f, c, R) TAIL(m, f, (uint64_t)r->u.m.c * z)
#define VALUES(m, f, c, t)                                                     \
	TAIL(m, f, (uint64_t)r->u.m.c * hprof_type_size(r->u.m.t, z))
#define LIST(m, f, c, g)                                                       \
	TAIL(m, f, (uint64_t)r->u.m.c * (hp_ids_##g * z + hp_fix_##g))
#define CLASS_LISTS(m)                                                         \
	{                                                                      \
		enum hprof_status s = hp_class_lists_decode(                   \
			p, end, z, &r->u.m, &p);                               \
		if (s != HPROF_OK)                                             \
			return s;                                              \
	}
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
#undef TAIL
#undef FIXED
	default:
		return HPROF_E_UNSUPPORTED;
	}
}

#endif

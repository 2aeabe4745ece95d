/* SPDX-License-Identifier: MIT */
/*
 * decode.c - the public decoders: hp_decode_body for each id size, and the
 * framing of top-level records around it.
 */
#include "codec/decode.h"

static inline __attribute__((always_inline)) enum hprof_status
decode_sub(const uint8_t *p, size_t size, unsigned z, struct hprof_record *r,
	   size_t *ret_used)
{
	struct hp_tail tail;
	const uint8_t *end = p + size;
	const uint8_t *next;

	enum hprof_status status =
		hp_decode_body(p + 1, end, z, r, &tail, &next);
	if (status != HPROF_OK)
		return status;
	if (tail.bytes) {
		if (hp_room(next, end) < tail.size)
			return HPROF_E_TRUNCATED;
		*tail.bytes = (struct hprof_bytes){ next, tail.size };
	}
	*ret_used = (size_t)(next - p) + (size_t)tail.size;
	return HPROF_OK;
}

enum hprof_status hprof_sub_decode(const void *bytes, size_t size,
				   unsigned id_size, struct hprof_record *r,
				   size_t *ret_used)
{
	const uint8_t *p = bytes;

	if (!hprof_id_size_valid(id_size))
		return HPROF_E_USAGE;
	if (size == 0)
		return HPROF_E_TRUNCATED;
	r->tag = HPROF_SUB + p[0];
	r->id_size = (uint8_t)id_size;
	r->time_us = 0;
	r->length = 0;
	r->rest = (struct hprof_bytes){ NULL, 0 };
	if (id_size == 8)
		return decode_sub(p, size, 8, r, ret_used);
	if (id_size == 4)
		return decode_sub(p, size, 4, r, ret_used);
	return decode_sub(p, size, id_size, r, ret_used);
}

/*
 * Decodes a complete body. If its fields do not fit its length, the body is
 * passed on as plain bytes in u.unknown.
 */
static enum hprof_status decode_top_body(const uint8_t *body, unsigned z,
					 struct hprof_record *r)
{
	struct hp_tail tail;
	const uint8_t *end = body + r->length;
	const uint8_t *next;
	enum hprof_status status;

	status = hp_decode_body(body, end, z, r, &tail, &next);
	if (status == HPROF_OK && tail.size > hp_room(next, end))
		status = HPROF_E_CORRUPT;
	if (status != HPROF_OK) {
		r->u.unknown.body = (struct hprof_bytes){ body, r->length };
		return status == HPROF_E_UNSUPPORTED ? HPROF_OK
						     : HPROF_E_CORRUPT;
	}
	if (tail.rest)
		tail.size = hp_room(next, end);
	if (tail.bytes)
		*tail.bytes = (struct hprof_bytes){ next, tail.size };
	next += tail.size;
	r->rest = (struct hprof_bytes){ next, hp_room(next, end) };
	return HPROF_OK;
}

enum hprof_status hprof_record_decode(const void *bytes, size_t size,
				      unsigned id_size, struct hprof_record *r,
				      size_t *ret_used)
{
	const uint8_t *p = bytes;

	if (!hprof_id_size_valid(id_size))
		return HPROF_E_USAGE;
	if (size < HPROF_RECORD_HEADER)
		return HPROF_E_TRUNCATED;
	r->tag = p[0];
	r->id_size = (uint8_t)id_size;
	r->time_us = hp_get32(p + 1);
	r->length = hp_get32(p + 5);
	r->rest = (struct hprof_bytes){ NULL, 0 };
	if (size - HPROF_RECORD_HEADER < r->length)
		return HPROF_E_TRUNCATED;
	*ret_used = HPROF_RECORD_HEADER + (size_t)r->length;
	return decode_top_body(p + HPROF_RECORD_HEADER, id_size, r);
}

/* Elements of lists: the groups of records.def. */
#define GROUP(S, m)                                                            \
	enum hprof_status hprof_##m##_at(struct hprof_bytes list,              \
					 uint64_t index,                       \
					 struct hprof_##m *ret)                \
	{                                                                      \
		const uint64_t size = hp_fix_##S;                              \
		if (!list.data || index >= list.size / size)                   \
			return HPROF_END;                                      \
		const uint8_t *p = list.data + index * size;
#define U1(m, f, R)                                                            \
		ret->f = p[0];                                                 \
		p += 1;
#define U4(m, f, R)                                                            \
		ret->f = hp_get32(p);                                          \
		p += 4;
#define END(S)                                                                 \
		(void)p;                                                       \
		return HPROF_OK;                                               \
	}
#define HP_GROUPS_ONLY
#include "codec/records.def"
#undef HP_GROUPS_ONLY

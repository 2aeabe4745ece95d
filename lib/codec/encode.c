/* SPDX-License-Identifier: MIT */
/*
 * encode.c - the encoder that records.def expands to, built like decode.h.
 *
 * The size is computed first, so that a single comparison checks the room.
 */
#include "codec/encode.h"

#include "codec/decode.h"
#include "base/error.h"

/* The size of the body; HPROF_E_USAGE if a count disagrees with its bytes. */
static enum hprof_status body_size(const struct hprof_record *r, unsigned z,
				   uint64_t *ret_size)
{
	switch (r->tag) {
#define RECORD(S, m, d)                                                        \
	case HPROF_##S:                                                        \
		*ret_size = (uint64_t)hp_ids_##S * z + hp_fix_##S;
#define ID(m, f, R)                                                            \
		if (!hp_id_fits(r->u.m.f, z))                                  \
			return HPROF_E_USAGE;
#define TYPE(m, f)                                                             \
		if (!hprof_type_size(r->u.m.f, z))                             \
			return HPROF_E_USAGE;
#define TAIL(m, f, n)                                                          \
		if (r->u.m.f.size != (n))                                      \
			return HPROF_E_USAGE;                                  \
		*ret_size += r->u.m.f.size;
#define REST(m, f, R)                                                          \
		if (r->u.m.f.size > UINT32_MAX)                                \
			return HPROF_E_USAGE;                                  \
		TAIL(m, f, r->u.m.f.size)
#define BYTES(m, f, c, R) TAIL(m, f, r->u.m.c)
#define IDS(m, f, c, R)                                                        \
		if (r->id_size != z && r->u.m.c)                               \
			return HPROF_E_USAGE;                                  \
		TAIL(m, f, (uint64_t)r->u.m.c * z)
#define VALUES(m, f, c, t)                                                     \
		TAIL(m, f, (uint64_t)r->u.m.c * hprof_type_size(r->u.m.t, z))
#define LIST(m, f, c, g) TAIL(m, f, (uint64_t)r->u.m.c * hp_fix_##g)
#define CLASS_LISTS(m)                                                         \
		if (r->id_size != z && (r->u.m.static_count ||                 \
					r->u.m.field_count ||                  \
					r->u.m.constant_count))                \
			return HPROF_E_USAGE;                                  \
		if (r->u.m.constants.size > UINT32_MAX ||                      \
		    r->u.m.statics.size > UINT32_MAX ||                        \
		    r->u.m.fields.size > UINT32_MAX)                           \
			return HPROF_E_USAGE;                                  \
		*ret_size += r->u.m.constants.size + r->u.m.statics.size +     \
			     r->u.m.fields.size;
#define END(S)                                                                 \
		break;
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
#undef TAIL
	default:
		if (r->tag >= HPROF_SUB)
			return HPROF_E_USAGE;
		*ret_size = r->u.unknown.body.size;
	}
	return HPROF_OK;
}

enum hprof_status hprof_record_size(const struct hprof_record *r,
				    unsigned id_size, uint64_t *ret_size)
{
	uint64_t body;

	if (!hprof_id_size_valid(id_size))
		return HPROF_E_USAGE;
	HP_TRY(body_size(r, id_size, &body));
	if (r->tag >= HPROF_SUB) {
		if (r->rest.size) /* only top-level records may have one */
			return HPROF_E_USAGE;
		*ret_size = 1 + body;
		return HPROF_OK;
	}
	if (body > UINT32_MAX || r->rest.size > UINT32_MAX - body)
		return HPROF_E_USAGE;
	*ret_size = HPROF_RECORD_HEADER + body + r->rest.size;
	return HPROF_OK;
}

/* Copies BYTES to *P and advances it; false if they are not loaded. */
static bool put_bytes(uint8_t **p, struct hprof_bytes bytes)
{
	if (bytes.size == 0)
		return true;
	if (!bytes.data)
		return false;
	memcpy(*p, bytes.data, (size_t)bytes.size);
	*p += bytes.size;
	return true;
}

/* Writes the body to P, which has room for it. */
static inline __attribute__((always_inline)) enum hprof_status
encode_body(const struct hprof_record *r, unsigned z, uint8_t *p, bool tail)
{
	switch (r->tag) {
#define RECORD(S, m, d) case HPROF_##S:
#define ROOT(S, d) case HPROF_##S:
#define ID(m, f, R)                                                            \
		hp_put_id(p, z, r->u.m.f);                                     \
		p += z;
#define U1(m, f, R) *p++ = r->u.m.f;
#define U2(m, f, R)                                                            \
		hp_put16(p, r->u.m.f);                                         \
		p += 2;
#define U4(m, f, R)                                                            \
		hp_put32(p, (uint32_t)r->u.m.f);                               \
		p += 4;
#define I4(m, f, R) U4(m, f, R)
#define U8(m, f, R)                                                            \
		hp_put64(p, r->u.m.f);                                         \
		p += 8;
#define TYPE(m, f) *p++ = r->u.m.f;
#define COUNT(m, f) U4(m, f, NONE)
#define TAIL(m, f)                                                             \
		if (tail && !put_bytes(&p, r->u.m.f))                          \
			return HPROF_E_USAGE;
#define REST(m, f, R) TAIL(m, f)
#define BYTES(m, f, c, R) TAIL(m, f)
#define IDS(m, f, c, R) TAIL(m, f)
#define VALUES(m, f, c, t) TAIL(m, f)
#define LIST(m, f, c, g) TAIL(m, f)
#define CLASS_LISTS(m)                                                         \
		if (hp_class_lists_encode(&r->u.m, z, &p) != HPROF_OK)         \
			return HPROF_E_USAGE;
#define END(S)                                                                 \
		break;
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
#undef TAIL
	default:
		if (tail && !put_bytes(&p, r->u.unknown.body))
			return HPROF_E_USAGE;
	}
	return put_bytes(&p, r->rest) ? HPROF_OK : HPROF_E_USAGE;
}

/*
 * Writes the tag, and the time and length of a top-level record that has SIZE
 * bytes in all.
 */
static uint8_t *put_header(const struct hprof_record *r, uint64_t size,
			   uint8_t *p)
{
	*p++ = (uint8_t)r->tag;
	if (r->tag >= HPROF_SUB)
		return p;
	hp_put32(p, r->time_us);
	hp_put32(p + 4, (uint32_t)(size - HPROF_RECORD_HEADER));
	return p + 8;
}

static enum hprof_status encode(const struct hprof_record *r, unsigned id_size,
				uint64_t size, uint8_t *p, bool tail)
{
	p = put_header(r, size, p);
	if (id_size == 8)
		return encode_body(r, 8, p, tail);
	if (id_size == 4)
		return encode_body(r, 4, p, tail);
	return encode_body(r, id_size, p, tail);
}

enum hprof_status hprof_record_encode(const struct hprof_record *r,
				      unsigned id_size, void *bytes,
				      size_t room, size_t *ret_used)
{
	uint64_t size;

	HP_TRY(hprof_record_size(r, id_size, &size));
	if (size > room)
		return HPROF_E_LIMIT;
	HP_TRY(encode(r, id_size, size, bytes, true));
	*ret_used = (size_t)size;
	return HPROF_OK;
}

enum hprof_status hp_record_encode_head(const struct hprof_record *r,
					unsigned id_size, uint64_t tail_size,
					void *bytes, size_t room,
					size_t *ret_used)
{
	uint64_t size;

	HP_TRY(hprof_record_size(r, id_size, &size));
	if (size - tail_size > room)
		return HPROF_E_LIMIT;
	HP_TRY(encode(r, id_size, size, bytes, false));
	*ret_used = (size_t)(size - tail_size);
	return HPROF_OK;
}

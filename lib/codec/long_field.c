/* SPDX-License-Identifier: MIT */
/*
 * long_field.c - derives from records.def where the long field of a record and
 * its count are.
 */
#include "codec/long_field.h"

#include "codec/decode.h"
#include "codec/tags.h"

const struct hprof_bytes *hp_record_long_field(const struct hprof_record *r)
{
	switch (r->tag) {
#define RECORD(S, m, d) case HPROF_##S:
#define FOUND(m, f) return &r->u.m.f;
#define REST(m, f, R) FOUND(m, f)
#define BYTES(m, f, c, R) FOUND(m, f)
#define IDS(m, f, c, R) FOUND(m, f)
#define VALUES(m, f, c, t) FOUND(m, f)
#define LIST(m, f, c, g) FOUND(m, f)
#define END(S) return NULL;
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
#undef FOUND
	default:
		return &r->u.unknown.body;
	}
}

const struct hprof_bytes *hp_record_late_field(const struct hprof_record *r)
{
	const struct hprof_bytes *bytes;

	if (hp_tag_is_heap(r->tag))
		return NULL;
	bytes = hp_record_long_field(r);
	return bytes && bytes->size && !bytes->data ? bytes : NULL;
}

/*
 * Reduces BYTES to as many whole elements of WIDTH bytes as fit SIZE (none if
 * WIDTH is 0).
 */
static void shorten_to(struct hprof_bytes *bytes, uint32_t *count,
		       unsigned width, uint64_t size)
{
	*count = width ? (uint32_t)(size / width) : 0;
	bytes->size = (uint64_t)*count * width;
}

void hp_record_shorten(struct hprof_record *r, uint64_t size)
{
	const unsigned z = r->id_size;

	switch (r->tag) {
#define RECORD(S, m, d) case HPROF_##S:
#define COUNTED(m, f, c, width)                                                \
		shorten_to(&r->u.m.f, &r->u.m.c, width, size);
#define REST(m, f, R) r->u.m.f.size = size;
#define BYTES(m, f, c, R) COUNTED(m, f, c, 1)
#define IDS(m, f, c, R) COUNTED(m, f, c, z)
#define VALUES(m, f, c, t)                                                     \
		COUNTED(m, f, c, hprof_type_size(r->u.m.t, z))
#define LIST(m, f, c, g) COUNTED(m, f, c, hp_ids_##g * z + hp_fix_##g)
#define END(S) break;
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
#undef COUNTED
	default:
		r->u.unknown.body.size = size;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * describe.c - records.def as data: names, fields, roles. Used by text forms,
 * manuals, checks and tests; a decoder built on it would have half the speed of
 * generated code.
 */
#include "hprof/record.h"

#define FIELD(m, f, kind, role, group)                                         \
	{ #f, HPROF_KIND_##kind, HPROF_ROLE_##role,                            \
	  offsetof(struct hprof_record, u.m.f), group },

/* Asserts that a member has the type that the public header gives its kind. */
#define WIDTH(m, f, type)                                                      \
	_Static_assert(sizeof(((struct hprof_record *)0)->u.m.f) ==            \
			       sizeof(type),                                   \
		       #m "." #f);
#define ID(m, f, R) WIDTH(m, f, uint64_t)
#define U1(m, f, R) WIDTH(m, f, uint8_t)
#define U2(m, f, R) WIDTH(m, f, uint16_t)
#define U4(m, f, R) WIDTH(m, f, uint32_t)
#define I4(m, f, R) WIDTH(m, f, int32_t)
#define U8(m, f, R) WIDTH(m, f, uint64_t)
#define TYPE(m, f) WIDTH(m, f, uint8_t)
#define COUNT(m, f) WIDTH(m, f, uint32_t)
#define REST(m, f, R) WIDTH(m, f, struct hprof_bytes)
#define BYTES(m, f, c, R) WIDTH(m, f, struct hprof_bytes)
#define IDS(m, f, c, R) WIDTH(m, f, struct hprof_bytes)
#define VALUES(m, f, c, t) WIDTH(m, f, struct hprof_bytes)
#define LIST(m, f, c, g) WIDTH(m, f, struct hprof_bytes)
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS

/* The fields of groups, with offsets in the struct of the group. */
#define GROUP(S, m) static const struct hprof_field_info fields_##S[] = {
#define GROUP_FIELD(m, f, kind, role)                                          \
	{ #f, HPROF_KIND_##kind, HPROF_ROLE_##role,                            \
	  offsetof(struct hprof_##m, f), NULL },
#define U1(m, f, R) GROUP_FIELD(m, f, U1, R)
#define U4(m, f, R) GROUP_FIELD(m, f, U4, R)
#define END(S) };
#define HP_GROUPS_ONLY
#include "codec/records.def"

#define GROUP(S, m)                                                            \
	static const struct hprof_record_info group_##S = {                    \
		0, #S, HPROF_DIALECT_STANDARD,                                 \
		sizeof fields_##S / sizeof fields_##S[0], fields_##S           \
	};
#include "codec/records.def"
#undef HP_GROUPS_ONLY

/* Arrays cannot be empty in C, but records can: each starts with a dummy. */
#define RECORD(S, m, d) static const struct hprof_field_info fields_##S[] = { \
	{ 0 },
#define END(S) };
#define ID(m, f, R) FIELD(m, f, ID, R, NULL)
#define U1(m, f, R) FIELD(m, f, U1, R, NULL)
#define U2(m, f, R) FIELD(m, f, U2, R, NULL)
#define U4(m, f, R) FIELD(m, f, U4, R, NULL)
#define I4(m, f, R) FIELD(m, f, I4, R, NULL)
#define U8(m, f, R) FIELD(m, f, U8, R, NULL)
#define TYPE(m, f) FIELD(m, f, TYPE, NONE, NULL)
#define COUNT(m, f) FIELD(m, f, COUNT, NONE, NULL)
#define REST(m, f, R) FIELD(m, f, REST, R, NULL)
#define BYTES(m, f, c, R) FIELD(m, f, BYTES, R, NULL)
#define IDS(m, f, c, R) FIELD(m, f, IDS, R, NULL)
#define VALUES(m, f, c, t) FIELD(m, f, VALUES, DATA, NULL)
#define LIST(m, f, c, g) FIELD(m, f, LIST, NONE, &group_##g)
#define CLASS_LISTS(m) FIELD(m, constants, CLASS, NONE, NULL)
#define HP_NO_GROUPS
#include "codec/records.def"

static const struct hprof_record_info records[] = {
#define RECORD(S, m, d)                                                        \
	{ HPROF_##S, #S, HPROF_DIALECT_##d,                                    \
	  sizeof fields_##S / sizeof fields_##S[0] - 1, fields_##S + 1 },
#include "codec/records.def"
#undef HP_NO_GROUPS
};

enum { RECORD_COUNT = sizeof records / sizeof records[0] };

const struct hprof_record_info *hprof_record_list(unsigned index)
{
	return index < RECORD_COUNT ? &records[index] : NULL;
}

/* Index + 1 in records, by tag; fast, since the writer looks up each record. */
enum {
#define RECORD(S, m, d) INDEX_##S,
#define HP_NO_GROUPS
#include "codec/records.def"
};

static const uint8_t index_of[2 * HPROF_SUB] = {
#define RECORD(S, m, d) [HPROF_##S] = INDEX_##S + 1,
#include "codec/records.def"
#undef HP_NO_GROUPS
};

const struct hprof_record_info *hprof_record_describe(unsigned tag)
{
	unsigned index = tag < 2 * HPROF_SUB ? index_of[tag] : 0;

	return index ? &records[index - 1] : NULL;
}

const char *hprof_tag_name(unsigned tag)
{
	const struct hprof_record_info *info = hprof_record_describe(tag);

	return info ? info->name : "unknown";
}

bool hprof_tag_is_root(unsigned tag)
{
	switch (tag) {
#define ROOT(S, d) case HPROF_##S:
#define HP_NO_GROUPS
#include "codec/records.def"
#undef HP_NO_GROUPS
		return true;
	default:
		return false;
	}
}

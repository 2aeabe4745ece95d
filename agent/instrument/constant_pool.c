/* SPDX-License-Identifier: MIT */
/*
 * constant_pool.c - looks constants up and appends new ones (JVMS 4.4).
 */
#include "agent/instrument/constant_pool.h"

#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

enum {
	UTF8 = 1,
	INTEGER = 3,
	LONG = 5,
	DOUBLE = 6,
	CLASS = 7,
	METHOD = 10,
	INTERFACE_METHOD = 11,
	NAME_AND_TYPE = 12
};

/*
 * The bytes after the tag, by tag; 0: there is no such tag. That of UTF8 is the
 * size of its length alone.
 */
static const uint8_t constant_sizes[] = {
	[UTF8] = 2, [INTEGER] = 4,	    [4 /* Float */] = 4,
	[LONG] = 8, [DOUBLE] = 8,	    [CLASS] = 2,
	[8] = 2,    [9 /* Fieldref */] = 4, [METHOD] = 4,
	[11] = 4,   [NAME_AND_TYPE] = 4,    [15 /* MethodHandle */] = 3,
	[16] = 2,   [17 /* Dynamic */] = 4, [18 /* InvokeDynamic */] = 4,
	[19] = 2,   [20 /* Package */] = 2,
};

bool ag_utf8_is(struct ag_utf8 text, const char *other)
{
	return text.size == strlen(other) &&
	       memcmp(text.bytes, other, text.size) == 0;
}

/* ---- old constants ------------------------------------------------------- */

/* Passes over one constant; false if it is none. */
static bool pass(struct ag_in *in, unsigned *ret_tag)
{
	unsigned tag = ag_in_u1(in);
	size_t size = tag < sizeof constant_sizes ? constant_sizes[tag] : 0;

	if (tag == UTF8)
		size = ag_in_u2(in);
	else if (size == 0)
		return false;
	ag_in_take(in, size);
	*ret_tag = tag;
	return !in->cut;
}

enum hprof_status ag_pool_read(struct ag_in *in, struct ag_pool *ret)
{
	struct ag_pool p = { .count = ag_in_u2(in) };
	unsigned tag;
	bool fine;

	p.next = p.count;
	p.bytes = in->at;
	p.offsets = hp_calloc((size_t)p.count + 1, sizeof *p.offsets);
	if (!p.offsets)
		return HPROF_E_NOMEM;
	for (uint32_t i = 1; i < p.count; i++) {
		p.offsets[i] = (uint32_t)(in->at - p.bytes) + 1;
		fine = pass(in, &tag);
		if (fine && (tag == LONG || tag == DOUBLE))
			fine = ++i < p.count; /* takes up two indices */
		if (!fine) {
			ag_pool_done(&p);
			return HPROF_E_CORRUPT;
		}
	}
	p.size = (size_t)(in->at - p.bytes);
	*ret = p;
	return HPROF_OK;
}

void ag_pool_done(struct ag_pool *pool)
{
	hp_free(pool->offsets);
	hp_free(pool->added.bytes);
}

/* The constant's bytes after its tag; NULL if it is of another kind. */
static const uint8_t *find(const struct ag_pool *pool, uint32_t index,
			   unsigned tag)
{
	const uint8_t *p;

	if (index >= pool->count || pool->offsets[index] == 0)
		return NULL;
	p = pool->bytes + pool->offsets[index] - 1;
	return p[0] == tag ? p + 1 : NULL;
}

bool ag_pool_utf8(const struct ag_pool *pool, uint32_t index,
		  struct ag_utf8 *ret)
{
	const uint8_t *p = find(pool, index, UTF8);

	if (!p)
		return false;
	*ret = (struct ag_utf8){ p + 2, hp_get16(p) };
	return true;
}

bool ag_pool_class_name(const struct ag_pool *pool, uint32_t index,
			struct ag_utf8 *ret)
{
	const uint8_t *p = find(pool, index, CLASS);

	return p && ag_pool_utf8(pool, hp_get16(p), ret);
}

bool ag_pool_method_name(const struct ag_pool *pool, uint32_t index,
			 struct ag_utf8 *ret)
{
	const uint8_t *method = find(pool, index, METHOD);
	const uint8_t *name;

	if (!method)
		method = find(pool, index, INTERFACE_METHOD);
	if (!method)
		return false;
	name = find(pool, hp_get16(method + 2), NAME_AND_TYPE);
	return name && ag_pool_utf8(pool, hp_get16(name), ret);
}

/* ---- new constants ------------------------------------------------------- */

unsigned ag_pool_add_utf8(struct ag_pool *pool, const char *text)
{
	ag_out_u1(&pool->added, UTF8);
	ag_out_u2(&pool->added, (unsigned)strlen(text));
	ag_out_bytes(&pool->added, text, strlen(text));
	return pool->next++;
}

unsigned ag_pool_add_class(struct ag_pool *pool, const char *name)
{
	unsigned text = ag_pool_add_utf8(pool, name);

	ag_out_u1(&pool->added, CLASS);
	ag_out_u2(&pool->added, text);
	return pool->next++;
}

unsigned ag_pool_add_integer(struct ag_pool *pool, uint32_t value)
{
	ag_out_u1(&pool->added, INTEGER);
	ag_out_u4(&pool->added, value);
	return pool->next++;
}

unsigned ag_pool_add_method(struct ag_pool *pool, unsigned class_index,
			    const char *name, const char *descriptor)
{
	unsigned name_index = ag_pool_add_utf8(pool, name);
	unsigned type_index = ag_pool_add_utf8(pool, descriptor);

	ag_out_u1(&pool->added, NAME_AND_TYPE);
	ag_out_u2(&pool->added, name_index);
	ag_out_u2(&pool->added, type_index);
	pool->next++;
	ag_out_u1(&pool->added, METHOD);
	ag_out_u2(&pool->added, class_index);
	ag_out_u2(&pool->added, pool->next - 1);
	return pool->next++;
}

/* SPDX-License-Identifier: MIT */
/*
 * constant_pool.h - the constants of a class file: the old ones are looked up,
 * new ones are appended, so that no index in the class changes.
 */
#ifndef AG_CONSTANT_POOL_H
#define AG_CONSTANT_POOL_H

#include "agent/instrument/class_bytes.h"
#include "hprof/error.h"

/* A text in modified UTF-8, not NUL-terminated, inside of the class file. */
struct ag_utf8 {
	const uint8_t *bytes;
	size_t size;
};

static inline struct ag_utf8 ag_utf8_of(const char *text)
{
	size_t size = 0;

	while (text[size])
		size++;
	return (struct ag_utf8){ (const uint8_t *)text, size };
}

bool ag_utf8_is(struct ag_utf8 text, const char *other);

struct ag_pool {
	const uint8_t *bytes; /* of the old constants */
	size_t size;
	uint32_t *offsets; /* plus 1, by index; 0: there is no constant */
	uint32_t count;	   /* one more than the last old index */
	struct ag_out added;
	uint32_t next; /* the index of the next new one */
};

/* Reads the count and the constants. RET is freed by ag_pool_done. */
enum hprof_status ag_pool_read(struct ag_in *in, struct ag_pool *ret);
void ag_pool_done(struct ag_pool *pool);

/* Old constants: false if INDEX is not of that kind. */
bool ag_pool_utf8(const struct ag_pool *pool, uint32_t index,
		  struct ag_utf8 *ret);
bool ag_pool_class_name(const struct ag_pool *pool, uint32_t index,
			struct ag_utf8 *ret);
/* The name of the method that a Methodref or InterfaceMethodref names. */
bool ag_pool_method_name(const struct ag_pool *pool, uint32_t index,
			 struct ag_utf8 *ret);

/* New constants: the index, which may be too large; see ag_pool_full. */
unsigned ag_pool_add_utf8(struct ag_pool *pool, const char *text);
unsigned ag_pool_add_class(struct ag_pool *pool, const char *name);
unsigned ag_pool_add_integer(struct ag_pool *pool, uint32_t value);
unsigned ag_pool_add_method(struct ag_pool *pool, unsigned class_index,
			    const char *name, const char *descriptor);

/* More constants than a class file can have were added. */
static inline bool ag_pool_full(const struct ag_pool *pool)
{
	return pool->next > UINT16_MAX;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * class_bytes.h - bytes of a class file in and out. Both sides remember that
 * something went wrong, so that it is asked once, at the end: a reader that ran
 * out of bytes returns zeros, a writer that ran out of memory drops bytes.
 */
#ifndef AG_CLASS_BYTES_H
#define AG_CLASS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ag_in {
	const uint8_t *at, *end;
	bool cut; /* more was asked for than there was */
};

static inline struct ag_in ag_in(const uint8_t *bytes, size_t size)
{
	return (struct ag_in){ bytes, bytes + size, false };
}

static inline size_t ag_in_left(const struct ag_in *in)
{
	return (size_t)(in->end - in->at);
}

/* The next SIZE bytes; NULL, and nothing is left, if there are fewer. */
const uint8_t *ag_in_take(struct ag_in *in, size_t size);
uint8_t ag_in_u1(struct ag_in *in);
uint16_t ag_in_u2(struct ag_in *in);
uint32_t ag_in_u4(struct ag_in *in);

/* The next SIZE bytes as a reader of their own, empty if there are fewer. */
struct ag_in ag_in_part(struct ag_in *in, size_t size);

struct ag_out { /* all zero: empty; the bytes are freed by hp_free */
	uint8_t *bytes;
	size_t size, room;
	bool no_memory;
};

void ag_out_bytes(struct ag_out *out, const void *bytes, size_t size);
void ag_out_u1(struct ag_out *out, unsigned v);
void ag_out_u2(struct ag_out *out, unsigned v);
void ag_out_u4(struct ag_out *out, uint32_t v);

/* Writes over what stands at AT; nothing if there are no such bytes. */
void ag_out_u2_at(struct ag_out *out, size_t at, unsigned v);
void ag_out_u4_at(struct ag_out *out, size_t at, uint32_t v);

#endif

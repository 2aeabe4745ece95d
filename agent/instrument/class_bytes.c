/* SPDX-License-Identifier: MIT */
/*
 * class_bytes.c - bounds-checked reading and growing output for class files.
 */
#include "agent/instrument/class_bytes.h"

#include <string.h>

#include "base/mem.h"
#include "base/wire.h"

/* ---- in ------------------------------------------------------------------ */

const uint8_t *ag_in_take(struct ag_in *in, size_t size)
{
	const uint8_t *taken = in->at;

	if (size > ag_in_left(in)) {
		in->at = in->end;
		in->cut = true;
		return NULL;
	}
	in->at += size;
	return taken;
}

uint8_t ag_in_u1(struct ag_in *in)
{
	const uint8_t *p = ag_in_take(in, 1);

	return p ? p[0] : 0;
}

uint16_t ag_in_u2(struct ag_in *in)
{
	const uint8_t *p = ag_in_take(in, 2);

	return p ? hp_get16(p) : 0;
}

uint32_t ag_in_u4(struct ag_in *in)
{
	const uint8_t *p = ag_in_take(in, 4);

	return p ? hp_get32(p) : 0;
}

struct ag_in ag_in_part(struct ag_in *in, size_t size)
{
	const uint8_t *p = ag_in_take(in, size);

	return p ? ag_in(p, size) : ag_in(in->end, 0);
}

/* ---- out ----------------------------------------------------------------- */

static bool make_room(struct ag_out *out, size_t size)
{
	size_t room = out->room ? out->room : 256;
	uint8_t *grown;

	if (out->no_memory)
		return false;
	if (size <= out->room - out->size)
		return true;
	while (room - out->size < size)
		room *= 2;
	grown = hp_realloc(out->bytes, room, 1);
	if (!grown) {
		out->no_memory = true;
		return false;
	}
	out->bytes = grown;
	out->room = room;
	return true;
}

void ag_out_bytes(struct ag_out *out, const void *bytes, size_t size)
{
	if (size == 0 || !make_room(out, size))
		return;
	memcpy(out->bytes + out->size, bytes, size);
	out->size += size;
}

void ag_out_u1(struct ag_out *out, unsigned v)
{
	uint8_t byte = (uint8_t)v;

	ag_out_bytes(out, &byte, 1);
}

void ag_out_u2(struct ag_out *out, unsigned v)
{
	uint8_t bytes[2];

	hp_put16(bytes, (uint16_t)v);
	ag_out_bytes(out, bytes, sizeof bytes);
}

void ag_out_u4(struct ag_out *out, uint32_t v)
{
	uint8_t bytes[4];

	hp_put32(bytes, v);
	ag_out_bytes(out, bytes, sizeof bytes);
}

void ag_out_u2_at(struct ag_out *out, size_t at, unsigned v)
{
	if (at <= out->size && out->size - at >= 2)
		hp_put16(out->bytes + at, (uint16_t)v);
}

void ag_out_u4_at(struct ag_out *out, size_t at, uint32_t v)
{
	if (at <= out->size && out->size - at >= 4)
		hp_put32(out->bytes + at, v);
}

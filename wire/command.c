/* SPDX-License-Identifier: MIT */
/*
 * command.c - see command.h.
 */
#include "wire/command.h"

void wire_put_u32(uint8_t *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		out[i] = (uint8_t)(value >> (24 - 8 * i));
}

uint32_t wire_get_u32(const uint8_t *in)
{
	return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 |
	       (uint32_t)in[2] << 8 | in[3];
}

/* Nobody looks at the serial number. */
void wire_put_head(uint8_t out[WIRE_HEAD], unsigned tag, uint32_t length)
{
	out[0] = (uint8_t)tag;
	wire_put_u32(out + 1, 0);
	wire_put_u32(out + 5, length);
}

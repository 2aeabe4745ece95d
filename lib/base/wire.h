/* SPDX-License-Identifier: MIT */
/*
 * wire.h - big-endian integers to and from unaligned bytes.
 *
 * Nothing else in the library touches single bytes of integers. Compilers turn
 * memcpy and a byte swap into one load. Callers have checked the bounds.
 */
#ifndef HP_WIRE_H
#define HP_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t hp_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t hp_get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t hp_get64(const uint8_t *p)
{
	return (uint64_t)hp_get32(p) << 32 | hp_get32(p + 4);
}

static inline void hp_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void hp_put32(uint8_t *p, uint32_t v)
{
	hp_put16(p, (uint16_t)(v >> 16));
	hp_put16(p + 2, (uint16_t)v);
}

static inline void hp_put64(uint8_t *p, uint64_t v)
{
	hp_put32(p, (uint32_t)(v >> 32));
	hp_put32(p + 4, (uint32_t)v);
}

/* An id of SIZE (1, 2, 4, 8) bytes. A constant SIZE folds to one load. */
static inline uint64_t hp_get_id(const uint8_t *p, unsigned size)
{
	switch (size) {
	case 8:
		return hp_get64(p);
	case 4:
		return hp_get32(p);
	case 2:
		return hp_get16(p);
	default:
		return p[0];
	}
}

static inline void hp_put_id(uint8_t *p, unsigned size, uint64_t v)
{
	switch (size) {
	case 8:
		hp_put64(p, v);
		break;
	case 4:
		hp_put32(p, (uint32_t)v);
		break;
	case 2:
		hp_put16(p, (uint16_t)v);
		break;
	default:
		p[0] = (uint8_t)v;
	}
}

static inline bool hp_id_fits(uint64_t v, unsigned size)
{
	return size >= 8 || v >> (8 * size) == 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * property_names.h - recognizes names and values of system properties among the
 * arrays of a dump while these are counted.
 */
#ifndef HP_PROPERTY_NAMES_H
#define HP_PROPERTY_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum hp_property_name {
	HP_PROPERTY_ANY = 1,	   /* java.vm.specification.name */
	HP_PROPERTY_OOPS_MODE = 2, /* java.vm.compressedOopsMode */
	HP_PROPERTY_64_BIT = 4,	   /* as java.vm.name, that of a 64-bit JVM */
};

/* True if an array of COUNT elements may be one of them. */
static inline bool hp_property_fits(uint32_t count)
{
	return count == 24 || count == 26 || count == 33;
}

/*
 * Tells which of them the array with COUNT elements of TYPE at DATA is, in the
 * form that a java.lang.String has it; 0: none.
 */
unsigned hp_property_name(const uint8_t *data, uint32_t count, unsigned type);

#endif

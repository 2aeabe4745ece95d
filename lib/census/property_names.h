/* SPDX-License-Identifier: MIT */
/*
 * property_names.h - names of system properties among the arrays of a dump,
 * noted while these are counted.
 */
#ifndef HP_PROPERTY_NAMES_H
#define HP_PROPERTY_NAMES_H

#include <stdint.h>

enum hp_property_name {
	HP_PROPERTY_ANY = 1,	   /* one that every JVM has */
	HP_PROPERTY_OOPS_MODE = 2, /* java.vm.compressedOopsMode */
};
enum { HP_PROPERTY_LENGTH = 26 }; /* of both, in characters */

/*
 * Which name the array is that has HP_PROPERTY_LENGTH elements of TYPE at DATA,
 * as a java.lang.String keeps it; 0: neither.
 */
unsigned hp_property_name(const uint8_t *data, unsigned type);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * property_names.h - recognizes names of system properties among the arrays of
 * a dump while these are counted.
 */
#ifndef HP_PROPERTY_NAMES_H
#define HP_PROPERTY_NAMES_H

#include <stdint.h>

enum hp_property_name {
	HP_PROPERTY_ANY = 1,	   /* java.vm.specification.name */
	HP_PROPERTY_OOPS_MODE = 2, /* java.vm.compressedOopsMode */
};
enum { HP_PROPERTY_LENGTH = 26 }; /* of both names, in characters */

/*
 * Tells which name the array with HP_PROPERTY_LENGTH elements of TYPE at DATA
 * is, in the form that a java.lang.String has it; 0: neither.
 */
unsigned hp_property_name(const uint8_t *data, unsigned type);

#endif

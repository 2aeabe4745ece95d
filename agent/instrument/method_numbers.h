/* SPDX-License-Identifier: MIT */
/*
 * method_numbers.h - the numbers by which instrumented methods are known to the
 * tracker, and their names. Numbers begin at 1; one is never given twice, not
 * even when a class is instrumented again. Any thread may call these.
 */
#ifndef AG_METHOD_NUMBERS_H
#define AG_METHOD_NUMBERS_H

#include "agent/instrument/class_rewrite.h"

/*
 * The bit that marks a method, for the tracker, after which the thread is
 * another one; it is not part of its number.
 */
#define AG_METHOD_SWITCHES_THREAD UINT32_C(0x80000000)

/* Texts in modified UTF-8, valid for good. */
struct ag_method_name {
	const char *class_name; /* java/lang/String */
	const char *method, *descriptor;
	const char *source; /* "" if unknown */
	size_t class_index; /* from 0, the same for all its methods */
	void *identity;	    /* an address that no other method has */
};

struct ag_left_out {
	uint64_t classes;  /* that could not be read */
	uint64_t too_long; /* methods */
};

/*
 * Rewrites a class with numbers that are not used yet. Classes and methods that
 * must not call the tracker are left as they are: RET has no bytes then, and
 * also on failure.
 */
enum hprof_status ag_methods_instrument(const uint8_t *bytes, size_t size,
					struct ag_rewritten *ret);

/* False: there is no such number. The mark is ignored. */
bool ag_method_find(uint32_t number, struct ag_method_name *ret);

void ag_methods_left_out(struct ag_left_out *ret);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * check_codes.c - every code that hprof_check can give, with its meaning: the
 * manual's list is made from it, and a test produces each.
 */
#include "hprof/check.h"

static const struct hprof_check_code codes[] = {
#define CHECK(S, word, severity, readers, meaning)                             \
	{ word, severity, readers, meaning },
#include "base/diag_codes.def"
};

const struct hprof_check_code *hprof_check_code(unsigned index)
{
	return index < sizeof codes / sizeof *codes ? &codes[index] : NULL;
}

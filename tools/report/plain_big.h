/* SPDX-License-Identifier: MIT */
/*
 * plain_big.h - java.math.BigInteger and BigDecimal as text.
 *
 * Both return NULL if the object is not what its class says, or has more than
 * about a thousand digits. Free the text.
 */
#ifndef TOOLS_PLAIN_BIG_H
#define TOOLS_PLAIN_BIG_H

#include <hprof.h>

char *plain_big_integer(struct hprof_cursor *cursor,
			const struct hprof_heap *heap, uint64_t object);
char *plain_big_decimal(struct hprof_cursor *cursor,
			const struct hprof_heap *heap, uint64_t object);

#endif

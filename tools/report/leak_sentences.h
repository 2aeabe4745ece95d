/* SPDX-License-Identifier: MIT */
/*
 * leak_sentences.h - what a leak suspect is and whose, in sentences.
 */
#ifndef TOOLS_LEAK_SENTENCES_H
#define TOOLS_LEAK_SENTENCES_H

#include <stdbool.h>

#include <hprof.h>

#include "tools/common/prose.h"

/* Says what piles up and where, and WITH_OWNER to whom that belongs. */
void leak_say(struct prose *text, const struct hprof_leak *leak,
	      bool with_owner);

/* At whose OutOfMemoryError the dump was written, to be freed; NULL: at none. */
char *leak_out_of_memory(const struct hprof_leak_table *leaks);

#endif

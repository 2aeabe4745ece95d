/* SPDX-License-Identifier: MIT */
/*
 * diag_codes.h - the codes of diagnostics: numbers inside the library, words
 * for its users.
 */
#ifndef HP_DIAG_CODES_H
#define HP_DIAG_CODES_H

#include "hprof/reader.h"

enum hp_diag_code {
#define CHECK(S, word, severity, readers, meaning) HP_DIAG_##S,
#define CONVERT(S, word, severity, readers, meaning) HP_DIAG_##S,
#include "base/diag_codes.def"
	HP_DIAG_CODES /* how many there are */
};

/* The word for CODE; static. */
const char *hp_diag_word(enum hp_diag_code code);

/* A diagnostic with the number and the word of CODE; borrows TEXT. */
struct hprof_diagnostic hp_diag_make(enum hprof_severity severity,
				     enum hp_diag_code code, uint64_t offset,
				     const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * diag_codes.c - see diag_codes.h.
 */
#include "base/diag_codes.h"

static const char *const words[HP_DIAG_CODES] = {
#define CHECK(S, word, severity, readers, meaning) word,
#define CONVERT(S, word, severity, readers, meaning) word,
#include "base/diag_codes.def"
};

const char *hp_diag_word(enum hp_diag_code code)
{
	return words[code];
}

struct hprof_diagnostic hp_diag_make(enum hprof_severity severity,
				     enum hp_diag_code code, uint64_t offset,
				     const char *text)
{
	return (struct hprof_diagnostic){ .severity = severity,
					  .number = (uint32_t)code,
					  .code = words[code],
					  .offset = offset,
					  .text = text };
}

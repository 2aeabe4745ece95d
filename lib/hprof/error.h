/* SPDX-License-Identifier: MIT */
/*
 * hprof/error.h - statuses and details of failures.
 *
 * Every function that can fail returns an enum hprof_status. Zero is success,
 * HPROF_END means the end of a sequence, negative values are failures.
 * The library prints nothing and never exits.
 */
#ifndef HPROF_ERROR_H
#define HPROF_ERROR_H

#include <stdint.h>

#include <hprof/version.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && defined(HPROF_BUILDING)
#define HPROF_API __attribute__((visibility("default")))
#else
#define HPROF_API
#endif

enum hprof_status {
	HPROF_OK = 0,
	HPROF_END = 1,		  /* no more records, bytes, rows */
	HPROF_E_USAGE = -1,	  /* a wrong argument; nothing was changed */
	HPROF_E_SYS = -2,	  /* a system call failed; see sys_errno */
	HPROF_E_NOMEM = -3,	  /* out of memory */
	HPROF_E_FORMAT = -4,	  /* not an HPROF dump at all */
	HPROF_E_CORRUPT = -5,	  /* a field has an impossible value */
	HPROF_E_TRUNCATED = -6,	  /* the bytes end too early */
	HPROF_E_LIMIT = -7,	  /* larger than a limit of the library */
	HPROF_E_UNSUPPORTED = -8, /* valid, but not supported here */
	HPROF_E_AMBIGUOUS = -9,	  /* several dumps in an archive, none chosen */
	HPROF_E_CANCELLED = -10	  /* the caller's progress function cancelled */
};

/*
 * The details of a failure. The size is fixed, so that lack of memory can be
 * reported without allocating. The text is UTF-8, in lower case, without a
 * full stop or newline; parts that come from a file are escaped.
 */
struct hprof_error {
	enum hprof_status status;
	int sys_errno;	 /* for HPROF_E_SYS, else 0 */
	uint64_t offset; /* in the uncompressed dump; UINT64_MAX: not known */
	char text[1024];
};

/* A short English name of STATUS ("out of memory"); static, never NULL. */
HPROF_API const char *hprof_status_text(enum hprof_status status);

/*
 * The version of the library in use, as "major.minor.patch" (a static string)
 * and in the form of HPROF_VERSION_NUMBER. The macros in hprof/version.h, in
 * contrast, give the version of the headers a program was compiled with.
 */
HPROF_API const char *hprof_version(void);
HPROF_API uint32_t hprof_version_number(void);

#ifdef __cplusplus
}
#endif

#endif

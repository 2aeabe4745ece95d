/* SPDX-License-Identifier: MIT */
/*
 * hprof/check.h - is it a good dump?
 *
 * One pass with the reader's diagnostics, and what only the whole file shows:
 * ids that nobody defines, or two define; names, classes, stacks, threads
 * that are referred to and missing; instances that are not as their class
 * says. Memory: names and classes, and about 2 bytes an object. If need be,
 * the dump is read once more to find out where references lead nowhere, and
 * once more for instances that came before their classes. What cannot be read
 * twice is copied for that, see hprof/input.h; with no_copy, a note tells what
 * was not checked.
 *
 * Threads: several checks may run at the same time; a result is read-only and
 * may be used from several threads.
 */
#ifndef HPROF_CHECK_H
#define HPROF_CHECK_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Readers whose refusals and misreadings are added; or-ed. */
enum hprof_check_for {
	HPROF_FOR_JDK = 1,     /* the JDK's test library and HAT */
	HPROF_FOR_MAT = 2,     /* Eclipse Memory Analyzer */
	HPROF_FOR_VISUALVM = 4 /* VisualVM, NetBeans */
};

struct hprof_check_options {
	size_t size;	   /* sizeof(struct hprof_check_options) */
	unsigned readers;  /* enum hprof_check_for */
	unsigned reserved; /* must be 0 */
};

/* How often a code was met. */
struct hprof_check_count {
	const char *code;
	enum hprof_severity severity;
	uint32_t number; /* hprof_check_code(number) describes the code */
	uint64_t count;
};

struct hprof_check_result {
	uint64_t errors, warnings, notes;
	uint64_t objects;    /* instances and arrays */
	uint64_t references; /* of objects and classes, not null */
	size_t code_count;
	struct hprof_check_count *codes; /* by code */
	struct hprof_reader_info input;	 /* strings owned by the result */
	void *impl;
};

/*
 * Checks INPUT. *RET_RESULT is owned by the caller, free it
 * with hprof_check_result_free. Fails only for trouble; faults of the dump are
 * in the result: HPROF_E_USAGE, HPROF_E_SYS, HPROF_E_NOMEM, HPROF_E_FORMAT (no
 * dump at all), HPROF_E_AMBIGUOUS, HPROF_E_UNSUPPORTED,
 * HPROF_E_CANCELLED. RET_ERROR may be NULL. The phase of the progress is
 * "check", in bytes of the file, from 0 again each time that it is read.
 */
HPROF_API enum hprof_status
hprof_check(const struct hprof_input *input,
	    const struct hprof_check_options *options,
	    struct hprof_check_result **ret_result,
	    struct hprof_error *ret_error);

/* Calls DIAGNOSTIC for the first ten of each code, by offset. */
HPROF_API void hprof_check_result_list(const struct hprof_check_result *result,
				       hprof_diagnostic_fn *diagnostic,
				       void *user);
HPROF_API void hprof_check_result_free(struct hprof_check_result *result);

/* The codes that hprof_check can give, by index 0, 1, ...; static. */
struct hprof_check_code {
	const char *code;
	enum hprof_severity severity; /* the worst it comes with */
	unsigned readers;	      /* only with these; 0: always */
	const char *meaning;	      /* one line */
};
HPROF_API const struct hprof_check_code *hprof_check_code(unsigned index);

#ifdef __cplusplus
}
#endif

#endif

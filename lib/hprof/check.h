/* SPDX-License-Identifier: MIT */
/*
 * hprof/check.h - checks that a dump is well-formed.
 *
 * One pass gives the reader's diagnostics and those that need the whole file:
 * ids that are never defined, or defined twice; names, classes, stacks and
 * threads that are referred to but missing; instances that do not fit their
 * class. It needs memory for names and classes, and about 2 bytes per object.
 * If necessary, the dump is read a second time to locate dangling references,
 * and a third time for instances that precede their classes. An input that
 * cannot be read twice is copied for that, see hprof/input.h; with no_copy, a
 * note says what was not checked.
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

/*
 * Other programs: what they would refuse or misread is reported as well. Flags
 * that can be combined.
 */
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

/* How often a code occurred. */
struct hprof_check_count {
	const char *code;
	enum hprof_severity severity;
	uint32_t number; /* hprof_check_code(number) describes the code */
	uint64_t count;
};

struct hprof_check_result {
	uint64_t errors, warnings, notes;
	uint64_t objects;    /* instances and arrays */
	uint64_t references; /* non-null, of objects and classes */
	size_t code_count;
	struct hprof_check_count *codes; /* by code */
	struct hprof_reader_info input;	 /* strings owned by the result */
	void *impl;
};

/*
 * Checks INPUT. *RET_RESULT is owned by the caller; free it with
 * hprof_check_result_free. Defects of the dump are not failures but part of the
 * result. RET_ERROR may be NULL. The phase of the progress is "check", in bytes
 * of the file, starting at 0 each time that the file is read.
 *
 * HPROF_E_USAGE, HPROF_E_SYS, HPROF_E_NOMEM, HPROF_E_FORMAT (not a dump at
 * all), HPROF_E_AMBIGUOUS, HPROF_E_UNSUPPORTED, HPROF_E_CANCELLED.
 */
HPROF_API enum hprof_status
hprof_check(const struct hprof_input *input,
	    const struct hprof_check_options *options,
	    struct hprof_check_result **ret_result,
	    struct hprof_error *ret_error);

/* Calls DIAGNOSTIC for the first ten of each code, in order of offset. */
HPROF_API void hprof_check_result_list(const struct hprof_check_result *result,
				       hprof_diagnostic_fn *diagnostic,
				       void *user);
HPROF_API void hprof_check_result_free(struct hprof_check_result *result);

/* The codes that hprof_check can give, by index 0, 1, ...; static. */
struct hprof_check_code {
	const char *code;
	enum hprof_severity severity; /* the worst it occurs with */
	unsigned readers;	      /* only with these; 0: always */
	const char *meaning;	      /* one line */
};
HPROF_API const struct hprof_check_code *hprof_check_code(unsigned index);

#ifdef __cplusplus
}
#endif

#endif

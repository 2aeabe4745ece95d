/* SPDX-License-Identifier: MIT */
/*
 * error.h - filling struct hprof_error.
 */
#ifndef HP_ERROR_H
#define HP_ERROR_H

#include "hprof/error.h"

#define HP_NO_OFFSET UINT64_MAX

/* Fills *ERROR (NULL is fine) and returns STATUS. */
enum hprof_status hp_fail(struct hprof_error *error, enum hprof_status status,
			  uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Like hp_fail, for a failed system call: keeps errno and adds its text. */
enum hprof_status hp_fail_errno(struct hprof_error *error, const char *format,
				...) __attribute__((format(printf, 2, 3)));

/* The most frequent reasons, each with its usual text. */
enum hprof_status hp_no_memory(struct hprof_error *error);

/* HPROF_E_USAGE: "argument NAME: WHY", as in "argument heap: is NULL". */
enum hprof_status hp_bad_argument(struct hprof_error *error, const char *name,
				  const char *why);
/* Like hp_bad_argument, for options that hp_options_take refuses. */
enum hprof_status hp_bad_options(struct hprof_error *error);

/* Returns from the calling function if ARGUMENT, a pointer, is NULL. */
#define HP_NEED(error, argument)                                               \
	do {                                                                   \
		if (!(argument))                                               \
			return hp_bad_argument(error, #argument, "is NULL");   \
	} while (0)

/* HPROF_E_CANCELLED: a progress function returned false. */
enum hprof_status hp_cancelled(struct hprof_error *error);

/* For a file that has changed between two passes over it. */
enum hprof_status hp_file_changed(struct hprof_error *error);

/* Returns from the calling function if EXPR is a failure. */
#define HP_TRY(expr)                                                           \
	do {                                                                   \
		enum hprof_status hp_status_ = (expr);                         \
		if (hp_status_ < 0)                                            \
			return hp_status_;                                     \
	} while (0)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * checking.h - shared by the tests of hprof_check.
 */
#ifndef CHECKING_H
#define CHECKING_H

#include <hprof.h>

#define ALL (HPROF_FOR_JDK | HPROF_FOR_MAT | HPROF_FOR_VISUALVM)
#define NOWHERE UINT64_MAX

/* A file name for this process only, since tests run in parallel. */
const char *check_dump_path(void);

/* Each of these returns NULL for an input that is not a dump at all. */
struct hprof_check_result *check_path(const char *path, unsigned readers);
struct hprof_check_result *check_bytes(const void *bytes, size_t size,
				       unsigned readers);
struct hprof_check_result *check_fixture(const char *name, unsigned readers);
/* Through a pipe, without a copy; SIZE must fit into the pipe. */
struct hprof_check_result *check_piped(const void *bytes, size_t size,
				       unsigned readers);

/* An hprof_diagnostic_fn that counts; USER is a struct code_search. */
struct code_search {
	const char *code;
	enum hprof_severity severity;
	uint64_t offset;
	unsigned hits;
	const char *text;
	bool in_text;
};
void search_code(void *user, const struct hprof_diagnostic *d);

uint64_t code_count(const struct hprof_check_result *result, const char *code);
const struct hprof_check_code *code_named(const char *name);

#endif

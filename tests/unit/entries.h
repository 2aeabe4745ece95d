/* SPDX-License-Identifier: MIT */
/*
 * entries.h - the functions that take an input, each with a hash of what it returns, and
 * an input that can be read only once.
 */
#ifndef ENTRIES_H
#define ENTRIES_H

#include <hprof.h>

#include "fixture.h"

/* What a function returns: its status, and a hash of its results. */
struct answer {
	enum hprof_status status;
	uint64_t hash;
};

struct entry {
	const char *name;
	struct answer (*ask)(const struct hprof_input *input,
			     struct hprof_error *error);
};

enum { ENTRIES = 7 };
extern const struct entry entries[ENTRIES];

/* Some of them. Those that convert do so by way of the file "out". */
struct answer ask_heap(const struct hprof_input *input,
		       struct hprof_error *error);
struct answer ask_recipe(const struct hprof_input *input,
			 struct hprof_error *error);
struct answer ask_copy(const struct hprof_input *input,
		       struct hprof_error *error);
struct answer ask_convert(const struct hprof_input *input,
			  struct hprof_error *error);

/* An hprof_write_fn for a struct answer. */
int take_bytes(void *user, const void *bytes, size_t size);

/* For an input by callback, which gets at most 1000 bytes at once. */
struct stream {
	const struct buffer *bytes;
	size_t at;
};
int64_t read_stream(void *user, void *buffer, size_t room);

#endif

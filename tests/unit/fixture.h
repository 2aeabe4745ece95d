/* SPDX-License-Identifier: MIT */
/*
 * fixture.h - dumps for tests: the recipes in tests/recipes, assembled.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include <stddef.h>
#include <stdint.h>

struct fixture {
	char name[64]; /* "minimal" */
	char *text;
	size_t text_size;
	uint8_t *bytes;
	size_t size;
};

/* The fixture NAME; fails the test if there is none. Free it. */
struct fixture fixture_load(const char *name);
void fixture_free(struct fixture *fixture);

/* The names of all, sorted, NULL behind the last; at least one. Not freed. */
char **fixture_names(void);

/*
 * The stride of a sweep that takes long: STEP, all of it, if the environment
 * has HPROF_LONG=1, as in make check-all. Else SAMPLE times STEP; SAMPLE is odd
 * and no multiple of a record's parts, so that all of these are met.
 */
size_t sweep_step(size_t step, size_t sample);

/* A growing buffer; buffer_add is a hprof_write_fn. */
struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
};
int buffer_add(void *user, const void *bytes, size_t size);
void buffer_free(struct buffer *buffer);

#endif

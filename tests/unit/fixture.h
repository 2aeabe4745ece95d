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

/*
 * Assembles the fixture NAME; fails the test if there is none. The caller frees
 * it with fixture_free.
 */
struct fixture fixture_load(const char *name);
void fixture_free(struct fixture *fixture);

/*
 * The names of all fixtures, sorted, at least one, with a NULL at the end. They
 * are static and must not be freed.
 */
char **fixture_names(void);

/*
 * The step of a long sweep: STEP if the environment has HPROF_LONG=1, as in
 * make check-all; otherwise STEP times SAMPLE. SAMPLE is odd and no multiple of
 * the size of a record's field, so that a sample reaches every kind of place.
 */
size_t sweep_step(size_t step, size_t sample);

/* A growing buffer; buffer_add is an hprof_write_fn. */
struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
};
int buffer_add(void *user, const void *bytes, size_t size);
void buffer_free(struct buffer *buffer);

#endif

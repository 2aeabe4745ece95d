/* SPDX-License-Identifier: MIT */
/*
 * keeping.h - shared by the tests of what is kept of a dump: the dump dump.hprof, the
 * folder "kept", and sums of all that heap and graph say.
 */
#ifndef KEEPING_H
#define KEEPING_H

#include <hprof.h>

/* ---- files --------------------------------------------------------------- */

/* A private file; the bytes of one, to be freed. */
void write_file(const char *name, const void *bytes, size_t size);
uint8_t *file_bytes(const char *name, size_t *ret_size);

/* The only file in the folder whose name ends in SUFFIX. */
char *file_named(const char *suffix);

/* Makes the dump and the folder, in a folder of the test's own. */
void use_bytes(const void *bytes, size_t size);
void use_fixture(const char *name);

/* Makes the files; returns what the dump says. */
uint64_t keep(const char *fixture);

/* ---- all that a heap and its graph say ----------------------------------- */

/*
 * The sum of all that the dump says. 0: it cannot be opened. RET_KEPT: whether
 * heap and graph came from the folder.
 */
uint64_t sum_dump(const char *folder, bool *ret_kept);

/* Open the dump, and build its graph, as far as possible from the folder. */
enum hprof_status open_kept(const char *folder, struct hprof_heap **ret);
enum hprof_status build_kept(const struct hprof_heap *heap,
			     struct hprof_graph **ret);

/* Both; NULL: it cannot be opened. */
struct hprof_graph *build_graph(const char *folder);
void free_graph(struct hprof_graph *graph);

uint64_t sum_graph(const struct hprof_graph *graph);

/* For hprof_graph_referrers: adds to the sum that USER points to. */
bool add_referrer(void *user, uint64_t object);

/*
 * The sum of the paths to the objects of all classes, with the names of fields;
 * 0: they cannot be read.
 */
uint64_t sum_merged(const struct hprof_graph *graph);

/* The same of the dump. */
uint64_t sum_of_merged(const char *folder);

#endif

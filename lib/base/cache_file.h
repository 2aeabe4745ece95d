/* SPDX-License-Identifier: MIT */
/*
 * cache_file.h - tables in a file, to be read by later processes.
 *
 * Such a file is private to its user, and it is never trusted: it is used only
 * if it belongs to the user, nobody else may write to it, its key is the one
 * that is expected, and all of its bytes have the right checksum. A file that
 * fails any of this does not exist as far as callers can see. What the rows of
 * the tables mean is checked by those who read them.
 *
 * A file is written under a temporary name and then renamed, so that a process
 * sees a whole file or none. Files are for the machine that wrote them: rows
 * are structs as they are in memory.
 */
#ifndef HP_CACHE_FILE_H
#define HP_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HP_CACHE_WORDS = 12, HP_CACHE_TABLES = 24 };

/* What the contents depend on. Keys are equal if all words are. */
struct hp_cache_key {
	uint64_t words[HP_CACHE_WORDS];
};

/* Mixes SIZE bytes into a hash that begins with SEED. */
uint64_t hp_cache_hash(uint64_t seed, const void *bytes, size_t size);

struct hp_cache_table {
	uint64_t at; /* in the file; a multiple of 64 */
	uint64_t count;
	uint64_t width; /* bytes of a row */
};

/* ---- reading ------------------------------------------------------------- */

struct hp_cache_map {
	const uint8_t *at; /* NULL: no file */
	size_t size;
	const struct hp_cache_table *tables;
	size_t count;
};

/*
 * Reads FOLDER/NAME. False, and an empty map: there is no such file, or it
 * cannot be used. With THREADS, reads it in several threads.
 */
bool hp_cache_open(const char *folder, const char *name,
		   const struct hp_cache_key *key, unsigned threads,
		   struct hp_cache_map *ret);
void hp_cache_close(struct hp_cache_map *map); /* an empty one is fine */

/*
 * The rows of table NUMBER; NULL if there is no such table or its rows do not
 * have WIDTH bytes. An empty table has rows, too.
 */
const void *hp_cache_rows(const struct hp_cache_map *map, unsigned number,
			  size_t width, uint64_t *ret_count);

/* ---- writing ------------------------------------------------------------- */

/*
 * Zeroed, it is ready for hp_cache_begin. Failures are remembered until
 * hp_cache_end, which leaves no file behind if there was one.
 */
struct hp_cache_writer {
	int fd;
	char *name, *temporary;
	uint8_t *buffer;
	size_t used;	 /* of the buffer */
	uint64_t offset; /* of the buffer in the file */
	uint64_t sum;	 /* of the blocks that have been written */
	struct hp_cache_key key;
	struct hp_cache_table tables[HP_CACHE_TABLES];
	size_t count;
	int error; /* errno of the first failure; 0: none */
};

void hp_cache_begin(struct hp_cache_writer *w, const char *folder,
		    const char *name, const struct hp_cache_key *key);
/* Begins the next table, whose rows have WIDTH bytes. */
void hp_cache_table(struct hp_cache_writer *w, size_t width);
/* Adds COUNT rows to it. */
void hp_cache_add(struct hp_cache_writer *w, const void *rows, uint64_t count);
/* Both for a table that is in one piece. */
void hp_cache_put(struct hp_cache_writer *w, const void *rows, uint64_t count,
		  size_t width);
/*
 * Renames the file if nothing failed and GOOD. False: there is no new file; if
 * something failed, *RET_ERROR, which may be NULL, is its errno.
 */
bool hp_cache_end(struct hp_cache_writer *w, bool good, int *ret_error);

#endif

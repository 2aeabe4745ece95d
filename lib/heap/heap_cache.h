/* SPDX-License-Identifier: MIT */
/*
 * heap_cache.h - the folder in which a heap and its graphs are kept for the
 * next process, see option cache in hprof/heap.h.
 *
 *   heap_cache.c         which files, and what they are valid for
 *   heap_cache_tables.c  what is in the file of a heap
 */
#ifndef HP_HEAP_CACHE_H
#define HP_HEAP_CACHE_H

#include "hprof/input.h"
#include "base/cache_file.h"

struct hprof_heap;

struct hp_heap_cache {
	char *folder; /* NULL: nothing is kept */
	char *dump;   /* the path of the dump */
	char name[32];
	struct hp_cache_key key; /* of the dump as it was when it was opened */
	struct hp_cache_map map; /* what the heap borrows from */
	/*
	 * errno of the first file that could not be written, or 0; threads that
	 * share the heap may set it. NULL: nothing is kept.
	 */
	int *failure;
};

/* The words of a key that are free for more than the dump. */
enum { HP_HEAP_KEY_END = 8 };

/*
 * Keeps nothing if FOLDER is NULL or INPUT is not a plain dump in a regular
 * file. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_heap_cache_begin(struct hp_heap_cache *cache,
				      const struct hprof_input *input,
				      const char *folder);
void hp_heap_cache_done(struct hp_heap_cache *cache);

/* False if the dump has changed since then. */
bool hp_heap_cache_holds(const struct hp_heap_cache *cache);

/* Ends a file if GOOD and the dump is what it was; notes a failure. */
void hp_heap_cache_end(const struct hp_heap_cache *cache,
		       struct hp_cache_writer *w, bool good);

/*
 * Before the dump is read: reads the file and takes the index of ids from it.
 * Does nothing if that cannot be used.
 */
void hp_heap_restore(struct hprof_heap *heap);

/* Of a whole, undamaged dump. */
void hp_heap_save(const struct hprof_heap *heap);

#endif

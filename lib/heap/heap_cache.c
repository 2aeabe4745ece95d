/* SPDX-License-Identifier: MIT */
/*
 * heap_cache.c - see heap_cache.h.
 *
 * The file of a dump is found by the dump's path, so that a dump that is
 * replaced by another one has its file replaced, too, and the folder does not
 * fill up. Whether it is valid is decided by the dump itself: its size, its
 * times of modification and of change, and a hash of its two ends and of blocks
 * in between.
 *
 * Neither alone would do. A time of modification can be set back, as by a copy
 * that preserves it; the time of change cannot, but file systems differ in how
 * fine it is, and it says nothing about a file that came back under an old
 * inode. Blocks alone would miss a change between them; and to hash all of the
 * dump would take as long as to count it.
 */
#include "heap/heap_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "heap/heap.h"
#include "hprof/version.h"
#include "io/input.h"
#include "io/source.h"

/* To be raised whenever the meaning of a table changes. */
enum { LAYOUT = 2 };
enum { END_BYTES = 64 << 10, BLOCK_BYTES = 4096, BLOCKS = 64 };

static uint64_t nanoseconds(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

static void take_times(const struct stat *info, struct hp_cache_key *key)
{
	key->words[2] = (uint64_t)info->st_size;
	key->words[3] = nanoseconds(&info->st_mtim);
	key->words[4] = nanoseconds(&info->st_ctim);
	key->words[5] = (uint64_t)info->st_ino;
}

/* Adds the SIZE bytes at OFFSET to *HASH; false if they cannot be read. */
static bool add_bytes(int fd, uint64_t offset, size_t size, uint8_t *buffer,
		      uint64_t *hash)
{
	ssize_t n = pread(fd, buffer, size, (off_t)offset);

	if (n < 0)
		return false;
	*hash = hp_cache_hash(*hash, buffer, (size_t)n);
	return true;
}

static bool hash_dump(int fd, uint64_t size, uint64_t *ret)
{
	uint64_t step = size / (BLOCKS + 1), hash = 0;
	uint8_t *buffer = hp_alloc(END_BYTES);
	bool good;

	if (!buffer)
		return false;
	good = add_bytes(fd, 0, END_BYTES, buffer, &hash) &&
	       hp_is_hprof(buffer, size < 32 ? (size_t)size : 32) &&
	       add_bytes(fd, size > END_BYTES ? size - END_BYTES : 0, END_BYTES,
			 buffer, &hash);
	for (uint64_t i = 1; good && i <= BLOCKS; i++)
		good = add_bytes(fd, i * step, BLOCK_BYTES, buffer, &hash);
	hp_free(buffer);
	*ret = hash;
	return good;
}

/* The sizes of what is stored: they differ between machines and builds. */
static uint64_t hash_layout(void)
{
	const uint64_t sizes[] = { LAYOUT,
				   sizeof(void *),
				   sizeof(struct hp_slot),
				   sizeof(struct hp_class_info),
				   sizeof(struct hp_extent),
				   sizeof(struct hp_mark),
				   sizeof(struct hp_chunks),
				   HP_DIAG_CODES,
				   HP_REGION_WORDS,
				   HP_KNOWN_NAMES };

	return hp_cache_hash(0, sizes, sizeof sizes);
}

static bool make_key(struct hp_heap_cache *cache, unsigned dump)
{
	struct stat info;
	bool good;
	int fd = open(cache->dump, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	good = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
	if (good) {
		cache->key.words[0] = HPROF_VERSION_NUMBER;
		cache->key.words[1] = hash_layout();
		take_times(&info, &cache->key);
		cache->key.words[6] = dump;
		good = hash_dump(fd, (uint64_t)info.st_size,
				 &cache->key.words[7]);
	}
	close(fd);
	return good;
}

static void name_file(struct hp_heap_cache *cache, unsigned dump)
{
	char *path = realpath(cache->dump, NULL);
	const char *text = path ? path : cache->dump;
	uint64_t hash = hp_cache_hash(dump, text, strlen(text));

	snprintf(cache->name, sizeof cache->name, "hprof-%016llx",
		 (unsigned long long)hash);
	free(path);
}

enum hprof_status hp_heap_cache_begin(struct hp_heap_cache *cache,
				      const struct hprof_input *input,
				      const char *folder)
{
	unsigned dump;

	if (!folder || input->kind != HPROF_INPUT_PATH || input->member)
		return HPROF_OK;
	HP_TRY(hp_input_split(input, &cache->dump, &dump, NULL));
	if (!cache->dump || !make_key(cache, dump))
		return HPROF_OK;
	name_file(cache, dump);
	cache->folder = hp_strdup(folder);
	cache->failure = hp_calloc(1, sizeof *cache->failure);
	return cache->folder && cache->failure ? HPROF_OK : HPROF_E_NOMEM;
}

void hp_heap_cache_done(struct hp_heap_cache *cache)
{
	hp_cache_close(&cache->map);
	hp_free(cache->folder);
	hp_free(cache->failure);
	hp_free(cache->dump);
	*cache = (struct hp_heap_cache){ 0 };
}

bool hp_heap_cache_holds(const struct hp_heap_cache *cache)
{
	struct hp_cache_key now = cache->key;
	struct stat info;

	if (stat(cache->dump, &info) != 0)
		return false;
	take_times(&info, &now);
	return memcmp(&now, &cache->key, sizeof now) == 0;
}

void hp_heap_cache_end(const struct hp_heap_cache *cache,
		       struct hp_cache_writer *w, bool good)
{
	int error = 0, none = 0;

	hp_cache_end(w, good && hp_heap_cache_holds(cache), &error);
	if (error)
		__atomic_compare_exchange_n(cache->failure, &none, error, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

int hprof_heap_cache_failure(const struct hprof_heap *heap)
{
	return heap && heap->cache.failure
		       ? __atomic_load_n(heap->cache.failure, __ATOMIC_RELAXED)
		       : 0;
}

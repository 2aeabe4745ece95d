/* SPDX-License-Identifier: MIT */
/*
 * cache_file.c - see cache_file.h.
 *
 *   head, one page | table | table | ...
 *
 * The bytes behind the head are hashed in blocks, which several threads can do,
 * and the hashes of the blocks are hashed in turn. That finds damage; it is no
 * protection against somebody who may write to the user's files anyway.
 */
#include "base/cache_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/parallel_for.h"

enum { HEAD = 4096, BLOCK = 1 << 20, ALIGN = 64 };

#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

struct head {
	char magic[16];
	struct hp_cache_key key;
	uint64_t size; /* of the file */
	uint64_t sum;  /* of the bytes behind the head */
	uint64_t count;
	struct hp_cache_table tables[HP_CACHE_TABLES];
	uint64_t own_sum; /* of the members above */
};

_Static_assert(sizeof(struct head) <= HEAD, "the head fits");

/* "\n" shows a file that was sent as text; the last byte is the version. */
static const char magic[16] = "HPROF cache\r\n\032\1";

/* ---- hashing ------------------------------------------------------------- */

static inline uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15;
	return sum ^ sum >> 29;
}

uint64_t hp_cache_hash(uint64_t seed, const void *bytes, size_t size)
{
	uint64_t lanes[8], words[8], last[8] = { 0 };
	const uint8_t *p = bytes;
	size_t left = size;

	for (unsigned i = 0; i < 8; i++)
		lanes[i] = mix(seed, i + 1);
	for (; left >= sizeof words; left -= sizeof words, p += sizeof words) {
		memcpy(words, p, sizeof words);
		for (unsigned i = 0; i < 8; i++)
			lanes[i] = mix(lanes[i], words[i]);
	}
	if (left)
		memcpy(last, p, left);
	for (unsigned i = 0; i < 8; i++)
		seed = mix(seed, mix(lanes[i], last[i]));
	return mix(seed, size);
}

struct blocks {
	const uint8_t *at;
	size_t size;
	uint64_t *sums;
};

static void hash_blocks(void *state, uint32_t begin, uint32_t end)
{
	const struct blocks *b = state;

	for (size_t i = begin; i < end; i++) {
		size_t from = i * BLOCK;
		size_t left = b->size - from;
		b->sums[i] = hp_cache_hash(0, b->at + from,
					   left < BLOCK ? left : BLOCK);
	}
}

/*
 * hp_parallel_for gives each thread some 10,000 objects at a time; a block
 * counts as so many that this makes a few blocks. A block belongs to the span
 * that its first object is in.
 */
enum { SPAN = 1 << 13 };

static void hash_spans(void *state, uint32_t begin, uint32_t end)
{
	hash_blocks(state, (begin + SPAN - 1) / SPAN, (end + SPAN - 1) / SPAN);
}

/* The sum of all blocks; false without memory, or if there are too many. */
static bool hash_all(const uint8_t *at, size_t size, unsigned threads,
		     uint64_t *ret)
{
	enum { MOST = 64 };
	size_t count = (size + BLOCK - 1) / BLOCK;
	struct blocks b = { at, size, hp_calloc(count + 1, sizeof *b.sums) };
	void *states[MOST];
	uint64_t sum = 0;

	if (!b.sums || count > UINT32_MAX / SPAN) {
		hp_free(b.sums);
		return false;
	}
	for (unsigned i = 0; i < MOST; i++)
		states[i] = &b;
	hp_parallel_for((uint32_t)count * SPAN, threads < MOST ? threads : MOST,
			states, hash_spans);
	for (size_t i = 0; i < count; i++)
		sum = mix(sum, b.sums[i]);
	hp_free(b.sums);
	*ret = sum;
	return true;
}

/* ---- reading ------------------------------------------------------------- */

static char *join(const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = hp_alloc(size);

	if (path)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

/* Nobody but the user can have written it. */
static bool is_private(int fd, size_t *ret_size)
{
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) ||
	    info.st_size < HEAD || (uint64_t)info.st_size > SIZE_MAX / 2)
		return false;
	*ret_size = (size_t)info.st_size;
	return true;
}

static bool good_tables(const struct head *head)
{
	uint64_t at = HEAD;

	if (head->count > HP_CACHE_TABLES)
		return false;
	for (size_t i = 0; i < head->count; i++) {
		const struct hp_cache_table *t = &head->tables[i];
		uint64_t bytes;
		if (t->at != at || !t->width ||
		    __builtin_mul_overflow(t->count, t->width, &bytes) ||
		    bytes > head->size - at)
			return false;
		at += bytes;
		at += -at % ALIGN;
		if (at > head->size)
			return false;
	}
	return at == head->size;
}

static bool good_head(const struct head *head, const struct hp_cache_key *key,
		      size_t size)
{
	return memcmp(head->magic, magic, sizeof magic) == 0 &&
	       head->own_sum ==
		       hp_cache_hash(0, head, offsetof(struct head, own_sum)) &&
	       memcmp(&head->key, key, sizeof *key) == 0 &&
	       head->size == size && good_tables(head);
}

static bool map_file(int fd, const struct hp_cache_key *key, unsigned threads,
		     struct hp_cache_map *ret)
{
	const struct head *head;
	uint64_t sum;
	size_t size;
	void *at;

	if (!is_private(fd, &size))
		return false;
	at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (at == MAP_FAILED)
		return false;
	head = at;
	if (!good_head(head, key, size) ||
	    !hash_all((const uint8_t *)at + HEAD, size - HEAD, threads, &sum) ||
	    sum != head->sum) {
		munmap(at, size);
		return false;
	}
	*ret = (struct hp_cache_map){ at, size, head->tables,
				      (size_t)head->count };
	return true;
}

bool hp_cache_open(const char *folder, const char *name,
		   const struct hp_cache_key *key, unsigned threads,
		   struct hp_cache_map *ret)
{
	char *path = join(folder, name);
	bool good;
	int fd;

	*ret = (struct hp_cache_map){ 0 };
	if (!path)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	hp_free(path);
	if (fd < 0)
		return false;
	good = map_file(fd, key, threads, ret);
	close(fd);
	return good;
}

void hp_cache_close(struct hp_cache_map *map)
{
	if (map->at)
		munmap((void *)(uintptr_t)map->at, map->size);
	*map = (struct hp_cache_map){ 0 };
}

const void *hp_cache_rows(const struct hp_cache_map *map, unsigned number,
			  size_t width, uint64_t *ret_count)
{
	if (number >= map->count || map->tables[number].width != width)
		return NULL;
	*ret_count = map->tables[number].count;
	return map->at + map->tables[number].at;
}

/* ---- writing ------------------------------------------------------------- */

static void write_at(struct hp_cache_writer *w, const void *bytes, size_t size,
		     uint64_t offset)
{
	const uint8_t *p = bytes;

	while (size && !w->failed) {
		ssize_t n = pwrite(w->fd, p, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		w->failed = n <= 0;
		if (n <= 0)
			return;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

static void flush(struct hp_cache_writer *w)
{
	if (w->used == 0 || w->failed)
		return;
	w->sum = mix(w->sum, hp_cache_hash(0, w->buffer, w->used));
	write_at(w, w->buffer, w->used, w->offset);
	w->offset += w->used;
	w->used = 0;
}

static void append(struct hp_cache_writer *w, const uint8_t *p, uint64_t size)
{
	while (size && !w->failed) {
		size_t room = BLOCK - w->used;
		size_t n = size < room ? (size_t)size : room;
		memcpy(w->buffer + w->used, p, n);
		w->used += n;
		p += n;
		size -= n;
		if (w->used == BLOCK)
			flush(w);
	}
}

/* Fills up to where the next table may begin. */
static void pad(struct hp_cache_writer *w)
{
	static const uint8_t zeros[ALIGN];

	append(w, zeros, -(w->offset + w->used) % ALIGN);
}

void hp_cache_begin(struct hp_cache_writer *w, const char *folder,
		    const char *name, const struct hp_cache_key *key)
{
	*w = (struct hp_cache_writer){ .fd = -1, .offset = HEAD, .key = *key };
	w->name = join(folder, name);
	w->temporary = join(folder, ".hprof-XXXXXX");
	w->buffer = hp_alloc(BLOCK);
	if (w->name && w->temporary && w->buffer)
		w->fd = mkostemp(w->temporary, O_CLOEXEC);
	w->failed = w->fd < 0;
}

void hp_cache_table(struct hp_cache_writer *w, size_t width)
{
	assert(w->count < HP_CACHE_TABLES && width);
	if (w->failed)
		return;
	pad(w);
	w->tables[w->count++] =
		(struct hp_cache_table){ .at = w->offset + w->used,
					 .width = width };
}

void hp_cache_add(struct hp_cache_writer *w, const void *rows, uint64_t count)
{
	struct hp_cache_table *t = &w->tables[w->count - 1];

	if (w->failed)
		return;
	t->count += count;
	append(w, rows, count * t->width);
}

void hp_cache_put(struct hp_cache_writer *w, const void *rows, uint64_t count,
		  size_t width)
{
	hp_cache_table(w, width);
	hp_cache_add(w, rows, count);
}

static void write_head(struct hp_cache_writer *w)
{
	struct head head;

	memset(&head, 0, sizeof head);
	memcpy(head.magic, magic, sizeof magic);
	head.key = w->key;
	head.size = w->offset;
	head.sum = w->sum;
	head.count = w->count;
	memcpy(head.tables, w->tables, sizeof head.tables);
	head.own_sum = hp_cache_hash(0, &head, offsetof(struct head, own_sum));
	write_at(w, &head, sizeof head, 0);
}

bool hp_cache_end(struct hp_cache_writer *w, bool good)
{
	if (!w->failed && good) {
		pad(w);
		flush(w);
		write_head(w);
	}
	if (w->fd >= 0)
		w->failed = close(w->fd) != 0 || w->failed;
	good = good && !w->failed && rename(w->temporary, w->name) == 0;
	if (!good && w->fd >= 0)
		unlink(w->temporary);
	hp_free(w->name);
	hp_free(w->temporary);
	hp_free(w->buffer);
	*w = (struct hp_cache_writer){ .fd = -1 };
	return good;
}

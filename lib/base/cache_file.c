/* SPDX-License-Identifier: MIT */
/*
 * cache_file.c - see cache_file.h.
 *
 *   head, one page | table | table | ...
 *
 * The bytes behind the head are hashed in blocks, which several threads can do,
 * and the hashes of the blocks are hashed in turn. That finds damage; it is no
 * protection against somebody who may write to the user's files anyway.
 *
 * A file is read, not mapped. What has been checked cannot change afterwards,
 * and a file that is cut short while it is in use raises no SIGBUS.
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

/*
 * Reads a file in blocks, and hashes each while it is in the processor's cache.
 * hp_parallel_for gives each thread up to 65,536 objects at a time; a block
 * counts as so many that this makes a few blocks. A block belongs to the span
 * that its first object is in.
 */
enum { SPAN = 1 << 13 };

struct blocks {
	int fd;
	uint8_t *at; /* what is behind the head */
	size_t size;
	uint64_t *sums; /* of each block */
	bool *bad;	/* of each block: it could not be read */
};

/* False if there are fewer than SIZE bytes at OFFSET. */
static bool read_at(int fd, uint8_t *p, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pread(fd, p, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

static void read_spans(void *state, uint32_t begin, uint32_t end)
{
	const struct blocks *b = state;

	for (size_t i = (begin + SPAN - 1) / SPAN; i < (end + SPAN - 1) / SPAN;
	     i++) {
		size_t from = i * BLOCK, left = b->size - from;
		size_t size = left < BLOCK ? left : BLOCK;
		b->bad[i] = !read_at(b->fd, b->at + from, size, HEAD + from);
		b->sums[i] = hp_cache_hash(0, b->at + from, size);
	}
}

/*
 * Reads all blocks and gives their sum. False: not all can be read, there are
 * too many, or there is no memory.
 */
static bool read_blocks(struct blocks *b, unsigned threads, uint64_t *ret)
{
	enum { MOST = 64 };
	size_t count = (b->size + BLOCK - 1) / BLOCK;
	void *states[MOST];
	bool good = count <= UINT32_MAX / SPAN;
	uint64_t sum = 0;

	b->sums = hp_calloc(count + 1, sizeof *b->sums);
	b->bad = hp_calloc(count + 1, sizeof *b->bad);
	good = good && b->sums && b->bad;
	for (unsigned i = 0; i < MOST; i++)
		states[i] = b;
	if (good)
		hp_parallel_for((uint32_t)count * SPAN,
				threads < MOST ? threads : MOST, states,
				read_spans);
	for (size_t i = 0; good && i < count; i++) {
		good = !b->bad[i];
		sum = mix(sum, b->sums[i]);
	}
	hp_free(b->sums);
	hp_free(b->bad);
	*ret = sum;
	return good;
}

/* Memory for a file, in large pages if there are any; NULL: there is none. */
static uint8_t *take_memory(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
#ifdef MADV_HUGEPAGE
	madvise(at, size, MADV_HUGEPAGE);
#endif
	return at;
}

static bool read_file(int fd, const struct hp_cache_key *key, unsigned threads,
		      struct hp_cache_map *ret)
{
	const struct head *head;
	uint64_t sum;
	uint8_t *at;
	size_t size;

	if (!is_private(fd, &size))
		return false;
	at = take_memory(size);
	if (!at)
		return false;
	head = (const struct head *)(const void *)at;
	struct blocks blocks = { .fd = fd,
				 .at = at + HEAD,
				 .size = size - HEAD };
	if (!read_at(fd, at, HEAD, 0) || !good_head(head, key, size) ||
	    !read_blocks(&blocks, threads, &sum) || sum != head->sum) {
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
	good = read_file(fd, key, threads, ret);
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

/* Only the first failure is remembered. */
static void fail(struct hp_cache_writer *w, int error)
{
	if (!w->error)
		w->error = error;
}

static void write_at(struct hp_cache_writer *w, const void *bytes, size_t size,
		     uint64_t offset)
{
	const uint8_t *p = bytes;

	while (size && !w->error) {
		ssize_t n = pwrite(w->fd, p, size, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fail(w, n < 0 ? errno : ENOSPC);
			return;
		}
		p += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

static void flush(struct hp_cache_writer *w)
{
	if (w->used == 0 || w->error)
		return;
	w->sum = mix(w->sum, hp_cache_hash(0, w->buffer, w->used));
	write_at(w, w->buffer, w->used, w->offset);
	w->offset += w->used;
	w->used = 0;
}

static void append(struct hp_cache_writer *w, const uint8_t *p, uint64_t size)
{
	while (size && !w->error) {
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
	if (!w->name || !w->temporary || !w->buffer) {
		fail(w, ENOMEM);
		return;
	}
	w->fd = mkostemp(w->temporary, O_CLOEXEC);
	if (w->fd < 0)
		fail(w, errno);
}

void hp_cache_table(struct hp_cache_writer *w, size_t width)
{
	assert(w->count < HP_CACHE_TABLES && width);
	if (w->error)
		return;
	pad(w);
	w->tables[w->count++] =
		(struct hp_cache_table){ .at = w->offset + w->used,
					 .width = width };
}

void hp_cache_add(struct hp_cache_writer *w, const void *rows, uint64_t count)
{
	struct hp_cache_table *t = &w->tables[w->count - 1];

	if (w->error)
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

bool hp_cache_end(struct hp_cache_writer *w, bool good, int *ret_error)
{
	if (!w->error && good) {
		pad(w);
		flush(w);
		write_head(w);
	}
	if (w->fd >= 0 && close(w->fd) != 0)
		fail(w, errno);
	good = good && !w->error;
	if (good && rename(w->temporary, w->name) != 0) {
		fail(w, errno);
		good = false;
	}
	if (!good && w->fd >= 0)
		unlink(w->temporary);
	if (w->error && ret_error)
		*ret_error = w->error;
	hp_free(w->name);
	hp_free(w->temporary);
	hp_free(w->buffer);
	*w = (struct hp_cache_writer){ .fd = -1 };
	return good;
}

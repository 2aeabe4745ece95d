/* SPDX-License-Identifier: MIT */
/*
 * mapped_table.c - see mapped_table.h.
 *
 * A table in a file is written and read like any other. Its resident pages
 * count as memory of the process, so when the process has too much, the pages
 * of all files are unmapped with MADV_DONTNEED. The kernel then keeps them in
 * the page cache or writes them back as it sees fit; while they are cached,
 * touching them again costs only a minor fault.
 */
#include "base/mapped_table.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/tempfile.h"

/*
 * Small tables come from the ordinary allocator, so that AddressSanitizer can
 * detect accesses beyond their ends.
 */
enum { SMALL = 1 << 18, PAGE = 1 << 16, STEP = 4 << 20 };

static bool is_whole(enum hp_mapped_table_use use)
{
	return use == HP_MAPPED_TABLE_CLEAR || use == HP_MAPPED_TABLE_RAW;
}

static int reserve(int fd, uint64_t from, uint64_t bytes)
{
	int failed;

	do
		failed = posix_fallocate(fd, (off_t)from, (off_t)bytes);
	while (failed == EINTR);
	return failed;
}

static enum hprof_status map_file(struct hp_mapped_tables *all,
				  struct hp_mapped_table *t, bool whole,
				  struct hprof_error *error)
{
	unsigned slot = 0;
	int failed;

	while (slot < HP_MAPPED_TABLES_MOST && all->files[slot].at)
		slot++;
	if (slot == HP_MAPPED_TABLES_MOST)
		return hp_no_memory(error);
	HP_TRY(hp_tempfile_open(&t->fd, error));
	failed = ftruncate(t->fd, (off_t)t->bytes) != 0 ? errno : 0;
	if (!failed && whole)
		failed = reserve(t->fd, 0, t->bytes);
	if (!failed) {
		t->at = mmap(NULL, t->bytes, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE, t->fd, 0);
		failed = t->at == MAP_FAILED ? errno : 0;
	}
	if (failed) {
		close(t->fd);
		errno = failed;
		return hp_tempfile_full(t->bytes, error);
	}
	t->slot = slot;
	t->place = HP_MAPPED_TABLE_FILE;
	all->spill = true;
	all->files[slot] = (struct hp_mapped_table_range){ t->at, t->bytes };
	return HPROF_OK;
}

/* ---- memory -------------------------------------------------------------- */

static struct hp_spare_memory *take_spare(struct hp_mapped_tables *all)
{
	if (!all->lender)
		return &all->spare;
	pthread_mutex_lock(&all->lender->lock);
	return &all->lender->spare;
}

static void leave_spare(struct hp_mapped_tables *all)
{
	if (all->lender)
		pthread_mutex_unlock(&all->lender->lock);
}

uint64_t hp_mapped_tables_spare(struct hp_mapped_tables *all)
{
	uint64_t bytes = take_spare(all)->bytes;

	leave_spare(all);
	return bytes;
}

static void note_peak(struct hp_mapped_tables *all)
{
	uint64_t now = all->held + hp_mapped_tables_spare(all);

	if (now > all->peak)
		all->peak = now;
	if (now > all->most)
		all->most = now;
}

void hp_mapped_tables_begin(struct hp_mapped_tables *all, uint64_t limit,
			    struct hp_spare_lender *lender)
{
	if (limit && lender) {
		/* It would count as if it were in use. */
		pthread_mutex_lock(&lender->lock);
		hp_spare_memory_release(&lender->spare);
		pthread_mutex_unlock(&lender->lock);
	}
	*all = (struct hp_mapped_tables){ .limit = limit,
					  .base = hp_resident(),
					  .lender = limit ? NULL : lender };
}

void hp_mapped_tables_release(struct hp_mapped_tables *all)
{
	struct hp_spare_memory *spare = take_spare(all);

	if (all->lender)
		hp_spare_memory_offer(spare);
	else
		hp_spare_memory_release(spare);
	leave_spare(all);
}

static enum hprof_status map_memory(struct hp_mapped_tables *all,
				    struct hp_mapped_table *t,
				    enum hp_mapped_table_use use,
				    struct hprof_error *error)
{
	struct hp_spare_memory none = { 0 }, *spare = take_spare(all);

	t->place = HP_MAPPED_TABLE_MAPPED;
	t->at = hp_spare_memory_map(is_whole(use) ? spare : &none, t->bytes,
				    use != HP_MAPPED_TABLE_PARTS, &t->fresh);
	leave_spare(all);
	if (!t->at)
		return hp_no_memory(error);
	if (use == HP_MAPPED_TABLE_CLEAR)
		memset(t->at, 0, t->fresh);
	return HPROF_OK;
}

/* ---- tables -------------------------------------------------------------- */

/*
 * A quarter of the limit is reserved for the resident pages of the files. Spare
 * memory is released before a table is put into a file.
 */
static bool must_be_file(struct hp_mapped_tables *all, uint64_t bytes)
{
	uint64_t memory = all->base + all->held - all->filed;
	uint64_t more = bytes > all->spare.bytes ? bytes : all->spare.bytes;

	if (!all->limit || memory + more <= all->limit - all->limit / 4)
		return false;
	hp_mapped_tables_release(all);
	return memory + bytes > all->limit - all->limit / 4;
}

enum hprof_status hp_mapped_table_make_parts(struct hp_mapped_tables *all,
					     struct hp_mapped_table *t,
					     uint64_t count, size_t width,
					     enum hp_mapped_table_use use,
					     uint64_t expected,
					     struct hprof_error *error)
{
	struct hp_mapped_table made = {
		.fd = -1,
		.in_front = is_whole(use) || use == HP_MAPPED_TABLE_FRONT
	};

	if (__builtin_mul_overflow(count, width, &made.bytes) ||
	    made.bytes > SIZE_MAX / 2 || hp_mem_must_fail())
		return hp_no_memory(error);
	if (made.bytes <= SMALL) {
		made.at = hp_calloc(made.bytes + 1, 1);
		if (!made.at)
			return hp_no_memory(error);
		made.place = HP_MAPPED_TABLE_SMALL;
	} else {
		made.bytes = (made.bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
		if (must_be_file(all, expected))
			HP_TRY(map_file(all, &made, is_whole(use), error));
		else
			HP_TRY(map_memory(all, &made, use, error));
	}
	if (made.place != HP_MAPPED_TABLE_MAPPED)
		made.fresh = made.bytes;
	made.held = is_whole(use) ? made.bytes : 0;
	all->held += made.held;
	if (made.place == HP_MAPPED_TABLE_FILE)
		all->filed += made.held;
	note_peak(all);
	*t = made;
	return HPROF_OK;
}

enum hprof_status hp_mapped_table_make(struct hp_mapped_tables *all,
				       struct hp_mapped_table *t,
				       uint64_t count, size_t width,
				       enum hp_mapped_table_use use,
				       struct hprof_error *error)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(count, width, &bytes))
		return hp_no_memory(error);
	return hp_mapped_table_make_parts(all, t, count, width, use, bytes,
					  error);
}

enum hprof_status hp_mapped_table_back(struct hp_mapped_table *t, uint64_t from,
				       uint64_t to, struct hprof_error *error)
{
	int failed;

	if (t->place != HP_MAPPED_TABLE_FILE || from >= to)
		return HPROF_OK;
	failed = reserve(t->fd, from, to - from);
	if (!failed)
		return HPROF_OK;
	errno = failed;
	return hp_tempfile_full(0, error);
}

void hp_mapped_table_used(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t, uint64_t used)
{
	all->held += used - t->held;
	if (t->place == HP_MAPPED_TABLE_FILE)
		all->filed += used - t->held;
	t->held = used;
	note_peak(all);
}

void hp_mapped_table_drop(const struct hp_mapped_table *t, uint64_t from,
			  uint64_t to)
{
	uint64_t begin = (from + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	uint64_t end = to & ~(uint64_t)(PAGE - 1);

	if (t->place == HP_MAPPED_TABLE_SMALL ||
	    t->place == HP_MAPPED_TABLE_BORROWED || begin >= end)
		return;
	madvise((char *)t->at + begin, (size_t)(end - begin), MADV_DONTNEED);
#ifdef FALLOC_FL_PUNCH_HOLE
	if (t->place == HP_MAPPED_TABLE_FILE &&
	    fallocate(t->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)begin, (off_t)(end - begin)) != 0)
		errno = 0; /* only delays the release of disk space */
#endif
}

void hp_mapped_table_drop_front(struct hp_mapped_tables *all,
				struct hp_mapped_table *t, uint64_t bytes)
{
	size_t gone = (size_t)bytes & ~(size_t)(PAGE - 1);

	assert(!t->gone);
	if (gone > t->held)
		gone = (size_t)t->held & ~(size_t)(PAGE - 1);
	hp_mapped_table_used(all, t, t->held - gone);
	t->gone = gone;
}

/*
 * Removes the memory from KEEP on from the table. The part of it that was in
 * use becomes spare, the rest is unmapped.
 */
static void give_memory(struct hp_mapped_tables *all, struct hp_mapped_table *t,
			size_t keep)
{
	char *at = t->at;
	/* These never exceed t->bytes, so they fit size_t. */
	size_t used = (size_t)((t->gone + t->held + PAGE - 1) &
			       ~(uint64_t)(PAGE - 1));

	if (keep < t->gone) {
		munmap(at + keep, t->gone - keep);
		keep = t->gone;
	}
	if (!t->in_front || used < keep)
		used = keep;
	if (used < t->bytes)
		munmap(at + used, t->bytes - used);
	if (keep >= used)
		return;
	hp_spare_memory_keep(take_spare(all), at + keep, used - keep);
	leave_spare(all);
}

void hp_mapped_table_cut(struct hp_mapped_tables *all,
			 struct hp_mapped_table *t, uint64_t bytes)
{
	size_t keep;

	assert(!t->gone);
	if (!t->at || t->place == HP_MAPPED_TABLE_SMALL ||
	    t->place == HP_MAPPED_TABLE_BORROWED || bytes >= t->bytes)
		return;
	keep = ((size_t)bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
	if (keep >= t->bytes)
		return;
	if (keep == 0) {
		hp_mapped_table_free(all, t);
		return;
	}
	if (t->place == HP_MAPPED_TABLE_MAPPED) {
		give_memory(all, t, keep);
	} else {
		munmap((char *)t->at + keep, t->bytes - keep);
		all->files[t->slot].bytes = keep;
		if (ftruncate(t->fd, (off_t)keep) != 0)
			errno = 0; /* only delays the release of disk space */
	}
	t->bytes = keep;
	if (t->held > keep) {
		all->held -= t->held - keep;
		if (t->place == HP_MAPPED_TABLE_FILE)
			all->filed -= t->held - keep;
		t->held = keep;
	}
}

void hp_mapped_table_free(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t)
{
	if (!t->at)
		return;
	all->held -= t->held;
	if (t->place == HP_MAPPED_TABLE_SMALL) {
		hp_free(t->at);
	} else if (t->place == HP_MAPPED_TABLE_MAPPED) {
		give_memory(all, t, 0);
	} else if (t->place == HP_MAPPED_TABLE_FILE) {
		munmap(t->at, t->bytes);
		all->files[t->slot].at = NULL;
		all->filed -= t->held;
		close(t->fd);
	}
	t->at = NULL;
}

/* ---- memory of the process ----------------------------------------------- */

static size_t read_small(const char *name, char *text, size_t room)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, room - 1);
	close(fd);
	if (n < 0)
		n = 0;
	text[n] = 0;
	return (size_t)n;
}

uint64_t hp_resident(void)
{
	char text[128];
	char *end = text;

	if (read_small("/proc/self/statm", text, sizeof text) == 0)
		return 0;
	strtoull(text, &end, 10);
	return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t hp_memory_free(void)
{
	char text[2048];
	uint64_t least = UINT64_MAX;
	const char *line;

	read_small("/proc/meminfo", text, sizeof text);
	line = strstr(text, "MemAvailable:");
	if (line)
		least = strtoull(line + 13, NULL, 10) << 10;
	if (read_small("/sys/fs/cgroup/memory.max", text, sizeof text) &&
	    text[0] >= '0' && text[0] <= '9') {
		uint64_t most = strtoull(text, NULL, 10);
		if (most < least)
			least = most;
	}
	return least;
}

void hp_tables_trim_memory(const struct hp_mapped_tables *all)
{
	if (!all->spill || hp_resident() <= all->limit)
		return;
	for (unsigned i = 0; i < HP_MAPPED_TABLES_MOST; i++)
		if (all->files[i].at)
			madvise(all->files[i].at, all->files[i].bytes,
				MADV_DONTNEED);
}

/* SPDX-License-Identifier: MIT */
/*
 * mapped_table.h - tables with a row for each object. They are mapped, so that
 * parts that are no longer needed go back to the system at once. Where memory
 * is limited they are mapped, unlinked temporary files.
 *
 * The memory of a freed table is reused for the next one (spare_memory.h).
 *
 * Tables of one job are made and freed by one thread at a time.
 */
#ifndef HP_MAPPED_TABLE_H
#define HP_MAPPED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spare_memory.h"
#include "hprof/error.h"

enum { HP_MAPPED_TABLES_MOST = 32 };

struct hp_mapped_table_range {
	void *at; /* NULL: a free slot */
	size_t bytes;
};

/* All tables of one job. Zeroed, but for limit and base, it is ready. */
struct hp_mapped_tables {
	uint64_t limit; /* of the memory of the process; 0: no limit */
	uint64_t base;	/* memory of the process without any tables */
	bool spill;	/* some tables are files */
	uint64_t held;	/* bytes of all tables */
	uint64_t filed; /* bytes of those that are files */
	uint64_t peak;	/* maximum of the sum of held and spare bytes */
	uint64_t most;	/* the same since the beginning */
	struct hp_spare_memory spare;
	struct hp_spare_lender *lender; /* used instead of spare; or NULL */
	struct hp_mapped_table_range files[HP_MAPPED_TABLES_MOST];
};

struct hp_mapped_table {
	void *at; /* NULL: no table */
	size_t bytes;
	size_t fresh;  /* memory from there on was new when it was made */
	uint64_t held; /* bytes in use */
	unsigned slot; /* of a file: index in hp_mapped_tables.files */
	int fd;
	bool in_front; /* the bytes in use are the first ones */
	size_t gone;   /* but for these (hp_mapped_table_drop_front) */
	enum {
		HP_MAPPED_TABLE_SMALL,
		HP_MAPPED_TABLE_MAPPED,
		HP_MAPPED_TABLE_FILE,
		HP_MAPPED_TABLE_BORROWED /* by hp_mapped_table_borrow */
	} place;
};

enum hp_mapped_table_use {
	HP_MAPPED_TABLE_CLEAR, /* all rows are 0 */
	HP_MAPPED_TABLE_RAW,   /* not cleared: every row will be written */
	HP_MAPPED_TABLE_PARTS, /* see hp_mapped_table_make_parts */
	HP_MAPPED_TABLE_SPANS, /* the same, but a few long parts */
	HP_MAPPED_TABLE_FRONT  /* the same, but used from the front */
};

/* Makes a table of COUNT rows of WIDTH bytes. */
enum hprof_status hp_mapped_table_make(struct hp_mapped_tables *all,
				       struct hp_mapped_table *t,
				       uint64_t count, size_t width,
				       enum hp_mapped_table_use use,
				       struct hprof_error *error);

/*
 * A table of BYTES bytes at AT, which are only read and belong to somebody
 * else. They count as no memory.
 */
static inline struct hp_mapped_table hp_mapped_table_borrow(const void *at,
							    size_t bytes)
{
	return (struct hp_mapped_table){ .at = (void *)(uintptr_t)at,
					 .bytes = bytes,
					 .fd = -1,
					 .place = HP_MAPPED_TABLE_BORROWED };
}

/*
 * Makes a sparse table: about EXPECTED bytes of it will be used at most, and
 * only ranges that hp_mapped_table_back announces. Its rows are 0.
 */
enum hprof_status hp_mapped_table_make_parts(struct hp_mapped_tables *all,
					     struct hp_mapped_table *t,
					     uint64_t count, size_t width,
					     enum hp_mapped_table_use use,
					     uint64_t expected,
					     struct hprof_error *error);

/*
 * Announces that bytes FROM up to TO of a sparse table are about to be written.
 * This reserves disk space, and fails if the disk is full. May be called from
 * several threads.
 */
enum hprof_status hp_mapped_table_back(struct hp_mapped_table *t, uint64_t from,
				       uint64_t to, struct hprof_error *error);

/* Records that USED bytes of a sparse table have been written. */
void hp_mapped_table_used(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t, uint64_t used);

/*
 * Releases bytes FROM up to TO, which must not be read again. May be called
 * from several threads.
 */
void hp_mapped_table_drop(const struct hp_mapped_table *t, uint64_t from,
			  uint64_t to);

/*
 * The first BYTES, which may have been dropped, are not read again, and count
 * no more. Once for a table, which cannot be cut afterwards.
 */
void hp_mapped_table_drop_front(struct hp_mapped_tables *all,
				struct hp_mapped_table *t, uint64_t bytes);

/* Releases all but the first BYTES bytes. */
void hp_mapped_table_cut(struct hp_mapped_tables *all,
			 struct hp_mapped_table *t, uint64_t bytes);

/* Freeing a zeroed table does nothing. */
void hp_mapped_table_free(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t);

/*
 * Begins a job with the spare memory of LENDER, unless that is NULL. With LIMIT
 * that memory goes to the system, as nobody could tell how much of it counts.
 */
void hp_mapped_tables_begin(struct hp_mapped_tables *all, uint64_t limit,
			    struct hp_spare_lender *lender);

/* Bytes that are in no table. */
uint64_t hp_mapped_tables_spare(struct hp_mapped_tables *all);

/* Returns spare memory to the system; if it is lent, only when that needs it. */
void hp_mapped_tables_release(struct hp_mapped_tables *all);

/*
 * To be called every 100,000 rows or so: if the process uses more memory than
 * the limit, unmaps the resident pages of all files. They come back from the
 * page cache or the disk when they are touched again.
 */
void hp_tables_trim_memory(const struct hp_mapped_tables *all);

/* Resident memory of the process in bytes; 0: not known. */
uint64_t hp_resident(void);

/* Bytes of memory that the system has available; UINT64_MAX: not known. */
uint64_t hp_memory_free(void);

#endif

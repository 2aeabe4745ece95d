/* SPDX-License-Identifier: MIT */
/*
 * mapped_table.h - tables with a row for each object: mapped, so that parts
 * that are used up go back to the system at once, or, where memory is limited,
 * unlinked temporary files that are mapped.
 *
 * Memory that comes from the system has to be cleared by it, which takes as
 * long as some of the work; so what one table leaves is used for the next.
 *
 * Tables are made and freed by one thread.
 */
#ifndef HP_MAPPED_TABLE_H
#define HP_MAPPED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof/error.h"

enum { HP_MAPPED_TABLES_MOST = 32 };

struct hp_mapped_table_range {
	void *at; /* NULL: a free slot */
	size_t bytes;
};

/* All tables of one job. Zeroed, but for limit and base, it is ready. */
struct hp_mapped_tables {
	uint64_t limit; /* of the memory of the process; 0: none */
	uint64_t base;	/* what the process has without any tables */
	bool spill;	/* some tables are files */
	uint64_t held;	/* bytes of all tables */
	uint64_t filed; /* of these in files */
	uint64_t peak;	/* most of that and of what is spare since it was set */
	uint64_t most;	/* the same, ever */
	/* Memory that no table has at the moment. */
	uint64_t spare_bytes;
	struct hp_mapped_table_range spares[HP_MAPPED_TABLES_MOST];
	struct hp_mapped_table_range files[HP_MAPPED_TABLES_MOST];
};

struct hp_mapped_table {
	void *at; /* NULL: none */
	size_t bytes;
	uint64_t held; /* of these in use */
	unsigned slot; /* of a file */
	int fd;
	bool in_front; /* what is held is in front */
	enum {
		HP_MAPPED_TABLE_SMALL,
		HP_MAPPED_TABLE_MAPPED,
		HP_MAPPED_TABLE_FILE
	} place;
};

enum hp_mapped_table_use {
	HP_MAPPED_TABLE_CLEAR, /* all rows are 0 */
	HP_MAPPED_TABLE_RAW,   /* rows are anything: all will be written */
	HP_MAPPED_TABLE_PARTS, /* see hp_mapped_table_make_parts */
	HP_MAPPED_TABLE_FRONT  /* the same; what is used is in front */
};

/* COUNT rows of WIDTH bytes. */
enum hprof_status hp_mapped_table_make(struct hp_mapped_tables *all,
				       struct hp_mapped_table *t,
				       uint64_t count, size_t width,
				       enum hp_mapped_table_use use,
				       struct hprof_error *error);

/*
 * The same of a table of which little is used, at most EXPECTED bytes or so,
 * only where hp_mapped_table_back says it. Its rows are 0.
 */
enum hprof_status hp_mapped_table_make_parts(struct hp_mapped_tables *all,
					     struct hp_mapped_table *t,
					     uint64_t count, size_t width,
					     enum hp_mapped_table_use use,
					     uint64_t expected,
					     struct hprof_error *error);

/*
 * Of a table in parts: bytes FROM up to TO are about to be written, which is
 * when a full disk is noticed. May be called from several threads.
 */
enum hprof_status hp_mapped_table_back(struct hp_mapped_table *t, uint64_t from,
				       uint64_t to, struct hprof_error *error);

/* Of a table in parts: USED bytes of it have been written. */
void hp_mapped_table_used(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t, uint64_t used);

/*
 * What is between bytes FROM and TO is used up; it must not be read again. May
 * be called from several threads.
 */
void hp_mapped_table_drop(const struct hp_mapped_table *t, uint64_t from,
			  uint64_t to);

/* What is behind the first BYTES is used up. */
void hp_mapped_table_cut(struct hp_mapped_tables *all,
			 struct hp_mapped_table *t, uint64_t bytes);

/* A table that is none is fine. */
void hp_mapped_table_free(struct hp_mapped_tables *all,
			  struct hp_mapped_table *t);

/* Gives back what is spare. */
void hp_mapped_tables_release(struct hp_mapped_tables *all);

/*
 * To be called now and then (100,000 rows): if the process has more memory
 * than allowed, files leave it; they come back from the page cache or disk.
 */
void hp_tables_trim_memory(const struct hp_mapped_tables *all);

/* Memory of the process in bytes; 0: not known. */
uint64_t hp_resident(void);

/* Memory that is there for the asking; UINT64_MAX: not known. */
uint64_t hp_memory_free(void);

#endif

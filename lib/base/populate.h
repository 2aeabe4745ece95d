/* SPDX-License-Identifier: MIT */
/*
 * populate.h - a thread that has the system find memory for tables while another
 * one already writes to them.
 *
 * The system finds and clears memory when it is first written to, page by page,
 * and whoever writes waits for it. Work that several threads share shares that,
 * too. Where only one can work, the other processors have nothing to do: a fifth
 * of the time of numbering a heap of random references was such waiting.
 */
#ifndef HP_POPULATE_H
#define HP_POPULATE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/mapped_table.h"

enum { HP_POPULATE_MOST = 5 };

struct hp_populate {
	const struct hp_mapped_table *tables[HP_POPULATE_MOST];
	unsigned count;
	const struct hp_mapped_table *front; /* or NULL */
	bool started;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	size_t wanted; /* bytes of front */
	bool stop;
};

/*
 * Begins with COUNT tables, which are equally far at any time. What of them is
 * in files, or was used before, is left alone. Where the system refuses, the
 * tables are as they would be without this. FRONT, unless it is NULL, is a table
 * that is used from the front, as far as hp_populate_front says.
 */
void hp_populate_begin(struct hp_populate *p,
		       const struct hp_mapped_table *const *tables,
		       unsigned count, const struct hp_mapped_table *front);

/* The first BYTES of FRONT are going to be used; never fewer than before. */
void hp_populate_front(struct hp_populate *p, uint64_t bytes);

/* Before any of the tables is changed; memory that is still missing stays so. */
void hp_populate_end(struct hp_populate *p);

#endif

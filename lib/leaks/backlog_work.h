/* SPDX-License-Identifier: MIT */
/*
 * backlog_work.h - what the searches for backlogs share.
 */
#ifndef HP_BACKLOG_WORK_H
#define HP_BACKLOG_WORK_H

#include "leaks/backlog.h"
#include "report/object_info.h"

/* The least that is a backlog; hprof-stat(1) names them too. */
enum {
	HP_BACKLOG_FINALIZERS = 100,
	HP_BACKLOG_ENQUEUED = 1000,
	HP_BACKLOG_CLEANERS = 100,
	HP_BACKLOG_SOFT_PERCENT = 10 /* of the live heap */
};
#define HP_BACKLOG_SOFT_BYTES (UINT64_C(2) << 20)

/* At most so many objects are read from the file for each kind of backlog. */
enum { HP_BACKLOG_LOOKS = 1 << 20 };

struct hp_backlog_work {
	struct hp_look look;
	struct hp_arena *arena;
	struct hp_class_keys keys;
	struct hp_sum *sums, *holder_sums; /* by key; 0 between findings */
	struct hprof_backlog *items;
	size_t count, room;
	struct hprof_thread_table *threads; /* NULL: not needed so far */
	struct hp_backlogs_told told;
	size_t others; /* of told.others, those of findings */
};

/* Free with hp_backlog_work_done, also after a failure. */
enum hprof_status hp_backlog_work_init(struct hp_backlog_work *work,
				       const struct hprof_graph *graph,
				       struct hp_arena *arena,
				       struct hprof_error *error);
/* Frees all but items, threads and what is told, which the caller takes over. */
void hp_backlog_work_done(struct hp_backlog_work *work);

/* The value of OBJECT's field or static NAME; 0 if there is none. */
enum hprof_status hp_backlog_field(struct hp_backlog_work *work,
				   uint64_t object, const char *name,
				   uint64_t *ret_value,
				   struct hprof_error *error);

/* The same for a static of the class CLASS_NAME. */
enum hprof_status hp_backlog_static(struct hp_backlog_work *work,
				    const char *class_name, const char *name,
				    uint64_t *ret_value,
				    struct hprof_error *error);

/* The key of the class of OBJECT. */
static inline uint32_t hp_backlog_key(const struct hp_backlog_work *work,
				      uint64_t object)
{
	return work->keys
		.key[hp_graph_kind(work->look.graph, (uint32_t)object)];
}

/*
 * The object itself or the nearest dominator whose class does not belong to the
 * Java runtime; HPROF_NO_OBJECT if there is none.
 */
uint64_t hp_backlog_owner(const struct hp_backlog_work *work, uint64_t object);

/* Adds NODE, if it is reachable. Fails only with HPROF_E_NOMEM. */
enum hprof_status hp_backlog_tell(struct hp_backlog_work *work,
				  struct hp_backlog_nodes *list, uint64_t node);

/*
 * Adds a finding, with the sums as its rows, and clears the sums. HOLDER may be
 * HPROF_NO_OBJECT.
 */
enum hprof_status hp_backlog_add(struct hp_backlog_work *work,
				 const struct hprof_backlog *backlog,
				 uint64_t holder, struct hprof_error *error);

/*
 * Of the last finding, makes what is above the holder its owner, if there is any: of a
 * map of the program's own, the field that has it says more than the class.
 */
enum hprof_status hp_backlog_own_from_above(struct hp_backlog_work *work,
					    struct hprof_error *error);

/* Clears the sums, and what is told beside them, without a finding. */
void hp_backlog_drop(struct hp_backlog_work *work);

/*
 * backlog_series.c: of more than MOST undrained queues, tells some together, so that no
 * more are left. The items are in order of kind and count. Fails only with HPROF_E_NOMEM.
 */
enum hprof_status hp_backlog_join_queues(struct hp_backlog_work *work,
					 size_t most);

/* backlog_weaker.c: finalizers and soft references. */
enum hprof_status hp_backlog_weaker(struct hp_backlog_work *work,
				    struct hprof_error *error);
/* backlog_queues.c: reference queues and Cleaners. */
enum hprof_status hp_backlog_queues(struct hp_backlog_work *work,
				    struct hprof_error *error);
/* backlog_values.c: the values of ClassValues. */
enum hprof_status hp_backlog_values(struct hp_backlog_work *work,
				    struct hprof_error *error);

#endif

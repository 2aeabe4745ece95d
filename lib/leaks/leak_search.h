/* SPDX-License-Identifier: MIT */
/*
 * leak_search.h - which objects of the dominator tree are suspected of a leak.
 * leak_report.c describes them.
 */
#ifndef HP_LEAK_SEARCH_H
#define HP_LEAK_SEARCH_H

#include "report/object_info.h"
#include "hprof/leaks.h"
#include "leaks/leak_explained.h"

/* Parts of the live heap in percent; hprof-stat(1) names them too. */
enum {
	HP_LEAK_PERCENT = 10,	   /* a suspect retains at least that */
	HP_LEAK_DROP_PERCENT = 70, /* a child that keeps less is a drop */
	HP_LEAK_LINKS = 8,	 /* of one class on the way down are a chain */
	HP_LEAK_ITEMS = 64,	 /* links that one object of a chain may hold */
	HP_LEAK_NEXT_PART = 10,	 /* of the threshold: what is listed below it */
	HP_LEAK_NEXT_LOOKS = 30, /* how many are looked at */
	HP_LEAK_NEXT = 10,	 /* and listed */
	HP_LEAK_ORIGIN_PERCENT = 80, /* share of a group that has the origin */
	HP_LEAK_MEMBER_PERCENT = 1   /* smaller members need an origin */
};

/* A smaller heap has little more than what every JVM has after its start. */
#define HP_LEAK_BYTES (UINT64_C(2) << 20)

struct hp_suspect {
	enum hprof_leak_kind kind;
	uint64_t retained;
	uint32_t point; /* node; of a group, inside its largest member */
	uint32_t about; /* the point; of a class, where most of it piles up */
	/*
	 * For a group: the children of DOMINATOR (HP_NO_NODE: the roots) with
	 * KEY.
	 */
	uint32_t dominator, key, largest;
	uint64_t members;
	uint64_t explains; /* retained, without what other suspects explain */
	bool dropped;	   /* another suspect tells all about it */
	bool is_crowd;	   /* it is told as one: see leak_crowd_join.h */
};

/* How much a suspect must retain; see struct hprof_leak_options. */
struct hp_leak_limit {
	uint64_t bytes;
	uint32_t share;
};

struct hp_leak_search {
	const struct hp_look *look;
	const struct hprof_heap *heap;
	const struct hprof_graph *graph;
	uint32_t kind_count;
	uint64_t live, threshold;
	uint64_t least; /* the threshold, or that of the second search */
	uint32_t *key;	/* by kind; see hp_name_keys */
	struct hp_suspect *suspects; /* then those below the threshold */
	size_t count, room;
	size_t next_count; /* of those below */
	struct hp_leak_explained explained;
	struct hp_leak_search_work *work;
};

/* LOOK stays the caller's. Free with hp_leak_search_done, also after a failure. */
enum hprof_status hp_leak_search_run(struct hp_leak_search *search,
				     const struct hp_look *look,
				     const struct hp_leak_limit *limit,
				     struct hprof_error *error);

/*
 * Adds to search->explained what suspects retain, but for those that are crowds or
 * dropped: groups that need an origin if LOOSE, else all others. Fails only with
 * HPROF_E_NOMEM.
 */
enum hprof_status hp_leak_search_explain(struct hp_leak_search *search,
					 bool loose);

/*
 * Then finds what is next below the threshold, beside the suspects and whatever
 * else has been added to search->explained.
 */
enum hprof_status hp_leak_search_next(struct hp_leak_search *search,
				      struct hprof_error *error);
void hp_leak_search_done(struct hp_leak_search *search);

/* The children of NODE with one key: the key that retains most. */
struct hp_largest_group {
	uint32_t key;
	uint64_t count, retained; /* of that key */
	uint64_t all;		  /* children with any key */
};
struct hp_largest_group
hp_leak_search_largest_group(struct hp_leak_search *search, uint32_t node);

/*
 * The children of NODE, up to *RET_END. NODE may be HP_NO_NODE, a node that
 * retains the threshold, or a group's largest member or its point.
 */
const uint32_t *hp_leak_search_children(const struct hp_leak_search *search,
					uint32_t node,
					const uint32_t **ret_end);

/*
 * Of groups: small objects that many others share have no particular owner; those that
 * come from one place do.
 */
bool hp_leak_search_needs_origin(const struct hp_leak_search *search,
				 const struct hp_suspect *suspect);

/* True if the key is of threads, loaders or class objects. */
bool hp_leak_search_is_container(const struct hp_leak_search *search,
				 uint32_t node);

#endif

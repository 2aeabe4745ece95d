/* SPDX-License-Identifier: MIT */
/*
 * hprof/resource.h - objects of which a program usually has few, or that it
 * should not keep for long: HTTP sessions, database connections, threads. Each
 * may be small, so nothing else in a report names them.
 *
 * Ownership, threads, errors and the binary interface are as in
 * hprof/retained.h.
 */
#ifndef HPROF_RESOURCE_H
#define HPROF_RESOURCE_H

#include <hprof/retained.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_resource_kind {
	HPROF_RESOURCE_SESSION, /* of a web application's user */
	HPROF_RESOURCE_CONTEXT, /* persistence context: an EntityManager ... */
	HPROF_RESOURCE_CONNECTION, /* to a database */
	HPROF_RESOURCE_STATEMENT,  /* of SQL */
	HPROF_RESOURCE_CLIENT,	   /* HTTP client or channel, with a pool */
	HPROF_RESOURCE_POOL,	   /* of threads; timers */
	HPROF_RESOURCE_THREAD,
	HPROF_RESOURCE_LOADER /* class loader */
};
enum { HPROF_RESOURCE_KINDS = 8 };

/* Objects of a class that the library knows, and of its subclasses. */
struct hprof_resource_row {
	enum hprof_resource_kind kind;
	const char *class_name;
	uint64_t objects, shallow;
	/*
	 * Of hprof_resources_read, otherwise 0: how many of these say of
	 * themselves that they are closed or invalid, and what all retain; of
	 * two of them, one of which dominates the other, only the dominating
	 * one counts.
	 */
	uint64_t closed, retained;
	struct hprof_object_info largest; /* the one that retains most */
	/*
	 * Who holds all of them, or, if nothing does, the largest one: the
	 * nearest dominator whose class does not belong to the Java runtime;
	 * or no object.
	 */
	struct hprof_object_info owner;
	bool owns_all;
};

struct hprof_resource_table {
	size_t count;
	struct hprof_resource_row *rows; /* by kind, then class name */
	void *impl;
};

/* Reachable objects. Needs dominators. Free with hprof_resource_table_free. */
HPROF_API enum hprof_status
hprof_resources_read(const struct hprof_graph *graph,
		     struct hprof_resource_table **ret_table,
		     struct hprof_error *ret_error);

/* All objects of a dump, only counted. The table needs SUMMARY. */
HPROF_API enum hprof_status
hprof_summary_resources(const struct hprof_summary *summary,
			struct hprof_resource_table **ret_table,
			struct hprof_error *ret_error);
HPROF_API void hprof_resource_table_free(struct hprof_resource_table *table);

/* "HTTP sessions", "threads" ...; NULL: there is no such kind. */
HPROF_API const char *hprof_resource_kind_name(enum hprof_resource_kind kind);

#ifdef __cplusplus
}
#endif

#endif

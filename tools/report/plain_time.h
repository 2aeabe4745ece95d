/* SPDX-License-Identifier: MIT */
/*
 * plain_time.h - dates and times of java.util, java.sql and java.time, as
 * toString() has those of java.time. An instant is in UTC.
 *
 * NULL: the object is not what its class says. Free the text.
 */
#ifndef TOOLS_PLAIN_TIME_H
#define TOOLS_PLAIN_TIME_H

#include <hprof.h>

typedef char *plain_time_fn(struct hprof_cursor *cursor,
			    const struct hprof_heap *heap, uint64_t object);

plain_time_fn plain_util_date, plain_instant, plain_local_date,
	plain_local_time, plain_local_date_time;

#endif

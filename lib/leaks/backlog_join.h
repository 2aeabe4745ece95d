/* SPDX-License-Identifier: MIT */
/*
 * backlog_join.h - which leak suspects are backlogs, and what these explain of the
 * live heap, so that each is told once.
 */
#ifndef HP_BACKLOG_JOIN_H
#define HP_BACKLOG_JOIN_H

#include "leaks/backlog.h"
#include "leaks/leak_search.h"

/*
 * Drops the suspects of SEARCH most of which is TOLD, and adds that to what is explained.
 * To be called before anything else is; what counts is added to EXPLAINED. Fails only
 * with HPROF_E_NOMEM.
 */
enum hprof_status hp_backlogs_join(const struct hp_backlogs_told *told,
				   struct hp_leak_search *search,
				   uint64_t *explained);

#endif

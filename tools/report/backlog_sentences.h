/* SPDX-License-Identifier: MIT */
/*
 * backlog_sentences.h - what work of the JVM is not done, and why, in sentences. What
 * they name is escaped for a terminal.
 */
#ifndef TOOLS_BACKLOG_SENTENCES_H
#define TOOLS_BACKLOG_SENTENCES_H

#include <hprof.h>

#include "tools/common/prose.h"

/* Whether what it keeps is a part of the live heap. */
bool backlog_is_live(const struct hprof_backlog *backlog);

/*
 * What the shares of a backlog are of: live objects, as of a suspect. What waits for
 * a finalizer, or is held softly, is none of these: then it is all objects.
 */
uint64_t backlog_whole(const struct hprof_backlog *backlog,
		       const struct hprof_graph_totals *totals);

/*
 * "2,000 Cleaners hold their own objects, with 7.37 MiB, 24.5% of the live heap";
 * free it.
 */
char *backlog_headline(const struct hprof_backlog *backlog,
		       const struct hprof_graph_totals *totals);

/* Which queue it is, or why the work is not done; before a stack a colon ends it. */
void backlog_say(struct prose *text, const struct hprof_backlog *backlog);

/* "What waits, and what it keeps, by class" */
const char *backlog_title(enum hprof_backlog_kind kind);
/* The same of backlog->holders. */
extern const char backlog_holders_title[];
/* "the queue": what its paths lead to. */
const char *backlog_subject(enum hprof_backlog_kind kind);

/* The stack of the thread that runs finalizers; NULL: there is none. */
const struct hprof_thread_row *
backlog_stack(const struct hprof_backlog *backlog);

#endif

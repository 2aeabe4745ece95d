/* SPDX-License-Identifier: MIT */
/*
 * backlog_sentences.h - what work of the JVM is not done, and why, in sentences. What
 * they name is escaped for a terminal.
 */
#ifndef TOOLS_BACKLOG_SENTENCES_H
#define TOOLS_BACKLOG_SENTENCES_H

#include <hprof.h>

#include "tools/common/prose.h"

/* "5,999 objects wait for finalizers, with 16.11 MiB, 40.9% of the heap"; free it. */
char *backlog_headline(const struct hprof_backlog *backlog, uint64_t heap);

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

/* SPDX-License-Identifier: MIT */
/*
 * backlog_sentences.h - what work of the JVM is not done, and why, in sentences. What
 * they name is escaped for a terminal; free them.
 */
#ifndef TOOLS_BACKLOG_SENTENCES_H
#define TOOLS_BACKLOG_SENTENCES_H

#include <hprof.h>

#include "tools/common/prose.h"

/* "5,999 objects wait for finalizers, with 16.11 MiB, 40.9% of the heap" */
char *backlog_headline(const struct hprof_backlog *backlog, uint64_t heap);

/* The queue, and which thread should drain it; or why nobody does. */
void backlog_say(struct prose *text, const struct hprof_backlog *backlog);

/* "What waits, and what it keeps, by class" */
const char *backlog_title(enum hprof_backlog_kind kind);

#endif

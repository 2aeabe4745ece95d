/* SPDX-License-Identifier: MIT */
/*
 * export_text.h - the sections of the text of format=a that are made from a
 * dump's heap, for export_text.c.
 */
#ifndef TOOLS_EXPORT_TEXT_H
#define TOOLS_EXPORT_TEXT_H

#include <hprof.h>

#include "text/text_writer.h"
#include "tools/export/export_heap.h"

/* The threads of dumps that have no START_THREAD records. */
enum hprof_status export_text_threads(struct text_writer *text,
				      const struct export_heap *heap,
				      struct hprof_error *error);
enum hprof_status export_text_profile(struct text_writer *text,
				      const struct export_heap *heap,
				      struct hprof_error *error);

#endif

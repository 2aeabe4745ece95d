/* SPDX-License-Identifier: MIT */
/*
 * dump_text.h - a dump in the binary format as text: its threads and stacks, in
 * one pass over the records; then the section HEAP DUMP, which needs totals and
 * the layouts of classes that may come later in the file, from the heap.
 */
#ifndef TEXT_DUMP_TEXT_H
#define TEXT_DUMP_TEXT_H

#include <stdbool.h>

#include <hprof/heap.h>
#include <hprof/reader.h>

#include "text/text_writer.h"

/*
 * Reads all records of READER, which belongs to the caller, and puts threads
 * and traces. Returns HPROF_END once all were read; HPROF_OK if the text's
 * writer has failed before; or the failure. *RET_THREADS: there were
 * START_THREAD records, as there are none from HotSpot.
 */
enum hprof_status text_put_records(struct text_writer *w,
				   struct hprof_reader *reader,
				   bool *ret_threads);

/*
 * The section HEAP DUMP: roots, then all objects in the order of the file;
 * nothing if the dump has neither. PROGRESS may be NULL; its phase is "objects".
 */
enum hprof_status text_put_heap(struct text_writer *w,
				const struct hprof_heap *heap,
				hprof_progress_fn *progress,
				void *progress_user,
				struct hprof_error *ret_error);

#endif

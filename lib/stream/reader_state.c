/* SPDX-License-Identifier: MIT */
/*
 * reader_state.c - state that all parts of the reader use: the failure of the
 * source, diagnostics, progress and position.
 */
#include "stream/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum hprof_status hp_reader_source_failure(struct hprof_reader *r)
{
	if (hp_window_failed(&r->window)) {
		r->error = r->window.error;
		r->status = r->window.status;
	}
	return r->status;
}

enum hprof_status hp_reader_say(struct hprof_reader *r,
				enum hprof_severity severity,
				enum hp_diag_code code, uint64_t offset,
				const char *format, ...)
{
	char text[sizeof r->error.text];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	/* Errors behind a failed read are only consequences of it. */
	if (severity == HPROF_ERROR && hp_reader_source_failure(r) < 0)
		return r->status;
	if (severity == HPROF_ERROR)
		r->counts.errors++;
	else if (severity == HPROF_WARNING)
		r->counts.warnings++;
	else
		r->counts.notes++;
	if (r->listener.diagnostic) {
		struct hprof_diagnostic d =
			hp_diag_make(severity, code, offset, text);
		r->listener.diagnostic(r->listener.diagnostic_user, &d);
	}
	if (severity != HPROF_ERROR || !r->options.strict)
		return HPROF_OK;
	r->status = hp_fail(&r->error,
			    code == HP_DIAG_TRUNCATED ? HPROF_E_TRUNCATED
						      : HPROF_E_CORRUPT,
			    offset, "%s", text);
	return r->status;
}

void hp_reader_note_whole(struct hprof_reader *r)
{
	if (r->dumps.state == DUMP_RECORD &&
	    r->dumps.current == r->dumps.chosen && !r->seen.truncation &&
	    !r->heap.to_end)
		r->dumps.chosen_complete = true;
}

void hprof_reader_get_info(const struct hprof_reader *r,
			   struct hprof_reader_info *ret)
{
	memset(ret, 0, sizeof *ret);
	ret->container = r->source->container;
	ret->member = r->source->member;
	ret->file_size = r->source->file_size;
	ret->bytes_read = r->window.offset;
	ret->file_read = r->source->ops->pread ? r->window.offset
					       : hp_source_used(r->source);
	ret->dump = r->dumps.chosen;
	ret->dump_count = r->dumps.current;
	ret->complete = r->dumps.chosen_complete;
	ret->truncated = r->seen.truncation;
	ret->errors = r->counts.errors;
	ret->warnings = r->counts.warnings;
	ret->notes = r->counts.notes;
}

bool hp_reader_go_on(struct hprof_reader *r)
{
	enum { STEP = 4 << 20 };
	struct hprof_reader_info info;

	if (!r->listener.progress ||
	    r->window.offset < r->listener.next_progress)
		return true;
	r->listener.next_progress = r->window.offset + STEP;
	hprof_reader_get_info(r, &info);
	if (r->listener.progress(r->listener.progress_user, r->listener.phase,
				 info.file_read, info.file_size))
		return true;
	r->status = hp_cancelled(&r->error);
	return false;
}

/* SPDX-License-Identifier: MIT */
/*
 * dump_copy.c - see dump_copy.h.
 */
#include "tools/capture/dump_copy.h"

static void keep_first_error(void *user,
			     const struct hprof_diagnostic *diagnostic)
{
	struct reason *first = user;

	if (diagnostic->severity == HPROF_ERROR && !first->text[0])
		reason_set(first, "%s", diagnostic->text);
}

/* ---- as it is ------------------------------------------------------------ */

static bool is_object(unsigned tag)
{
	return tag == HPROF_INSTANCE_DUMP || tag == HPROF_OBJ_ARRAY_DUMP ||
	       tag == HPROF_PRIM_ARRAY_DUMP;
}

/*
 * Bytes that are no record come last, and no JVM writes any. It may be a hostile
 * one that never stops; so many are copied, as a hint to what went wrong.
 */
#define GARBAGE_MOST (1 << 20)

static enum hprof_status copy_garbage(struct hprof_reader *reader,
				      struct hprof_writer *writer,
				      bool *ret_endless)
{
	static unsigned char piece[16384];
	size_t copied = 0, n;

	while (hprof_reader_body(reader, piece, sizeof(piece), &n) ==
		       HPROF_OK &&
	       n > 0) {
		enum hprof_status status;

		*ret_endless = copied >= GARBAGE_MOST;
		if (*ret_endless)
			break;
		status = hprof_writer_raw(writer, piece, n);
		if (status != HPROF_OK)
			return status;
		copied += n;
	}
	return HPROF_OK;
}

static enum hprof_status copy(struct hprof_reader *reader,
			      struct hprof_writer *writer,
			      struct progress *progress,
			      struct dump_copy *ret_copy,
			      enum hprof_status *ret_read, bool *ret_endless)
{
	enum { LOOK = 0xfff }; /* checks the clock every 4096 records */
	struct hprof_reader_info info;
	struct hprof_record record;
	enum hprof_status status;

	status = hprof_writer_header(writer, hprof_reader_header(reader));
	for (uint64_t n = 0; status == HPROF_OK && !*ret_endless; n++) {
		*ret_read = hprof_reader_next(reader, &record);
		if (*ret_read != HPROF_OK)
			break;
		ret_copy->objects += is_object(record.tag);
		status = record.tag == HPROF_STRAY
				 ? copy_garbage(reader, writer, ret_endless)
				 : hprof_copy_record(reader, writer, &record);
		if (ret_copy->first_only && record.tag == HPROF_HEAP_DUMP_END) {
			*ret_read = HPROF_END;
			break;
		}
		if ((n & LOOK) == 0) {
			hprof_reader_get_info(reader, &info);
			progress_update(progress, info.bytes_read, 0);
		}
	}
	return status;
}

static enum dump_copy_result judge(struct hprof_reader *reader,
				   enum hprof_status got, bool endless,
				   const struct reason *first_error,
				   struct reason *reason)
{
	struct hprof_reader_info info;

	hprof_reader_get_info(reader, &info);
	if (got == HPROF_END && info.complete && !info.truncated &&
	    info.errors == 0)
		return DUMP_COPIED;
	if (got < 0)
		reason_set(reason, "%s", hprof_reader_error(reader)->text);
	else if (endless && info.complete)
		reason_set(reason, "the dump is damaged: it does not end "
				   "where its records do");
	else if (first_error->text[0])
		reason_set(reason, "the dump is damaged: %s",
			   first_error->text);
	else
		reason_set(reason, "the dump was cut short");
	return DUMP_COPY_UNREADABLE;
}

static enum dump_copy_result
copy_from(struct hprof_reader *reader, struct hprof_writer *writer,
	  struct progress *progress, const struct reason *first_error,
	  struct dump_copy *ret_copy, struct reason *ret_reason)
{
	enum hprof_status got = HPROF_OK, written;
	enum dump_copy_result result;
	bool endless = false;

	written = copy(reader, writer, progress, ret_copy, &got, &endless);
	result = judge(reader, got, endless, first_error, ret_reason);
	/* Some damaged records cannot be written. */
	if (written == HPROF_OK ||
	    (written == HPROF_E_USAGE && result != DUMP_COPIED))
		return result;
	reason_set(ret_reason, "%s", hprof_writer_error(writer)->text);
	return DUMP_COPY_UNWRITABLE;
}

static enum dump_copy_result copy_exactly(const struct hprof_input *input,
					  const struct dump_order *order,
					  struct hprof_writer *writer,
					  struct dump_copy *ret_copy,
					  struct reason *ret_reason)
{
	struct reason first_error = { "" };
	const struct hprof_reader_options options = {
		.size = sizeof(options),
		.exact = true,
		.diagnostic = keep_first_error,
		.user = &first_error,
	};
	struct hprof_reader *reader;
	struct hprof_error error = { 0 };
	enum dump_copy_result result;

	if (hprof_reader_open(input, &options, &reader, &error) != HPROF_OK) {
		reason_set(ret_reason, "%s", error.text);
		return DUMP_COPY_UNREADABLE;
	}
	result = copy_from(reader, writer, order->progress, &first_error,
			   ret_copy, ret_reason);
	hprof_reader_close(reader);
	return result;
}

/* ---- changed ------------------------------------------------------------- */

/*
 * Was the whole dump converted? If not, says why. Where a dump is damaged, text
 * may be taken for something else before that is noticed.
 */
static bool is_good(enum hprof_status status,
		    const struct hprof_convert_result *result,
		    const struct hprof_error *error, struct reason *reason)
{
	if (status == HPROF_E_CORRUPT)
		return reason_set(reason,
				  "the dump is damaged: %s; what was written "
				  "may hold text that is not blanked",
				  error->text);
	if (status != HPROF_OK && status != HPROF_E_TRUNCATED)
		return reason_set(reason, "%s", error->text);
	return (status == HPROF_OK && result->complete &&
		result->errors == 0) ||
	       reason_set(reason, "the dump was cut short");
}

static enum dump_copy_result convert(const struct hprof_input *from,
				     const struct dump_order *order,
				     struct hprof_writer *writer,
				     struct dump_copy *ret_copy,
				     struct reason *ret_reason)
{
	const struct hprof_convert_options options = {
		.size = sizeof(options),
		.redact = order->redact,
		.omit = order->omit,
		.to_heap_end = ret_copy->first_only,
		.strict = true,
	};
	struct hprof_convert_result result = { .size = sizeof(result) };
	struct hprof_input input = *from;
	struct hprof_error error = { 0 };
	enum hprof_status status, wrote;

	input.no_copy = true;
	input.progress = progress_bytes;
	input.progress_user = order->progress;
	status = hprof_convert_into(&input, writer, &options, &result, &error);
	ret_copy->objects = result.objects;
	wrote = hprof_writer_error(writer)->status;
	/* Some damaged records cannot be written. */
	if (wrote != HPROF_OK && wrote != HPROF_E_USAGE) {
		reason_set(ret_reason, "%s", hprof_writer_error(writer)->text);
		return DUMP_COPY_UNWRITABLE;
	}
	return is_good(status, &result, &error, ret_reason)
		       ? DUMP_COPIED
		       : DUMP_COPY_UNREADABLE;
}

enum dump_copy_result dump_copy(const struct hprof_input *from,
				const struct dump_order *order,
				struct hprof_writer *writer,
				struct dump_copy *ret_copy,
				struct reason *ret_reason)
{
	struct hprof_input input = *from;

	input.threads = 1;
	ret_copy->objects = 0;
	return dump_is_changed(order)
		       ? convert(&input, order, writer, ret_copy, ret_reason)
		       : copy_exactly(&input, order, writer, ret_copy,
				      ret_reason);
}

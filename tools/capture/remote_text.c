/* SPDX-License-Identifier: MIT */
/*
 * remote_text.c - see remote_text.h.
 *
 * Names are escaped in the text, so no name can make a line of its own. Of each
 * line, as many bytes are kept as tell it apart.
 */
#include "tools/capture/remote_text.h"

#include <stdlib.h>
#include <string.h>

#include "tools/capture/dump_output.h"

/* ---- the first bytes ----------------------------------------------------- */

bool remote_head_is_text(struct remote_head *h)
{
	static const char version[] = "JAVA PROFILE ";
	int64_t n = 1;

	while (n > 0 && h->size < sizeof(h->bytes)) {
		n = inflow_read(h->flow, h->bytes + h->size,
				sizeof(h->bytes) - h->size);
		if (n > 0)
			h->size += (size_t)n;
		/* The header of a dump, and nothing more yet. */
		if (memchr(h->bytes, 0, h->size))
			return false;
	}
	return h->size > strlen(version) &&
	       memcmp(h->bytes, version, strlen(version)) == 0 &&
	       memchr(h->bytes, ',', h->size);
}

int64_t remote_head_read(void *head, void *out, size_t room)
{
	struct remote_head *h = head;
	size_t n = h->size - h->at;

	if (n == 0)
		return inflow_read(h->flow, out, room);
	n = n < room ? n : room;
	memcpy(out, h->bytes + h->at, n);
	h->at += n;
	return (int64_t)n;
}

/* ---- lines --------------------------------------------------------------- */

struct lines {
	struct remote_text *text;
	char line[40]; /* its beginning */
	size_t used;
	bool prelude_over, whole; /* HEAP DUMP END has come */
};

static bool begins(const struct lines *l, const char *with)
{
	return strncmp(l->line, with, strlen(with)) == 0;
}

static void heed_line(struct lines *l)
{
	static const char heap[] = "HEAP DUMP BEGIN (";

	l->line[l->used] = '\0';
	l->used = 0;
	if (!l->prelude_over) {
		l->prelude_over = strcmp(l->line, "--------") == 0;
		return;
	}
	if (l->line[0])
		l->text->begun = true;
	if (begins(l, heap))
		l->text->objects += strtoull(l->line + strlen(heap), NULL, 10);
	else if (strcmp(l->line, "HEAP DUMP END") == 0)
		l->whole = true;
}

/* How many of the bytes belong to the text. */
static size_t heed(struct lines *l, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			heed_line(l);
		else if (l->used + 1 < sizeof(l->line))
			l->line[l->used++] = bytes[i];
		if (l->whole && !l->text->to_end)
			return i + 1;
	}
	return size;
}

/* ---- the copy ------------------------------------------------------------ */

static bool copy(struct remote_head *head, struct lines *l,
		 struct hprof_output *output, bool *ret_about_output,
		 struct reason *reason)
{
	char bytes[16384];
	int64_t n;

	while (!l->whole || l->text->to_end) {
		n = remote_head_read(head, bytes, sizeof(bytes));
		if (n < 0)
			return reason_errno(reason, "cannot be read");
		if (n == 0)
			break;
		if (hprof_output_write(output, bytes,
				       heed(l, bytes, (size_t)n)) < 0) {
			*ret_about_output = true;
			return reason_set(reason, "%s",
					  hprof_output_error(output)->text);
		}
	}
	/* A text of a profile alone has no heap dump. */
	if (head->flow->failed || l->used > 0 || !l->text->begun ||
	    (!l->whole && (!l->text->to_end || l->text->objects > 0)))
		return reason_set(reason, "the text ends too early");
	return true;
}

bool remote_text_copy(struct remote_head *head, const struct dump_order *order,
		      struct remote_text *text, bool *ret_about_output,
		      struct reason *reason)
{
	struct lines lines = { .text = text };
	struct hprof_output *output;
	bool done;

	if (dump_is_changed(order))
		return reason_set(reason, "it sends text (format=a), which "
					  "cannot be changed on its way");
	if (!dump_output_open_text(order, &output, reason)) {
		*ret_about_output = true;
		return false;
	}
	done = copy(head, &lines, output, ret_about_output, reason);
	if (done && hprof_output_finish(output) < 0) {
		*ret_about_output = true;
		done = reason_set(reason, "%s",
				  hprof_output_error(output)->text);
	}
	text->bytes = hprof_output_size(output);
	hprof_output_free(output);
	return done;
}

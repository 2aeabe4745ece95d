/* SPDX-License-Identifier: MIT */
/*
 * archive_member.c - see archive_member.h.
 */
#include "io/archive_member.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

#define EMPTY_BLOCKS 1000 /* that are tolerated in a row */

/* ---- a member as a source ------------------------------------------------ */

static void look_for_more(struct hp_archive_member *member)
{
	struct hp_archive_input *input = member->input;
	struct archive_entry *entry;
	struct hprof_error unwanted;
	struct hp_source *other;

	while (archive_read_next_header(input->archive, &entry) >=
	       ARCHIVE_WARN) {
		if (archive_entry_filetype(entry) != AE_IFREG ||
		    hp_archive_probe(input, member->layers, &other,
				     &unwanted) != HPROF_OK ||
		    other == NULL)
			continue;
		hp_source_close(other);
		member->source.warning_code = HP_DIAG_SEVERAL_MEMBERS;
		snprintf(member->source.warning, sizeof(member->source.warning),
			 "the archive holds more than one dump; the first is "
			 "read");
		return;
	}
}

static enum hprof_status end_member(struct hp_archive_member *member)
{
	if (!member->ended && member->look_on)
		look_for_more(member);
	member->ended = true;
	return HPROF_END;
}

/* Gets the next block from libarchive, which may leave holes between blocks. */
static enum hprof_status next_block(struct hp_archive_member *member)
{
	struct hprof_error *error = &member->source.error;
	const void *bytes = NULL;
	size_t n = 0;
	la_int64_t offset = 0;
	int result;

	result = archive_read_data_block(member->input->archive, &bytes, &n,
					 &offset);
	if (result == ARCHIVE_EOF)
		return end_member(member);
	if (result != ARCHIVE_OK && (result != ARCHIVE_WARN || n == 0)) {
		hp_archive_input_failure(member->input,
					 member->source.container, error);
		error->offset = member->out;
		return error->status;
	}
	if (offset < 0 || (uint64_t)offset < member->out)
		return hp_fail(error, HPROF_E_CORRUPT, member->out,
			       "%s: parts of a file overlap",
			       member->source.container);
	member->gap = (uint64_t)offset - member->out;
	member->block = bytes;
	member->block_left = n;
	return HPROF_OK;
}

static size_t give_bytes(struct hp_archive_member *member, void *buffer,
			 size_t room)
{
	size_t n;

	if (member->gap > 0) {
		n = member->gap < room ? (size_t)member->gap : room;
		memset(buffer, 0, n);
		member->gap -= n;
	} else {
		n = member->block_left < room ? member->block_left : room;
		memcpy(buffer, member->block, n);
		member->block += n;
		member->block_left -= n;
	}
	member->out += n;
	return n;
}

static enum hprof_status member_read(struct hp_source *source, void *buffer,
				     size_t room, size_t *ret_n)
{
	struct hp_archive_member *member = (struct hp_archive_member *)source;
	enum hprof_status status;
	unsigned empty = 0;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	if (member->ended)
		return HPROF_END;
	while (member->gap == 0 && member->block_left == 0) {
		if (empty++ == EMPTY_BLOCKS)
			return hp_fail(&source->error, HPROF_E_CORRUPT,
				       member->out,
				       "%s: nothing but empty "
				       "blocks",
				       source->container);
		status = next_block(member);
		if (status != HPROF_OK)
			return status;
	}
	*ret_n = give_bytes(member, buffer, room);
	return HPROF_OK;
}

static void member_close(struct hp_source *source)
{
	struct hp_archive_member *member = (struct hp_archive_member *)source;

	if (member->owns)
		hp_archive_input_free(member->input);
	else
		source->below = NULL;
	hp_source_free(source);
}

static const struct hp_source_ops member_ops = { .read = member_read,
						 .pread = NULL,
						 .close = member_close };

struct hp_archive_member *hp_archive_member_new(struct hp_archive_input *input,
						const char *container,
						struct hp_layers layers)
{
	struct hp_archive_member *member = hp_calloc(1, sizeof(*member));

	if (member == NULL)
		return NULL;
	hp_source_init(&member->source, &member_ops, input->below, container);
	member->source.below = NULL;
	member->input = input;
	member->layers = layers;
	return member;
}

void hp_archive_member_own(struct hp_archive_member *member)
{
	member->owns = true;
	member->source.below = member->input->below;
}

/* ---- recognizing a dump -------------------------------------------------- */

static bool is_grave(enum hprof_status status)
{
	return status == HPROF_E_NOMEM || status == HPROF_E_SYS;
}

enum hprof_status hp_archive_probe(struct hp_archive_input *input,
				   struct hp_layers layers,
				   struct hp_source **ret,
				   struct hprof_error *error)
{
	struct hp_archive_member *member;
	struct hp_source *top;
	enum hprof_status status;
	unsigned char head[12];
	size_t n;

	*ret = NULL;
	member = hp_archive_member_new(input, hp_archive_input_container(input),
				       layers);
	if (member == NULL)
		return hp_no_memory(error);
	status = layers.stack(&member->source, NULL, 1, layers.left, &top,
			      error);
	if (status < 0)
		return is_grave(status) ? status : HPROF_OK;
	status = hp_source_peek(top, head, sizeof(head), &n);
	if (status >= 0 && hp_is_hprof(head, n)) {
		*ret = top;
		return HPROF_OK;
	}
	*error = top->error;
	hp_source_close(top);
	return is_grave(status) ? status : HPROF_OK;
}

/* ---- filters ------------------------------------------------------------- */

static enum hprof_status open_filter(struct hp_archive_input *input,
				     const struct hp_archive_filter *filter,
				     struct hprof_error *error)
{
	struct archive_entry *entry;

	if (hp_archive_input_open(input, filter) &&
	    archive_read_next_header(input->archive, &entry) >= ARCHIVE_WARN)
		return HPROF_OK;
	if (input->archive == NULL)
		return hp_no_memory(error);
	return hp_archive_input_failure(input, filter->name, error);
}

enum hprof_status hp_source_filter(struct hp_source *below, const void *head,
				   size_t head_size, struct hp_source **ret,
				   struct hprof_error *error)
{
	const struct hp_archive_filter *filter =
		hp_archive_find_filter(head, head_size);
	struct hp_archive_input *input = hp_archive_input_new(below);
	struct hp_archive_member *member = NULL;
	enum hprof_status status = HPROF_E_NOMEM;

	if (input != NULL)
		member = hp_archive_member_new(input, filter->name,
					       (struct hp_layers){ 0, NULL });
	if (member != NULL)
		status = open_filter(input, filter, error);
	else
		hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	if (status >= 0) {
		hp_archive_member_own(member);
		*ret = &member->source;
		return HPROF_OK;
	}
	if (member != NULL)
		member_close(&member->source);
	hp_archive_input_free(input);
	hp_source_close(below);
	return status;
}

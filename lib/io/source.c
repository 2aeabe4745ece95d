/* SPDX-License-Identifier: MIT */
/*
 * source.c - what all sources share: state, failures, and peeking at the first
 * bytes before they are read.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "io/source.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

/* ---- the common part ---------------------------------------------------- */

void hp_source_init(struct hp_source *source, const struct hp_source_ops *ops,
		    struct hp_source *below, const char *container)
{
	source->ops = ops;
	source->below = below;
	source->size = UINT64_MAX;
	atomic_init(&source->file_used, 0);
	if (below != NULL)
		source->file_size = below->file_size;
	if (below == NULL || strcmp(below->container, "plain") == 0)
		snprintf(source->container, sizeof(source->container), "%s",
			 container);
	else
		snprintf(source->container, sizeof(source->container),
			 "%.24s in %.32s", container, below->container);
}

void hp_source_free(struct hp_source *source)
{
	hp_source_close(source->below);
	hp_free(source->member);
	hp_free(source->peeked);
	hp_free(source);
}

void hp_source_close(struct hp_source *source)
{
	if (source != NULL)
		source->ops->close(source);
}

uint64_t hp_source_used(const struct hp_source *source)
{
	while (source->below != NULL)
		source = source->below;
	return atomic_load_explicit(&source->file_used, memory_order_relaxed);
}

enum hprof_status hp_source_inherit(struct hp_source *source)
{
	const struct hp_source *below = source->below;

	if (below->warning[0] != '\0' && source->warning[0] == '\0') {
		source->warning_code = below->warning_code;
		memcpy(source->warning, below->warning,
		       sizeof(source->warning));
	}
	if (below->error.status >= 0)
		return HPROF_OK;
	source->error = below->error;
	return source->error.status;
}

void hp_source_set_hotspot(struct hp_source *source)
{
	char *text = source->container;
	char rest[sizeof(source->container)];

	if (strncmp(text, "gzip", 4) != 0 || strncmp(text, "gzip (", 6) == 0)
		return;
	memcpy(rest, text + 4, sizeof(rest) - 4);
	snprintf(text, sizeof(source->container), "gzip (HotSpot)%.48s", rest);
}

/* ---- peeked bytes ------------------------------------------------------- */

static size_t give_peeked(struct hp_source *source, void *buffer, size_t room)
{
	size_t n = source->peeked_end - source->peeked_at;

	if (n > room)
		n = room;
	memcpy(buffer, source->peeked + source->peeked_at, n);
	source->peeked_at += n;
	return n;
}

bool hp_source_early(struct hp_source *source, void *buffer, size_t room,
		     size_t *ret_n, enum hprof_status *ret_status)
{
	*ret_n = 0;
	*ret_status = HPROF_OK;
	if (room == 0)
		return true;
	if (source->peeked_at < source->peeked_end) {
		*ret_n = give_peeked(source, buffer, room);
		return true;
	}
	*ret_status = source->error.status;
	return source->error.status < 0;
}

/* Reads up to WANT bytes, with as many calls of read() as it takes. */
static enum hprof_status read_whole(struct hp_source *source, void *buffer,
				    size_t want, size_t *ret_n)
{
	enum hprof_status status = HPROF_OK;
	size_t used = 0;

	while (used < want && status == HPROF_OK) {
		size_t n;

		status = source->ops->read(source, (char *)buffer + used,
					   want - used, &n);
		used += n;
	}
	*ret_n = used;
	return status;
}

enum hprof_status hp_source_peek(struct hp_source *source, void *buffer,
				 size_t want, size_t *ret_n)
{
	enum hprof_status status;
	unsigned char *keep;

	*ret_n = 0;
	if (source->ops->pread != NULL)
		return source->ops->pread(source, 0, buffer, want, ret_n,
					  &source->error);
	if (source->peeked_end >= want) {
		memcpy(buffer, source->peeked, want);
		*ret_n = want;
		return HPROF_OK;
	}
	keep = hp_alloc(want);
	if (keep == NULL)
		return hp_no_memory(&source->error);
	status = read_whole(source, keep, want, ret_n);
	memcpy(buffer, keep, *ret_n);
	hp_free(source->peeked);
	source->peeked = keep;
	source->peeked_at = 0;
	source->peeked_end = *ret_n;
	return *ret_n > 0 ? HPROF_OK : status;
}

/* ---- recognizing a dump -------------------------------------------------- */

bool hp_is_hprof(const void *bytes, size_t size)
{
	return size >= 12 && memcmp(bytes, "JAVA PROFILE", 12) == 0;
}

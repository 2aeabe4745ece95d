/* SPDX-License-Identifier: MIT */
/*
 * archive_input.h - libarchive, and the source that it reads from.
 */
#ifndef HP_ARCHIVE_INPUT_H
#define HP_ARCHIVE_INPUT_H

#include <archive.h>
#include <archive_entry.h>

#include "io/source.h"

struct hp_archive_input {
	struct archive *archive;
	struct hp_source *below;
	uint64_t place;		    /* if BELOW has pread */
	bool at_end;		    /* libarchive wanted more than there is */
	struct hprof_error failure; /* of BELOW */
	unsigned char *buffer;
};

/* A compressor that libarchive undoes, told by the first bytes. */
struct hp_archive_filter {
	const char *name;
	const char *magic;
	size_t magic_size;
	int (*support)(struct archive *archive);
};

const struct hp_archive_filter *hp_archive_find_filter(const void *head,
						       size_t size);

/* BELOW is borrowed. NULL without memory. */
struct hp_archive_input *hp_archive_input_new(struct hp_source *below);
/* Frees all but what is below; NULL is fine. */
void hp_archive_input_free(struct hp_archive_input *input);

/* Opens INPUT at its start: with a FILTER, or as an archive if that is NULL. */
bool hp_archive_input_open(struct hp_archive_input *input,
			   const struct hp_archive_filter *filter);

/* True if the archive is read at random. */
bool hp_archive_can_seek(const struct hp_source *below);

/* "zip" or "tar" */
const char *hp_archive_input_container(const struct hp_archive_input *input);

/* What libarchive has just complained of. */
enum hprof_status hp_archive_input_failure(const struct hp_archive_input *input,
					   const char *container,
					   struct hprof_error *error);

#endif

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
	bool at_end;		    /* libarchive has read past the end */
	struct hprof_error failure; /* of BELOW */
	unsigned char *buffer;
};

/* A format that libarchive decompresses, recognized by its first bytes. */
struct hp_archive_filter {
	const char *name;
	const char *magic;
	size_t magic_size;
	int (*support)(struct archive *archive);
};

const struct hp_archive_filter *hp_archive_find_filter(const void *head,
						       size_t size);

/* BELOW is borrowed. NULL if out of memory. */
struct hp_archive_input *hp_archive_input_new(struct hp_source *below);
/* Frees INPUT but not the source below it; NULL is fine. */
void hp_archive_input_free(struct hp_archive_input *input);

/* Opens INPUT at its start: with FILTER, or as an archive if that is NULL. */
bool hp_archive_input_open(struct hp_archive_input *input,
			   const struct hp_archive_filter *filter);

/* True if the archive is read at random. */
bool hp_archive_can_seek(const struct hp_source *below);

/* "zip" or "tar" */
const char *hp_archive_input_container(const struct hp_archive_input *input);

/* Reports the failure that libarchive has just returned. */
enum hprof_status hp_archive_input_failure(const struct hp_archive_input *input,
					   const char *container,
					   struct hprof_error *error);

#endif

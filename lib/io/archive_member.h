/* SPDX-License-Identifier: MIT */
/*
 * archive_member.h - what libarchive stands at, as a source: a member of an
 * archive, or the content of a file that one of its filters undoes.
 */
#ifndef HP_ARCHIVE_MEMBER_H
#define HP_ARCHIVE_MEMBER_H

#include "io/archive_input.h"

struct hp_archive_member {
	struct hp_source source;
	struct hp_archive_input *input;
	bool owns;    /* the input; else it looks at a member only */
	bool look_on; /* for another dump behind this member */
	bool ended;
	struct hp_layers layers;
	const unsigned char *block; /* libarchive's */
	size_t block_left;
	uint64_t gap; /* zeros to give before the block */
	uint64_t out;
};

/* The member that libarchive stands at, to look at; INPUT is borrowed. */
struct hp_archive_member *hp_archive_member_new(struct hp_archive_input *input,
						const char *container,
						struct hp_layers layers);
/* From here on the input and what is below go with the member. */
void hp_archive_member_own(struct hp_archive_member *member);

/*
 * Is it a dump? *RET is the stack on the member if so, else NULL; its bottom
 * does not own INPUT. OK whatever is wrong with the member, but for failures
 * that will not be better with the next.
 */
enum hprof_status hp_archive_probe(struct hp_archive_input *input,
				   struct hp_layers layers,
				   struct hp_source **ret,
				   struct hprof_error *error);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * archive_member.h - the entry at which libarchive is positioned, as a source:
 * a member of an archive, or the content of a file that one of its filters
 * decompresses.
 */
#ifndef HP_ARCHIVE_MEMBER_H
#define HP_ARCHIVE_MEMBER_H

#include "io/archive_input.h"

struct hp_archive_member {
	struct hp_source source;
	struct hp_archive_input *input;
	bool owns;    /* the input; false while a member is only examined */
	bool look_on; /* at the end, look for another dump behind this member */
	bool ended;
	struct hp_layers layers;
	const unsigned char *block; /* owned by libarchive */
	size_t block_left;
	uint64_t gap; /* zeros to give before the block */
	uint64_t out;
};

/* The current member of INPUT, to examine it; INPUT is borrowed. */
struct hp_archive_member *hp_archive_member_new(struct hp_archive_input *input,
						const char *container,
						struct hp_layers layers);
/* From now on MEMBER owns its input and the source below it. */
void hp_archive_member_own(struct hp_archive_member *member);

/*
 * Tests whether the current member is a dump. If so, *RET is the stack of
 * sources on it, whose bottom does not own INPUT; otherwise NULL. Damage of
 * the member is no failure; only failures that would affect the next member,
 * too, are returned.
 */
enum hprof_status hp_archive_probe(struct hp_archive_input *input,
				   struct hp_layers layers,
				   struct hp_source **ret,
				   struct hprof_error *error);

#endif

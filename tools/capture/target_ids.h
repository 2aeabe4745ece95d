/* SPDX-License-Identifier: MIT */
/*
 * target_ids.h - acts with the ids of the user that a JVM runs as.
 *
 * Root may write anywhere, but whoever made the mount namespace of a JVM chose
 * what its /tmp is. So a thread of root takes the effective ids and the groups
 * of the JVM before it looks up, makes or removes anything there. The kernel
 * then allows it what it would allow the JVM, and the JVM owns what is made.
 */
#ifndef TOOLS_TARGET_IDS_H
#define TOOLS_TARGET_IDS_H

#include <stdbool.h>
#include <sys/types.h>

#define TARGET_GROUPS_MOST 64

struct target_ids {
	uid_t uid;
	gid_t gid;
	gid_t groups[TARGET_GROUPS_MOST]; /* supplementary; others are lost */
	unsigned group_count;
};

/* The ids to return to. */
struct own_ids {
	bool changed;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int group_count;
};

/*
 * Gives the calling thread, and no other, the ids IDS. Only root changes its
 * ids; another user can reach only what is its own. False with errno if the
 * kernel refuses; then nothing has changed, and the work must not be done.
 * Every success needs a call of target_ids_restore.
 */
bool target_ids_assume(const struct target_ids *ids, struct own_ids *ret_own);

/* Keeps errno. The process ends if it cannot get its own ids back. */
void target_ids_restore(struct own_ids *own);

#endif

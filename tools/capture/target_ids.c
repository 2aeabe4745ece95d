/* SPDX-License-Identifier: MIT */
/*
 * target_ids.c - see target_ids.h.
 *
 * The system calls are made directly, because setresuid() of the C library
 * changes all threads of the process, and other threads write the output as
 * root meanwhile. Only the effective ids change: with a real or saved id of its
 * own, the JVM could send signals to this process. When the effective user id
 * becomes another than 0, the kernel takes all effective capabilities away.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/capture/target_ids.h"
#include "tools/common/cli.h"

/* On some machines the calls without a suffix take ids of 16 bits. */
#ifdef SYS_setresuid32
#define CALL_SETRESUID SYS_setresuid32
#define CALL_SETRESGID SYS_setresgid32
#define CALL_SETGROUPS SYS_setgroups32
#else
#define CALL_SETRESUID SYS_setresuid
#define CALL_SETRESGID SYS_setresgid
#define CALL_SETGROUPS SYS_setgroups
#endif

static bool set_uid(uid_t uid)
{
	return syscall(CALL_SETRESUID, -1, uid, -1) == 0;
}

static bool set_gid(gid_t gid)
{
	return syscall(CALL_SETRESGID, -1, gid, -1) == 0;
}

static bool set_groups(size_t count, const gid_t *groups)
{
	return syscall(CALL_SETGROUPS, count, groups) == 0;
}

static bool save_groups(struct own_ids *own)
{
	own->group_count = getgroups(0, NULL);
	if (own->group_count < 0)
		return false;
	own->groups = calloc((size_t)own->group_count + 1, sizeof(gid_t));
	if (!own->groups)
		return false;
	own->group_count = getgroups(own->group_count, own->groups);
	if (own->group_count >= 0)
		return true;
	free(own->groups);
	own->groups = NULL;
	return false;
}

/* A JVM of root keeps the groups of this program, which are root's, too. */
bool target_ids_assume(const struct target_ids *ids, struct own_ids *ret_own)
{
	struct own_ids own = { .uid = geteuid(), .gid = getegid() };
	bool other_user = ids->uid != own.uid;

	if (own.uid != 0 || (!other_user && ids->gid == own.gid)) {
		*ret_own = own;
		return true;
	}
	if (other_user && !save_groups(&own))
		return false;
	own.changed = true;
	if ((!own.groups || set_groups(ids->group_count, ids->groups)) &&
	    set_gid(ids->gid) && (!other_user || set_uid(ids->uid))) {
		*ret_own = own;
		return true;
	}
	target_ids_restore(&own);
	return false;
}

void target_ids_restore(struct own_ids *own)
{
	int why = errno;

	if (!own->changed)
		return;
	if (!set_uid(own->uid) || !set_gid(own->gid) ||
	    (own->groups &&
	     !set_groups((size_t)own->group_count, own->groups))) {
		cli_message("cannot return to its own ids");
		_exit(CLI_TROUBLE);
	}
	free(own->groups);
	*own = (struct own_ids){ .changed = false };
	errno = why;
}

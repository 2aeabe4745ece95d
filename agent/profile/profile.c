/* SPDX-License-Identifier: MIT */
/* profile.c - see profile.h. */
#include "agent/profile/profile.h"

#include "base/mem.h"

void ag_profile_done(struct ag_profile *p)
{
	hp_free(p->sites.rows);
	hp_free(p->samples.rows);
	*p = (struct ag_profile){ 0 };
}

/* SPDX-License-Identifier: MIT */
/*
 * passing_roots.h - roots that last for a moment only: what stacks hold, and monitors
 * that are in use. A frame may still hold what its method is done with, and what it
 * holds ends with it; what a static, a thread or native code holds stays. So a path
 * that begins elsewhere says more about who owns an object, even if it is longer.
 */
#ifndef HP_PASSING_ROOTS_H
#define HP_PASSING_ROOTS_H

#include "report/lasting_classes.h"
#include "report/object_info.h"

/* Whether roots of that kind are such ones. */
bool hp_root_is_passing(unsigned tag);

/*
 * The objects that are roots in no other way, as bits that the caller frees with
 * hp_free; NULL if there are none. Classes of the JVM's own
 * loaders, as LASTING has them, are never among them.
 * Fails only with HPROF_E_NOMEM.
 */
enum hprof_status
hp_passing_roots_find(const struct hp_look *look,
		      const struct hp_lasting_classes *lasting,
		      uint64_t **ret_bits);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hooks.h - which methods are to tell that they are entered or left, and where
 * the calls of instrumented methods go.
 *
 * A place is a set of hooks that one or more methods have in common; its number
 * is in the code of those methods. Places and hooks are never freed: code that
 * has been changed back may still run.
 */
#ifndef PF_HOOKS_H
#define PF_HOOKS_H

#include "agent/instrument/class_rewrite.h"
#include "prof/environment.h"

struct pf_hook {
	struct pf_env *env;
	jint id;
	atomic_uint flags; /* JVMTIPROF_METHOD_EVENT_...; 0: it is off */
	struct pf_hook *next;
	const char *class_name, *method, *signature; /* patterns */
};

struct pf_place {
	uint32_t count;
	struct pf_hook *hooks[];
};

/*
 * The hook of E for these names, which is made if there is none and MAKE. NULL:
 * there is none, or no memory. A dot in CLASS_NAME is a slash.
 */
struct pf_hook *pf_hook_get(struct pf_env *e, const char *class_name,
			    const char *method, const char *signature,
			    bool make);

/* The newest one; all others by next. */
struct pf_hook *pf_hooks_first(void);

/* Changes the flags: those of SET are added, those of CLEAR removed. */
void pf_hook_change(struct pf_hook *hook, unsigned set, unsigned clear);

/* All hooks of E are off. Tells whether one was on. */
bool pf_hooks_end(struct pf_env *e);

/* Changes with each change of a hook. */
unsigned pf_hooks_generation(void);

/* Is any hook on? */
bool pf_hooks_any(void);

/* Is any hook on that may be for a method of this class (java/lang/String)? */
bool pf_hooks_want(const char *class_name, size_t size);

/*
 * The class with calls for the hooks that are on now; RET has no bytes if none
 * is for it.
 */
enum hprof_status pf_hooks_rewrite(const uint8_t *bytes, size_t size,
				   struct ag_rewritten *ret);

/* The place of a number in the code of a method. Any thread. */
const struct pf_place *pf_place_of(uint32_t number);

#endif

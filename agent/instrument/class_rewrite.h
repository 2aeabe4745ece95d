/* SPDX-License-Identifier: MIT */
/*
 * class_rewrite.h - a class file whose methods call a tracker when they are
 * entered, when they catch an exception, and when they are left. Bytes to
 * bytes: this part does not depend on the JVM, and any bytes may come.
 */
#ifndef AG_CLASS_REWRITE_H
#define AG_CLASS_REWRITE_H

#include "agent/instrument/constant_pool.h"

enum ag_method_state {
	AG_METHOD_TRACKED,
	AG_METHOD_NO_CODE,  /* native or abstract */
	AG_METHOD_TOO_LONG, /* its code, or a jump in it, would be */
	AG_METHOD_UNWANTED
};

struct ag_class_method {
	struct ag_utf8 name, descriptor; /* in the class file that was read */
	enum ag_method_state state;
};

/* How one method is instrumented. */
struct ag_calls {
	uint32_t number; /* what the calls are made with */
	unsigned parts;	 /* where they are: AG_AT_..., see instructions.h */
};

/*
 * What is inserted: calls of static methods of a class, each with one int,
 * the number of the method. They must not throw.
 */
struct ag_tracking {
	const char *tracker, *enter;
	const char *caught; /* NULL: there is none */
	const char *exit;
	uint32_t first; /* number of the class's first method; others follow */
	/*
	 * NULL: every method is wanted, everywhere. False: this one is left as
	 * it is. May change CALLS, which has that number and all parts.
	 */
	bool (*wanted)(struct ag_utf8 class_name,
		       const struct ag_class_method *method,
		       struct ag_calls *calls);
};

struct ag_rewritten {
	uint8_t *bytes; /* NULL: no method is tracked */
	size_t size;
	struct ag_utf8 name;   /* of the class, as in java/lang/String */
	struct ag_utf8 source; /* its file's name; no bytes if unknown */
	struct ag_class_method *methods;
	uint32_t n_methods;
	unsigned major; /* version of the class file */
};

/*
 * Reads a class file. HPROF_E_CORRUPT or HPROF_E_TRUNCATED: this is none.
 * HPROF_E_UNSUPPORTED: a frame or constant that is not known here.
 * HPROF_E_LIMIT: it has no room for more constants. RET is freed by
 * ag_rewritten_done.
 */
enum hprof_status ag_class_rewrite(const uint8_t *bytes, size_t size,
				   const struct ag_tracking *tracking,
				   struct ag_rewritten *ret);
void ag_rewritten_done(struct ag_rewritten *rewritten);

#endif

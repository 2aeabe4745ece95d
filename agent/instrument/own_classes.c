/* SPDX-License-Identifier: MIT */
/* own_classes.c - see own_classes.h. */
#include "agent/instrument/own_classes.h"

#include <string.h>

bool ag_class_is_own(const char *name, size_t size)
{
	static const char *const own[] = { AG_TRACKER_CLASS, AG_TRACKER_NATIVES,
					   AG_HOOK_CLASS, AG_HOOK_NATIVES };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		const size_t length = strlen(own[i]);

		if (size >= length && !memcmp(name, own[i], length) &&
		    (size == length || name[length] == '$'))
			return true;
	}
	return false;
}

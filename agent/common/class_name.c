/* SPDX-License-Identifier: MIT */
/* class_name.c - see class_name.h. */
#include "agent/common/class_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "hprof/record.h"

uint8_t ag_type_of(int signature)
{
	switch (signature) {
	case 'Z':
		return HPROF_TYPE_BOOLEAN;
	case 'C':
		return HPROF_TYPE_CHAR;
	case 'F':
		return HPROF_TYPE_FLOAT;
	case 'D':
		return HPROF_TYPE_DOUBLE;
	case 'B':
		return HPROF_TYPE_BYTE;
	case 'S':
		return HPROF_TYPE_SHORT;
	case 'I':
		return HPROF_TYPE_INT;
	case 'J':
		return HPROF_TYPE_LONG;
	default:
		return HPROF_TYPE_OBJECT;
	}
}

/* Hidden classes replaced anonymous ones in JDK 15. */
static bool has_anonymous_classes(jvmtiEnv *jvmti)
{
	jint version;

	return (*jvmti)->GetVersionNumber(jvmti, &version) ==
		       JVMTI_ERROR_NONE &&
	       (version & JVMTI_VERSION_MASK_MAJOR) >>
		       JVMTI_VERSION_SHIFT_MAJOR < 15;
}

void ag_class_name_as_hotspot(char *signature, jvmtiEnv *jvmti)
{
	char *dot = strchr(signature, '.');
	char *slash = strrchr(signature, '/');

	if (dot)
		*dot = '+';
	if (slash && isdigit((unsigned char)slash[1]) &&
	    slash[1 + strspn(slash + 1, "0123456789")] == ';' &&
	    has_anonymous_classes(jvmti))
		memcpy(slash, ";", 2);
}

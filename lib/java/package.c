/* SPDX-License-Identifier: MIT */
/*
 * package.c - the package part of a class name as Java source writes it:
 * "java.util" of "java.util.Map$Entry[]".
 */
#include "hprof/report.h"

#include <string.h>

static bool is_primitive(const char *name, size_t length)
{
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		const char *primitive = hprof_type_name(type);

		if (primitive && strlen(primitive) == length &&
		    !memcmp(primitive, name, length))
			return true;
	}
	return false;
}

/*
 * The length of the package in NAME, 0 for the default package. A last part
 * that is empty or starts with a digit is not a class name: JDK 8 to 14 append
 * a number to the names of VM anonymous classes ("LambdaForm$MH.1234").
 */
static size_t package_length(const char *name, size_t length)
{
	size_t end = length;

	while (length) {
		if (name[--length] != '.')
			continue;
		if (end == length + 1 ||
		    (name[length + 1] >= '0' && name[length + 1] <= '9')) {
			end = length;
			continue;
		}
		return length;
	}
	return 0;
}

size_t hprof_package_name(const char *class_name, char *out, size_t room)
{
	size_t length = strlen(class_name), size;
	const char *text = class_name;

	while (length > 2 && !memcmp(class_name + length - 2, "[]", 2))
		length -= 2;
	size = package_length(class_name, length);
	if (class_name[length] && is_primitive(class_name, length)) {
		text = "(primitive arrays)";
		size = strlen(text);
	} else if (!size) {
		text = "(default package)";
		size = strlen(text);
	}
	if (room) {
		size_t fits = size < room ? size : room - 1;

		memcpy(out, text, fits);
		out[fits] = 0;
	}
	return size;
}

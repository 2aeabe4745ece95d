/* SPDX-License-Identifier: MIT */
/*
 * render_properties.c - the JVM that wrote the dump, and its system properties.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/common/escape.h"
#include "tools/report/render.h"

const char *render_property(const struct hprof_property_table *properties,
			    const char *key)
{
	for (size_t i = 0; properties && i < properties->count; i++)
		if (properties->rows[i].key &&
		    !strcmp(properties->rows[i].key, key))
			return properties->rows[i].value;
	return NULL;
}

/* Prints "OpenJDK 64-Bit Server VM 17.0.15+6, Java 17.0.15". */
static void put_jvm(FILE *out, const struct hprof_property_table *properties)
{
	const char *name = render_property(properties, "java.vm.name");
	const char *version = render_property(properties, "java.vm.version");
	const char *java = render_property(properties, "java.version");

	fputs("JVM      ", out);
	escape_write(out, name ? name : "unknown", ESCAPE_TERMINAL);
	if (version) {
		putc(' ', out);
		escape_write(out, version, ESCAPE_TERMINAL);
	}
	if (java) {
		fputs(", Java ", out);
		escape_write(out, java, ESCAPE_TERMINAL);
	}
	putc('\n', out);
}

static void put_property(FILE *out, const struct hprof_property *property)
{
	if (property->key)
		escape_write(out, property->key, ESCAPE_TERMINAL);
	putc('=', out);
	if (property->value)
		escape_write(out, property->value, ESCAPE_TERMINAL);
	putc('\n', out);
}

void render_properties(FILE *out, const struct report *report)
{
	const struct hprof_property_table *properties = report->properties;

	if (!properties)
		return;
	put_jvm(out, properties);
	putc('\n', out);
	if (!properties->count)
		fputs("no system properties in this dump\n", out);
	for (size_t i = 0; i < properties->count; i++)
		put_property(out, &properties->rows[i]);
}

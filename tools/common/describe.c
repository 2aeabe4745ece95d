/* SPDX-License-Identifier: MIT */
/*
 * describe.c - see describe.h.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli.h"
#include "tools/common/escape.h"
#include "tools/common/describe.h"
#include "tools/common/units.h"

static const char unknown_class[] = "(unknown class)";

char *describe_format(const char *format, ...)
{
	va_list arguments, again;
	int length;
	char *text;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	text = cli_calloc((size_t)length + 1, 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

/* ---- objects ------------------------------------------------------------ */

char *describe_kind(const char *class_name, bool is_class)
{
	char *name = escape_copy(class_name ? class_name : unknown_class,
				 DESCRIBE_NAME_LIMIT);
	char *label;

	if (!is_class)
		return name;
	label = describe_format("class %s", name);
	free(name);
	return label;
}

char *describe_class(const struct hprof_object_info *info, bool length)
{
	bool is_array = info->kind == HPROF_OBJECT_OBJ_ARRAY ||
			info->kind == HPROF_OBJECT_PRIM_ARRAY;
	char *name = describe_kind(info->class_name,
				   info->kind == HPROF_OBJECT_CLASS);
	char *brackets = strstr(name, "[]"), *label;

	if (!length || !is_array || !brackets)
		return name;
	*brackets = 0;
	label = describe_format("%s[%" PRIu64 "]%s", name, info->length,
				brackets + 2);
	free(name);
	return label;
}

char *describe_object(const struct hprof_object_info *info)
{
	char *name, *label;

	if (info->object == HPROF_NO_OBJECT)
		return cli_strdup("(none)");
	name = describe_class(info, true);
	label = describe_format("%s@0x%" PRIx64, name, info->id);
	free(name);
	return label;
}

/* ---- references --------------------------------------------------------- */

static const char *const edge_names[] = {
	[HPROF_EDGE_FIELD] = "field",
	[HPROF_EDGE_ELEMENT] = "element",
	[HPROF_EDGE_STATIC] = "static",
	[HPROF_EDGE_CLASS] = "class",
	[HPROF_EDGE_SUPER] = "superclass",
	[HPROF_EDGE_LOADER] = "class loader",
	[HPROF_EDGE_SIGNERS] = "signers",
	[HPROF_EDGE_DOMAIN] = "protection domain",
	[HPROF_EDGE_CONSTANT] = "constant",
	[HPROF_EDGE_REFERENT] = "referent",
};

const char *describe_edge_word(enum hprof_edge_kind edge)
{
	static const char *const words[] = {
		[HPROF_EDGE_LOADER] = "class_loader",
		[HPROF_EDGE_DOMAIN] = "protection_domain",
	};

	if (edge < sizeof(words) / sizeof(words[0]) && words[edge])
		return words[edge];
	return edge_names[edge];
}

char *describe_edge(enum hprof_edge_kind edge, const char *field,
		    uint64_t number, bool numbered)
{
	char *name =
		escape_copy(field ? field : "(no name)", DESCRIBE_NAME_LIMIT);
	char *label;

	switch (edge) {
	case HPROF_EDGE_FIELD:
	case HPROF_EDGE_REFERENT:
		label = describe_format(".%s", name);
		break;
	case HPROF_EDGE_STATIC:
		label = describe_format("static %s", name);
		break;
	case HPROF_EDGE_ELEMENT:
		label = numbered ? describe_format("[%" PRIu64 "]", number)
				 : describe_format("[]");
		break;
	default:
		label = describe_format("<%s>", edge_names[edge]);
		break;
	}
	free(name);
	return label;
}

char *describe_reference(const char *field, enum hprof_strength strength)
{
	char *edge = describe_edge(HPROF_EDGE_REFERENT, field, 0, false), *both;

	if (strength <= HPROF_STRENGTH_STRONG)
		return edge;
	both = describe_format("%s (%s)", edge, hprof_strength_name(strength));
	free(edge);
	return both;
}

char *describe_step(const struct hprof_path_step *step, bool numbered)
{
	char *edge, *key, *both;

	if (step->weak)
		return describe_reference(step->field, step->strength);
	edge = describe_edge(step->edge, step->field, step->number, numbered);
	if (!step->key)
		return edge;
	key = escape_copy(step->key, DESCRIBE_NAME_LIMIT);
	both = describe_format(step->key_is_string ? "%s [key = \"%s\"]"
						   : "%s [key = %s]",
			       edge, key);
	free(edge);
	free(key);
	return both;
}

enum hprof_strength describe_referent_strength(const struct hprof_heap *heap,
					       size_t class_row)
{
	static const struct {
		const char *name;
		enum hprof_strength strength;
	} classes[] = {
		{ "java.lang.ref.SoftReference", HPROF_STRENGTH_SOFT },
		{ "java.lang.ref.WeakReference", HPROF_STRENGTH_WEAK },
		{ "java.lang.ref.FinalReference", HPROF_STRENGTH_FINALIZER },
		{ "java.lang.ref.PhantomReference", HPROF_STRENGTH_PHANTOM },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		size_t row = hprof_heap_class_named(heap, classes[i].name, 0);

		if (row != SIZE_MAX &&
		    hprof_heap_class_is(heap, class_row, row))
			return classes[i].strength;
	}
	return HPROF_STRENGTH_UNKNOWN;
}

const char *describe_kind_word(enum hprof_object_kind kind)
{
	static const char *const words[] = { "instance", "object_array",
					     "primitive_array", "class" };

	return words[kind];
}

const char *describe_strength(enum hprof_strength strength)
{
	static const char *const names[HPROF_STRENGTHS] = {
		"unknown",	    "strongly reachable",
		"softly reachable", "finalizer-reachable",
		"weakly reachable", "phantom-reachable",
		"garbage",
	};

	return names[strength];
}

/* ---- roots -------------------------------------------------------------- */

char *describe_frame(const struct hprof_stack_frame *frame)
{
	char *class_name = escape_copy(frame->class_name ? frame->class_name
							 : unknown_class,
				       DESCRIBE_NAME_LIMIT);
	char *method =
		escape_copy(frame->method ? frame->method : "(unknown method)",
			    DESCRIBE_NAME_LIMIT);
	char *source =
		escape_copy(frame->source ? frame->source : "Unknown Source",
			    DESCRIBE_NAME_LIMIT);
	char *label;

	if (frame->line == -3)
		label = describe_format("%s.%s(Native Method)", class_name,
					method);
	else if (frame->source && frame->line > 0)
		label = describe_format("%s.%s(%s:%" PRId32 ")", class_name,
					method, source, frame->line);
	else
		label = describe_format("%s.%s(%s%s)", class_name, method,
					source,
					frame->line == -2 ? ", compiled" : "");
	free(class_name);
	free(method);
	free(source);
	return label;
}

/* What a root that belongs to a thread is in it: "local", for example. */
static const char *thread_part(unsigned tag)
{
	switch (tag) {
	case HPROF_ROOT_THREAD_OBJ:
		return "the thread itself";
	case HPROF_ROOT_JAVA_FRAME:
		return "local";
	case HPROF_ROOT_JNI_LOCAL:
		return "JNI local";
	default:
		return hprof_root_name(tag);
	}
}

char *describe_thread_name(const char *name, size_t most)
{
	return escape_copy(name && *name ? name : "(no name)", most);
}

char *describe_thread_quoted(const char *name, size_t most)
{
	char *plain = describe_thread_name(name, most), *quoted;

	if (!name || !*name)
		return plain;
	quoted = describe_format("\"%s\"", plain);
	free(plain);
	return quoted;
}

char *describe_root_thread(const struct hprof_path_root *root)
{
	char *name =
		describe_thread_quoted(root->thread_name, DESCRIBE_NAME_LIMIT);
	char *label = describe_format("thread %s #%" PRIu32, name,
				      root->thread_serial);

	free(name);
	return label;
}

static char *describe_thread(const struct hprof_path_root *root)
{
	char *thread = describe_root_thread(root), *frame, *label;

	if (root->has_frame) {
		frame = describe_frame(&root->frame);
		label = describe_format("%s, %s of %s", thread,
					thread_part(root->tag), frame);
		free(frame);
	} else {
		label = describe_format("%s, %s", thread,
					thread_part(root->tag));
	}
	free(thread);
	return label;
}

char *describe_root(const struct hprof_path_root *root)
{
	if (!root->tag)
		return cli_strdup("system class");
	if (root->thread_serial &&
	    (root->thread_id || root->tag == HPROF_ROOT_THREAD_OBJ))
		return describe_thread(root);
	return cli_strdup(hprof_root_name(root->tag));
}

char *describe_count(uint64_t count, const char *one, const char *many)
{
	char number[UNITS_MAX];

	return describe_format("%s %s", units_count(count, number),
			       count == 1 ? one : many);
}

char *describe_change(uint64_t before, uint64_t after, const char *one,
		      const char *many)
{
	char number[UNITS_MAX];
	bool single =
		after > before ? after - before == 1 : before - after == 1;

	return describe_format("%s %s", units_change(before, after, number),
			       single ? one : many);
}

/* SPDX-License-Identifier: MIT */
/*
 * path_tree_strings.c - see path_tree_strings.h.
 */
#include "diff/path_tree_strings.h"

#include <string.h>

#include "report/object_info.h"
#include "base/mem.h"

enum hprof_status hp_path_tree_strings_init(struct hp_path_tree_strings *t,
					    struct hp_path_nodes *nodes,
					    const struct hprof_heap *heap)
{
	*t = (struct hp_path_tree_strings){ .nodes = nodes, .heap = heap };
	t->rows = hprof_heap_summary(heap)->class_count;
	t->of_class = hp_calloc(t->rows + 1, sizeof *t->of_class);
	return t->of_class ? hp_u64_map_init(&t->of_field, 3) : HPROF_E_NOMEM;
}

void hp_path_tree_strings_done(struct hp_path_tree_strings *t)
{
	hp_free(t->of_class);
	hp_u64_map_done(&t->of_field);
}

/* The text for class NAME, followed by METHOD unless that is NULL. */
static uint32_t name_text(struct hp_path_tree_strings *t, const char *name,
			  const char *method)
{
	size_t dot = hprof_diff_name(name, NULL, 0);
	size_t size = dot + (method ? 1 + strlen(method) : 0);
	char *text = hp_alloc(size + 1);
	uint32_t number = 0;

	if (text) {
		hprof_diff_name(name, text, dot + 1);
		if (method) {
			text[dot] = '.';
			memcpy(text + dot + 1, method, size - dot);
		}
		number = hp_path_text(t->nodes, text, size);
	}
	hp_free(text);
	if (!number)
		t->no_memory = true;
	return number;
}

uint32_t hp_path_class(struct hp_path_tree_strings *t, size_t row)
{
	const char *name = row < t->rows ? hp_class_name(t->heap, row) : NULL;

	if (!name)
		return 0;
	if (!t->of_class[row])
		t->of_class[row] = name_text(t, name, NULL);
	return t->of_class[row];
}

uint32_t hp_path_field(struct hp_path_tree_strings *t, const char *name)
{
	uint32_t text;

	if (!name)
		return 0;
	text = (uint32_t)(uintptr_t)hp_u64_map_get(&t->of_field,
						   (uintptr_t)name);
	if (text)
		return text;
	text = hp_path_text(t->nodes, name, strlen(name));
	if (!text || hp_u64_map_put(&t->of_field, (uintptr_t)name,
				    (void *)(uintptr_t)text) != HPROF_OK)
		t->no_memory = true;
	return text;
}

uint32_t hp_path_frame(struct hp_path_tree_strings *t,
		       const struct hprof_stack_frame *frame)
{
	if (!frame->class_name || !frame->method)
		return 0;
	return name_text(t, frame->class_name, frame->method);
}

/* SPDX-License-Identifier: MIT */
/*
 * json_graph.c - see json_graph.h. The form is described in hprof-stat(1).
 */
#include <ctype.h>

#include "tools/common/json_graph.h"
#include "tools/common/describe.h"

void json_object_info_members(struct json *json,
			      const struct hprof_object_info *info)
{
	json_id(json, "id", info->id);
	json_string(json, "kind", describe_kind_word(info->kind));
	json_string(json, "class", info->class_name);
	if (info->kind == HPROF_OBJECT_OBJ_ARRAY ||
	    info->kind == HPROF_OBJECT_PRIM_ARRAY)
		json_number(json, "length", info->length);
	json_number(json, "shallow", info->shallow);
	json_number(json, "retained", info->retained);
}

void json_object_info(struct json *json, const char *key,
		      const struct hprof_object_info *info)
{
	if (info->object == HPROF_NO_OBJECT) {
		json_null(json, key);
		return;
	}
	json_begin_object(json, key, JSON_LINE);
	json_object_info_members(json, info);
	json_end(json);
}

void json_frame(struct json *json, const char *key,
		const struct hprof_stack_frame *frame)
{
	json_begin_object(json, key, JSON_LINE);
	json_string(json, "class", frame->class_name);
	json_string(json, "method", frame->method);
	json_string(json, "signature", frame->signature);
	json_string(json, "source", frame->source);
	json_signed(json, "line", frame->line);
	json_end(json);
}

void json_root(struct json *json, const char *key,
	       const struct hprof_path_root *root)
{
	char word[32];

	if (!root->tag) {
		json_null(json, key);
		return;
	}
	json_begin_object(json, key, JSON_LINE);
	json_string(json, "kind", hprof_root_word(root->tag, word));
	if (root->thread_serial) {
		json_number(json, "thread_serial", root->thread_serial);
		json_id(json, "thread_id", root->thread_id);
		json_string(json, "thread", root->thread_name);
	}
	if (root->has_frame) {
		json_number(json, "depth", root->depth);
		json_frame(json, "frame", &root->frame);
	}
	json_end(json);
}

void json_step(struct json *json, const struct hprof_path_step *step,
	       bool with_edge)
{
	json_begin_object(json, NULL, JSON_LINE);
	if (with_edge) {
		json_string(json, "by", describe_edge_word(step->edge));
		if (step->field)
			json_string(json, "field", step->field);
		if (step->field_class)
			json_string(json, "field_class", step->field_class);
		if (step->edge == HPROF_EDGE_ELEMENT)
			json_number(json, "index", step->number);
		if (step->weak)
			json_bool(json, "weak", true);
		if (step->weak)
			json_string(json, "strength",
				    hprof_strength_name(step->strength));
		if (step->local_class)
			json_string(json, "thread_local_class",
				    step->local_class);
		if (step->local_field)
			json_string(json, "thread_local_field",
				    step->local_field);
		if (step->key)
			json_string(json, "map_key", step->key);
	}
	json_object_info_members(json, &step->held);
	json_end(json);
}

void json_paths(struct json *json, const char *key,
		const struct hprof_path *paths, size_t count)
{
	json_begin_array(json, key, JSON_BLOCK);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL, JSON_BLOCK);
		json_root(json, "root", &paths[i].root);
		if (paths[i].loader.object != HPROF_NO_OBJECT)
			json_object_info(json, "loader", &paths[i].loader);
		if (paths[i].left_out) {
			json_number(json, "gap", paths[i].gap);
			json_number(json, "left_out", paths[i].left_out);
		}
		json_number(json, "alike", paths[i].alike);
		json_begin_array(json, "steps", JSON_BLOCK);
		for (size_t s = 0; s < paths[i].count; s++)
			json_step(json, &paths[i].steps[s], s > 0);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void put_strengths(struct json *json,
			  const struct hprof_graph_totals *totals)
{
	json_begin_object(json, "strengths", JSON_BLOCK);
	for (unsigned i = HPROF_STRENGTH_STRONG; i < HPROF_STRENGTHS; i++) {
		const struct hprof_strength_total *total =
			&totals->by_strength[i];

		json_begin_object(json,
				  hprof_strength_name((enum hprof_strength)i),
				  JSON_LINE);
		json_number(json, "objects", total->objects);
		json_number(json, "bytes", total->shallow);
		json_end(json);
	}
	json_end(json);
}

void json_graph_totals(struct json *json,
		       const struct hprof_graph_totals *totals)
{
	json_begin_object(json, "reachability", JSON_BLOCK);
	json_number(json, "objects", totals->objects);
	json_number(json, "bytes", totals->shallow);
	json_number(json, "reachable_objects", totals->reachable);
	json_number(json, "reachable_bytes", totals->reachable_shallow);
	json_number(json, "unreachable_objects",
		    totals->objects - totals->reachable);
	json_number(json, "unreachable_bytes",
		    totals->shallow - totals->reachable_shallow);
	json_number(json, "references", totals->edges);
	json_number(json, "weak_references", totals->weak);
	json_number(json, "dangling_references", totals->dangling);
	put_strengths(json, totals);
	json_end(json);
}

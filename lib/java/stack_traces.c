/* SPDX-License-Identifier: MIT */
/*
 * stack_traces.c - see stack_traces.h. Each stack and each name is built once
 * and shared. Otherwise a small file in which many threads refer to one trace,
 * and many frames to one string, could exhaust memory.
 */
#include "java/stack_traces.h"

#include <string.h>

#include "base/error.h"
#include "hprof/record.h"

const char *hp_stack_traces_text(struct hp_stack_traces *s, uint64_t string_id)
{
	const struct hp_text *text = hp_decoded_text(&s->names, string_id);

	s->no_memory = s->no_memory || s->names.no_memory;
	return text ? text->text : NULL;
}

/* Serials may be any number, not only small ones (quirk Q17). */
const char *hp_stack_traces_class(struct hp_stack_traces *s,
				  uint32_t class_serial)
{
	const struct hp_known_class *known =
		hp_known_classes_serial(&s->symbols->classes, class_serial);
	const struct hp_text *name =
		known ? hp_decoded_class_name(&s->names, known->name_id) : NULL;

	s->no_memory = s->no_memory || s->names.no_memory;
	return name ? name->text : NULL;
}

static struct hprof_stack_frame make_frame(struct hp_stack_traces *s,
					   uint64_t frame_id)
{
	const struct hp_frame_info *info =
		hp_u64_map_get(&s->symbols->frames, frame_id);

	if (!info)
		return (struct hprof_stack_frame){ .line = -1 };
	struct hprof_stack_frame frame = {
		.class_name = hp_stack_traces_class(s, info->class_serial),
		.method = hp_stack_traces_text(s, info->method_id),
		.signature = hp_stack_traces_text(s, info->signature_id),
		.source = hp_stack_traces_text(s, info->source_id),
		.line = info->line,
	};
	if (frame.source && !*frame.source)
		frame.source = NULL;
	return frame;
}

static struct hp_stack *make_stack(struct hp_stack_traces *s,
				   const struct hp_trace_info *trace)
{
	struct hp_stack *stack = hp_arena_take(s->arena, sizeof *stack);

	if (!stack)
		return NULL;
	stack->count = trace->frame_count;
	stack->frames =
		hp_arena_take(s->arena, stack->count * sizeof *stack->frames);
	if (!stack->frames)
		return NULL;
	for (size_t i = 0; i < stack->count; i++)
		stack->frames[i] = make_frame(s, trace->frames[i]);
	return stack;
}

struct hp_stack hp_stack_traces_trace(struct hp_stack_traces *s,
				      uint32_t trace_serial)
{
	const struct hp_trace_info *trace =
		hp_u64_map_get(&s->symbols->traces, trace_serial);
	struct hp_stack none = { 0, NULL }, *stack;

	if (!trace || trace->frame_count == 0)
		return none;
	stack = hp_u64_map_get(&s->stacks, trace_serial);
	if (stack)
		return *stack;
	stack = make_stack(s, trace);
	if (!stack ||
	    hp_u64_map_put(&s->stacks, trace_serial, stack) != HPROF_OK) {
		s->no_memory = true;
		return none;
	}
	return *stack;
}

/*
 * A trace is the thread's own stack only if it names that thread. In dumps of
 * the old agents it names no thread: it is the stack that started the thread.
 * The serviceability agent gives all threads trace serial 1 (quirk Q18).
 */
struct hp_stack hp_stack_traces_find(struct hp_stack_traces *s,
				     uint32_t trace_serial,
				     uint32_t thread_serial)
{
	const struct hp_trace_info *trace =
		hp_u64_map_get(&s->symbols->traces, trace_serial);

	if (!trace || trace->thread_serial != thread_serial)
		return (struct hp_stack){ 0, NULL };
	return hp_stack_traces_trace(s, trace_serial);
}

uint32_t hp_stack_traces_thread(const struct hp_stack_traces *s,
				uint32_t trace_serial)
{
	const struct hp_trace_info *trace =
		hp_u64_map_get(&s->symbols->traces, trace_serial);

	return trace ? trace->thread_serial : 0;
}

enum hprof_status hp_stack_traces_init(struct hp_stack_traces *s,
				       const struct hp_name_table *symbols,
				       struct hp_arena *arena)
{
	memset(s, 0, sizeof *s);
	s->symbols = symbols;
	s->arena = arena;
	HP_TRY(hp_decoded_names_init(&s->names, &symbols->strings, arena));
	return hp_u64_map_init(&s->stacks, 3);
}

void hp_stack_traces_done(struct hp_stack_traces *s)
{
	hp_decoded_names_done(&s->names);
	hp_u64_map_done(&s->stacks);
}

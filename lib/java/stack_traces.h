/* SPDX-License-Identifier: MIT */
/*
 * stack_traces.h - TRACE records as stacks with names.
 */
#ifndef HP_STACK_TRACES_H
#define HP_STACK_TRACES_H

#include "base/arena.h"
#include "hprof/report.h"
#include "model/name_table.h"

struct hp_stack {
	size_t count;
	struct hprof_stack_frame *frames;
};

struct hp_stack_traces {
	const struct hp_name_table *symbols;
	struct hp_arena *arena;	 /* of stacks and names; not ours */
	struct hp_u64_map texts; /* string id -> text */
	struct hp_u64_map classes; /* string id -> text, as a class name */
	struct hp_u64_map stacks;  /* trace serial -> struct hp_stack */
	bool no_memory;
};

/* 0, or -1 without memory; done with hp_stack_traces_done in any case. */
int hp_stack_traces_init(struct hp_stack_traces *s,
			 const struct hp_name_table *symbols,
			 struct hp_arena *arena);
void hp_stack_traces_done(struct hp_stack_traces *s);

/* The stack of a thread whose THREAD_OBJ names TRACE_SERIAL. */
struct hp_stack hp_stack_traces_find(struct hp_stack_traces *s,
				     uint32_t trace_serial,
				     uint32_t thread_serial);

/* The stack of a trace, whichever thread it names. */
struct hp_stack hp_stack_traces_trace(struct hp_stack_traces *s,
				      uint32_t trace_serial);

/* The name of the class with that serial; NULL if there is none. */
const char *hp_stack_traces_class(struct hp_stack_traces *s,
				  uint32_t class_serial);

/* A string of the dump, decoded; NULL if there is none. */
const char *hp_stack_traces_text(struct hp_stack_traces *s, uint64_t string_id);

#endif

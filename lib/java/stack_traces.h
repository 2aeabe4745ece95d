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

struct hp_stacks {
	const struct hp_symbols *symbols;
	struct hp_arena *arena;	 /* of stacks and names; not ours */
	struct hp_idmap texts;	 /* string id -> text */
	struct hp_idmap classes; /* string id -> text, as a class name */
	struct hp_idmap stacks;	 /* trace serial -> struct hp_stack */
	bool no_memory;
};

/* 0, or -1 without memory; done with hp_stacks_done in any case. */
int hp_stacks_init(struct hp_stacks *s, const struct hp_symbols *symbols,
		   struct hp_arena *arena);
void hp_stacks_done(struct hp_stacks *s);

/* The stack of a thread whose THREAD_OBJ names TRACE_SERIAL. */
struct hp_stack hp_stacks_find(struct hp_stacks *s, uint32_t trace_serial,
			       uint32_t thread_serial);

/* The stack of a trace, whichever thread it names. */
struct hp_stack hp_stacks_trace(struct hp_stacks *s, uint32_t trace_serial);

/* The name of the class with that serial; NULL if there is none. */
const char *hp_stacks_class(struct hp_stacks *s, uint32_t class_serial);

/* A string of the dump, decoded; NULL if there is none. */
const char *hp_stacks_text(struct hp_stacks *s, uint64_t string_id);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * stack_traces.h - resolves TRACE and FRAME records to stacks with the names
 * of classes, methods and source files.
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
	struct hp_arena *arena; /* holds stacks, names; owned by the caller */
	struct hp_decoded_names names;
	struct hp_u64_map stacks; /* trace serial -> struct hp_stack */
	bool no_memory;
};

/*
 * Fails only with HPROF_E_NOMEM; a later lack of memory sets s->no_memory. Call
 * hp_stack_traces_done in either case. Stacks and names are allocated in ARENA
 * and live as long as it does.
 */
enum hprof_status hp_stack_traces_init(struct hp_stack_traces *s,
				       const struct hp_name_table *symbols,
				       struct hp_arena *arena);
void hp_stack_traces_done(struct hp_stack_traces *s);

/*
 * The stack of the thread THREAD_SERIAL whose THREAD_OBJ has TRACE_SERIAL; no
 * frames if that trace does not belong to the thread.
 */
struct hp_stack hp_stack_traces_find(struct hp_stack_traces *s,
				     uint32_t trace_serial,
				     uint32_t thread_serial);

/* The stack of a trace, whichever thread the trace belongs to. */
struct hp_stack hp_stack_traces_trace(struct hp_stack_traces *s,
				      uint32_t trace_serial);

/* The thread that a trace names, or 0. */
uint32_t hp_stack_traces_thread(const struct hp_stack_traces *s,
				uint32_t trace_serial);

/* The name of the class with CLASS_SERIAL; NULL if it is not known. */
const char *hp_stack_traces_class(struct hp_stack_traces *s,
				  uint32_t class_serial);

/* The UTF8 record STRING_ID, decoded; NULL if the dump has none. */
const char *hp_stack_traces_text(struct hp_stack_traces *s, uint64_t string_id);

#endif

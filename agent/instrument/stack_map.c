/* SPDX-License-Identifier: MIT */
/*
 * stack_map.c - moves the frames of a StackMapTable.
 *
 * Frames are stored as differences to the one before. Their places are made
 * anew; the local variables are followed only to know, in constructors, where
 * this is not initialized.
 */
#include "agent/instrument/stack_map.h"

#include "base/mem.h"
#include "base/wire.h"

enum { /* kinds of frames */
       SAME_MAX = 63,
       SAME_STACK_1_MIN = 64,
       SAME_STACK_1_MAX = 127,
       SAME_STACK_1_EXTENDED = 247,
       CHOP_MIN = 248,
       SAME_EXTENDED = 251,
       APPEND_MAX = 254,
       FULL = 255
};

enum { /* kinds of types */
       TOP = 0,
       UNINITIALIZED_THIS = 6,
       OBJECT = 7,
       UNINITIALIZED = 8,
       BAD = 9
};

struct type {
	uint8_t kind;
	uint16_t pc; /* of the new, if UNINITIALIZED */
};

/*
 * Of a constructor: its local variables, which frames change, and of each new
 * object whose constructor is to come, where it is. An object is known by the
 * instruction that made it: there is never more than one of each.
 */
struct variables {
	struct type *types;
	size_t count, room;
	uint32_t this_count; /* variables that are an uninitialized this */
	uint32_t objects;    /* different new objects in variables */
	uint16_t *held;	     /* by pc: variables with that new object */
	uint32_t *on_stack;  /* by pc: the last frame with it on the stack */
	struct ag_frames *frames;
};

struct walk {
	struct ag_in in;
	const struct ag_moves *moves;
	struct ag_out *out;
	struct ag_frame frame;	     /* the current one */
	struct variables *variables; /* NULL: not a constructor */
	int64_t old_pc, new_pc;
	enum hprof_status status;
};

static void fail(struct walk *w, enum hprof_status status)
{
	if (w->status == HPROF_OK)
		w->status = status;
}

/* ---- types --------------------------------------------------------------- */

/* Copies a type, with the new place of the instruction that it names. */
static struct type move_type(struct walk *w)
{
	struct type t = { .kind = ag_in_u1(&w->in) };
	uint32_t target;

	ag_out_u1(w->out, t.kind);
	if (t.kind == OBJECT) {
		ag_out_u2(w->out, ag_in_u2(&w->in));
	} else if (t.kind == UNINITIALIZED) {
		t.pc = ag_in_u2(&w->in);
		if (ag_moves_instruction(w->moves, t.pc, &target))
			ag_out_u2(w->out, target);
		else
			t.kind = BAD;
	}
	if (t.kind >= BAD)
		fail(w, HPROF_E_CORRUPT);
	return t;
}

/* ---- what constructors want to know -------------------------------------- */

static void add_local(struct walk *w, struct type t)
{
	struct variables *v = w->variables;
	enum hprof_status status;

	if (!v)
		return;
	if (v->count == UINT16_MAX) {
		fail(w, HPROF_E_CORRUPT);
		return;
	}
	status = hp_grow((void **)&v->types, &v->room, v->count,
			 sizeof *v->types);
	if (status != HPROF_OK) {
		fail(w, status);
		return;
	}
	v->types[v->count++] = t;
	if (t.kind == UNINITIALIZED_THIS)
		v->this_count++;
	if (t.kind == UNINITIALIZED && v->held[t.pc]++ == 0)
		v->objects++;
}

static void drop_locals(struct walk *w, size_t count)
{
	struct variables *v = w->variables;
	struct type t;

	if (!v)
		return;
	if (count > v->count)
		fail(w, HPROF_E_CORRUPT);
	while (count-- > 0 && v->count > 0) {
		t = v->types[--v->count];
		if (t.kind == UNINITIALIZED_THIS)
			v->this_count--;
		if (t.kind == UNINITIALIZED && --v->held[t.pc] == 0)
			v->objects--;
	}
}

/* Is called after the local variables of the same frame are known. */
static void note_on_stack(struct walk *w, struct type t)
{
	struct variables *v = w->variables;

	if (!v || w->status != HPROF_OK)
		return;
	if (t.kind == UNINITIALIZED_THIS)
		w->frame.this_uninitialized = true;
	if (t.kind != UNINITIALIZED || v->held[t.pc] > 0 ||
	    v->on_stack[t.pc] == (uint32_t)w->old_pc + 1)
		return;
	v->on_stack[t.pc] = (uint32_t)w->old_pc + 1;
	w->frame.objects++;
}

static void keep_frame(struct walk *w)
{
	struct variables *v = w->variables;
	struct ag_frames *f = v->frames;
	enum hprof_status status;

	if (v->this_count > 0)
		w->frame.this_uninitialized = true;
	w->frame.objects += v->objects;
	status =
		hp_grow((void **)&f->list, &f->room, f->count, sizeof *f->list);
	if (status == HPROF_OK)
		f->list[f->count++] = w->frame;
	else
		fail(w, status);
}

static void variables_done(struct variables *v)
{
	hp_free(v->types);
	hp_free(v->held);
	hp_free(v->on_stack);
}

/* The variables at the entry: this, and COUNT - 1 arguments. */
static void variables_begin(struct walk *w, uint32_t count)
{
	struct variables *v = w->variables;

	v->held = hp_calloc(w->moves->size, sizeof *v->held);
	v->on_stack = hp_calloc(w->moves->size, sizeof *v->on_stack);
	if (!v->held || !v->on_stack) {
		fail(w, HPROF_E_NOMEM);
		return;
	}
	add_local(w, (struct type){ .kind = UNINITIALIZED_THIS });
	while (--count > 0)
		add_local(w, (struct type){ .kind = TOP });
}

/* ---- frames -------------------------------------------------------------- */

static void move_locals(struct walk *w, uint32_t count)
{
	while (count-- > 0 && w->status == HPROF_OK && !w->in.cut)
		add_local(w, move_type(w));
}

static void move_stack(struct walk *w, uint32_t count)
{
	while (count-- > 0 && w->status == HPROF_OK && !w->in.cut)
		note_on_stack(w, move_type(w));
}

/* Sets the places of the frame that is DELTA after the last one. */
static uint32_t move_place(struct walk *w, uint32_t delta)
{
	int64_t last = w->new_pc;
	uint32_t target;

	w->old_pc += (int64_t)delta + 1;
	if (w->old_pc > UINT16_MAX ||
	    !ag_moves_target(w->moves, (uint32_t)w->old_pc, &target)) {
		fail(w, HPROF_E_CORRUPT);
		return 0;
	}
	w->frame = (struct ag_frame){ .pc = (uint32_t)w->old_pc };
	w->new_pc = target;
	return (uint32_t)(w->new_pc - last - 1);
}

static void move_same(struct walk *w, uint32_t old_delta)
{
	uint32_t delta = move_place(w, old_delta);

	if (delta <= SAME_MAX) {
		ag_out_u1(w->out, delta);
	} else {
		ag_out_u1(w->out, SAME_EXTENDED);
		ag_out_u2(w->out, delta);
	}
}

static void move_same_stack_1(struct walk *w, uint32_t old_delta)
{
	uint32_t delta = move_place(w, old_delta);

	if (delta <= SAME_STACK_1_MAX - SAME_STACK_1_MIN) {
		ag_out_u1(w->out, SAME_STACK_1_MIN + delta);
	} else {
		ag_out_u1(w->out, SAME_STACK_1_EXTENDED);
		ag_out_u2(w->out, delta);
	}
	move_stack(w, 1);
}

static void move_chop(struct walk *w, unsigned kind)
{
	uint32_t chopped = SAME_EXTENDED - kind;

	ag_out_u1(w->out, kind);
	ag_out_u2(w->out, move_place(w, ag_in_u2(&w->in)));
	drop_locals(w, chopped);
}

static void move_append(struct walk *w, unsigned kind)
{
	ag_out_u1(w->out, kind);
	ag_out_u2(w->out, move_place(w, ag_in_u2(&w->in)));
	move_locals(w, kind - SAME_EXTENDED);
}

static void move_full(struct walk *w)
{
	uint32_t count;

	ag_out_u1(w->out, FULL);
	ag_out_u2(w->out, move_place(w, ag_in_u2(&w->in)));
	count = ag_in_u2(&w->in);
	ag_out_u2(w->out, count);
	if (w->variables)
		drop_locals(w, w->variables->count);
	move_locals(w, count);
	count = ag_in_u2(&w->in);
	ag_out_u2(w->out, count);
	move_stack(w, count);
}

static void move_frame(struct walk *w)
{
	unsigned kind = ag_in_u1(&w->in);

	if (kind <= SAME_MAX)
		move_same(w, kind);
	else if (kind <= SAME_STACK_1_MAX)
		move_same_stack_1(w, kind - SAME_STACK_1_MIN);
	else if (kind < SAME_STACK_1_EXTENDED)
		fail(w, HPROF_E_UNSUPPORTED);
	else if (kind == SAME_STACK_1_EXTENDED)
		move_same_stack_1(w, ag_in_u2(&w->in));
	else if (kind < SAME_EXTENDED)
		move_chop(w, kind);
	else if (kind == SAME_EXTENDED)
		move_same(w, ag_in_u2(&w->in));
	else if (kind <= APPEND_MAX)
		move_append(w, kind);
	else
		move_full(w);
	if (w->in.cut)
		fail(w, HPROF_E_TRUNCATED);
}

static void move_frames(struct walk *w, uint32_t count)
{
	while (count-- > 0 && w->status == HPROF_OK) {
		move_frame(w);
		if (w->variables && w->status == HPROF_OK)
			keep_frame(w);
	}
}

enum hprof_status ag_stack_map_move(struct ag_in table,
				    const struct ag_moves *moves,
				    uint32_t locals, struct ag_out *out,
				    int64_t *ret_pc,
				    struct ag_frames *ret_frames)
{
	struct variables variables = { .frames = ret_frames };
	struct walk w = { .in = table,
			  .moves = moves,
			  .out = out,
			  .variables = ret_frames ? &variables : NULL,
			  .old_pc = -1,
			  .new_pc = -1 };
	uint32_t count = ag_in_u2(&w.in);

	if (w.variables)
		variables_begin(&w, locals);
	ag_out_u2(out, count);
	move_frames(&w, count);
	if (ag_in_left(&w.in) > 0)
		fail(&w, HPROF_E_CORRUPT);
	variables_done(&variables);
	*ret_pc = w.new_pc;
	return w.status;
}

void ag_stack_map_append(struct ag_out *out, int64_t last_pc, uint32_t pc,
			 unsigned throwable)
{
	if (!out->no_memory)
		ag_out_u2_at(out, 0, hp_get16(out->bytes) + 1U);
	ag_out_u1(out, FULL);
	ag_out_u2(out, (unsigned)(pc - last_pc - 1));
	ag_out_u2(out, 0);
	ag_out_u2(out, 1);
	ag_out_u1(out, OBJECT);
	ag_out_u2(out, throwable);
}

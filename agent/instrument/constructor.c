/* SPDX-License-Identifier: MIT */
/*
 * constructor.c - where in a constructor this is initialized.
 *
 * The verifier (JVMS 4.10.1) refuses a handler for instructions with and
 * without an uninitialized this, and HotSpot any handler that covers the call
 * of super() or this(), unless it ends in ways that ours cannot. So only what
 * comes after is covered; who catches an exception tells the tracker that the
 * constructor is over.
 *
 * Frames say whether this is initialized. Between frames it is the first call
 * of a constructor that is not for a new object of this very method: those are
 * counted. If the two disagree where control passes from one to the other, the
 * code was made in a way that counting does not follow, and nothing is covered.
 */
#include "agent/instrument/constructor.h"

#include "base/mem.h"
#include "base/wire.h"

struct scan {
	const struct ag_moves *moves;
	const struct ag_pool *pool;
	struct ag_frame now; /* what holds before the instruction */
	bool falls;	     /* control comes from the instruction before */
	bool odd;
};

static enum hprof_status add(struct ag_covered_list *list, struct ag_covered c)
{
	struct ag_covered *last =
		list->count ? &list->list[list->count - 1] : NULL;
	enum hprof_status status;

	if (last && last->end == c.start) {
		last->end = c.end;
		return HPROF_OK;
	}
	status = hp_grow((void **)&list->list, &list->room, list->count,
			 sizeof *list->list);
	if (status == HPROF_OK)
		list->list[list->count++] = c;
	return status;
}

enum hprof_status ag_cover_all(const struct ag_moves *moves,
			       struct ag_covered_list *list)
{
	return add(list, (struct ag_covered){ .end = moves->size });
}

/* ---- constructors -------------------------------------------------------- */

static bool falls_through(unsigned opcode)
{
	switch (opcode) {
	case 0xa7: /* goto */
	case 0xa9: /* ret */
	case 0xaa: /* tableswitch */
	case 0xab: /* lookupswitch */
	case 0xc8: /* goto_w */
	case AG_OP_ATHROW:
		return false;
	default:
		return !ag_is_return(opcode);
	}
}

/* A frame says what holds here. */
static void take_frame(struct scan *s, const struct ag_frame *frame)
{
	if (s->falls && frame->this_uninitialized != s->now.this_uninitialized)
		s->odd = true;
	s->now = *frame;
}

static bool calls_constructor(const struct scan *s, const uint8_t *p)
{
	struct ag_utf8 name;

	return p[0] == AG_OP_INVOKESPECIAL &&
	       ag_pool_method_name(s->pool, hp_get16(p + 1), &name) &&
	       ag_utf8_is(name, "<init>");
}

/* What the instruction at PC changes. */
static void pass(struct scan *s, uint32_t pc)
{
	const uint8_t *p = s->moves->code + pc;

	if (p[0] == AG_OP_NEW) {
		s->now.objects++;
	} else if (calls_constructor(s, p)) {
		if (s->now.objects > 0)
			s->now.objects--;
		else if (s->now.this_uninitialized)
			s->now.this_uninitialized = false;
	} else if (ag_is_return(p[0]) && s->now.this_uninitialized) {
		s->odd = true;
	}
	s->falls = falls_through(p[0]);
}

static enum hprof_status scan_all(struct scan *s,
				  const struct ag_frames *frames,
				  struct ag_covered_list *list)
{
	enum hprof_status status = HPROF_OK;
	size_t next = 0;
	uint32_t size;

	for (uint32_t pc = 0; pc < s->moves->size && status == HPROF_OK;
	     pc += size) {
		size = ag_instruction_size(s->moves, pc);
		if (next < frames->count && frames->list[next].pc == pc)
			take_frame(s, &frames->list[next++]);
		if (!s->now.this_uninitialized)
			status =
				add(list, (struct ag_covered){ pc, pc + size });
		pass(s, pc);
	}
	return status;
}

enum hprof_status ag_cover_constructor(const struct ag_moves *moves,
				       const struct ag_pool *pool,
				       const struct ag_frames *frames,
				       struct ag_covered_list *list)
{
	struct scan s = { .moves = moves,
			  .pool = pool,
			  .now = { .this_uninitialized = true },
			  .falls = true };
	enum hprof_status status = scan_all(&s, frames, list);

	if (s.odd)
		list->count = 0;
	return status;
}

/* SPDX-License-Identifier: MIT */
/*
 * code_tables.c - LineNumberTable, LocalVariableTable, LocalVariableTypeTable
 * (JVMS 4.7.12 to 14) and the annotations of types (4.7.20).
 *
 * No table changes its size. So each is copied, and then places are written
 * over in the copy.
 */
#include "agent/instrument/code_tables.h"

#include "base/wire.h"

/* One table on its way. */
struct table {
	struct ag_in in;
	const struct ag_moves *moves;
	struct ag_out *out;
	const uint8_t *begin; /* of the table, and of its copy */
	size_t copy;
	bool wrong;
};

/* Where the copy of the next byte is. */
static size_t copy_at(const struct table *t)
{
	return t->copy + (size_t)(t->in.at - t->begin);
}

/* The code inserted at the entry belongs to what the method begins with. */
static uint32_t moved(struct table *t, uint32_t pc)
{
	uint32_t target = 0;

	if (pc > 0 && !ag_moves_limit(t->moves, pc, &target))
		t->wrong = true;
	return target;
}

static void move_pc(struct table *t)
{
	size_t at = copy_at(t);
	uint32_t pc = ag_in_u2(&t->in);

	ag_out_u2_at(t->out, at, moved(t, pc));
}

static void move_range(struct table *t)
{
	size_t at = copy_at(t);
	uint32_t start = ag_in_u2(&t->in);
	uint32_t length = ag_in_u2(&t->in);
	uint32_t from = moved(t, start);
	uint32_t to = length ? moved(t, start + length) : from;

	ag_out_u2_at(t->out, at, from);
	ag_out_u2_at(t->out, at + 2, to - from);
}

static bool is_over(const struct table *t)
{
	return t->wrong || t->in.cut;
}

static void move_lines(struct table *t)
{
	for (uint32_t n = ag_in_u2(&t->in); n > 0 && !is_over(t); n--) {
		move_pc(t);
		ag_in_take(&t->in, 2);
	}
}

/* The bytes of an entry after its range: REST. */
static void move_ranges(struct table *t, size_t rest)
{
	for (uint32_t n = ag_in_u2(&t->in); n > 0 && !is_over(t); n--) {
		move_range(t);
		ag_in_take(&t->in, rest);
	}
}

/* ---- annotations --------------------------------------------------------- */

/* More levels of annotations in annotations and lists than anybody writes. */
enum { LEVELS = 32 };

/* What is left to pass over, from the outermost level in. */
struct levels {
	struct {
		uint32_t values;
		bool named; /* each has a name before it */
	} level[LEVELS];
	int last;
};

static void go_in(struct table *t, struct levels *l, bool named)
{
	if (l->last + 1 == LEVELS) {
		t->wrong = true;
		return;
	}
	l->last++;
	l->level[l->last].named = named;
	l->level[l->last].values = ag_in_u2(&t->in);
}

static void pass_value(struct table *t, struct levels *l)
{
	switch (ag_in_u1(&t->in)) {
	case '@':
		ag_in_take(&t->in, 2);
		go_in(t, l, true);
		break;
	case '[':
		go_in(t, l, false);
		break;
	case 'e':
		ag_in_take(&t->in, 4);
		break;
	default: /* c, s, and the primitive types */
		ag_in_take(&t->in, 2);
	}
}

static void pass_annotation(struct table *t)
{
	struct levels l = { .last = -1 };

	ag_in_take(&t->in, 2); /* its type */
	go_in(t, &l, true);
	while (l.last >= 0 && !is_over(t)) {
		if (l.level[l.last].values == 0) {
			l.last--;
			continue;
		}
		l.level[l.last].values--;
		if (l.level[l.last].named)
			ag_in_take(&t->in, 2);
		pass_value(t, &l);
	}
}

static void move_instruction(struct table *t)
{
	size_t at = copy_at(t);
	uint32_t moved_pc = 0;

	if (!ag_moves_instruction(t->moves, ag_in_u2(&t->in), &moved_pc))
		t->wrong = true;
	ag_out_u2_at(t->out, at, moved_pc);
}

static void move_annotation_target(struct table *t)
{
	unsigned target = ag_in_u1(&t->in);

	switch (target) {
	case 0x40: /* local variable, resource variable */
	case 0x41:
		move_ranges(t, 2);
		break;
	case 0x42: /* the number of a handler; ours come last */
		ag_in_take(&t->in, 2);
		break;
	case 0x43: /* instanceof, new, method references */
	case 0x44:
	case 0x45:
	case 0x46:
		move_instruction(t);
		break;
	case 0x47: /* type arguments of casts and calls */
	case 0x48:
	case 0x49:
	case 0x4a:
	case 0x4b:
		move_instruction(t);
		ag_in_take(&t->in, 1);
		break;
	default:
		t->wrong = true;
	}
}

static void move_annotations(struct table *t)
{
	for (uint32_t n = ag_in_u2(&t->in); n > 0 && !is_over(t); n--) {
		move_annotation_target(t);
		ag_in_take(&t->in, 2 * (size_t)ag_in_u1(&t->in)); /* path */
		pass_annotation(t);
	}
}

/* ---- all tables ---------------------------------------------------------- */

static void move_table(struct table *t, struct ag_utf8 name)
{
	if (ag_utf8_is(name, "LineNumberTable"))
		move_lines(t);
	else if (ag_utf8_is(name, "LocalVariableTable") ||
		 ag_utf8_is(name, "LocalVariableTypeTable"))
		move_ranges(t, 6);
	else if (ag_utf8_is(name, "RuntimeVisibleTypeAnnotations") ||
		 ag_utf8_is(name, "RuntimeInvisibleTypeAnnotations"))
		move_annotations(t);
	else
		t->wrong = true;
}

bool ag_code_table_move(struct ag_utf8 name, struct ag_in table,
			const struct ag_moves *moves, struct ag_out *out)
{
	struct table t = { .in = table,
			   .moves = moves,
			   .out = out,
			   .begin = table.at,
			   .copy = out->size };

	ag_out_bytes(out, table.at, ag_in_left(&table));
	move_table(&t, name);
	if (is_over(&t) || ag_in_left(&t.in) > 0) {
		out->size = t.copy;
		return false;
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * code_rewrite.c - inserts code into a method.
 *
 * Only straight-line code is inserted, so there are no new frames between the
 * old ones. An exit by exception passes through a handler at the end of the
 * code, which calls exit and throws again; it comes last in the exception table,
 * after the method's own. The calls at returns are covered as well: that is one
 * part instead of many, and exit throws nothing.
 */
#include "agent/instrument/code_rewrite.h"

#include <assert.h>

#include "agent/instrument/code_tables.h"
#include "agent/instrument/constructor.h"
#include "base/mem.h"

enum {
	HANDLER_SIZE = 7,
	STACK_MAPS_SINCE = 50 /* major version */
};

/* One method on its way. */
struct job {
	const struct ag_code_context *context;
	struct ag_out *out;
	unsigned max_stack, max_locals;
	struct ag_moves moves;
	struct ag_in handlers;	 /* 8 bytes each */
	struct ag_in attributes; /* from their count on */
	struct ag_frames frames;
	struct ag_covered_list covered;
	struct ag_out stack_map; /* without the head of the attribute */
	int64_t last_frame;	 /* its new place */
};

/* ---- reading ------------------------------------------------------------- */

static enum hprof_status read_code(struct ag_in *in, struct job *j)
{
	const uint8_t *code;
	uint32_t size;

	j->max_stack = ag_in_u2(in);
	j->max_locals = ag_in_u2(in);
	size = ag_in_u4(in);
	code = ag_in_take(in, size);
	j->handlers = ag_in_part(in, 8 * (size_t)ag_in_u2(in));
	j->attributes = *in;
	if (in->cut || !code)
		return HPROF_E_TRUNCATED;
	return ag_moves_find(code, size, j->handlers, j->context->parts,
			     &j->moves);
}

struct attribute {
	struct ag_utf8 name;
	struct ag_in bytes;
};

static enum hprof_status next_attribute(struct job *j, struct ag_in *in,
					struct attribute *ret)
{
	bool named = ag_pool_utf8(j->context->pool, ag_in_u2(in), &ret->name);

	ret->bytes = ag_in_part(in, ag_in_u4(in));
	if (in->cut)
		return HPROF_E_TRUNCATED;
	return named ? HPROF_OK : HPROF_E_CORRUPT;
}

/* HPROF_END if there is none. */
static enum hprof_status find_stack_map(struct job *j, struct ag_in *ret)
{
	struct ag_in in = j->attributes;
	struct attribute a;
	enum hprof_status status = HPROF_OK;

	for (uint32_t n = ag_in_u2(&in); n > 0 && status == HPROF_OK; n--) {
		status = next_attribute(j, &in, &a);
		if (status == HPROF_OK && ag_utf8_is(a.name, "StackMapTable")) {
			*ret = a.bytes;
			return HPROF_OK;
		}
	}
	return status == HPROF_OK ? HPROF_END : status;
}

/* ---- what is covered ----------------------------------------------------- */

static bool has_stack_maps(const struct job *j)
{
	return j->context->major >= STACK_MAPS_SINCE;
}

/*
 * Old classes are verified by inference, which merges what reaches a handler:
 * one handler covers everything. A method that is only a return throws nothing,
 * and has none; the compiler of JVM 17 may crash on one in Object's constructor.
 */
static enum hprof_status find_covered(struct job *j)
{
	if (!(j->context->parts & AG_AT_EXIT) || j->moves.size == 1)
		return HPROF_OK;
	if (!j->context->is_constructor || !has_stack_maps(j))
		return ag_cover_all(&j->moves, &j->covered);
	return ag_cover_constructor(&j->moves, j->context->pool, &j->frames,
				    &j->covered);
}

/* Moves the frames, and finds what they are needed for. */
static enum hprof_status plan(struct job *j)
{
	struct ag_in table;
	enum hprof_status status = find_stack_map(j, &table);
	struct ag_frames *frames =
		j->context->is_constructor ? &j->frames : NULL;

	j->last_frame = -1;
	if (status == HPROF_OK)
		status = ag_stack_map_move(
			table, &j->moves, j->context->n_arguments,
			&j->stack_map, &j->last_frame, frames);
	else if (status == HPROF_END)
		status = HPROF_OK;
	if (status == HPROF_OK)
		status = find_covered(j);
	return status;
}

/* ---- code ---------------------------------------------------------------- */

static void put_call(struct job *j, unsigned method)
{
	ag_out_u1(j->out, AG_OP_LDC_W);
	ag_out_u2(j->out, j->context->constants.number);
	ag_out_u1(j->out, AG_OP_INVOKESTATIC);
	ag_out_u2(j->out, method);
}

static void put_piece(struct job *j, unsigned method)
{
	put_call(j, method);
	ag_out_u1(j->out, AG_OP_NOP);
	ag_out_u1(j->out, AG_OP_NOP);
}

/* The handler stands after the old code. */
static bool has_handler(const struct job *j)
{
	return j->covered.count > 0;
}

static uint32_t new_size(const struct job *j)
{
	return j->moves.new_size + (has_handler(j) ? HANDLER_SIZE : 0);
}

static void put_handler(struct job *j)
{
	put_call(j, j->context->constants.exit);
	ag_out_u1(j->out, AG_OP_ATHROW);
}

static enum hprof_status put_code(struct job *j)
{
	const struct ag_moves *m = &j->moves;
	size_t start = j->out->size;
	enum hprof_status status = HPROF_OK;

	if (m->parts & AG_AT_ENTRY)
		put_piece(j, j->context->constants.enter);
	for (uint32_t pc = 0; pc < m->size && status == HPROF_OK;
	     pc += ag_instruction_size(m, pc)) {
		if (m->catches[pc] && (m->parts & AG_AT_CATCH))
			put_piece(j, j->context->constants.caught);
		if (ag_is_return(m->code[pc]) && (m->parts & AG_AT_EXIT))
			put_piece(j, j->context->constants.exit);
		status = ag_instruction_move(m, pc, j->out);
	}
	assert(status != HPROF_OK || j->out->no_memory ||
	       j->out->size - start == m->new_size);
	(void)start; /* without assertions */
	if (has_handler(j))
		put_handler(j);
	return status;
}

/* ---- the exception table ------------------------------------------------- */

static enum hprof_status put_old_handler(struct job *j, struct ag_in *in)
{
	uint32_t start, end, handler;

	if (!ag_moves_target(&j->moves, ag_in_u2(in), &start) ||
	    !ag_moves_limit(&j->moves, ag_in_u2(in), &end) ||
	    !ag_moves_target(&j->moves, ag_in_u2(in), &handler))
		return HPROF_E_CORRUPT;
	ag_out_u2(j->out, start);
	ag_out_u2(j->out, end);
	ag_out_u2(j->out, handler);
	ag_out_u2(j->out, ag_in_u2(in));
	return HPROF_OK;
}

static void put_new_handler(struct job *j, const struct ag_covered *c)
{
	uint32_t start = 0, end = 0;

	if (!ag_moves_target(&j->moves, c->start, &start) ||
	    !ag_moves_limit(&j->moves, c->end, &end))
		assert(false && "a part begins and ends at instructions");
	ag_out_u2(j->out, start);
	ag_out_u2(j->out, end);
	ag_out_u2(j->out, j->moves.new_size);
	ag_out_u2(j->out, 0); /* all exceptions */
}

static enum hprof_status put_handlers(struct job *j)
{
	struct ag_in in = j->handlers;
	size_t count = ag_in_left(&in) / 8 + j->covered.count;
	enum hprof_status status = HPROF_OK;

	if (count > UINT16_MAX)
		return HPROF_E_LIMIT;
	ag_out_u2(j->out, (unsigned)count);
	while (ag_in_left(&in) > 0 && status == HPROF_OK)
		status = put_old_handler(j, &in);
	for (size_t i = 0; i < j->covered.count; i++)
		put_new_handler(j, &j->covered.list[i]);
	return status;
}

/* ---- attributes ---------------------------------------------------------- */

/* Adds the frame of the handler; false if there is no stack map at all. */
static bool finish_stack_map(struct job *j)
{
	struct ag_out *map = &j->stack_map;

	if (!has_stack_maps(j) || !has_handler(j))
		return map->size > 0;
	if (map->size == 0)
		ag_out_u2(map, 0);
	ag_stack_map_append(map, j->last_frame, j->moves.new_size,
			    j->context->constants.throwable);
	return true;
}

static enum hprof_status put_stack_map(struct job *j, unsigned *count)
{
	struct ag_out *map = &j->stack_map;

	if (!finish_stack_map(j))
		return map->no_memory ? HPROF_E_NOMEM : HPROF_OK;
	if (map->no_memory)
		return HPROF_E_NOMEM;
	ag_out_u2(j->out, j->context->constants.stack_map);
	ag_out_u4(j->out, (uint32_t)map->size);
	ag_out_bytes(j->out, map->bytes, map->size);
	++*count;
	return HPROF_OK;
}

/* Copies an attribute if its places can be moved. */
static void put_table(struct job *j, const struct attribute *a, unsigned name,
		      unsigned *count)
{
	size_t start = j->out->size;

	ag_out_u2(j->out, name);
	ag_out_u4(j->out, (uint32_t)ag_in_left(&a->bytes));
	if (ag_code_table_move(a->name, a->bytes, &j->moves, j->out))
		++*count;
	else
		j->out->size = start;
}

static enum hprof_status put_attributes(struct job *j)
{
	struct ag_in in = j->attributes, head;
	size_t count_at = j->out->size;
	unsigned count = 0;
	enum hprof_status status;
	struct attribute a;

	ag_out_u2(j->out, 0);
	status = put_stack_map(j, &count);
	for (uint32_t n = ag_in_u2(&in); n > 0 && status == HPROF_OK; n--) {
		head = in;
		status = next_attribute(j, &in, &a);
		if (status == HPROF_OK && !ag_utf8_is(a.name, "StackMapTable"))
			put_table(j, &a, ag_in_u2(&head), &count);
	}
	if (status == HPROF_OK && (in.cut || ag_in_left(&in) > 0))
		status = HPROF_E_CORRUPT;
	ag_out_u2_at(j->out, count_at, count);
	return status;
}

/* ---- all of it ----------------------------------------------------------- */

static unsigned new_max_stack(const struct job *j)
{
	/* The number, beside what is returned or the exception. */
	return j->max_stack < 1 ? 2 : j->max_stack + 1;
}

static enum hprof_status put_all(struct job *j)
{
	uint32_t size = new_size(j);
	enum hprof_status status;

	if (size > UINT16_MAX || new_max_stack(j) > UINT16_MAX)
		return HPROF_E_LIMIT;
	ag_out_u2(j->out, new_max_stack(j));
	ag_out_u2(j->out, j->max_locals);
	ag_out_u4(j->out, size);
	status = put_code(j);
	if (status == HPROF_OK)
		status = put_handlers(j);
	if (status == HPROF_OK)
		status = put_attributes(j);
	return status;
}

enum hprof_status ag_code_rewrite(struct ag_in code,
				  const struct ag_code_context *context,
				  struct ag_out *out)
{
	struct job j = { .context = context, .out = out };
	enum hprof_status status = read_code(&code, &j);

	if (status == HPROF_OK)
		status = plan(&j);
	if (status == HPROF_OK)
		status = put_all(&j);
	if (status == HPROF_OK && out->no_memory)
		status = HPROF_E_NOMEM;
	ag_moves_done(&j.moves);
	hp_free(j.frames.list);
	hp_free(j.covered.list);
	hp_free(j.stack_map.bytes);
	return status;
}

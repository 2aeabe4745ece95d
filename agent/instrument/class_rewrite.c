/* SPDX-License-Identifier: MIT */
/*
 * class_rewrite.c - copies a class file (JVMS 4.1) with new constants and new
 * code. Everything else is copied as it is.
 */
#include "agent/instrument/class_rewrite.h"

#include "agent/instrument/code_rewrite.h"
#include "base/mem.h"

enum { MAGIC = 0xcafebabe };

/* One class on its way. */
struct job {
	const struct ag_tracking *tracking;
	struct ag_in in;
	struct ag_out out; /* what comes after the constants */
	struct ag_pool pool;
	struct ag_code_constants constants;
	unsigned minor;
	bool is_object; /* java.lang.Object */
	uint32_t n_tracked;
	struct ag_rewritten result;
};

/* Copies what was read from FROM on. */
static void copy_since(struct job *j, const uint8_t *from)
{
	ag_out_bytes(&j->out, from, (size_t)(j->in.at - from));
}

static void add_constants(struct job *j)
{
	const struct ag_tracking *t = j->tracking;
	unsigned tracker = ag_pool_add_class(&j->pool, t->tracker);

	j->constants.enter =
		ag_pool_add_method(&j->pool, tracker, t->enter, "(I)V");
	if (t->caught)
		j->constants.caught = ag_pool_add_method(&j->pool, tracker,
							 t->caught, "(I)V");
	j->constants.exit =
		ag_pool_add_method(&j->pool, tracker, t->exit, "(I)V");
	j->constants.throwable =
		ag_pool_add_class(&j->pool, "java/lang/Throwable");
	j->constants.stack_map = ag_pool_add_utf8(&j->pool, "StackMapTable");
}

/* ---- before the methods -------------------------------------------------- */

static enum hprof_status read_head(struct job *j)
{
	uint32_t magic = ag_in_u4(&j->in);

	j->minor = ag_in_u2(&j->in);
	j->result.major = ag_in_u2(&j->in);
	if (magic != MAGIC)
		return HPROF_E_CORRUPT;
	return ag_pool_read(&j->in, &j->pool);
}

/* Access flags, this class, its superclass and interfaces. */
static enum hprof_status copy_names(struct job *j)
{
	const uint8_t *from = j->in.at;
	uint32_t this_class;

	ag_in_u2(&j->in);
	this_class = ag_in_u2(&j->in);
	ag_in_u2(&j->in);
	ag_in_take(&j->in, 2 * (size_t)ag_in_u2(&j->in));
	if (!ag_pool_class_name(&j->pool, this_class, &j->result.name))
		return HPROF_E_CORRUPT;
	j->is_object = ag_utf8_is(j->result.name, "java/lang/Object");
	copy_since(j, from);
	return HPROF_OK;
}

static void pass_attributes(struct job *j)
{
	for (uint32_t n = ag_in_u2(&j->in); n > 0 && !j->in.cut; n--) {
		ag_in_u2(&j->in);
		ag_in_take(&j->in, ag_in_u4(&j->in));
	}
}

static void copy_fields(struct job *j)
{
	const uint8_t *from = j->in.at;

	for (uint32_t n = ag_in_u2(&j->in); n > 0 && !j->in.cut; n--) {
		ag_in_take(&j->in, 6);
		pass_attributes(j);
	}
	copy_since(j, from);
}

/* ---- methods ------------------------------------------------------------- */

/* The arguments of DESCRIPTOR, and this. */
static uint32_t count_arguments(struct ag_utf8 descriptor)
{
	const uint8_t *p = descriptor.bytes;
	const uint8_t *end = p + descriptor.size;
	uint32_t count = 1;

	if (p < end && *p == '(')
		p++;
	while (p < end && *p != ')') {
		while (p < end && *p == '[')
			p++;
		if (p < end && *p == 'L')
			while (p < end && *p != ';')
				p++;
		p += p < end;
		count++;
	}
	return count;
}

static enum hprof_status rewrite_code(struct job *j, struct ag_in code,
				      const struct ag_class_method *m,
				      const struct ag_calls *calls)
{
	struct ag_code_context context = {
		.pool = &j->pool,
		.constants = j->constants,
		.parts = calls->parts,
		.major = j->result.major,
		.is_constructor =
			!j->is_object && ag_utf8_is(m->name, "<init>"),
		.n_arguments = count_arguments(m->descriptor),
	};
	enum hprof_status status;
	size_t length_at = j->out.size;

	context.constants.number = j->pool.next;
	ag_out_u4(&j->out, 0);
	status = ag_code_rewrite(code, &context, &j->out);
	if (status != HPROF_OK)
		return status;
	ag_out_u4_at(&j->out, length_at,
		     (uint32_t)(j->out.size - length_at - 4));
	ag_pool_add_integer(&j->pool, calls->number);
	j->n_tracked++;
	return ag_pool_full(&j->pool) ? HPROF_E_LIMIT : HPROF_OK;
}

/* Copies an attribute of a method; its code is rewritten if M is wanted. */
static enum hprof_status copy_attribute(struct job *j,
					struct ag_class_method *m,
					const struct ag_calls *calls)
{
	const uint8_t *from = j->in.at;
	unsigned name_index = ag_in_u2(&j->in);
	struct ag_in bytes = ag_in_part(&j->in, ag_in_u4(&j->in));
	enum hprof_status status;
	struct ag_utf8 name;
	size_t start = j->out.size;

	if (j->in.cut)
		return HPROF_E_TRUNCATED;
	if (m->state == AG_METHOD_NO_CODE &&
	    ag_pool_utf8(&j->pool, name_index, &name) &&
	    ag_utf8_is(name, "Code")) {
		ag_out_u2(&j->out, name_index);
		status = rewrite_code(j, bytes, m, calls);
		if (status != HPROF_E_LIMIT || ag_pool_full(&j->pool)) {
			m->state = AG_METHOD_TRACKED;
			return status;
		}
		m->state = AG_METHOD_TOO_LONG;
		j->out.size = start;
	}
	copy_since(j, from);
	return HPROF_OK;
}

static enum hprof_status copy_method(struct job *j, struct ag_class_method *m)
{
	const uint8_t *from = j->in.at;
	const struct ag_tracking *t = j->tracking;
	struct ag_calls calls = {
		.number = t->first + (uint32_t)(m - j->result.methods),
		.parts = t->caught ? AG_EVERYWHERE : AG_AT_ENTRY | AG_AT_EXIT,
	};
	enum hprof_status status = HPROF_OK;
	uint32_t count;

	ag_in_u2(&j->in);
	if (!ag_pool_utf8(&j->pool, ag_in_u2(&j->in), &m->name) ||
	    !ag_pool_utf8(&j->pool, ag_in_u2(&j->in), &m->descriptor))
		return HPROF_E_CORRUPT;
	count = ag_in_u2(&j->in);
	copy_since(j, from);
	if (t->wanted && !t->wanted(j->result.name, m, &calls))
		m->state = AG_METHOD_UNWANTED;
	else
		m->state = AG_METHOD_NO_CODE; /* until it is found */
	while (count-- > 0 && status == HPROF_OK)
		status = copy_attribute(j, m, &calls);
	return status;
}

static enum hprof_status copy_methods(struct job *j)
{
	uint32_t count = ag_in_u2(&j->in);
	enum hprof_status status = HPROF_OK;

	/* Each has 8 bytes at least. */
	if (count > ag_in_left(&j->in) / 8)
		return HPROF_E_TRUNCATED;
	j->result.methods =
		hp_calloc((size_t)count + 1, sizeof *j->result.methods);
	if (!j->result.methods)
		return HPROF_E_NOMEM;
	j->result.n_methods = count;
	ag_out_u2(&j->out, count);
	for (uint32_t i = 0; i < count && status == HPROF_OK; i++)
		status = copy_method(j, &j->result.methods[i]);
	return status;
}

/* ---- after the methods --------------------------------------------------- */

static void find_source(struct job *j)
{
	struct ag_in in = j->in, bytes;
	struct ag_utf8 name;
	uint32_t name_index;

	for (uint32_t n = ag_in_u2(&in); n > 0 && !in.cut; n--) {
		name_index = ag_in_u2(&in);
		bytes = ag_in_part(&in, ag_in_u4(&in));
		if (ag_pool_utf8(&j->pool, name_index, &name) &&
		    ag_utf8_is(name, "SourceFile"))
			ag_pool_utf8(&j->pool, ag_in_u2(&bytes),
				     &j->result.source);
	}
}

static enum hprof_status copy_end(struct job *j)
{
	const uint8_t *from = j->in.at;

	find_source(j);
	pass_attributes(j);
	copy_since(j, from);
	if (ag_in_left(&j->in) > 0)
		return HPROF_E_CORRUPT;
	return j->in.cut ? HPROF_E_TRUNCATED : HPROF_OK;
}

/* Puts the parts together. */
static enum hprof_status finish(struct job *j)
{
	const struct ag_out *added = &j->pool.added;
	struct ag_out all = { 0 };

	if (ag_pool_full(&j->pool))
		return HPROF_E_LIMIT;
	ag_out_u4(&all, MAGIC);
	ag_out_u2(&all, j->minor);
	ag_out_u2(&all, j->result.major);
	ag_out_u2(&all, j->pool.next);
	ag_out_bytes(&all, j->pool.bytes, j->pool.size);
	ag_out_bytes(&all, added->bytes, added->size);
	ag_out_bytes(&all, j->out.bytes, j->out.size);
	if (all.no_memory || added->no_memory || j->out.no_memory) {
		hp_free(all.bytes);
		return HPROF_E_NOMEM;
	}
	j->result.bytes = all.bytes;
	j->result.size = all.size;
	return HPROF_OK;
}

static enum hprof_status rewrite(struct job *j)
{
	enum hprof_status status = copy_names(j);

	add_constants(j);
	copy_fields(j);
	if (status == HPROF_OK)
		status = copy_methods(j);
	if (status == HPROF_OK)
		status = copy_end(j);
	if (status == HPROF_OK && j->n_tracked > 0)
		status = finish(j);
	return status;
}

enum hprof_status ag_class_rewrite(const uint8_t *bytes, size_t size,
				   const struct ag_tracking *tracking,
				   struct ag_rewritten *ret)
{
	struct job j = { .tracking = tracking, .in = ag_in(bytes, size) };
	enum hprof_status status = read_head(&j);

	if (status == HPROF_OK) {
		status = rewrite(&j);
		ag_pool_done(&j.pool);
	}
	hp_free(j.out.bytes);
	if (status != HPROF_OK)
		ag_rewritten_done(&j.result);
	else
		*ret = j.result;
	return status;
}

void ag_rewritten_done(struct ag_rewritten *rewritten)
{
	hp_free(rewritten->bytes);
	hp_free(rewritten->methods);
}

/* SPDX-License-Identifier: MIT */
/*
 * class_maker.c - makes class files byte by byte.
 */
#include "class_maker.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/mem.h"

/* The first constants of each class. */
enum {
	THIS_NAME = 1,
	THIS,
	SUPER_NAME,
	SUPER,
	NAME,
	TYPE,
	CODE,
	SOURCE,
	FILE_
};

static void put_utf8(struct ag_out *out, const char *text)
{
	ag_out_u1(out, 1);
	ag_out_u2(out, (unsigned)strlen(text));
	ag_out_bytes(out, text, strlen(text));
}

static unsigned next(struct class_maker *m)
{
	return FIRST_CONSTANT + m->constants++;
}

unsigned class_maker_utf8(struct class_maker *m, const char *text)
{
	put_utf8(&m->pool, text);
	return next(m);
}

unsigned class_maker_type(struct class_maker *m, const char *name)
{
	unsigned text = class_maker_utf8(m, name);

	ag_out_u1(&m->pool, 7);
	ag_out_u2(&m->pool, text);
	return next(m);
}

unsigned class_maker_method(struct class_maker *m, unsigned class_index,
			    const char *name, const char *descriptor)
{
	unsigned name_index = class_maker_utf8(m, name);
	unsigned type_index = class_maker_utf8(m, descriptor);
	unsigned name_and_type;

	ag_out_u1(&m->pool, 12);
	ag_out_u2(&m->pool, name_index);
	ag_out_u2(&m->pool, type_index);
	name_and_type = next(m);
	ag_out_u1(&m->pool, 10);
	ag_out_u2(&m->pool, class_index);
	ag_out_u2(&m->pool, name_and_type);
	return next(m);
}

void class_maker_attribute(struct class_maker *m, const char *name,
			   const uint8_t *bytes, size_t size)
{
	unsigned index = class_maker_utf8(m, name);

	ag_out_u2(&m->attributes, index);
	ag_out_u4(&m->attributes, (uint32_t)size);
	ag_out_bytes(&m->attributes, bytes, size);
	m->n_attributes++;
}

/* ---- the class file ------------------------------------------------------ */

static const char *or_default(const char *text, const char *other)
{
	return text ? text : other;
}

static void put_class_constant(struct ag_out *out, const char *name,
			       unsigned name_index)
{
	put_utf8(out, name);
	ag_out_u1(out, 7);
	ag_out_u2(out, name_index);
}

static void put_constants(struct class_maker *m, struct ag_out *out)
{
	ag_out_u2(out, FIRST_CONSTANT + m->constants);
	put_class_constant(out, or_default(m->class_name, "A"), THIS_NAME);
	put_class_constant(out, "java/lang/Object", SUPER_NAME);
	put_utf8(out, or_default(m->method, "m"));
	put_utf8(out, or_default(m->descriptor, "()V"));
	put_utf8(out, "Code");
	put_utf8(out, "SourceFile");
	put_utf8(out, "A.java");
	ag_out_bytes(out, m->pool.bytes, m->pool.size);
}

static void put_code(struct class_maker *m, struct ag_out *out)
{
	ag_out_u2(out, CODE);
	ag_out_u4(out, (uint32_t)(12 + m->code.size + m->handlers.size +
				  m->attributes.size));
	ag_out_u2(out, m->max_stack);
	ag_out_u2(out, m->max_locals);
	ag_out_u4(out, (uint32_t)m->code.size);
	ag_out_bytes(out, m->code.bytes, m->code.size);
	ag_out_u2(out, (unsigned)(m->handlers.size / 8));
	ag_out_bytes(out, m->handlers.bytes, m->handlers.size);
	ag_out_u2(out, m->n_attributes);
	ag_out_bytes(out, m->attributes.bytes, m->attributes.size);
}

static void put_method(struct class_maker *m, struct ag_out *out)
{
	ag_out_u2(out, 1); /* methods */
	ag_out_u2(out, m->access);
	ag_out_u2(out, NAME);
	ag_out_u2(out, TYPE);
	ag_out_u2(out, m->code.size ? 1 : 0); /* attributes */
	if (m->code.size)
		put_code(m, out);
}

struct ag_out class_maker_finish(struct class_maker *m)
{
	struct ag_out out = { 0 };

	ag_out_u4(&out, 0xcafebabe);
	ag_out_u2(&out, 0);
	ag_out_u2(&out, m->major ? m->major : 52);
	put_constants(m, &out);
	ag_out_u2(&out, 0x21);
	ag_out_u2(&out, THIS);
	ag_out_u2(&out, SUPER);
	ag_out_u4(&out, 0); /* interfaces, fields */
	put_method(m, &out);
	ag_out_u2(&out, 1); /* attributes */
	ag_out_u2(&out, SOURCE);
	ag_out_u4(&out, 2);
	ag_out_u2(&out, FILE_);
	hp_free(m->pool.bytes);
	hp_free(m->code.bytes);
	hp_free(m->handlers.bytes);
	hp_free(m->attributes.bytes);
	return out;
}

/* ---- what became of it --------------------------------------------------- */

static void read_code(struct made_method *made, struct ag_in *in)
{
	cr_assert_eq(ag_in_u2(in), CODE);
	ag_in_u4(in);
	made->max_stack = ag_in_u2(in);
	made->max_locals = ag_in_u2(in);
	made->code_size = ag_in_u4(in);
	made->code = ag_in_take(in, made->code_size);
	made->n_handlers = ag_in_u2(in);
	made->handlers = ag_in_take(in, 8 * (size_t)made->n_handlers);
	made->attributes = *in;
}

static void read_class(struct made_method *made, unsigned first_new)
{
	struct ag_in in = ag_in(made->rewritten.bytes, made->rewritten.size);

	ag_in_take(&in, 8);
	cr_assert_eq(ag_pool_read(&in, &made->pool), HPROF_OK);
	ag_in_take(&in, 10); /* up to the fields */
	cr_assert_eq(ag_in_u2(&in), 1);
	ag_in_take(&in, 6);
	cr_assert_eq(ag_in_u2(&in), 1, "one attribute");
	read_code(made, &in);
	cr_assert(!in.cut);
	/* A class has 2 constants, a method 4. */
	made->enter = first_new + 5;
	made->caught = first_new + 9;
	made->exit = first_new + 13;
	made->throwable = first_new + 15;
	made->number = first_new + 17;
}

static unsigned parts;

static bool choose_parts(struct ag_utf8 class_name,
			 const struct ag_class_method *method,
			 struct ag_calls *calls)
{
	(void)class_name;
	(void)method;
	cr_expect_eq(calls->number, MADE_NUMBER);
	if (parts)
		calls->parts = parts;
	return true;
}

struct made_method class_maker_rewrite(struct class_maker *m)
{
	static const struct ag_tracking tracking = { .tracker = "T",
						     .enter = "in",
						     .caught = "caught",
						     .exit = "out",
						     .first = MADE_NUMBER,
						     .wanted = choose_parts };
	unsigned first_new = FIRST_CONSTANT + m->constants;
	struct ag_out class_file = class_maker_finish(m);
	struct made_method made = { 0 };

	parts = m->parts;
	cr_assert_eq(ag_class_rewrite(class_file.bytes, class_file.size,
				      &tracking, &made.rewritten),
		     HPROF_OK);
	cr_assert_eq(made.rewritten.n_methods, 1);
	if (made.rewritten.bytes)
		read_class(&made, first_new);
	hp_free(class_file.bytes);
	/* They were in the class file. */
	memset(&made.rewritten.name, 0, sizeof made.rewritten.name);
	memset(&made.rewritten.source, 0, sizeof made.rewritten.source);
	return made;
}

void made_done(struct made_method *made)
{
	if (made->rewritten.bytes)
		ag_pool_done(&made->pool);
	ag_rewritten_done(&made->rewritten);
}

const uint8_t *made_attribute(const struct made_method *made, const char *name,
			      size_t *ret_size)
{
	struct ag_in in = made->attributes, bytes;
	struct ag_utf8 text;
	uint32_t index;

	for (uint32_t n = ag_in_u2(&in); n > 0; n--) {
		index = ag_in_u2(&in);
		bytes = ag_in_part(&in, ag_in_u4(&in));
		cr_assert(!in.cut && ag_pool_utf8(&made->pool, index, &text));
		if (!ag_utf8_is(text, name))
			continue;
		*ret_size = ag_in_left(&bytes);
		return bytes.at;
	}
	*ret_size = 0;
	return NULL;
}

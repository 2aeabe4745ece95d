/* SPDX-License-Identifier: MIT */
/*
 * fake_heap.c - the objects of fake_jvmti.h.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fake_jvmti.h"

static void *take(struct fake_jvm *jvm, size_t size)
{
	void *block = calloc(1, size ? size : 1);

	cr_assert_not_null(block);
	cr_assert_lt(jvm->block_count, 4096);
	jvm->blocks[jvm->block_count++] = block;
	return block;
}

static jvalue *take_slots(struct fake_jvm *jvm, size_t count)
{
	return take(jvm, count * sizeof(jvalue));
}

static int instance_fields(const struct fake_class *c)
{
	int count = 0;

	for (; c; c = c->super)
		for (int i = 0; i < c->field_count; i++)
			count += !c->fields[i].is_static;
	return count;
}

struct fake_class *fake_class(struct fake_jvm *jvm, const char *signature,
			      struct fake_class *super)
{
	struct fake_class *c = take(jvm, sizeof *c);

	c->signature = signature;
	c->super = super;
	c->mirror.length = -1;
	c->mirror.slots = take_slots(jvm, FAKE_FIELDS);
	*jvm->last_class = c;
	jvm->last_class = &c->next;
	return c;
}

struct fake_field *fake_field(struct fake_class *c, const char *name,
			      const char *signature, bool is_static)
{
	struct fake_field *f = &c->fields[c->field_count++];

	cr_assert_leq(c->field_count, FAKE_FIELDS);
	f->name = name;
	f->signature = signature;
	f->is_static = is_static;
	return f;
}

static struct fake_object *add_object(struct fake_jvm *jvm,
				      struct fake_class *class, jint length,
				      size_t slots)
{
	struct fake_object *o = take(jvm, sizeof *o);

	o->class = class;
	o->length = length;
	o->slots = take_slots(jvm, slots);
	o->next = jvm->objects;
	jvm->objects = o;
	return o;
}

struct fake_object *fake_new(struct fake_jvm *jvm, struct fake_class *class)
{
	return add_object(jvm, class, -1, (size_t)instance_fields(class));
}

struct fake_object *fake_array(struct fake_jvm *jvm, struct fake_class *class,
			       jint length)
{
	return add_object(jvm, class, length, (size_t)length);
}

struct fake_object *fake_values(struct fake_jvm *jvm, struct fake_class *class,
				jint length, const void *elements)
{
	struct fake_object *o = add_object(jvm, class, length, 0);

	o->elements = elements;
	return o;
}

int fake_first_slot(const struct fake_class *c)
{
	return instance_fields(c->super);
}

jvalue *fake_slot(struct fake_object *o, const char *name)
{
	for (const struct fake_class *c = o->class; c; c = c->super)
		for (int i = 0, slot = fake_first_slot(c); i < c->field_count;
		     i++) {
			if (c->fields[i].is_static)
				continue;
			if (strcmp(c->fields[i].name, name) == 0)
				return &o->slots[slot];
			slot++;
		}
	cr_assert_fail("no field %s", name);
	return NULL;
}

struct fake_root *fake_root(struct fake_jvm *jvm, jvmtiHeapReferenceKind kind,
			    struct fake_object *object)
{
	struct fake_root *r = &jvm->roots[jvm->root_count++];

	cr_assert_leq(jvm->root_count, 16);
	r->kind = kind;
	r->object = object;
	return r;
}

struct fake_jvm *fake_jvm_new(void)
{
	struct fake_jvm *jvm = calloc(1, sizeof *jvm);

	cr_assert_not_null(jvm);
	jvm->jvmti = &fake_jvmti_functions;
	jvm->jni = &fake_jni_functions;
	jvm->last_class = &jvm->classes;
	jvm->object = fake_class(jvm, "Ljava/lang/Object;", NULL);
	jvm->class = fake_class(jvm, "Ljava/lang/Class;", jvm->object);
	fake_field(jvm->class, "componentType", "Ljava/lang/Class;", false);
	fake_field(jvm->class, "classLoader", "Ljava/lang/Object;", false);
	fake_field(jvm->class, "modifiers", "I", false);
	fake_field(jvm->class, "name", "Ljava/lang/String;", false);
	jvm->string = fake_class(jvm, "Ljava/lang/String;", jvm->object);
	jvm->object_array = fake_class(jvm, "[Ljava/lang/Object;", jvm->object);
	jvm->object_array->mirror.slots[0].l = (jobject)jvm->object;
	return jvm;
}

void fake_jvm_free(struct fake_jvm *jvm)
{
	while (jvm->block_count)
		free(jvm->blocks[--jvm->block_count]);
	free(jvm);
}

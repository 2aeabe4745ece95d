/* SPDX-License-Identifier: MIT */
/*
 * fake_walk.c - FollowReferences and IterateThroughHeap of the fake JVM: the
 * order of the references, and the numbers of the fields.
 */
#include "fake_walk.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of fields, as JVMTI has them -------------------------------- */

struct seen {
	const struct fake_class *interfaces[64];
	int count;
};

static void see(struct seen *s, const struct fake_class *c)
{
	for (int i = 0; i < FAKE_INTERFACES && c; i++) {
		const struct fake_class *one = c->interfaces[i];
		bool known = !one;

		for (int j = 0; j < s->count; j++)
			known = known || s->interfaces[j] == one;
		if (!known)
			s->interfaces[s->count++] = one;
		if (one)
			see(s, one);
	}
	if (c && !c->is_interface)
		see(s, c->super);
}

static int numbered(const struct fake_class *c, int fields)
{
	int count = 0;

	for (int i = 0; i < fields; i++)
		count += !c->fields[i].is_kept_back;
	return count;
}

/* Of the first field that OF declares, seen from C. */
static int first_number(const struct fake_class *c, const struct fake_class *of)
{
	struct seen s = { .count = 0 };
	int number = 0;

	see(&s, c);
	for (int i = 0; i < s.count; i++)
		number +=
			numbered(s.interfaces[i], s.interfaces[i]->field_count);
	for (const struct fake_class *a = of->super; a && !of->is_interface;
	     a = a->super)
		number += numbered(a, a->field_count);
	return number;
}

/* ---- the walk ------------------------------------------------------------ */

struct visit {
	struct fake_jvm *jvm;
	const jvmtiHeapCallbacks *callbacks;
	void *user;
	struct fake_object **stack;
	size_t count, room;
	bool aborted;
};

static struct fake_object *mirror_of(struct fake_object *o)
{
	return o->class ? &o->class->mirror : NULL;
}

static void push(struct visit *v, struct fake_object *o)
{
	if (v->count == v->room) {
		v->room = v->room * 2 + 64;
		v->stack = realloc(v->stack, v->room * sizeof *v->stack);
		cr_assert_not_null(v->stack);
	}
	v->stack[v->count++] = o;
}

static void report(struct visit *v, jvmtiHeapReferenceKind kind,
		   const jvmtiHeapReferenceInfo *info, struct fake_object *from,
		   struct fake_object *to)
{
	struct fake_object *class = to ? mirror_of(to) : NULL;
	jint status;

	if (!to || v->aborted)
		return;
	if (!class)
		class = &v->jvm->class->mirror;
	status = v->callbacks->heap_reference_callback(
		kind, info, class->tag, 0, fake_size(to), &to->tag,
		from ? &from->tag : NULL, to->length, v->user);
	v->aborted = (status & JVMTI_VISIT_ABORT) != 0;
	if ((status & JVMTI_VISIT_OBJECTS) && !to->visited)
		push(v, to);
}

static void report_value(struct visit *v, jvmtiHeapReferenceKind kind,
			 int number, struct fake_object *of,
			 const struct fake_field *f, jvalue value)
{
	jvmtiHeapReferenceInfo info = { .field = { .index = number } };

	if (v->aborted || f->is_kept_back)
		return;
	if (f->signature[0] == 'L' || f->signature[0] == '[')
		report(v, kind, &info, of, (struct fake_object *)value.l);
	else if (v->callbacks->primitive_field_callback(
			 kind, &info, 0, &of->tag, value,
			 (jvmtiPrimitiveType)f->signature[0], v->user) &
		 JVMTI_VISIT_ABORT)
		v->aborted = true;
}

static void visit_class(struct visit *v, struct fake_class *c)
{
	struct fake_object *m = &c->mirror;
	jvmtiHeapReferenceInfo info = { .field = { .index = 0 } };
	int number = first_number(c, c);

	if (c->is_unlinked || c->signature[0] == '[')
		return;
	report(v, JVMTI_HEAP_REFERENCE_SUPERCLASS, NULL, m,
	       c->super ? &c->super->mirror : NULL);
	report(v, JVMTI_HEAP_REFERENCE_CLASS_LOADER, NULL, m, c->loader);
	report(v, JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN, NULL, m, c->domain);
	report(v, JVMTI_HEAP_REFERENCE_SIGNERS, NULL, m, c->signers);
	for (int i = 0; i < FAKE_CONSTANTS; i++) {
		info.constant_pool.index = i + 1;
		report(v, JVMTI_HEAP_REFERENCE_CONSTANT_POOL, &info, m,
		       c->constants[i]);
	}
	for (int i = 0; i < FAKE_INTERFACES; i++)
		report(v, JVMTI_HEAP_REFERENCE_INTERFACE, NULL, m,
		       c->interfaces[i] ? &c->interfaces[i]->mirror : NULL);
	for (int i = 0; i < c->field_count; i++)
		if (c->fields[i].is_static)
			report_value(v, JVMTI_HEAP_REFERENCE_STATIC_FIELD,
				     number + numbered(c, i), m, &c->fields[i],
				     c->fields[i].value);
}

static void visit_array(struct visit *v, struct fake_object *o)
{
	jvmtiHeapReferenceInfo info;

	if (o->class->signature[1] != 'L' && o->class->signature[1] != '[') {
		if (v->callbacks->array_primitive_value_callback(
			    0, 16, &o->tag, o->length,
			    (jvmtiPrimitiveType)o->class->signature[1],
			    o->elements, v->user) &
		    JVMTI_VISIT_ABORT)
			v->aborted = true;
		return;
	}
	for (jint i = 0; i < o->length; i++) {
		info.array.index = i;
		report(v, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, &info, o,
		       (struct fake_object *)o->slots[i].l);
	}
}

static void visit_instance(struct visit *v, struct fake_object *o)
{
	for (const struct fake_class *c = o->class; c; c = c->super)
		for (int i = 0, slot = fake_first_slot(c); i < c->field_count;
		     i++)
			if (!c->fields[i].is_static)
				report_value(v, JVMTI_HEAP_REFERENCE_FIELD,
					     first_number(o->class, c) +
						     numbered(c, i),
					     o, &c->fields[i],
					     o->slots[slot++]);
}

static void visit(struct visit *v, struct fake_object *o)
{
	o->visited = true;
	if (!o->class) {
		visit_class(v, (struct fake_class *)o);
		return;
	}
	if (o->class == v->jvm->class)
		return; /* the mirror of a primitive type */
	report(v, JVMTI_HEAP_REFERENCE_CLASS, NULL, o, mirror_of(o));
	if (v->aborted)
		return;
	if (o->length >= 0)
		visit_array(v, o);
	else
		visit_instance(v, o);
}

static void report_roots(struct visit *v)
{
	struct fake_jvm *jvm = v->jvm;

	for (int i = 0; i < jvm->held_count; i++)
		report(v, JVMTI_HEAP_REFERENCE_JNI_GLOBAL, NULL, NULL,
		       jvm->held[i]);
	for (int i = 0; i < jvm->root_count; i++)
		report(v, jvm->roots[i].kind, &jvm->roots[i].info, NULL,
		       jvm->roots[i].object);
	for (struct fake_class *c = jvm->classes; c; c = c->next)
		if (!c->loader && !c->is_hidden && !c->is_unloaded)
			report(v, JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, NULL, NULL,
			       &c->mirror);
}

jvmtiError JNICALL fake_follow(jvmtiEnv *jvmti, jint filter, jclass class,
			       jobject initial,
			       const jvmtiHeapCallbacks *callbacks,
			       const void *user)
{
	struct fake_jvm *jvm = fake_jvm_of(jvmti);
	struct visit v = { .jvm = jvm,
			   .callbacks = callbacks,
			   .user = (void *)user };

	(void)filter;
	(void)class;
	FAKE_CALL(jvmti);
	if (jvm->follow && !initial)
		return jvm->follow(jvm, callbacks, (void *)user);
	for (struct fake_object *o = jvm->objects; o; o = o->next)
		o->visited = false;
	for (struct fake_class *c = jvm->classes; c; c = c->next)
		c->mirror.visited = false;
	if (initial)
		push(&v, (struct fake_object *)initial);
	else
		report_roots(&v);
	while (v.count && !v.aborted) {
		struct fake_object *o = v.stack[--v.count];
		if (!o->visited)
			visit(&v, o);
	}
	free(v.stack);
	return JVMTI_ERROR_NONE;
}

jvmtiError JNICALL fake_iterate(jvmtiEnv *jvmti, jint filter, jclass class,
				const jvmtiHeapCallbacks *callbacks,
				const void *user)
{
	FAKE_CALL(jvmti);
	(void)class;
	for (struct fake_object *o = fake_jvm_of(jvmti)->objects; o;
	     o = o->next)
		if (!o->dead &&
		    !((filter & JVMTI_HEAP_FILTER_TAGGED) && o->tag))
			callbacks->heap_iteration_callback(0, fake_size(o),
							   &o->tag, o->length,
							   (void *)user);
	return JVMTI_ERROR_NONE;
}

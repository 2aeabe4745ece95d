/* SPDX-License-Identifier: MIT */
/*
 * test_walk_classes.c - the agent's walk on a heap without a JVM: classes, and instances
 * of those that are not linked or are unloaded.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/wire.h"
#include "walking.h"

Test(walk_classes, classes)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c =
		fake_class(jvm, "Lp/Hidden.0x1234;", jvm->object);
	struct fake_class *array =
		fake_class(jvm, "[Lp/Hidden.0x1234;", jvm->object);
	struct fake_object *loader = fake_new(jvm, jvm->object);
	struct fake_object *domain = fake_new(jvm, jvm->object);
	struct fake_object *signers = fake_array(jvm, jvm->object_array, 2);
	struct fake_object *text = fake_new(jvm, jvm->string);
	struct fake_object *name = fake_new(jvm, jvm->string);

	c->loader = loader;
	c->domain = domain;
	c->signers = signers;
	c->constants[1] = text;
	c->constants[3] = &jvm->string->mirror;
	array->mirror.slots[0].l = (jobject)c;
	c->mirror.slots[2].i = 0x11;
	c->mirror.slots[3].l = (jobject)name;
	rooted(jvm, fake_array(jvm, array, 1));

	struct taken t = take(jvm, 8, true);
	struct hprof_class_entry e;
	struct hprof_record r;
	cr_assert(find(&t, HPROF_CLASS_DUMP, id_of(&c->mirror), &r));
	cr_assert_eq(r.u.class_dump.super_id, id_of(&jvm->object->mirror));
	cr_assert_eq(r.u.class_dump.loader_id, id_of(loader));
	cr_assert_eq(r.u.class_dump.domain_id, id_of(domain));
	cr_assert_eq(r.u.class_dump.signers_id, id_of(signers));
	cr_assert_eq(r.u.class_dump.constant_count, 2);
	struct hprof_class_cursor cursor = hprof_class_constants(&r);
	cr_assert_eq(hprof_class_next(&cursor, &e), HPROF_OK);
	cr_assert(e.index == 2 && e.value == id_of(text));
	cr_assert_eq(hprof_class_next(&cursor, &e), HPROF_OK);
	cr_assert(e.index == 4 && e.value == id_of(&jvm->string->mirror));
	cr_assert(find_static(&t, c, "$class$name", &e));
	cr_assert_eq(e.value, id_of(name));
	cr_assert(find_static(&t, c, "$class$modifiers", &e));
	cr_assert(e.value == 0x11 && e.type == HPROF_TYPE_INT);
	cr_assert(!find_static(&t, c, "$class$classLoader", &e));
	object(&t, HPROF_INSTANCE_DUMP, name);
	/* An array class has the loader of its elements. */
	cr_assert(find(&t, HPROF_CLASS_DUMP, id_of(&array->mirror), &r));
	cr_assert_eq(r.u.class_dump.loader_id, id_of(loader));
	cr_assert_eq(r.u.class_dump.domain_id, id_of(domain));
	/* The agent's own array is in no record. */
	cr_assert_eq(count(&t, HPROF_OBJ_ARRAY_DUMP), 2u);
	cr_assert_eq(count(&t, HPROF_ROOT_JNI_LOCAL), 0u);
	cr_assert_not_null(
		memmem(t.bytes.bytes, t.bytes.size, "p/Hidden+0x1234", 15));
	done(jvm, &t);
}

static bool is_name(const struct taken *t, const char *name)
{
	return memmem(t->bytes.bytes, t->bytes.size, name, strlen(name));
}

/* Before JDK 15 a hash ends the name, which the JVM's own dumps leave out. */
Test(walk_classes, anonymous_classes)
{
	static const char *const names[] = { "Lp/A$$Lambda$1/190042;",
					     "[Lp/B/190042;", "Lp/C/9x;",
					     "Lp/D/;" };

	for (int version = 11; version <= 17; version += 6) {
		struct fake_jvm *jvm = fake_jvm_new();
		bool old = version < 15;

		jvm->version = version;
		for (int i = 0; i < 4; i++)
			fake_class(jvm, names[i], jvm->object);
		struct taken t = take(jvm, 8, true);
		cr_expect(is_name(&t, "p/A$$Lambda$1"));
		cr_expect_eq(is_name(&t, "p/A$$Lambda$1/190042"), !old);
		cr_expect_eq(is_name(&t, "[Lp/B;"), old);
		cr_expect_eq(is_name(&t, "[Lp/B/190042;"), !old);
		cr_expect(is_name(&t, "p/C/9x") && is_name(&t, "p/D/"));
		done(jvm, &t);
	}
}

/*
 * When the heap is full nothing in it is asked for, and nothing is linked; all
 * that class objects refer to is there nevertheless.
 */
Test(walk_classes, full_heap)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "LC;", jvm->object);
	struct fake_class *unlinked = fake_class(jvm, "LU;", jvm->object);
	struct fake_object *name = fake_new(jvm, jvm->string);
	struct fake_object *lost = fake_new(jvm, c);
	struct hprof_class_entry e;
	struct hprof_record r;

	fake_field(c, "x", "I", true)->value.i = 4711;
	fake_field(c, "o", "Ljava/lang/Object;", true)->value.l =
		(jobject)fake_new(jvm, jvm->object);
	c->mirror.slots[3].l = (jobject)name;
	unlinked->is_unlinked = true;
	jvm->heap_is_full = true;
	struct taken t = take(jvm, 8, false);
	cr_assert(unlinked->is_unlinked);
	cr_assert(find_static(&t, c, "x", &e) && e.value == 4711);
	cr_assert(find_static(&t, c, "o", &e));
	object(&t, HPROF_INSTANCE_DUMP,
	       (struct fake_object *)c->fields[1].value.l);
	cr_assert(find_static(&t, c, "$class$name", &e));
	cr_assert_eq(e.value, id_of(name));
	object(&t, HPROF_INSTANCE_DUMP, name);
	object(&t, HPROF_INSTANCE_DUMP, lost);
	cr_assert(find(&t, HPROF_CLASS_DUMP, id_of(&unlinked->mirror), &r));
	cr_assert_not(t.result.left_out);
	done(jvm, &t);
}

/*
 * Instances of a class that is not linked, with a loader, so that it is only
 * linked when need be; of one that cannot be linked; of one that is loaded
 * during the walk.
 */
Test(walk_classes, classes_without_layout)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *loader = fake_new(jvm, jvm->object);
	struct fake_object *list = fake_array(jvm, jvm->object_array, 4);
	struct fake_object *o[4];
	static const char *const names[] = { "LUnlinked;", "LLate;", "LNever;",
					     "LIdle;" };

	for (int i = 0; i < 4; i++) {
		struct fake_class *c = fake_class(jvm, names[i], jvm->object);
		c->loader = loader;
		fake_field(c, "x", "I", false);
		fake_field(c, "s", "I", true)->value.i = 40 + i;
		fake_field(c, "o", "Ljava/lang/Object;", false);
		c->is_unlinked = i != 1;
		c->is_hidden = i == 1;
		o[i] = fake_new(jvm, i == 3 ? jvm->object : c);
		if (i < 3) {
			fake_slot(o[i], "x")->i = 20 + i;
			fake_slot(o[i], "o")->l = (jobject)o[i];
		}
		list->slots[i].l = (jobject)o[i];
	}
	rooted(jvm, list);
	struct taken t = take_with(jvm, 8, true);
	cr_assert_eq(t.status, 0, "%s", t.result.error);
	cr_assert_eq(t.result.lost, 0u);
	cr_assert_eq(t.result.bare_objects, 1u);
	cr_assert_eq(
		object(&t, HPROF_INSTANCE_DUMP, o[2]).u.instance_dump.data.size,
		0u);
	for (int i = 0; i < 2; i++) {
		struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, o[i]);
		const uint8_t *p = r.u.instance_dump.data.data;
		struct hprof_class_entry e;

		cr_assert_eq(r.u.instance_dump.data.size, 12u);
		cr_assert_eq(p[3], 20 + i);
		cr_assert_eq(hp_get64(p + 4), id_of(o[i]));
		if (i == 1) {
			cr_assert(find_static(&t, o[i]->class, "s", &e));
			cr_assert_eq(e.value, 41u);
		}
	}
	done(jvm, &t);
}

/*
 * A class is unloaded before it can be asked: its instances stay, as roots and
 * as what others refer to, and nothing dangles.
 */
Test(walk_classes, unloaded_classes)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "LGone;", jvm->object);
	struct fake_class *other = fake_class(jvm, "LGoneToo;", jvm->object);
	struct fake_object *o[3];
	struct hprof_record r;

	fake_field(c, "o", "Ljava/lang/Object;", false);
	c->is_unloaded = other->is_unloaded = true;
	for (int i = 0; i < 3; i++)
		o[i] = rooted(jvm, fake_new(jvm, i == 2 ? other : c));
	o[0]->slots[0].l = (jobject)o[1];
	struct taken t = take_with(jvm, 8, true);
	cr_assert_eq(t.status, 0, "%s", t.result.error);
	cr_assert_eq(t.result.lost, 0u);
	cr_assert_eq(t.result.bare_objects, 3u);
	for (int i = 0; i < 3; i++) {
		r = object(&t, HPROF_INSTANCE_DUMP, o[i]);
		cr_assert_eq(r.u.instance_dump.class_id,
			     id_of(&o[i]->class->mirror));
		cr_assert(find(&t, HPROF_CLASS_DUMP,
			       id_of(&o[i]->class->mirror), &r));
		cr_assert_eq(r.u.class_dump.instance_size, 0u);
	}
	done(jvm, &t);
}

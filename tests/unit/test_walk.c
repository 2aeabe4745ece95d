/* SPDX-License-Identifier: MIT */
/*
 * test_walk.c - the agent's walk on a heap without a JVM: what is there comes
 * out as it is.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/wire.h"
#include "maker.h"
#include "walking.h"
#include "writing.h"

/* ---- instances ----------------------------------------------------------- */

static const char letters[] = "ZCFDBSIJ";
static const unsigned sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8 };

/* A field of each type, those of the superclass last, with exact bits. */
Test(walk, values)
{
	static const char *const types[] = { "Z", "C", "F", "D",
					     "B", "S", "I", "J" };
	static const uint8_t wanted[] = {
		/* Low */
		0, 0, 0, 0, 0, 0, 0, 5, 0x80, 0, 0, 0, 0, 0, 0, 0,
		/* High */
		1, 0xff, 0xfe, 0xff, 0xc0, 0x12, 0x34, 0x7f, 0xf8, 0, 0, 0, 0,
		1, 0x23, 0x80, 0x80, 0x01, 0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0,
		0, 1
	};
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *high = fake_class(jvm, "LHigh;", jvm->object);
	struct fake_class *low = fake_class(jvm, "LLow;", high);
	uint32_t float_nan = 0xffc01234;
	uint64_t double_nan = 0x7ff8000000000123;

	for (int i = 0; i < 8; i++)
		fake_field(high, types[i], types[i], false);
	fake_field(low, "unused", "I", true);
	fake_field(low, "self", "LLow;", false);
	fake_field(low, "least", "J", false);
	struct fake_object *o = rooted(jvm, fake_new(jvm, low));
	fake_slot(o, "Z")->z = 1;
	fake_slot(o, "C")->c = 0xfffe;
	memcpy(&fake_slot(o, "F")->f, &float_nan, 4);
	memcpy(&fake_slot(o, "D")->d, &double_nan, 8);
	fake_slot(o, "B")->b = INT8_MIN;
	fake_slot(o, "S")->s = INT16_MIN + 1;
	fake_slot(o, "I")->i = INT32_MIN;
	fake_slot(o, "J")->j = INT64_MIN + 1;
	fake_slot(o, "least")->j = INT64_MIN;
	fake_slot(o, "self")->l = (jobject)o;
	for (unsigned z = 4; z <= 8; z += 4) {
		struct taken t = take(jvm, z, true);
		struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, o);
		struct hprof_bytes data = r.u.instance_dump.data;

		cr_assert_eq(r.u.instance_dump.class_id, id_of(&low->mirror));
		cr_assert_eq(data.size, z + 8 + 30);
		cr_assert_eq(hprof_id_at(data, z, 0), id_of(o));
		cr_assert_arr_eq(data.data + z, wanted + 8, 8);
		cr_assert_arr_eq(data.data + z + 8, wanted + 16, 30);
		cr_assert(find(&t, HPROF_CLASS_DUMP, id_of(&low->mirror), &r));
		cr_assert_eq(r.u.class_dump.instance_size, z + 38);
		buffer_free(&t.bytes);
		for (struct fake_class *c = jvm->classes; c; c = c->next)
			c->mirror.tag = 0;
		for (struct fake_object *x = jvm->objects; x; x = x->next)
			x->tag = 0;
		o->tag = 0;
	}
	fake_jvm_free(jvm);
}

/*
 * The numbers of fields: interfaces first, each once however it is inherited,
 * static fields counted.
 */
Test(walk, field_numbers)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *top = fake_class(jvm, "LTop;", NULL);
	struct fake_class *left = fake_class(jvm, "LLeft;", NULL);
	struct fake_class *right = fake_class(jvm, "LRight;", NULL);
	struct fake_class *base = fake_class(jvm, "LBase;", jvm->object);
	struct fake_class *leaf = fake_class(jvm, "LLeaf;", base);

	top->is_interface = left->is_interface = right->is_interface = true;
	left->interfaces[0] = right->interfaces[0] = top;
	base->interfaces[0] = left;
	leaf->interfaces[0] = right;
	leaf->interfaces[1] = left;
	fake_field(top, "A", "I", true)->value.i = 11;
	fake_field(top, "B", "J", true)->value.j = 12;
	fake_field(right, "C", "I", true)->value.i = 13;
	fake_field(base, "s", "I", true)->value.i = 14;
	fake_field(base, "x", "I", false);
	fake_field(leaf, "x", "I", false);
	fake_field(leaf, "s", "S", true)->value.s = -15;
	fake_field(leaf, "o", "Ljava/lang/Object;", false);
	fake_field(leaf, "r", "Ljava/lang/Object;", true);
	struct fake_object *o = rooted(jvm, fake_new(jvm, leaf));
	o->slots[0].i = 1;
	o->slots[1].i = 2;
	o->slots[2].l = (jobject)fake_new(jvm, jvm->object);
	leaf->fields[3].value.l = (jobject)o;

	struct taken t = take(jvm, 8, true);
	struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, o);
	const uint8_t *p = r.u.instance_dump.data.data;
	struct hprof_class_entry e;
	cr_assert_eq(r.u.instance_dump.data.size, 16u);
	cr_assert_eq(p[3], 2); /* x of the leaf, o, x of the base */
	cr_assert_eq(hp_get64(p + 4),
		     id_of((struct fake_object *)o->slots[2].l));
	cr_assert_eq(p[15], 1);
	cr_assert(find_static(&t, top, "A", &e) && e.value == 11);
	cr_assert(find_static(&t, top, "B", &e) && e.value == 12);
	cr_assert(find_static(&t, right, "C", &e) && e.value == 13);
	cr_assert(find_static(&t, base, "s", &e) && e.value == 14);
	cr_assert(find_static(&t, leaf, "s", &e) && e.value == 0xfff1);
	cr_assert(find_static(&t, leaf, "r", &e) && e.value == id_of(o));
	done(jvm, &t);
}

/* HotSpot lists this field, but skips it when it numbers fields. */
Test(walk, fields_kept_back)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *base = fake_class(
		jvm, "Ljdk/internal/reflect/UnsafeStaticFieldAccessorImpl;",
		jvm->object);
	struct fake_class *leaf = fake_class(jvm, "LLeaf;", base);

	fake_field(base, "base", "Ljava/lang/Object;", false)->is_kept_back =
		true;
	fake_field(base, "last", "B", false);
	fake_field(leaf, "own", "S", false);
	struct fake_object *o = rooted(jvm, fake_new(jvm, leaf));
	fake_slot(o, "last")->b = 7;
	fake_slot(o, "own")->s = 0x102;
	struct taken t = take(jvm, 4, true);
	struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, o);
	/* It comes after the numbered ones, and is null. */
	static const uint8_t wanted[] = { 1, 2, 7, 0, 0, 0, 0 };
	cr_assert_eq(r.u.instance_dump.data.size, sizeof wanted);
	cr_assert_arr_eq(r.u.instance_dump.data.data, wanted, sizeof wanted);
	done(jvm, &t);
}

/* ---- arrays -------------------------------------------------------------- */

/* Nulls stay nulls: at the end, everywhere, in arrays of several windows. */
Test(walk, object_arrays)
{
	static const jint lengths[] = { 0,
					1,
					7,
					AG_WINDOW / 8,
					AG_WINDOW / 8 + 1,
					3 * AG_WINDOW / 8,
					300000 };
	enum { ARRAYS = sizeof lengths / sizeof *lengths };
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *all =
		fake_array(jvm, jvm->object_array, 2 * ARRAYS);
	struct fake_object *one = fake_new(jvm, jvm->object);

	rooted(jvm, all);
	for (int i = 0; i < 2 * ARRAYS; i++) {
		jint n = lengths[i / 2];
		struct fake_object *a = fake_array(jvm, jvm->object_array, n);

		all->slots[i].l = (jobject)a;
		for (jint j = 0; i % 2 && j < n; j += 1 + j / 3)
			if (j + 1 != n)
				a->slots[j].l = (jobject)(j % 2 ? one : a);
	}
	struct taken t = take(jvm, 8, true);
	for (int i = 0; i < 2 * ARRAYS; i++) {
		struct fake_object *a = (struct fake_object *)all->slots[i].l;
		struct hprof_record r = object(&t, HPROF_OBJ_ARRAY_DUMP, a);

		cr_assert_eq(r.u.obj_array_dump.count, (uint32_t)a->length);
		for (jint j = 0; j < a->length; j++) {
			struct fake_object *e =
				(struct fake_object *)a->slots[j].l;
			cr_assert_eq(hprof_id_at(r.u.obj_array_dump.elements, 8,
						 (uint64_t)j),
				     e ? id_of(e) : 0);
		}
	}
	done(jvm, &t);
}

static void swap_back(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		uint8_t b = bytes[i];
		bytes[i] = bytes[size - 1 - i];
		bytes[size - 1 - i] = b;
	}
}

/* Every type, empty, small, and larger than the buffer. */
Test(walk, primitive_arrays)
{
	static const jint lengths[] = { 0, 3, 200001 };
	static uint8_t noise[200001 * 8];
	static char names[8][3];
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *arrays[8][3];

	fill_noise(noise, sizeof noise, 7);
	struct fake_object *all = fake_array(jvm, jvm->object_array, 24);
	rooted(jvm, all);
	for (int i = 0; i < 8; i++) {
		names[i][0] = '[';
		names[i][1] = letters[i];
		struct fake_class *c = fake_class(jvm, names[i], jvm->object);
		for (int j = 0; j < 3; j++) {
			arrays[i][j] = fake_values(jvm, c, lengths[j], noise);
			all->slots[3 * i + j].l = (jobject)arrays[i][j];
		}
	}
	struct taken t = take(jvm, 4, true);
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 3; j++) {
			struct hprof_record r =
				object(&t, HPROF_PRIM_ARRAY_DUMP, arrays[i][j]);
			size_t size = (size_t)lengths[j] * sizes[i];

			cr_assert_eq(r.u.prim_array_dump.type,
				     maker_type(letters[i]));
			cr_assert_eq(r.u.prim_array_dump.elements.size, size);
			for (size_t k = 0; k < size; k += sizes[i]) {
				uint8_t value[8];
				memcpy(value, noise + k, sizes[i]);
				swap_back(value, sizes[i]);
				cr_assert_arr_eq(
					r.u.prim_array_dump.elements.data + k,
					value, sizes[i]);
			}
		}
	done(jvm, &t);
}

/* ---- identifiers --------------------------------------------------------- */

/*
 * As in HotSpot's own dumps, the distance to the next identifier is the size
 * of an object, or of the object of a class, and all are aligned.
 */
Test(walk, identifiers_tell_sizes)
{
	static const jlong sizes_[] = { 64, 0, 24, 1 << 20, 16 };
	enum { OBJECTS = sizeof sizes_ / sizeof *sizes_ };

	for (unsigned z = 4; z <= 8; z += 4) {
		struct fake_jvm *jvm = fake_jvm_new();
		struct fake_object *o[OBJECTS];

		jvm->class->mirror.size = 104;
		jvm->string->mirror.size = 120;
		for (int i = 0; i < OBJECTS; i++) {
			o[i] = rooted(jvm, fake_new(jvm, jvm->object));
			o[i]->size = sizes_[i];
		}
		struct taken t = take(jvm, z, true);
		const unsigned unit = z == 4 ? 1 : 8;
		uint64_t last = (uint32_t)jvm->class->mirror.tag;
		uint64_t wanted = 0;
		uint64_t next = (uint32_t)jvm->string->mirror.tag;
		struct hprof_record r;

		cr_assert_eq((next - last) * unit, 104u);
		last = next;
		next = (uint32_t)jvm->object_array->mirror.tag;
		cr_assert_eq((next - last) * unit, 120u);
		cr_assert(find(&t, HPROF_CLASS_DUMP, next * unit, &r));
		for (int i = 0; i < OBJECTS; i++) {
			uint64_t id = (uint64_t)(uint32_t)o[i]->tag * unit;

			cr_assert_eq(id % 8, 0u);
			cr_assert(find(&t, HPROF_INSTANCE_DUMP, id, &r));
			if (i > 0)
				cr_assert_eq(id - last, wanted);
			wanted = (uint64_t)(o[i]->size ? o[i]->size : 16);
			last = id;
		}
		cr_assert_eq(t.result.unsized, 0u);
		done(jvm, &t);
	}
}

/* ---- references of our own ----------------------------------------------- */

/*
 * What class objects refer to is held for the walk by global references. These
 * are no roots of the dump; those of the program are, even of the same object.
 */
Test(walk, own_references_are_no_roots)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "LC;", jvm->object);
	struct fake_object *name = fake_new(jvm, jvm->string);
	struct fake_object *both = fake_new(jvm, jvm->string);
	struct hprof_record r;

	c->mirror.slots[3].l = (jobject)name;
	jvm->string->mirror.slots[3].l = (jobject)both;
	jvm->object->mirror.slots[3].l = (jobject)both;
	rooted(jvm, both);
	rooted(jvm, &c->mirror);
	struct taken t = take(jvm, 8, true);
	cr_assert_eq(count(&t, HPROF_ROOT_JNI_GLOBAL), 2u);
	cr_assert(find(&t, HPROF_ROOT_JNI_GLOBAL, id_of(both), &r));
	cr_assert(find(&t, HPROF_ROOT_JNI_GLOBAL, id_of(&c->mirror), &r));
	object(&t, HPROF_INSTANCE_DUMP, name);
	object(&t, HPROF_INSTANCE_DUMP, both);
	cr_assert_eq(jvm->held_count, 0);
	done(jvm, &t);
}

/* ---- roots --------------------------------------------------------------- */

Test(walk, roots)
{
	static const struct {
		jvmtiHeapReferenceKind kind;
		unsigned tag;
	} kinds[] = {
		{ JVMTI_HEAP_REFERENCE_JNI_GLOBAL, HPROF_ROOT_JNI_GLOBAL },
		{ JVMTI_HEAP_REFERENCE_MONITOR, HPROF_ROOT_MONITOR_USED },
		{ JVMTI_HEAP_REFERENCE_STACK_LOCAL, HPROF_ROOT_JAVA_FRAME },
		{ JVMTI_HEAP_REFERENCE_JNI_LOCAL, HPROF_ROOT_JNI_LOCAL },
		{ JVMTI_HEAP_REFERENCE_THREAD, HPROF_ROOT_THREAD_OBJ },
		{ JVMTI_HEAP_REFERENCE_OTHER, HPROF_ROOT_UNKNOWN },
		{ JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, HPROF_ROOT_UNKNOWN },
	};
	enum { KINDS = sizeof kinds / sizeof *kinds };
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *o[KINDS];

	for (int i = 0; i < KINDS; i++) {
		o[i] = fake_new(jvm, jvm->object);
		struct fake_root *r = fake_root(jvm, kinds[i].kind, o[i]);
		if (kinds[i].kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
			r->info.stack_local.thread_id = 5;
			r->info.stack_local.method = (jmethodID) "m";
		}
		if (kinds[i].kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
			r->info.jni_local.thread_id = 5;
	}
	struct taken t = take_with(jvm, 4, true);
	cr_assert_eq(t.status, 0, "%s", t.result.error);
	for (int i = 0; i < KINDS; i++) {
		struct hprof_record r;

		cr_assert(find(&t, kinds[i].tag, id_of(o[i]), &r),
			  "no root of kind %d", (int)kinds[i].kind);
		object(&t, HPROF_INSTANCE_DUMP, o[i]);
		if (kinds[i].tag == HPROF_ROOT_JAVA_FRAME ||
		    kinds[i].tag == HPROF_ROOT_JNI_LOCAL) {
			cr_assert_eq(r.u.root.frame, -1);
			cr_assert_neq(r.u.root.thread_serial, 0u);
		}
	}
	/* One unknown thread was announced, and one is a root. */
	cr_assert_eq(count(&t, HPROF_ROOT_THREAD_OBJ), 2u);
	cr_assert_eq(count(&t, HPROF_ROOT_STICKY_CLASS), 4u);
	done(jvm, &t);
}

/* ---- what cannot be reached ---------------------------------------------- */

Test(walk, unreachable)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *pair = fake_class(jvm, "LPair;", jvm->object);
	struct fake_object *kept = NULL, *lost[3];

	fake_field(pair, "a", "Ljava/lang/Object;", false);
	fake_field(pair, "b", "Ljava/lang/Object;", false);
	kept = rooted(jvm, fake_new(jvm, pair));
	for (int i = 0; i < 3; i++)
		lost[i] = i == 1 ? fake_array(jvm, jvm->object_array, 3)
				 : fake_new(jvm, pair);
	fake_slot(lost[0], "a")->l = (jobject)lost[1];
	fake_slot(lost[0], "b")->l = (jobject)kept;
	lost[1]->slots[2].l = (jobject)lost[2];
	lost[1]->slots[0].l = (jobject)lost[0];

	struct taken t = take(jvm, 8, false);
	struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, lost[0]);
	cr_assert_eq(hprof_id_at(r.u.instance_dump.data, 8, 0), id_of(lost[1]));
	cr_assert_eq(hprof_id_at(r.u.instance_dump.data, 8, 1), id_of(kept));
	r = object(&t, HPROF_OBJ_ARRAY_DUMP, lost[1]);
	cr_assert_eq(hprof_id_at(r.u.obj_array_dump.elements, 8, 0),
		     id_of(lost[0]));
	cr_assert_eq(hprof_id_at(r.u.obj_array_dump.elements, 8, 1), 0u);
	cr_assert_eq(hprof_id_at(r.u.obj_array_dump.elements, 8, 2),
		     id_of(lost[2]));
	object(&t, HPROF_INSTANCE_DUMP, lost[2]);
	cr_assert_not(t.result.left_out);
	done(jvm, &t);
}

/* A collection comes between finding garbage and getting at it. */
Test(walk, unreachable_and_collected)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *lost = fake_array(jvm, jvm->object_array, 1);

	jvm->collects_tagged = true;
	struct taken t = take(jvm, 8, false);
	cr_assert_not(t.result.left_out);
	cr_assert_eq(id_of(lost), 0u);
	cr_assert_eq(count(&t, HPROF_OBJ_ARRAY_DUMP), 0u);
	done(jvm, &t);
}

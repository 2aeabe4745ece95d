/*
 * test_walk.c - the agent's walk on a heap without a JVM: what is there comes
 * out as it is, what fails is told, and what no JVM reports does no harm.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <hprof.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/dump.h"
#include "agent/walk.h"
#include "fake_jvmti.h"
#include "maker.h"
#include "mem.h"
#include "writing.h"

/* ---- taking and reading dumps ------------------------------------------------ */

struct taken {
	int status;
	struct ag_dump_result result;
	struct buffer bytes;
};

static struct taken take_with(struct fake_jvm *jvm, unsigned id_size, bool live)
{
	const struct ag_dump_options o = { live, true, id_size };
	struct hprof_writer *writer;
	struct taken t = { .status = -1 };

	cr_assert_eq(hprof_writer_open_callback(buffer_add, &t.bytes, NULL,
						&writer, NULL),
		     HPROF_OK);
	t.status = ag_dump(&jvm->jvmti, &jvm->jni, writer, &o, &t.result);
	if (t.status == 0)
		cr_assert_eq(hprof_writer_finish(writer), HPROF_OK);
	hprof_writer_free(writer);
	return t;
}

/* A dump that succeeds and that our own check finds nothing wrong with. */
static struct taken take(struct fake_jvm *jvm, unsigned id_size, bool live)
{
	struct taken t = take_with(jvm, id_size, live);
	struct hprof_check_options o = { .size = sizeof o,
					 .readers = HPROF_FOR_JDK };
	struct hprof_check_result *r;

	cr_assert_eq(t.status, 0, "%s", t.result.error);
	cr_assert_eq(t.result.lost, 0u);
	cr_assert_eq(hprof_check(maker_file("walk.hprof", t.bytes.bytes,
						 t.bytes.size),
				      &o, &r, NULL),
		     HPROF_OK);
	for (size_t i = 0; i < r->code_count; i++)
		cr_expect(r->codes[i].count == 0, "%s", r->codes[i].code);
	cr_assert_eq(r->objects, t.result.objects);
	hprof_check_result_free(r);
	return t;
}

static struct hprof_reader *open_dump(const struct taken *t)
{
	struct hprof_reader *reader;

	cr_assert_eq(hprof_reader_open_memory(t->bytes.bytes, t->bytes.size,
					      NULL, &reader, NULL),
		     HPROF_OK);
	return reader;
}

/* The sub-record of TAG with the object ID (0: any), copied to RET. */
static bool find(const struct taken *t, unsigned tag, uint64_t id,
		 struct hprof_record *ret)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	bool found = false;
	static uint8_t *kept;

	while (!found && hprof_reader_next(reader, &r) == HPROF_OK) {
		/* The object is the first member of all of them. */
		found = r.tag == tag && (!id || r.u.root.object_id == id);
		if (!found)
			continue;
		struct hprof_bytes *b =
			tag == HPROF_INSTANCE_DUMP ?
				&r.u.instance_dump.data :
			tag == HPROF_OBJ_ARRAY_DUMP ?
				&r.u.obj_array_dump.elements :
			tag == HPROF_PRIM_ARRAY_DUMP ?
				&r.u.prim_array_dump.elements :
				NULL;
		if (b && b->size) {
			size_t size = 0, n = 1;

			free(kept);
			kept = malloc((size_t)b->size);
			if (b->data)
				memcpy(kept, b->data, size = (size_t)b->size);
			while (n && size < b->size &&
			       hprof_reader_body(reader, kept + size,
						 (size_t)b->size - size,
						 &n) == HPROF_OK)
				size += n;
			b->data = kept;
		}
		*ret = r;
	}
	/* The bytes of a class stay where they are: in memory. */
	hprof_reader_close(reader);
	return found;
}

static uint64_t id_of(const struct fake_object *o)
{
	return (uint32_t)o->tag;
}

static struct hprof_record object(const struct taken *t, unsigned tag,
				  const struct fake_object *o)
{
	struct hprof_record r = { 0 };

	cr_assert(find(t, tag, id_of(o), &r), "no record of object %llu",
		  (unsigned long long)id_of(o));
	return r;
}

static unsigned count(const struct taken *t, unsigned tag)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	unsigned n = 0;

	while (hprof_reader_next(reader, &r) == HPROF_OK)
		n += r.tag == tag;
	hprof_reader_close(reader);
	return n;
}

/* Of classes that came late, it stands behind the heap. */
static uint64_t name_id(const struct taken *t, const char *name)
{
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	uint64_t id = 0;

	while (!id && hprof_reader_next(reader, &r) == HPROF_OK)
		if (r.tag == HPROF_UTF8 && r.u.utf8.text.size == strlen(name) &&
		    memcmp(r.u.utf8.text.data, name, strlen(name)) == 0)
			id = r.u.utf8.string_id;
	hprof_reader_close(reader);
	return id;
}

/* The static field called NAME of CLASS; its value. */
static bool find_static(const struct taken *t, const struct fake_class *c,
			const char *name, struct hprof_class_entry *ret)
{
	uint64_t wanted = name_id(t, name);
	struct hprof_reader *reader = open_dump(t);
	struct hprof_record r;
	bool found = false;

	while (!found && hprof_reader_next(reader, &r) == HPROF_OK) {
		if (r.tag != HPROF_CLASS_DUMP ||
		    r.u.class_dump.class_id != id_of(&c->mirror))
			continue;
		struct hprof_class_cursor cursor = hprof_class_statics(&r);
		while (!found && hprof_class_next(&cursor, ret) == HPROF_OK)
			found = ret->name_id == wanted;
	}
	hprof_reader_close(reader);
	return found;
}

static void done(struct fake_jvm *jvm, struct taken *t)
{
	buffer_free(&t->bytes);
	fake_jvm_free(jvm);
}

/* ---- instances ----------------------------------------------------------------- */

static const char letters[] = "ZCFDBSIJ";
static const unsigned sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8 };

static struct fake_object *rooted(struct fake_jvm *jvm, struct fake_object *o)
{
	fake_root(jvm, JVMTI_HEAP_REFERENCE_JNI_GLOBAL, o);
	return o;
}

/* A field of each type, those of the superclass behind; bits as they are. */
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
	cr_assert_eq(p[4 + 7], id_of((struct fake_object *)o->slots[2].l));
	cr_assert_eq(p[15], 1);
	cr_assert(find_static(&t, top, "A", &e) && e.value == 11);
	cr_assert(find_static(&t, top, "B", &e) && e.value == 12);
	cr_assert(find_static(&t, right, "C", &e) && e.value == 13);
	cr_assert(find_static(&t, base, "s", &e) && e.value == 14);
	cr_assert(find_static(&t, leaf, "s", &e) && e.value == 0xfff1);
	cr_assert(find_static(&t, leaf, "r", &e) && e.value == id_of(o));
	done(jvm, &t);
}

/* HotSpot lists this field, and skips it where it counts. */
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
	/* It stands behind those with a number, and is null. */
	static const uint8_t wanted[] = { 1, 2, 7, 0, 0, 0, 0 };
	cr_assert_eq(r.u.instance_dump.data.size, sizeof wanted);
	cr_assert_arr_eq(r.u.instance_dump.data.data, wanted, sizeof wanted);
	done(jvm, &t);
}

/* ---- arrays ---------------------------------------------------------------------- */

/* Nulls stay: at the end, everywhere; in arrays of several windows, too. */
Test(walk, object_arrays)
{
	static const jint lengths[] = { 0, 1, 7, AG_WINDOW / 8,
					AG_WINDOW / 8 + 1, 3 * AG_WINDOW / 8,
					300000 };
	enum { ARRAYS = sizeof lengths / sizeof *lengths };
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_object *all = fake_array(jvm, jvm->object_array,
					     2 * ARRAYS);
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
			struct hprof_record r = object(
				&t, HPROF_PRIM_ARRAY_DUMP, arrays[i][j]);
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

/* ---- classes ----------------------------------------------------------------------- */

Test(walk, classes)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "Lp/Hidden.0x1234;",
					  jvm->object);
	struct fake_class *array = fake_class(jvm, "[Lp/Hidden.0x1234;",
					      jvm->object);
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
	/* An array class belongs where its elements do. */
	cr_assert(find(&t, HPROF_CLASS_DUMP, id_of(&array->mirror), &r));
	cr_assert_eq(r.u.class_dump.loader_id, id_of(loader));
	cr_assert_eq(r.u.class_dump.domain_id, id_of(domain));
	/* The agent's own array is in no record. */
	cr_assert_eq(count(&t, HPROF_OBJ_ARRAY_DUMP), 2u);
	cr_assert_eq(count(&t, HPROF_ROOT_JNI_LOCAL), 0u);
	cr_assert_not_null(memmem(t.bytes.bytes, t.bytes.size,
				  "p/Hidden+0x1234", 15));
	done(jvm, &t);
}

/* Without memory in the JVM for the array, class by class. */
Test(walk, classes_without_the_array)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "LC;", jvm->object);
	struct hprof_class_entry e;

	fake_field(c, "x", "I", true)->value.i = 4711;
	fake_field(c, "o", "Ljava/lang/Object;", true)->value.l =
		(jobject)fake_new(jvm, jvm->object);
	jvm->no_java_memory = true;
	struct taken t = take(jvm, 8, true);
	cr_assert(find_static(&t, c, "x", &e) && e.value == 4711);
	cr_assert(find_static(&t, c, "o", &e));
	object(&t, HPROF_INSTANCE_DUMP,
	       (struct fake_object *)c->fields[1].value.l);
	done(jvm, &t);
}

/*
 * Instances of a class that is not linked, with a loader, so that it is only
 * linked when need be; of one that cannot be linked; of one that is loaded
 * during the walk.
 */
Test(walk, classes_without_layout)
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
	cr_assert_eq(t.result.lost, 1u);
	for (int i = 0; i < 2; i++) {
		struct hprof_record r = object(&t, HPROF_INSTANCE_DUMP, o[i]);
		const uint8_t *p = r.u.instance_dump.data.data;
		struct hprof_class_entry e;

		cr_assert_eq(r.u.instance_dump.data.size, 12u);
		cr_assert_eq(p[3], 20 + i);
		cr_assert_eq(p[11], id_of(o[i]));
		if (i == 1) {
			cr_assert(find_static(&t, o[i]->class, "s", &e));
			cr_assert_eq(e.value, 41u);
		}
	}
	done(jvm, &t);
}

/* ---- roots --------------------------------------------------------------------------- */

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
			r->info.stack_local.method = (jmethodID)"m";
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
	/* One thread that was not known was announced, and one is a root. */
	cr_assert_eq(count(&t, HPROF_ROOT_THREAD_OBJ), 2u);
	cr_assert_eq(count(&t, HPROF_ROOT_STICKY_CLASS), 4u);
	done(jvm, &t);
}

/* ---- what cannot be reached ------------------------------------------------------------ */

Test(walk, unreachable)
{
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *pair = fake_class(jvm, "LPair;", jvm->object);
	struct fake_object *kept = NULL, *lost[3];

	fake_field(pair, "a", "Ljava/lang/Object;", false);
	fake_field(pair, "b", "Ljava/lang/Object;", false);
	kept = rooted(jvm, fake_new(jvm, pair));
	for (int i = 0; i < 3; i++)
		lost[i] = i == 1 ? fake_array(jvm, jvm->object_array, 3) :
				   fake_new(jvm, pair);
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
	done(jvm, &t);
}

/* ---- what fails ---------------------------------------------------------------------------- */

/* A heap with something of everything. */
static struct fake_jvm *mixed(void)
{
	static const uint8_t elements[100000];
	struct fake_jvm *jvm = fake_jvm_new();
	struct fake_class *c = fake_class(jvm, "LC;", jvm->object);
	struct fake_class *i = fake_class(jvm, "LI;", NULL);
	struct fake_class *ints = fake_class(jvm, "[I", jvm->object);
	struct fake_class *later = fake_class(jvm, "LLater;", jvm->object);
	struct fake_object *a = fake_array(jvm, jvm->object_array, 100000);

	i->is_interface = true;
	fake_field(i, "K", "I", true);
	c->interfaces[0] = i;
	fake_field(c, "o", "Ljava/lang/Object;", false);
	fake_field(c, "s", "Ljava/lang/Object;", true)->value.l = (jobject)a;
	fake_field(later, "x", "I", false);
	later->is_hidden = true;
	c->constants[0] = fake_new(jvm, jvm->string);
	a->slots[1].l = (jobject)fake_new(jvm, c);
	a->slots[2].l = (jobject)fake_values(jvm, ints, 25000, elements);
	a->slots[99998].l = (jobject)fake_new(jvm, later);
	rooted(jvm, fake_new(jvm, c))->slots[0].l = (jobject)a;
	fake_new(jvm, c);
	return jvm;
}

struct limited {
	size_t left;
};

static int write_limited(void *user, const void *bytes, size_t size)
{
	struct limited *l = user;

	(void)bytes;
	if (size > l->left) {
		errno = ENOSPC;
		return -1;
	}
	l->left -= size;
	return 0;
}

/* The disk is full, at any place: a message, and the walk ends. */
Test(walk, write_errors)
{
	const struct ag_dump_options o = { false, true, 8 };

	for (size_t room = 0; room < 1200000; room += 29989) {
		struct fake_jvm *jvm = mixed();
		struct limited limited = { room };
		struct ag_dump_result result;
		struct hprof_writer *writer;

		cr_assert_eq(hprof_writer_open_callback(write_limited, &limited,
							NULL, &writer, NULL),
			     HPROF_OK);
		int status = ag_dump(&jvm->jvmti, &jvm->jni, writer, &o,
				     &result);
		if (status == 0)
			status = hprof_writer_finish(writer);
		else
			cr_assert_str_not_empty(result.error);
		cr_assert_eq(status != 0, room < 900000, "%zu: %d", room,
			     status);
		hprof_writer_free(writer);
		fake_jvm_free(jvm);
	}
}

/* Each request to the JVM fails once; each allocation, too. */
Test(walk, jvm_failures)
{
	bool finished = false;

	for (int n = 1; !finished; n++) {
		struct fake_jvm *jvm = mixed();

		jvm->fail_in = n;
		struct taken t = take_with(jvm, 8, false);
		finished = jvm->calls < n;
		if (t.status != 0)
			cr_assert_str_not_empty(t.result.error);
		done(jvm, &t);
	}
}

Test(walk, memory_failures)
{
	unsigned failed = 0;

	for (int n = 0; n < 200; n++) {
		struct fake_jvm *jvm = mixed();
		const struct ag_dump_options o = { true, true, 8 };
		struct ag_dump_result result;
		struct limited limited = { SIZE_MAX };
		struct hprof_writer *writer;

		cr_assert_eq(hprof_writer_open_callback(write_limited, &limited,
							NULL, &writer, NULL),
			     HPROF_OK);
		hp_mem_fail_after(n);
		int status = ag_dump(&jvm->jvmti, &jvm->jni, writer, &o,
				     &result);
		hp_mem_fail_after(-1);
		failed += status != 0;
		if (status != 0)
			cr_assert_str_not_empty(result.error);
		hprof_writer_free(writer);
		fake_jvm_free(jvm);
	}
	cr_assert_geq(failed, 10u);
	cr_assert_lt(failed, 200u);
}

/* ---- what no JVM reports --------------------------------------------------------------------- */

/* A table with a class, an array class, a class of int[], and a walk. */
struct bench {
	struct fake_jvm *jvm;
	struct ag_names *names;
	struct ag_classes *classes;
	struct buffer out;
	struct hprof_writer *writer;
	struct ag_stacks *stacks;
	struct ag_walk walk;
	uint64_t next_id;
	uint32_t c, objects, ints;
};

static void bench_begin(struct bench *b)
{
	struct hprof_header h = { .version = "JAVA PROFILE 1.0.2",
				  .id_size = 8 };
	const char *why = NULL;
	uint32_t new;

	memset(b, 0, sizeof *b);
	b->jvm = mixed();
	b->names = ag_names_new();
	b->classes = ag_classes_new(b->names, 8);
	cr_assert_null(ag_classes_collect(b->classes, &b->jvm->jvmti,
					  &b->jvm->jni, &new));
	b->next_id = b->classes->count + 1;
	b->stacks = ag_stacks_collect(&b->jvm->jvmti, &b->jvm->jni, b->names,
				      &b->next_id, &why);
	cr_assert_not_null(b->stacks, "%s", why);
	cr_assert_eq(hprof_writer_open_callback(buffer_add, &b->out, NULL,
						&b->writer, NULL),
		     HPROF_OK);
	hprof_writer_header(b->writer, &h);
	cr_assert(ag_walk_init(&b->walk, b->writer, b->classes, b->stacks));
	b->walk.pass = AG_OBJECTS;
	for (uint32_t id = 1; id <= b->classes->count; id++) {
		const struct ag_class *c = &b->classes->all[id];
		if (c->kind == AG_OBJ_ARRAY)
			b->objects = id;
		else if (c->kind == AG_PRIM_ARRAY)
			b->ints = id;
		else if (c->slot_count == 2)
			b->c = id;
	}
	cr_assert(b->c && b->objects && b->ints);
}

static void bench_end(struct bench *b)
{
	ag_walk_done(&b->walk);
	hprof_writer_free(b->writer);
	buffer_free(&b->out);
	ag_stacks_free(b->stacks);
	ag_classes_free(b->classes);
	ag_names_free(b->names);
	fake_jvm_free(b->jvm);
}

static jint refer(struct bench *b, jvmtiHeapReferenceKind kind, jint index,
		  jlong *to, jlong *from, jint length)
{
	jvmtiHeapReferenceInfo info;

	memset(&info, 0, sizeof info);
	if (kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)
		info.array.index = index;
	else
		info.field.index = index;
	return ag_walk_callbacks.heap_reference_callback(
		kind, &info, 0, 0, 16, to, from, length, &b->walk);
}

Test(walk, wrong_reports)
{
	static const jint values[4];
	struct bench b;
	jlong class_tag, tag, other;

	/* An element of an array that was not opened. */
	bench_begin(&b);
	tag = 100 | (jlong)4 << 32;
	other = 0;
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, 0, &other,
			   &tag, -1),
		     JVMTI_VISIT_ABORT);
	cr_assert_eq(b.walk.status, HPROF_E_FORMAT);
	/* And it stays so. */
	class_tag = b.objects;
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0, &class_tag, &tag,
			   -1),
		     JVMTI_VISIT_ABORT);
	bench_end(&b);

	/* Behind the end of the array; a negative number. */
	for (int i = 0; i < 2; i++) {
		bench_begin(&b);
		tag = 100 | (jlong)4 << 32;
		other = 0;
		class_tag = b.objects;
		refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0, &class_tag, &tag, -1);
		cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT,
				   i ? -1 : 3, &other, &tag, -1),
			     JVMTI_VISIT_ABORT);
		bench_end(&b);
	}

	/* A length where none can be, none where one must be. */
	for (int i = 0; i < 2; i++) {
		bench_begin(&b);
		tag = 100 | (jlong)(i ? 4 : 0) << 32;
		class_tag = i ? b.c : b.objects;
		cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0,
				   &class_tag, &tag, -1),
			     JVMTI_VISIT_ABORT);
		bench_end(&b);
	}

	/* More values than the array has; values of another type. */
	for (int i = 0; i < 2; i++) {
		bench_begin(&b);
		tag = 100 | (jlong)4 << 32;
		class_tag = b.ints;
		refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0, &class_tag, &tag, -1);
		cr_assert_eq(ag_walk_callbacks.array_primitive_value_callback(
				     0, 16, &tag, i ? 3 : 4,
				     i ? JVMTI_PRIMITIVE_TYPE_LONG :
					 JVMTI_PRIMITIVE_TYPE_INT,
				     values, &b.walk),
			     JVMTI_VISIT_ABORT);
		bench_end(&b);
	}

	/* Fields that the class does not have are counted. */
	bench_begin(&b);
	tag = 100;
	other = 0;
	class_tag = b.c;
	refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0, &class_tag, &tag, -1);
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_FIELD, 77, &other, &tag,
			   -1),
		     JVMTI_VISIT_OBJECTS);
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_FIELD, 2, &other, &tag, -1),
		     JVMTI_VISIT_OBJECTS); /* static */
	cr_assert_eq(b.walk.lost, 2u);
	bench_end(&b);
}

/* Ids end at 32 bits. */
Test(walk, too_many_objects)
{
	struct bench b;
	jlong tag = 0;

	bench_begin(&b);
	b.walk.next_id = b.walk.id_end - 1;
	cr_assert_eq(b.walk.id_end, (uint64_t)1 << 32);
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_OTHER, 0, &tag, NULL, 5),
		     JVMTI_VISIT_OBJECTS);
	cr_assert_eq((uint64_t)tag, UINT32_MAX | (uint64_t)6 << 32);
	tag = 0;
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_OTHER, 0, &tag, NULL, 5),
		     JVMTI_VISIT_ABORT);
	cr_assert_eq(b.walk.status, HPROF_E_LIMIT);
	cr_assert_eq(tag, 0);
	bench_end(&b);
}

/* Anything at all, in any order: memory stays whole. */
Test(walk, nonsense)
{
	static const jint values[1 << 16];
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		struct bench b;

		bench_begin(&b);
		for (int i = 0; i < 200 && b.walk.status == HPROF_OK; i++) {
			jlong tags[6] = { 0, b.c, b.objects, b.ints,
					  100 | (jlong)4000 << 32, 101 };
			uint64_t n;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			n = seed >> 24;
			if (n % 11 == 0)
				ag_walk_callbacks.array_primitive_value_callback(
					0, 16, &tags[n / 11 % 6],
					n & 64 ? 3999 : (jint)(n % 60000),
					JVMTI_PRIMITIVE_TYPE_INT, values,
					&b.walk);
			else if (n % 11 < 3)
				ag_walk_callbacks.primitive_field_callback(
					n & 128 ? JVMTI_HEAP_REFERENCE_FIELD :
						  JVMTI_HEAP_REFERENCE_STATIC_FIELD,
					&(jvmtiHeapReferenceInfo){
						.field = { (jint)(n >> 9 & 7) } },
					0, &tags[n / 11 % 6],
					(jvalue){ .j = (jlong)n },
					(jvmtiPrimitiveType)letters[n >> 20 & 7],
					&b.walk);
			else
				refer(&b,
				      (jvmtiHeapReferenceKind)(1 + n / 7 % 27),
				      (jint)(n >> 9 & 4095),
				      &tags[n / 11 % 6],
				      n & 256 ? &tags[n / 77 % 6] : NULL, -1);
		}
		bench_end(&b);
	}
}

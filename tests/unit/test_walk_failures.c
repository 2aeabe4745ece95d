/* SPDX-License-Identifier: MIT */
/*
 * test_walk_failures.c - the agent's walk when the JVM, the disk or memory
 * fails, and when the JVM reports what no JVM does: a message, and no harm.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "agent/dump/class_reader.h"
#include "base/mem.h"
#include "walking.h"

/* ---- what fails ---------------------------------------------------------- */

/* A heap with an object of each kind. */
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

/* The disk is full at any moment: the walk ends with a message. */
Test(walk, write_errors)
{
	const struct ag_dump_options o = { .constants = true,
					   .level = 2,
					   .id_size = 8 };

	for (size_t room = 0; room < 1200000; room += 29989) {
		struct fake_jvm *jvm = mixed();
		struct limited limited = { room };
		struct ag_dump_result result;
		struct hprof_writer *writer;

		cr_assert_eq(hprof_writer_open_callback(write_limited, &limited,
							NULL, &writer, NULL),
			     HPROF_OK);
		int status =
			ag_dump(&jvm->jvmti, &jvm->jni, writer, &o, &result);
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

/* Each call of the JVM fails once, and so does each allocation. */
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
		const struct ag_dump_options o = { .live = true,
						   .level = 2,
						   .constants = true,
						   .id_size = 8 };
		struct ag_dump_result result;
		struct limited limited = { SIZE_MAX };
		struct hprof_writer *writer;

		cr_assert_eq(hprof_writer_open_callback(write_limited, &limited,
							NULL, &writer, NULL),
			     HPROF_OK);
		hp_mem_fail_after(n);
		int status =
			ag_dump(&jvm->jvmti, &jvm->jni, writer, &o, &result);
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

/* ---- what no JVM reports ------------------------------------------------- */

/* A table with a class, an array class, a class of int[], and a walk. */
struct bench {
	struct fake_jvm *jvm;
	struct ag_names *names;
	struct ag_classes *classes;
	struct buffer out;
	struct hprof_writer *writer;
	struct ag_stacks *stacks;
	struct ag_walk walk;
	jlong c, objects, ints; /* tags */
};

static void bench_begin(struct bench *b)
{
	struct hprof_header h = { .version = "JAVA PROFILE 1.0.2",
				  .id_size = 8 };
	const char *why = NULL;
	uint32_t new;

	memset(b, 0, sizeof *b);
	b->jvm = mixed();
	b->names = ag_names_new(0);
	b->classes = ag_classes_new(b->names, 8);
	cr_assert_null(ag_classes_collect(b->classes, &b->jvm->jvmti,
					  &b->jvm->jni, &new));
	b->stacks = ag_stacks_collect(&b->jvm->jvmti, &b->jvm->jni, b->names,
				      &b->classes->ids, &why);
	cr_assert_not_null(b->stacks, "%s", why);
	cr_assert_eq(hprof_writer_open_callback(buffer_add, &b->out, NULL,
						&b->writer, NULL),
		     HPROF_OK);
	hprof_writer_header(b->writer, &h);
	cr_assert(ag_walk_init(&b->walk, b->writer, b->classes, b->stacks));
	b->walk.pass = AG_OBJECTS;
	for (uint32_t i = 1; i <= b->classes->count; i++) {
		const struct ag_class *c = &b->classes->all[i];
		jlong tag = (jlong)ag_class_tag(i, i);

		if (c->kind == AG_OBJ_ARRAY)
			b->objects = tag;
		else if (c->kind == AG_PRIM_ARRAY)
			b->ints = tag;
		else if (c->slot_count == 2)
			b->c = tag;
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
	/* It stays that way. */
	class_tag = b.objects;
	cr_assert_eq(
		refer(&b, JVMTI_HEAP_REFERENCE_CLASS, 0, &class_tag, &tag, -1),
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
				     i ? JVMTI_PRIMITIVE_TYPE_LONG
				       : JVMTI_PRIMITIVE_TYPE_INT,
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
	cr_assert_eq(
		refer(&b, JVMTI_HEAP_REFERENCE_FIELD, 77, &other, &tag, -1),
		JVMTI_VISIT_OBJECTS);
	cr_assert_eq(refer(&b, JVMTI_HEAP_REFERENCE_FIELD, 2, &other, &tag, -1),
		     JVMTI_VISIT_OBJECTS); /* static */
	cr_assert_eq(b.walk.lost, 2u);
	bench_end(&b);
}

/* Near the end of all places, an object takes a single one. */
Test(walk, too_large_heaps)
{
	struct bench b;
	struct ag_ids *ids;
	jlong tag[3] = { 0, 0, 0 };

	bench_begin(&b);
	ids = &b.classes->ids;
	ids->next = ((uint64_t)3 << 30) - 1;
	for (int i = 0; i < 3; i++)
		refer(&b, JVMTI_HEAP_REFERENCE_OTHER, 0, &tag[i], NULL, -1);
	cr_assert_eq(tag[0], (jlong)((uint64_t)3 << 30) - 1);
	cr_assert_eq(tag[1], (jlong)((uint64_t)3 << 30));
	cr_assert_eq(tag[2], (jlong)((uint64_t)3 << 30) + 1);
	cr_assert_eq(ids->unsized, 2u);
	bench_end(&b);
}

/* Places end at 32 bits. */
Test(walk, too_many_objects)
{
	struct bench b;
	jlong tag = 0;

	bench_begin(&b);
	b.classes->ids.next = UINT32_MAX;
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

/* The next of a sequence that looks random. */
static uint64_t more_noise(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695041u;
	return *seed >> 24;
}

static void report_nonsense(struct bench *b, uint64_t n)
{
	static const char letters[] = "ZCFDBSIJ";
	static const jint values[1 << 16];
	jlong tags[6] = {
		0, b->c, b->objects, b->ints, 100 | (jlong)4000 << 32, 101
	};
	jlong *tag = &tags[n / 11 % 6];
	jvmtiHeapReferenceInfo info = { .field = { (jint)(n >> 9 & 7) } };
	const jvmtiHeapCallbacks *c = &ag_walk_callbacks;

	if (n % 11 == 0)
		c->array_primitive_value_callback(
			0, 16, tag, n & 64 ? 3999 : (jint)(n % 60000),
			JVMTI_PRIMITIVE_TYPE_INT, values, &b->walk);
	else if (n % 11 < 3)
		c->primitive_field_callback(
			n & 128 ? JVMTI_HEAP_REFERENCE_FIELD
				: JVMTI_HEAP_REFERENCE_STATIC_FIELD,
			&info, 0, tag, (jvalue){ .j = (jlong)n },
			(jvmtiPrimitiveType)letters[n >> 20 & 7], &b->walk);
	else
		refer(b, (jvmtiHeapReferenceKind)(1 + n / 7 % 27),
		      (jint)(n >> 9 & 4095), tag,
		      n & 256 ? &tags[n / 77 % 6] : NULL, -1);
}

/* Arbitrary reports in any order must not corrupt memory. */
Test(walk, nonsense)
{
	uint64_t seed = 1;

	for (int round = 0; round < 300; round++) {
		struct bench b;

		bench_begin(&b);
		for (int i = 0; i < 200 && b.walk.status == HPROF_OK; i++)
			report_nonsense(&b, more_noise(&seed));
		bench_end(&b);
	}
}

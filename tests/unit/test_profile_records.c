/* SPDX-License-Identifier: MIT */
/*
 * test_profile_records.c - the tables of the agent's profiles, and the records that
 * are made of them: traces, the marks of objects, sites and samples. The JVM is an
 * array of methods.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <hprof/report.h>

#include "agent/common/string_table.h"
#include "agent/profile/marks.h"
#include "agent/profile/records.h"
#include "agent/profile/session.h"
#include "base/mem.h"
#include "writing.h"

/* ---- a JVM --------------------------------------------------------------- */

struct class
{
	const char *signature, *source;
	_Atomic jlong tag;
};

static struct class shop = { .signature = "LShop;", .source = "Shop.java" };
static struct class bytes = { .signature = "[B" };

/* A jmethodID is the address of one of these. */
static struct method {
	const char *name;
	struct class *class;
	bool native, unloaded;
} methods[] = {
	{ "open", &shop, false, false },
	{ "sell", &shop, false, false },
	{ "wrap", &shop, true, false },
	{ "gone", &shop, false, true },
};

static jmethodID method(unsigned i)
{
	return (jmethodID)(void *)&methods[i];
}

static jvmtiError JNICALL method_name(jvmtiEnv *jvmti, jmethodID id,
				      char **name, char **signature,
				      char **generic)
{
	const struct method *m = (const struct method *)(void *)id;

	(void)jvmti;
	(void)generic;
	if (m->unloaded)
		return JVMTI_ERROR_INVALID_METHODID;
	*name = strdup(m->name);
	*signature = strdup("()V");
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL is_native(jvmtiEnv *jvmti, jmethodID id,
				    jboolean *ret)
{
	(void)jvmti;
	*ret = ((const struct method *)(void *)id)->native;
	return JVMTI_ERROR_NONE;
}

/* Line 10 from location 0 on, 20 from 5 on. */
static jvmtiError JNICALL lines(jvmtiEnv *jvmti, jmethodID id, jint *count,
				jvmtiLineNumberEntry **ret)
{
	(void)jvmti;
	(void)id;
	*count = 2;
	*ret = calloc(2, sizeof **ret);
	(*ret)[0] = (jvmtiLineNumberEntry){ 0, 10 };
	(*ret)[1] = (jvmtiLineNumberEntry){ 5, 20 };
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL declaring(jvmtiEnv *jvmti, jmethodID id, jclass *ret)
{
	const struct method *m = (const struct method *)(void *)id;

	(void)jvmti;
	*ret = (jclass)(void *)m->class;
	return m->unloaded ? JVMTI_ERROR_INVALID_METHODID : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL source_file(jvmtiEnv *jvmti, jclass class, char **ret)
{
	const struct class *c = (const struct class *)(void *)class;

	(void)jvmti;
	*ret = strdup(c->source);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL class_signature(jvmtiEnv *jvmti, jclass class,
					  char **ret, char **generic)
{
	(void)jvmti;
	(void)generic;
	*ret = strdup(((const struct class *)(void *)class)->signature);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_tag(jvmtiEnv *jvmti, jobject class, jlong *ret)
{
	(void)jvmti;
	*ret = ((struct class *)(void *)class)->tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *jvmti, jobject class, jlong tag)
{
	(void)jvmti;
	((struct class *)(void *)class)->tag = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL allocate(jvmtiEnv *jvmti, jlong size,
				   unsigned char **ret)
{
	(void)jvmti;
	*ret = malloc((size_t)size);
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL deallocate(jvmtiEnv *jvmti, unsigned char *memory)
{
	(void)jvmti;
	free(memory);
	return JVMTI_ERROR_NONE;
}

/* The tags of all objects that have one, which the heap is for marks. */
static jlong heap[8];

static jvmtiError JNICALL iterate(jvmtiEnv *jvmti, jint filter, jclass class,
				  const jvmtiHeapCallbacks *callbacks,
				  const void *user)
{
	(void)jvmti;
	(void)class;
	cr_assert_eq(filter, JVMTI_HEAP_FILTER_UNTAGGED);
	for (size_t i = 0; i < sizeof heap / sizeof *heap; i++)
		if (heap[i])
			callbacks->heap_iteration_callback(0, 16, &heap[i], -1,
							   (void *)user);
	return JVMTI_ERROR_NONE;
}

static void JNICALL delete_local(JNIEnv *jni, jobject object)
{
	(void)jni;
	(void)object;
}

static const struct jvmtiInterface_1_ jvmti_functions = {
	.GetMethodName = method_name,
	.IsMethodNative = is_native,
	.GetLineNumberTable = lines,
	.GetMethodDeclaringClass = declaring,
	.GetSourceFileName = source_file,
	.GetClassSignature = class_signature,
	.GetTag = get_tag,
	.SetTag = set_tag,
	.Allocate = allocate,
	.Deallocate = deallocate,
	.IterateThroughHeap = iterate,
};
static const struct JNINativeInterface_ jni_functions = {
	.DeleteLocalRef = delete_local,
};
static jvmtiEnv jvmti = &jvmti_functions;
static JNIEnv jni = &jni_functions;

/* ---- traces -------------------------------------------------------------- */

static struct ag_class_list *classes;
static struct ag_traces *traces;

static void set_up(void)
{
	classes = ag_class_list_new(&jvmti);
	traces = ag_traces_new(&jvmti, classes, true);
	cr_assert(classes && traces);
}

static void tear_down(void)
{
	ag_traces_free(traces);
	ag_class_list_free(classes);
}

TestSuite(profile_records, .init = set_up, .fini = tear_down);

/* A trace of one frame. */
static uint32_t add_one(unsigned number, jlocation location, uint32_t thread)
{
	const jvmtiFrameInfo frame = { method(number), location };

	return ag_traces_add(traces, &jni, &frame, 1, thread);
}

Test(profile_records, a_stack_has_one_serial)
{
	const jvmtiFrameInfo two[] = { { method(0), 1 }, { method(1), 2 } };
	uint32_t serials[5];

	cr_assert_eq(ag_traces_add(traces, &jni, NULL, 0, 0), AG_TRACE_EMPTY);
	serials[0] = add_one(0, 1, 0);
	serials[1] = add_one(0, 2, 0);
	serials[2] = add_one(0, 1, 7);
	serials[3] = ag_traces_add(traces, &jni, two, 2, 0);
	serials[4] = ag_traces_add(traces, &jni, NULL, 0, 7);
	cr_assert_eq(serials[0], AG_TRACE_FIRST);
	for (int i = 1; i < 5; i++)
		cr_assert_eq(serials[i], serials[i - 1] + 1);
	cr_assert_eq(add_one(0, 1, 0), serials[0]);
	cr_assert_eq(add_one(0, 1, 7), serials[2]);
	cr_assert_eq(ag_traces_add(traces, &jni, two, 2, 0), serials[3]);
}

Test(profile_records, without_lines_a_place_is_a_method)
{
	ag_traces_free(traces);
	traces = ag_traces_new(&jvmti, classes, false);
	cr_assert_eq(add_one(0, 1, 0), add_one(0, 9, 0));
	cr_assert_neq(add_one(0, 1, 0), add_one(1, 1, 0));
}

/* What is known of a method was asked before its class was unloaded. */
Test(profile_records, methods_outlive_their_classes)
{
	const struct ag_method *m;

	add_one(1, 5, 0);
	add_one(3, 0, 0);
	methods[1].unloaded = true;
	m = ag_traces_method(traces, method(1));
	cr_assert_str_eq(m->name, "sell");
	cr_assert_str_eq(m->source, "Shop.java");
	cr_assert_eq(ag_method_line(m, 7), 20);
	cr_assert_str_eq(ag_class_list_signature(classes, m->class_serial),
			 "LShop;");
	cr_assert_null(ag_traces_method(traces, method(3))->name);
	cr_assert_null(ag_traces_method(traces, method(2))->name);
	methods[1].unloaded = false;
}

/* As another loader defines it: equal in all that is known. */
static struct class shop_again = { .signature = "LShop;",
				   .source = "Shop.java" };
static struct class booth = { .signature = "LBooth;", .source = "Shop.java" };

/* A program that loads a class for ever has as many traces as one that does so once. */
Test(profile_records, equal_methods_are_one_in_traces)
{
	static struct method copies[] = {
		{ "sell", &shop_again, false, false },
		{ "sell", &booth, false, false },
		{ "sell", &shop_again, true, false },
	};
	jvmtiFrameInfo stack[] = { { method(0), 1 }, { method(1), 2 } };
	const uint32_t first = ag_traces_add(traces, &jni, stack, 2, 0);
	struct ag_trace_list list;

	stack[1].method = (jmethodID)(void *)&copies[0];
	cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0), first);
	cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0), first);
	cr_assert_neq(ag_traces_add(traces, &jni, stack, 2, 7), first);
	cr_assert_str_eq(ag_traces_method(traces, stack[1].method)->name,
			 "sell");
	for (unsigned i = 1; i < 3; i++) {
		stack[1].method = (jmethodID)(void *)&copies[i];
		cr_assert_eq(ag_traces_add(traces, &jni, stack, 2, 0),
			     first + 1 + i);
	}
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, 4);
	/* Shop, Booth, and the other Shop, for what it has of its own. */
	cr_assert_eq(ag_class_list_count(classes), 3);
	hp_free(list.all);
}

Test(profile_records, a_full_table_knows_what_it_has)
{
	const uint32_t first = add_one(0, 0, 0);
	uint32_t last = first;

	cr_assert_not(ag_traces_full(traces));
	ag_traces_limit(traces, 10000);
	for (jlocation i = 1; i < 1000 && last; i++)
		last = add_one(0, i, 0);
	cr_assert_eq(last, 0);
	cr_assert(ag_traces_full(traces));
	cr_assert_eq(add_one(0, 0, 0), first);
	cr_assert_eq(add_one(1, 0, 0), 0);
}

Test(profile_records, traces_are_listed_by_serial)
{
	struct ag_trace_list list;

	for (jlocation i = 0; i < 100; i++)
		add_one(0, i, 0);
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, 100);
	for (uint32_t i = 0; i < 100; i++) {
		cr_assert_eq(list.all[i]->serial, AG_TRACE_FIRST + i);
		cr_assert_eq(ag_trace_find(&list, AG_TRACE_FIRST + i),
			     list.all[i]);
	}
	cr_assert_null(ag_trace_find(&list, AG_TRACE_EARLY));
	cr_assert_null(ag_trace_find(&list, AG_TRACE_FIRST + 100));
	hp_free(list.all);
}

enum { THREADS = 4, STACKS = 3000 };

static void *add_all(void *serials)
{
	for (unsigned i = 0; i < STACKS; i++)
		((uint32_t *)serials)[i] = add_one(i % 3, (jlocation)i / 3, 0);
	return NULL;
}

/* Threads that add the same stacks at the same time get the same serials. */
Test(profile_records, threads_agree)
{
	static uint32_t serials[THREADS][STACKS];
	pthread_t threads[THREADS];
	struct ag_trace_list list;

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(
			pthread_create(&threads[i], NULL, add_all, serials[i]),
			0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		cr_assert_arr_eq(serials[i], serials[0], sizeof serials[0]);
	cr_assert(ag_traces_list(traces, &list));
	cr_assert_eq(list.count, STACKS);
	hp_free(list.all);
}

Test(profile_records, a_trace_without_memory_is_none)
{
	cr_assert_eq(add_one(0, 1, 0), AG_TRACE_FIRST);
	for (int i = 0; i < 2; i++) { /* the trace, its method */
		hp_mem_fail_after(i);
		cr_assert_eq(add_one(1, 1, 0), 0);
	}
	hp_mem_fail_after(0);
	cr_assert_eq(add_one(0, 1, 0), AG_TRACE_FIRST, "it is known");
	hp_mem_fail_after(-1);
	cr_assert_eq(add_one(1, 1, 0), AG_TRACE_FIRST + 1);
}

/* ---- marks --------------------------------------------------------------- */

static uint32_t trace_of[] = { 900, 901, 902 };

static struct ag_marks marks_of_objects(void)
{
	struct ag_marks m = { .jvmti = &jvmti,
			      .trace_of = trace_of,
			      .site_count = 3 };

	ag_marks_note(&m, 2, AG_MARK | 1);
	ag_marks_note(&m, 3, AG_MARK);		 /* our own */
	ag_marks_note(&m, 4, 0);		 /* unknown */
	ag_marks_note(&m, 5, AG_MARK_CLASS | 2); /* no site */
	ag_marks_note(&m, 6, AG_MARK | AG_MARK_SEEN | 3);
	ag_marks_note(&m, 9, AG_MARK | 4); /* newer than the report */
	return m;
}

Test(profile_records, marks_are_found_by_place)
{
	struct ag_marks m = marks_of_objects();

	cr_assert_eq(ag_marks_trace(&m, 2), 900);
	cr_assert_eq(ag_marks_trace(&m, 6), 902);
	for (uint32_t place = 3; place < 6; place++)
		cr_assert_eq(ag_marks_trace(&m, place), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 9), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 10), AG_TRACE_EMPTY);
	hp_free(m.noted);
}

/* The tags of a dump are places; those of the sites come back. */
Test(profile_records, marks_are_put_back)
{
	struct ag_marks m = marks_of_objects();
	const jlong before[8] = { 2, 3, 6, 9, (jlong)(AG_MARK | 2) };
	const jlong after[8] = { (jlong)(AG_MARK | 1), 0, (jlong)(AG_MARK | 3),
				 (jlong)(AG_MARK | 4), (jlong)(AG_MARK | 2) };

	memcpy(heap, before, sizeof heap);
	ag_marks_restore(&m);
	cr_assert_arr_eq(heap, after, sizeof heap);
	cr_assert_null(m.noted);
	cr_assert_eq(m.count, 0);
}

Test(profile_records, marks_without_memory_are_counted)
{
	struct ag_marks m = { .jvmti = &jvmti,
			      .trace_of = trace_of,
			      .site_count = 3 };

	hp_mem_fail_after(0);
	ag_marks_note(&m, 2, AG_MARK | 1);
	hp_mem_fail_after(-1);
	ag_marks_note(&m, 3, AG_MARK | 2);
	cr_assert_eq(m.lost, 1);
	cr_assert_eq(ag_marks_trace(&m, 2), AG_TRACE_EMPTY);
	cr_assert_eq(ag_marks_trace(&m, 3), 901);
	hp_free(m.noted);
}

/* ---- records ------------------------------------------------------------- */

static struct ag_options options = { .depth = 4 };
static struct ag_session session;

/* Two sites, one of them below the cutoff, and samples of two stacks. */
static struct ag_profile sample_profile(void)
{
	static struct ag_site_row sites[2];
	static struct ag_cost_row costs[2];
	const jvmtiFrameInfo stack[] = { { method(2), -1 }, { method(1), 6 } };
	const uint32_t array =
		ag_class_list_number(classes, (jclass)(void *)&bytes);

	sites[0] = (struct ag_site_row){
		.trace = ag_traces_add(traces, &jni, stack, 2, 0),
		.class_number = array,
		.live_bytes = 100,
		.live_objects = 2,
		.bytes = (uint64_t)5 << 32,
		.objects = 3,
	};
	sites[1] = (struct ag_site_row){ .trace = AG_TRACE_EARLY,
					 .class_number = array };
	costs[0] = (struct ag_cost_row){ .trace = sites[0].trace, .count = 9 };
	costs[1] = (struct ag_cost_row){ .trace = AG_TRACE_EMPTY, .count = 1 };
	session = (struct ag_session){ .jvmti = &jvmti,
				       .options = &options,
				       .classes = classes,
				       .traces = traces };
	session.threads = ag_threads_new(&jvmti);
	return (struct ag_profile){
		.has_sites = true,
		.has_samples = true,
		.sites = { .rows = sites,
			   .count = 2,
			   .all = 2,
			   .cutoff = 0.25,
			   .live_bytes = 100,
			   .live_objects = 2,
			   .bytes = (uint64_t)5 << 32,
			   .objects = 3 },
		.samples = { .rows = costs, .count = 2, .total = 10 },
	};
}

/* The allocation number FAILING fails, if it is not negative. */
static enum hprof_status write_profile(const struct ag_profile *profile,
				       unsigned sections, int failing,
				       struct buffer *out,
				       uint64_t *ret_clamped)
{
	struct ag_records_place place = { .id_size = 8, .sections = sections };
	struct hprof_writer *writer;
	enum hprof_status status;

	place.names = ag_names_new(0);
	cr_assert_not_null(place.names);
	cr_assert_eq(hprof_writer_open_callback(buffer_add, out, NULL, &writer,
						NULL),
		     HPROF_OK);
	hp_mem_fail_after(failing);
	status = ag_records_write(&session, profile, &place, writer,
				  ret_clamped);
	hp_mem_fail_after(-1);
	if (status == HPROF_OK)
		status = hprof_writer_finish(writer);
	hprof_writer_free(writer);
	ag_names_free(place.names);
	return status;
}

/* The table of what was written; *RET is to be freed after it. */
static struct hprof_profile_table *read_back(const struct buffer *out,
					     struct hprof_summary **ret)
{
	const struct hprof_input in = hprof_input_memory(out->bytes, out->size);
	struct hprof_profile_table *table;

	cr_assert_eq(hprof_summary_read(&in, NULL, ret, NULL), HPROF_OK);
	cr_assert_eq(hprof_summary_profile(*ret, &table, NULL), HPROF_OK);
	return table;
}

static const struct hprof_profile_section *
section_of(const struct hprof_profile_table *table, unsigned tag)
{
	size_t i = 0;

	while (i < table->count && table->sections[i].tag != tag)
		i++;
	cr_assert_lt(i, table->count, "no section %u", tag);
	return &table->sections[i];
}

static void check_sites(const struct hprof_profile_section *s)
{
	const struct hprof_profile_row *row;

	cr_assert_eq(s->row_count, 2);
	cr_assert_eq(s->cutoff, 0.25);
	cr_assert_eq(s->allocated_bytes, (uint64_t)5 << 32);
	row = &s->rows[0];
	cr_assert_str_eq(row->class_name, "byte[]");
	cr_assert_eq(row->live_bytes, 100);
	cr_assert_eq(row->live_instances, 2);
	cr_assert_eq(row->allocated_bytes, UINT32_MAX, "there is no more room");
	cr_assert_eq(row->allocated_instances, 3);
	cr_assert_eq(row->frame_count, 2);
	cr_assert_str_eq(row->frames[0].method, "wrap");
	cr_assert_eq(row->frames[0].line, -3);
	cr_assert_str_eq(row->frames[1].method, "sell");
	cr_assert_str_eq(row->frames[1].class_name, "Shop");
	cr_assert_str_eq(row->frames[1].source, "Shop.java");
	cr_assert_eq(row->frames[1].line, 20);
	row = &s->rows[1];
	cr_assert_eq(row->trace_serial, AG_TRACE_EARLY);
	cr_assert_eq(row->frame_count, 1);
	cr_assert_str_eq(row->frames[0].method, "<before VMInit>");
}

Test(profile_records, a_reader_finds_what_was_written)
{
	const struct ag_profile profile = sample_profile();
	const struct hprof_profile_section *samples;
	struct hprof_profile_table *table;
	struct hprof_summary *summary;
	struct buffer out = { 0 };
	uint64_t clamped = 77;

	cr_assert_eq(write_profile(&profile, 0, -1, &out, &clamped), HPROF_OK);
	cr_assert_eq(clamped, 1);
	table = read_back(&out, &summary);
	check_sites(section_of(table, HPROF_ALLOC_SITES));
	cr_assert_eq(section_of(table, HPROF_CONTROL_SETTINGS)->depth, 4);
	cr_assert_eq(section_of(table, HPROF_HEAP_SUMMARY)->live_bytes, 100);
	samples = section_of(table, HPROF_CPU_SAMPLES);
	cr_assert_eq(samples->samples, 10);
	cr_assert_eq(samples->rows[0].samples, 9);
	cr_assert_str_eq(samples->rows[0].frames[0].method, "wrap");
	cr_assert_eq(samples->rows[1].frame_count, 0);
	hprof_profile_table_free(table);
	hprof_summary_free(summary);
	buffer_free(&out);
	ag_threads_free(session.threads);
}

/* A front end gets the section that it asked for, and no settings. */
Test(profile_records, one_section)
{
	struct ag_profile profile = sample_profile();
	struct hprof_profile_table *table;
	struct hprof_summary *summary;
	struct buffer out = { 0 };
	uint64_t clamped;

	profile.has_samples = false;
	cr_assert_eq(
		write_profile(&profile, AG_SECTION_SITES, -1, &out, &clamped),
		HPROF_OK);
	table = read_back(&out, &summary);
	cr_assert_eq(table->count, 1);
	check_sites(&table->sections[0]);
	hprof_profile_table_free(table);
	hprof_summary_free(summary);
	buffer_free(&out);
	ag_threads_free(session.threads);
}

/* Whichever allocation fails, it is said, and nothing is leaked. */
Test(profile_records, no_memory_for_records)
{
	const struct ag_profile profile = sample_profile();
	enum hprof_status status = HPROF_E_NOMEM;
	int failures = 0;

	for (int i = 0; status != HPROF_OK; i++) {
		struct buffer out = { 0 };
		uint64_t clamped;

		status = write_profile(&profile, 0, i, &out, &clamped);
		cr_assert(status == HPROF_OK || status == HPROF_E_NOMEM);
		failures += status != HPROF_OK;
		buffer_free(&out);
	}
	cr_assert_gt(failures, 5);
	ag_threads_free(session.threads);
}

/* SPDX-License-Identifier: MIT */
/*
 * test_profile_records.c - the records that are made of the agent's profiles: sites and
 * samples, with their traces.
 */
#include <criterion/criterion.h>

#include <hprof/report.h>

#include "agent/common/string_table.h"
#include "agent/profile/records.h"
#include "agent/profile/session.h"
#include "base/mem.h"
#include "fixture.h"
#include "tracing.h"

static jvmtiEnv jvmti = &tracing_jvmti;
static JNIEnv jni = &tracing_jni;

TestSuite(profile_records, .init = tracing_set_up, .fini = tracing_tear_down);

static struct class bytes = { .signature = "[B" };

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

/* SPDX-License-Identifier: MIT */
/*
 * profile_file.c - see profile_file.h.
 */
#include "agent/profile/profile_file.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#include "agent/common/clock.h"
#include "agent/common/connection.h"
#include "agent/common/log.h"
#include "agent/common/output.h"
#include "agent/common/string_table.h"
#include "agent/profile/records.h"
#include "agent/profile/site_changes.h"
#include "agent/profile/text_report.h"
#include "base/utf8.h"
#include "io/sink.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct ag_report_options ag_report_defaults(const struct ag_options *options)
{
	return (struct ag_report_options){ .cutoff = options->cutoff,
					   .collect = true };
}

void ag_profile_say_lacks(const char *path, const struct ag_profile *p,
			  uint64_t clamped)
{
	char shown[512];

	hp_text_escape(path, strlen(path), shown, sizeof shown);
	if (p->has_sites && p->sites.lost)
		ag_log("%s: %" PRIu64 " allocations are not counted: the agent "
		       "had no memory, or no room for more stacks",
		       shown, p->sites.lost);
	if (p->has_sites && p->sites.interval)
		ag_log("%s: allocations are estimated from one in %" PRIu64
		       " bytes",
		       shown, p->sites.interval);
	if (p->has_life && p->life.lost)
		ag_log("%s: %" PRIu64 " allocations are not counted: the agent "
		       "had no memory, or no room for more stacks",
		       shown, p->life.lost);
	if (clamped)
		ag_log("%s: %" PRIu64 " counts of more than 4294967295 are "
		       "written as that",
		       shown, clamped);
}

static void say_written(const struct ag_output *output,
			const struct ag_profile *p, uint64_t ns)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	if (output->claim)
		ag_log("%s: profile, %zu allocation sites, %zu traces with "
		       "costs, %" PRIu64 " ms",
		       shown, p->sites.count + p->life.count,
		       p->samples.count + p->times.count +
			       p->monitors.times.count + p->calls.count,
		       ns / 1000000);
	else
		ag_log("%s: profile, %zu allocation sites, %zu sampled traces, "
		       "%" PRIu64 " bytes, %" PRIu64 " ms",
		       shown, p->sites.count, p->samples.count,
		       hprof_writer_size(output->writer), ns / 1000000);
}

static bool write_records(struct ag_session *s, const struct ag_options *o,
			  const struct ag_profile *p, unsigned sections,
			  struct ag_output *output, uint64_t *ret_clamped)
{
	struct ag_names *names =
		ag_names_new(o->connection ? o->connection->last_name : 0);
	const struct ag_records_place place = { .id_size = o->id_size,
						.names = names,
						.sections = sections };
	enum hprof_status status = HPROF_E_NOMEM;

	if (names)
		status = ag_records_write(s, p, &place, output->writer,
					  ret_clamped);
	if (names && o->connection)
		o->connection->last_name = ag_names_last(names);
	ag_names_free(names);
	if (status == HPROF_OK)
		status = ag_output_finish(output);
	if (status == HPROF_OK)
		return true;
	ag_output_say_failed("profile", output->path, ag_output_error(output));
	return false;
}

/* ---- text ---------------------------------------------------------------- */

static int write_text(void *sink, const void *bytes, size_t size)
{
	struct hp_sink *to = sink;

	return to->ops->write(to, bytes, size) == HPROF_OK ? 0 : -1;
}

/* A file of that name, of a profile that can be written so. */
static bool is_json(const struct ag_output *output)
{
	const size_t size = strlen(output->path);

	return !output->connection && size >= 5 &&
	       strcmp(output->path + size - 5, ".json") == 0;
}

static bool write_text_report(struct ag_session *s, const struct ag_profile *p,
			      struct ag_output *output)
{
	const struct ag_text_order order = {
		.session = s,
		.profile = p,
		.goes_on = output->connection != NULL,
		.as_json = is_json(output),
	};
	enum hprof_status status =
		ag_text_report(&order, write_text, output->claim);

	if (status == HPROF_OK)
		status = ag_output_finish(output);
	if (status == HPROF_OK)
		return true;
	ag_output_say_failed("profile", output->path, ag_output_error(output));
	return false;
}

/* ---- a report ------------------------------------------------------------ */

static bool write_profile(struct ag_session *s, JNIEnv *jni,
			  const struct ag_options *o,
			  const struct ag_report_options *report,
			  struct ag_output *output)
{
	const uint64_t start = ag_clock_ns();
	struct ag_profile profile;
	uint64_t clamped = 0;
	bool done;

	ag_session_report(s, jni, report, &profile);
	if (report->sections == AG_SECTION_SUMMARY)
		profile.sites.count = 0;
	if (report->sent)
		ag_site_changes_heed(report->sent, &profile.sites,
				     report->incremental);
	done = output->claim ? write_text_report(s, &profile, output)
			     : write_records(s, o, &profile, report->sections,
					     output, &clamped);
	if (done && o->verbose)
		say_written(output, &profile, ag_clock_ns() - start);
	if (!o->verbose)
		profile.sites.interval = 0; /* as it was asked for */
	if (done)
		ag_profile_say_lacks(output->path, &profile, clamped);
	ag_profile_done(&profile);
	return done;
}

static enum hprof_status open_output(const struct ag_options *o,
				     atomic_uint *count, struct ag_output *ret,
				     struct hprof_error *error)
{
	unsigned number;

	if (o->connection)
		return ag_output_connected(o->connection, ret, error);
	number = atomic_fetch_add(count, 1);
	return o->format == AG_FORMAT_TEXT
		       ? ag_output_claim(o->file, o->force, number, ret, error)
		       : ag_output_open(o->file, o->force, number, ret, error);
}

bool ag_profile_write(struct ag_session *s, JNIEnv *jni,
		      const struct ag_options *o,
		      const struct ag_report_options *report,
		      atomic_uint *count)
{
	struct hprof_error error;
	struct ag_output output;
	bool done = false;
	enum hprof_status opened;

	pthread_mutex_lock(&lock);
	opened = open_output(o, count, &output, &error);
	if (opened == HPROF_OK)
		done = write_profile(s, jni, o, report, &output);
	else
		ag_output_say_failed("profile", output.path, error.text);
	ag_output_close(&output);
	pthread_mutex_unlock(&lock);
	return done;
}

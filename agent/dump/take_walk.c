/* SPDX-License-Identifier: MIT */
/*
 * take_walk.c - see take_walk.h.
 */
#include "agent/dump/take_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/clock.h"
#include "agent/common/connection.h"
#include "agent/common/environment.h"
#include "agent/common/log.h"
#include "agent/dump/snapshot.h"
#include "agent/dump/text_dump.h"
#include "agent/profile/marks.h"
#include "agent/profile/profile_file.h"
#include "agent/profile/sites.h"
#include "base/utf8.h"

/* ---- messages ------------------------------------------------------------ */

void ag_say_taken(const struct ag_output *output,
		  const struct ag_dump_result *result, uint64_t bytes,
		  uint64_t total_ns)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	ag_log("%s: %" PRIu64 " objects, %" PRIu64 " bytes, pause %" PRIu64
	       " ms, %" PRIu64 " ms in all",
	       shown, result->objects, bytes, result->pause_ns / 1000000,
	       total_ns / 1000000);
}

/* Defects of the dump, which are rare enough to be always logged. */
void ag_say_lacks(const struct ag_output *output,
		  const struct ag_dump_result *result)
{
	char shown[512];

	hp_text_escape(output->path, strlen(output->path), shown, sizeof shown);
	if (result->cut_arrays)
		ag_log("%s: %" PRIu64 " arrays are too long for the format "
		       "and were cut",
		       shown, result->cut_arrays);
	if (result->lost)
		ag_log("%s: %" PRIu64 " values had no place", shown,
		       result->lost);
	if (result->bare_objects)
		ag_log("%s: %" PRIu64
		       " objects are without fields: their class "
		       "was unloaded, or is not linked",
		       shown, result->bare_objects);
	if (result->unsized)
		ag_log("%s: the identifiers of %" PRIu64 " objects do not tell "
		       "their sizes: the heap is too large",
		       shown, result->unsized);
	if (result->no_stack_roots)
		ag_log("%s: this JVM does not tell what the stacks of threads "
		       "refer to: objects that nothing else holds are missing",
		       shown);
	if (result->left_out)
		ag_log("%s: unreachable objects were left out for want of "
		       "memory",
		       shown);
}

/* ---- one walk ------------------------------------------------------------ */

/* Releases its local references afterwards. */
static bool walk_in(jvmtiEnv *jvmti, JNIEnv *jni, struct ag_output *output,
		    const struct ag_dump_options *options,
		    struct ag_dump_result *ret)
{
	enum { LOCAL_REFS = 64 };
	bool done = false;

	if ((*jni)->PushLocalFrame(jni, LOCAL_REFS) == 0) {
		done = ag_dump(jvmti, jni, output->writer, options, ret) == 0;
		(*jni)->ExceptionClear(jni);
		(*jni)->PopLocalFrame(jni, NULL);
	} else {
		(*jni)->ExceptionClear(jni);
		snprintf(ret->error, sizeof ret->error, "out of memory");
	}
	if (!done)
		ag_output_say_failed("dump", output->path, ret->error);
	return done;
}

/* In an environment of its own. */
static bool walk_alone(JavaVM *vm, JNIEnv *jni, struct ag_output *output,
		       const struct ag_dump_options *options,
		       struct ag_dump_result *ret)
{
	jvmtiEnv *jvmti = ag_environment(vm);
	bool done;

	if (!jvmti)
		return false;
	done = ag_environment_can_tag(jvmti) &&
	       walk_in(jvmti, jni, output, options, ret);
	(*jvmti)->DisposeEnvironment(jvmti);
	return done;
}

bool ag_take_walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		  bool heap_is_full, struct ag_fork *fork,
		  const struct ag_profile *profile, struct ag_output *output,
		  struct ag_dump_result *ret)
{
	const struct ag_dump_options options = {
		.live = o->live,
		.constants = o->constants,
		.level = o->level,
		.id_size = o->id_size,
		.last_name = o->connection ? o->connection->last_name : 0,
		.traces_only = o->traces_only,
		.heap_is_full = heap_is_full,
		.fork = fork,
		.session = profile ? o->session : NULL,
		.profile = profile,
	};
	const bool done = profile && profile->marks
				  ? walk_in(profile->marks->jvmti, jni, output,
					    &options, ret)
				  : walk_alone(vm, jni, output, &options, ret);

	if (o->connection)
		o->connection->last_name = ret->last_name;
	return done;
}

enum hprof_status ag_take_open(const struct ag_options *o, unsigned number,
			       struct ag_output *ret, struct hprof_error *error)
{
	if (o->connection)
		return ag_output_connected(o->connection, ret, error);
	return o->format == AG_FORMAT_TEXT
		       ? ag_output_claim(o->file, o->force, number, ret, error)
		       : ag_output_open(o->file, o->force, number, ret, error);
}

/* ---- one dump by a walk in this process ---------------------------------- */

struct by_walk {
	JavaVM *vm;
	JNIEnv *jni;
	const struct ag_options *o;
	bool heap_is_full;
	struct ag_profile profile; /* of the session, if there is one */
	struct ag_dump_result result;
	uint64_t bytes;
};

static bool has_profile(const struct by_walk *w)
{
	return w->o->session && !w->o->traces_only;
}

/* Into an output with a writer, up to its end. */
static bool walk_once(struct by_walk *w, struct ag_output *output)
{
	const struct ag_profile *profile = has_profile(w) ? &w->profile : NULL;
	bool done;

	done = ag_take_walk(w->vm, w->jni, w->o, w->heap_is_full, NULL, profile,
			    output, &w->result);
	if (w->profile.marks)
		ag_sites_give_back(w->profile.marks);
	return done;
}

static bool walk_to_records(struct by_walk *w, struct ag_output *output)
{
	if (!walk_once(w, output))
		return false;
	if (ag_output_finish(output) != HPROF_OK) {
		ag_output_say_failed("dump", output->path,
				     ag_output_error(output));
		return false;
	}
	w->bytes = hprof_writer_size(output->writer);
	return true;
}

static bool walk_to_text(struct by_walk *w, struct ag_output *output)
{
	const bool profiled = has_profile(w) && !w->o->heap_only;
	struct hprof_error error;
	struct ag_output binary;
	bool done;

	if (ag_text_dump_open(output, &binary, &error) != HPROF_OK) {
		ag_output_say_failed("dump", output->path, error.text);
		return false;
	}
	if (!walk_once(w, &binary)) {
		ag_output_close(&binary);
		return false;
	}
	done = ag_text_dump_write(&binary, output,
				  profiled ? w->o->session : NULL,
				  profiled ? &w->profile : NULL, &w->bytes,
				  &error) == HPROF_OK;
	if (!done)
		ag_output_say_failed("dump", output->path, error.text);
	ag_output_close(&binary);
	return done;
}

static bool walk_to(struct by_walk *w, struct ag_output *output)
{
	struct ag_report_options report = ag_report_defaults(w->o);
	const uint64_t start = ag_clock_ns();
	bool done;

	report.lend = w->o->heap == AG_HEAP_ALL;
	report.collect = !w->heap_is_full;
	if (has_profile(w))
		ag_session_report(w->o->session, w->jni, &report, &w->profile);
	done = output->writer ? walk_to_records(w, output)
			      : walk_to_text(w, output);
	if (done && w->o->verbose)
		ag_say_taken(output, &w->result, w->bytes,
			     ag_clock_ns() - start);
	if (done)
		ag_say_lacks(output, &w->result);
	if (done && has_profile(w))
		ag_profile_say_lacks(output->path, &w->profile,
				     w->result.clamped);
	if (has_profile(w))
		ag_profile_done(&w->profile);
	return done;
}

int ag_take_by_walk(JavaVM *vm, JNIEnv *jni, const struct ag_options *o,
		    bool heap_is_full, unsigned number)
{
	struct by_walk w = {
		.vm = vm, .jni = jni, .o = o, .heap_is_full = heap_is_full
	};
	struct hprof_error error;
	struct ag_output output;
	bool done = false;

	if (ag_take_open(o, number, &output, &error) != HPROF_OK)
		ag_output_say_failed("dump", output.path, error.text);
	else
		done = walk_to(&w, &output);
	ag_output_close(&output);
	return done ? AG_TAKEN : AG_FAILED;
}

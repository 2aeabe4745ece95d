/* SPDX-License-Identifier: MIT */
/*
 * convert.c - from one dump to another, in as many passes as that takes.
 *
 * Where nothing is to be changed, an exact copy is tried first, if a file can
 * be read again should it turn out to be damaged. A record that is cut has to be
 * known before its length is written, so what is compressed is read to its end
 * at least once before.
 *
 * What has to be known beforehand (which strings are names, where in an
 * instance the references are, how long the heap will be) is looked for in
 * passes before; nothing of an object is kept in memory. From a pipe there is
 * but one pass: names and classes are learnt on the way.
 */
#include "convert/convert.h"

#include <assert.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "stream/writer.h"

/* ---- transforms ---------------------------------------------------------- */

/*
 * In the order in which a record passes through them: first those that leave
 * records out, then those that change records, last those that rewrite
 * contents.
 */
static const struct hp_transform *const transforms[HP_TRANSFORMS] = {
	&hp_transform_zygote,	   &hp_transform_reachable,
	&hp_transform_version,	   &hp_transform_repair,
	&hp_transform_redact,	   &hp_transform_level,
	&hp_transform_names,	   &hp_transform_values,
	&hp_transform_deobfuscate, &hp_transform_obfuscate,
};

static enum hprof_status add_step(struct hp_convert *c,
				  const struct hp_transform *transform)
{
	struct hp_cv_step *step = &c->steps.all[c->steps.count];

	if (transform->state_size) {
		step->state = hp_calloc(1, transform->state_size);
		if (!step->state)
			return hp_no_memory(c->error);
	}
	step->transform = transform;
	c->steps.count++;
	return HPROF_OK;
}

/*
 * Selects the transforms that are wanted, and those that are called for each
 * record.
 */
static enum hprof_status choose_steps(struct hp_convert *c)
{
	struct hp_cv_steps *steps = &c->steps;
	size_t keep = 0, record = 0;

	for (size_t i = 0; i < HP_TRANSFORMS; i++) {
		/* A row that is missing would be all zeros. */
		assert(transforms[i] && transforms[i]->name);
		if (transforms[i]->wanted(c->plan))
			HP_TRY(add_step(c, transforms[i]));
	}
	for (size_t i = 0; i < steps->count; i++) {
		const struct hp_cv_step *step = &steps->all[i];
		if (step->transform->keeps)
			steps->keep[keep++] = step;
		if (step->transform->record)
			steps->record[record++] = step;
	}
	return HPROF_OK;
}

static enum hprof_status begin(struct hp_convert *c)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->begin)
			HP_TRY(s->transform->begin(c, s->state));
	}
	return HPROF_OK;
}

static enum hprof_status end(struct hp_convert *c)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->end)
			HP_TRY(s->transform->end(c, s->state));
	}
	return HPROF_OK;
}

static void withdraw(struct hp_convert *c)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->withdraw)
			s->transform->withdraw(c, s->state);
	}
}

static void free_steps(struct hp_convert *c)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->done)
			s->transform->done(c, s->state);
		hp_free(s->state);
	}
}

/* ---- passes -------------------------------------------------------------- */

/* The pass that learns names and classes, and what transforms do after it. */
static enum hprof_status look(struct hp_convert *c)
{
	HP_TRY(hp_cv_pass(c, hp_cv_look, NULL));
	c->looked = true;
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->learnt)
			HP_TRY(s->transform->learnt(c, s->state));
	}
	return HPROF_OK;
}

/* A pass that writes, or counts, the records of SELECT. */
static enum hprof_status write_pass(struct hp_convert *c, unsigned select)
{
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->before)
			HP_TRY(s->transform->before(c, s->state, select));
	}
	c->select = select;
	HP_TRY(hp_cv_pass(c, hp_cv_record, NULL));
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->after)
			HP_TRY(s->transform->after(c, s->state, select));
	}
	return HPROF_OK;
}

static enum hprof_status write_header(struct hp_convert *c)
{
	struct hprof_header header = *hprof_reader_header(c->input.reader);

	header.id_size = c->plan->to;
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct hp_cv_step *s = &c->steps.all[i];
		if (s->transform->header)
			s->transform->header(c, s->state, &header);
	}
	if (hprof_writer_header(c->output.writer, &header) < 0)
		return hp_cv_writer_failed(c);
	return HPROF_OK;
}

/*
 * Writes everything but the heap. In a repaired dump names come first, and
 * frames before stacks.
 */
static enum hprof_status write_top(struct hp_convert *c)
{
	if (!c->plan->options.repair)
		return write_pass(c, HP_CV_NAMES | HP_CV_TOP | HP_CV_TRACES);
	HP_TRY(write_pass(c, HP_CV_NAMES));
	HP_TRY(write_pass(c, HP_CV_TOP));
	return write_pass(c, HP_CV_TRACES);
}

/* In a repaired dump classes come before objects, threads before roots. */
static enum hprof_status write_heap(struct hp_convert *c)
{
	static const unsigned order[] = { HP_CV_CLASSES, HP_CV_THREADS,
					  HP_CV_ROOTS, HP_CV_OBJECTS };

	if (!c->plan->options.repair)
		return write_pass(c, HP_CV_CLASSES | HP_CV_THREADS |
					     HP_CV_ROOTS | HP_CV_OBJECTS);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		HP_TRY(write_pass(c, order[i]));
	return HPROF_OK;
}

static enum hprof_status count_heap(struct hp_convert *c)
{
	enum hprof_status status;

	c->output.counting = true;
	status = write_heap(c);
	c->output.counting = false;
	return status;
}

/*
 * Version 1.0.1 has one HEAP_DUMP record, which starts with its length. So the
 * heap is counted first, and all other records come before it.
 */
static enum hprof_status rewrite_101(struct hp_convert *c)
{
	struct hprof_record r = { .tag = HPROF_HEAP_DUMP };

	HP_TRY(hp_cv_open_writer(c, true, true));
	HP_TRY(write_header(c));
	HP_TRY(write_top(c));
	HP_TRY(count_heap(c));
	if (c->output.heap_bytes > UINT32_MAX)
		return hp_cv_fail(c, HPROF_E_LIMIT, HP_NO_OFFSET,
				  "version 1.0.1 has one heap record, of less "
				  "than 4 GiB, and that would be larger");
	r.u.heap_dump.body.size = c->output.heap_bytes;
	if (hprof_writer_put(c->output.writer, &r) < 0)
		return hp_cv_writer_failed(c);
	return write_heap(c);
}

static enum hprof_status rewrite_102(struct hp_convert *c)
{
	HP_TRY(hp_cv_open_writer(c, false, true));
	HP_TRY(write_header(c));
	if (!c->plan->options.repair)
		return write_pass(c, HP_CV_ALL);
	HP_TRY(write_top(c));
	return write_heap(c);
}

/* For a pass that finds out where a compressed input ends. */
static enum hprof_status only_read(struct hp_convert *c, void *user,
				   struct hprof_record *r)
{
	(void)c;
	(void)user;
	(void)r;
	return HPROF_OK;
}

static enum hprof_status rewrite(struct hp_convert *c)
{
	enum hprof_status status;

	HP_TRY(choose_steps(c));
	if (c->plan->names)
		HP_TRY(hp_cv_model_init(c));
	HP_TRY(begin(c));
	if (c->plan->names && c->plan->again)
		HP_TRY(look(c));
	else if (hp_cv_must_measure(c))
		HP_TRY(hp_cv_pass(c, only_read, NULL));
	HP_TRY(c->plan->options.format == HPROF_FORMAT_101 ? rewrite_101(c)
							   : rewrite_102(c));
	HP_TRY(end(c));
	status = hp_cv_finish(c);
	if (status < 0) {
		withdraw(c);
		return status;
	}
	c->result.errors += c->output.lost;
	c->result.warnings += c->input.part_count > 0;
	c->result.lost = c->output.lost;
	return HPROF_OK;
}

/* ---- the conversion ------------------------------------------------------ */

static enum hprof_status convert(struct hp_convert *c, struct hp_cv_plan *plan)
{
	bool done = false;

	HP_TRY(hp_cv_plan_files(plan, c->error));
	HP_TRY(hp_cv_open_reader(c, false));
	HP_TRY(hp_cv_plan_make(plan, c->input.reader, c->error));
	if (plan->same && plan->again) {
		/*
		 * What was written to a pipe cannot be undone, so a copy is
		 * tried first.
		 */
		if (!plan->out)
			HP_TRY(hp_cv_copy_exact(c, false, &done));
		if (plan->out || done)
			HP_TRY(hp_cv_copy_exact(c, true, &done));
		if (done)
			return HPROF_OK;
		c->result.exact = false;
	}
	HP_TRY(hp_cv_plan_check_passes(plan, c->error));
	return rewrite(c);
}

static void clean_up(struct hp_convert *c)
{
	if (c->output.writer != c->plan->writer)
		hprof_writer_free(c->output.writer);
	hp_cv_input_done(c);
	free_steps(c);
	hp_cv_model_done(c);
	hp_string_map_done(&c->renamed);
	hp_free(c->output.piece);
	if (c->plan->copy_fd >= 0)
		close(c->plan->copy_fd);
}

/* PLAN has the output; RET and ERROR may be NULL. */
static enum hprof_status run(struct hp_cv_plan *plan,
			     struct hprof_convert_result *ret,
			     struct hprof_error *error)
{
	struct hp_convert c = { .plan = plan, .error = error };
	enum hprof_status status;

	c.output.piece = hp_alloc(HP_PIECE);
	status = c.output.piece ? convert(&c, plan) : hp_no_memory(c.error);
	clean_up(&c);
	if (status == HPROF_OK)
		hp_result_put(ret, &c.result, sizeof c.result);
	return status;
}

enum hprof_status hprof_convert(const struct hprof_input *input,
				const char *out, int fd,
				const struct hprof_writer_options *output,
				const struct hprof_convert_options *options,
				struct hprof_convert_result *ret,
				struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_cv_plan plan = { .copy_fd = -1 };

	if (!hp_result_is_good(ret))
		return hp_bad_argument(error, "ret_result",
				       "its size is not set");
	HP_TRY(hp_cv_plan_take(&plan, input, out, fd, output, options, error));
	return run(&plan, ret, error);
}

enum hprof_status
hprof_convert_into(const struct hprof_input *input, struct hprof_writer *writer,
		   const struct hprof_convert_options *options,
		   struct hprof_convert_result *ret,
		   struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hp_cv_plan plan = { .copy_fd = -1, .writer = writer };

	if (!hp_result_is_good(ret))
		return hp_bad_argument(error, "ret_result",
				       "its size is not set");
	if (!writer || writer->exact || writer->id_size)
		return hp_bad_argument(error, "writer",
				       "is NULL, exact, or not empty");
	HP_TRY(hp_cv_plan_take(&plan, input, NULL, -1, NULL, options, error));
	return run(&plan, ret, error);
}

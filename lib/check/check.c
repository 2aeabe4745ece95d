/* SPDX-License-Identifier: MIT */
/*
 * check.c - hprof_check: the passes, and what they found.
 *
 * One pass is enough to know whether there are dangling references. Only if
 * there are some, the input is read again (if possible) to say where; and only
 * if instances precede their classes, once more for their references.
 */
#include "check/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "stream/reader.h"

struct check_result {
	struct hprof_check_result result;
	struct hp_diag_list diagnostics;
	char container[64];
	char *member;
};

/* ---- passes -------------------------------------------------------------- */

/*
 * Opens the input for the first time, or again without diagnostics. If the
 * input cannot be read twice, the first reader keeps a copy.
 */
static enum hprof_status open_reader(struct hp_check *c,
				     const struct hprof_input *input,
				     bool again, struct hprof_error *error)
{
	struct hprof_reader_options options = {
		.size = sizeof options,
		.diagnostic = again ? NULL : hp_diag_list_add,
		.user = &c->diagnostics,
		.keep_copy = !again && !input->no_copy && !c->repeatable,
	};

	HP_TRY(hprof_reader_open(input, &options, &c->reader, error));
	c->reader->listener.phase = "check";
	c->id_size = hprof_reader_header(c->reader)->id_size;
	return HPROF_OK;
}

static enum hprof_status run_pass(struct hp_check *c, struct hprof_error *error)
{
	enum hprof_status status = hp_check_pass(c);

	if (status == HPROF_OK)
		return HPROF_OK;
	if (status == HPROF_E_NOMEM)
		return hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	*error = *hprof_reader_error(c->reader);
	return status;
}

/* The input for a second reader. False: it cannot be read again. */
static bool find_second_input(const struct hp_check *c, struct hprof_input *ret)
{
	int copy = hprof_reader_copy(c->reader);

	*ret = *c->input;
	if (copy < 0)
		return c->repeatable;
	/* The copy has all dumps of the file, but is not compressed. */
	ret->kind = HPROF_INPUT_FD;
	ret->fd = copy;
	ret->dump = c->reader->dumps.chosen;
	ret->member = NULL;
	return lseek(copy, 0, SEEK_SET) == 0;
}

/* Reads the input again; *RET_READ says whether that was possible. */
static enum hprof_status run_again(struct hp_check *c, enum hp_check_phase pass,
				   bool *ret_read, struct hprof_error *error)
{
	struct hprof_reader *first = c->reader;
	struct hprof_input input;
	enum hprof_status status;

	*ret_read = false;
	if (!find_second_input(c, &input))
		return HPROF_OK;
	status = open_reader(c, &input, true, error);
	if (status >= 0) {
		c->pass = pass;
		status = run_pass(c, error);
		hprof_reader_close(c->reader);
	}
	c->reader = first;
	if (status == HPROF_E_NOMEM || status == HPROF_E_CANCELLED)
		return status;
	*ret_read = status >= 0;
	return HPROF_OK;
}

static uint64_t late_instances(const struct hp_check *c, bool still)
{
	uint64_t count = 0;

	for (size_t i = 0; i < c->class_count; i++)
		if (c->all[i]->link.dumped && !(still && c->all[i]->laid_out))
			count += c->all[i]->unlaid;
	return count;
}

/* Checks instances that came before their class or one of its superclasses. */
static enum hprof_status look_at_late(struct hp_check *c,
				      struct hprof_error *error)
{
	uint64_t late = late_instances(c, false);
	bool read;

	if (late == 0)
		return HPROF_OK;
	HP_TRY(run_again(c, HP_PASS_LATE, &read, error));
	if (!read)
		hp_diag_list_say(&c->diagnostics, HPROF_NOTE,
				 HP_DIAG_NOT_CHECKED, HP_NO_OFFSET,
				 "references of instances that came before "
				 "their classes (give a file rather than a "
				 "pipe); instances: %" PRIu64,
				 late);
	else if ((late = late_instances(c, true)) > 0)
		hp_diag_list_say(&c->diagnostics, HPROF_NOTE,
				 HP_DIAG_NOT_CHECKED, HP_NO_OFFSET,
				 "references of instances whose superclasses "
				 "have no end, or are too many; instances: "
				 "%" PRIu64,
				 late);
	return HPROF_OK;
}

static enum hprof_status look_for_dangling(struct hp_check *c,
					   struct hprof_error *error)
{
	uint64_t dangling = hp_id_marks_dangling(&c->ids);
	bool read; /* otherwise offsets are not reported */

	if (dangling == 0)
		return HPROF_OK;
	HP_TRY(run_again(c, HP_PASS_LOCATE, &read, error));
	hp_diag_list_say(&c->diagnostics, HPROF_NOTE, HP_DIAG_DANGLING_IDS,
			 HP_NO_OFFSET,
			 "%" PRIu64 " id%s referred to and not in the dump",
			 dangling, dangling == 1 ? " is" : "s are");
	return HPROF_OK;
}

static void look_at_sizes(struct hp_check *c)
{
	for (size_t i = 0; i < c->class_count; i++) {
		const struct hp_kclass *k = c->all[i];
		if (k->bad_size)
			hp_diag_list_say(
				&c->diagnostics, HPROF_WARNING,
				HP_DIAG_INSTANCE_SIZE, k->bad_offset,
				"instances of class %s without the %" PRIu64
				" bytes that its fields take: %" PRIu64,
				hp_check_class_text(c, k->link.known.id).text,
				k->size, k->bad_size);
	}
}

/* ---- result -------------------------------------------------------------- */

static int compare_codes(const void *a, const void *b)
{
	const struct hprof_check_count *x = a, *y = b;

	return strcmp(x->code, y->code);
}

static enum hprof_severity severity_of(const struct hp_diag_list *list,
				       enum hp_diag_code code)
{
	enum hprof_severity worst = HPROF_NOTE;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].number == code &&
		    list->items[i].severity > worst)
			worst = list->items[i].severity;
	return worst;
}

/* False: out of memory. */
static bool fill_codes(struct check_result *r)
{
	struct hp_diag_list *list = &r->diagnostics;
	size_t n = 0;

	r->result.codes = hp_calloc(HP_DIAG_CODES, sizeof *r->result.codes);
	if (!r->result.codes)
		return false;
	for (unsigned code = 0; code < HP_DIAG_CODES; code++) {
		if (list->counts[code] == 0)
			continue;
		r->result.codes[n++] = (struct hprof_check_count){
			.code = hp_diag_word(code),
			.severity = severity_of(list, code),
			.number = code,
			.count = list->counts[code],
		};
	}
	r->result.code_count = n;
	qsort(r->result.codes, n, sizeof *r->result.codes, compare_codes);
	return true;
}

/* Copies INFO, whose strings belong to the reader. False: out of memory. */
static bool keep_info(struct check_result *r, const struct hp_check *c)
{
	struct hprof_reader_info *info = &r->result.input;

	hprof_reader_get_info(c->reader, info);
	strncpy(r->container, info->container, sizeof r->container - 1);
	info->container = r->container;
	if (info->member) {
		r->member = hp_strdup(info->member);
		info->member = r->member;
		return r->member != NULL;
	}
	return true;
}

static bool fill_result(struct check_result *r, struct hp_check *c)
{
	r->diagnostics = c->diagnostics;
	memset(&c->diagnostics, 0, sizeof c->diagnostics);
	hp_diag_list_finalize(&r->diagnostics);
	r->result.impl = r;
	r->result.errors = r->diagnostics.errors;
	r->result.warnings = r->diagnostics.warnings;
	r->result.notes = r->diagnostics.notes;
	r->result.objects = c->objects;
	r->result.references = c->references;
	return !r->diagnostics.no_memory && keep_info(r, c) && fill_codes(r);
}

void hprof_check_result_list(const struct hprof_check_result *result,
			     hprof_diagnostic_fn *diagnostic, void *user)
{
	const struct check_result *r = result->impl;

	for (size_t i = 0; i < r->diagnostics.count; i++) {
		const struct hprof_kept_diagnostic *k =
			&r->diagnostics.items[i];
		struct hprof_diagnostic d = hp_diag_make(k->severity, k->number,
							 k->offset, k->text);
		diagnostic(user, &d);
	}
}

void hprof_check_result_free(struct hprof_check_result *result)
{
	struct check_result *r;

	if (!result)
		return;
	r = result->impl;
	hp_diag_list_done(&r->diagnostics);
	hp_free(result->codes);
	hp_free(r->member);
	hp_free(r);
}

/* ---- the public function ------------------------------------------------- */

/* Far more than any program needs; the places take 64 MiB. */
enum { MOST_PLACES = 1 << 24 };

static bool init_check(struct hp_check *c, const struct hprof_input *input,
		       const struct hprof_check_options *options)
{
	bool good;

	memset(c, 0, sizeof *c);
	c->input = input;
	c->options = options;
	c->known_trace = UINT64_MAX;
	c->places_left = MOST_PLACES;
	good = hp_name_table_init(&c->symbols, sizeof(struct hp_kclass), 1) ==
		       0 &&
	       hp_id_marks_init(&c->ids) == HPROF_OK &&
	       hp_u64_map_init(&c->threads, 2) == HPROF_OK &&
	       hp_u64_map_init(&c->started, 2) == HPROF_OK;
	if (good)
		hp_class_chains_init(&c->chains, &c->symbols.classes);
	for (unsigned i = 0; good && i < HP_PENDING_KINDS; i++)
		good = hp_u64_map_init(&c->pended[i], 3) == HPROF_OK;
	return good;
}

static void done_check(struct hp_check *c)
{
	hprof_reader_close(c->reader);
	hp_diag_list_done(&c->diagnostics);
	hp_id_marks_done(&c->ids);
	hp_u64_map_done(&c->threads);
	hp_u64_map_done(&c->started);
	for (unsigned i = 0; i < HP_PENDING_KINDS; i++)
		hp_u64_map_done(&c->pended[i]);
	for (size_t i = 0; i < c->class_count; i++) {
		hp_free(c->all[i]->ref_at);
		hp_free(c->all[i]->refs);
	}
	hp_name_table_done(&c->symbols); /* frees the classes, too */
	hp_free(c->all);
	hp_free(c->pending);
}

static enum hprof_status check(struct hp_check *c, struct check_result *r,
			       struct hprof_error *error)
{
	struct hprof_reader_info info;

	HP_TRY(hp_input_repeatable(c->input, &c->repeatable, error));
	HP_TRY(open_reader(c, c->input, false, error));
	HP_TRY(run_pass(c, error));
	hprof_reader_get_info(c->reader, &info);
	hp_check_names_end(c);
	hp_check_readers_end(c, &info);
	HP_TRY(look_at_late(c, error));
	look_at_sizes(c);
	HP_TRY(look_for_dangling(c, error));
	if (c->no_memory || c->ids.no_memory || !fill_result(r, c))
		return hp_no_memory(error);
	return HPROF_OK;
}

enum hprof_status hprof_check(const struct hprof_input *given_input,
			      const struct hprof_check_options *given,
			      struct hprof_check_result **ret,
			      struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_check_options options;
	struct hprof_input input;
	struct check_result *r;
	enum hprof_status status = HPROF_E_NOMEM;

	HP_NEED(error, ret);
	HP_TRY(hp_input_take(given_input, &input, error));
	if (!HP_OPTIONS_TAKE(given, &options))
		return hp_bad_options(error);
	struct hp_check *c = hp_alloc(sizeof *c);
	r = hp_calloc(1, sizeof *r);
	if (!c || !r) {
		hp_free(c);
		hp_free(r);
		return hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	}
	r->result.impl = r;
	if (init_check(c, &input, &options))
		status = check(c, r, error);
	else
		hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	done_check(c);
	hp_free(c);
	if (status < 0) {
		hprof_check_result_free(&r->result);
		return status;
	}
	*ret = &r->result;
	return HPROF_OK;
}

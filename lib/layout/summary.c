/* SPDX-License-Identifier: MIT */
/*
 * summary.c - hprof_summary_read: the census as plain tables.
 */
#include "layout/summary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/options.h"
#include "io/input.h"
#include "stream/reader.h"
#include "layout/shallow_sizes.h"
#include "layout/summary_check.h"

/* ---- tables -------------------------------------------------------------- */

static void fill_row(const struct hp_class_table *c,
		     const struct hp_class *from, struct hprof_class_row *to)
{
	const struct hp_slot *n = from->instances, *a = from->arrays;

	*to = (struct hprof_class_row){
		.class_id = from->class_id,
		.name = from->name,
		.kind = from->kind,
		.super_id = from->info ? from->info->super_id : 0,
		.loader_id = from->info ? from->info->loader_id : 0,
		.dumped = from->info != NULL,
		.loaded = from->loaded,
		.instances = (n ? n->count : 0) + (a ? a->count : 0),
		.shallow = from->shallow,
		.largest = from->largest,
		.measured = from->measured,
	};
	if (n)
		to->data += n->data;
	if (a)
		to->data += a->kind == HPROF_CLASS_OBJ_ARRAY
				    ? a->data * c->id_size
				    : a->data;
}

/* Class objects are instances of java.lang.Class. */
static void add_mirrors(const struct hprof_summary *s,
			struct hprof_class_row *row)
{
	const struct hp_class_table *c = &s->impl->classes;

	for (size_t i = 0; i < c->count; i++) {
		const struct hp_class_info *info = c->rows[i].info;
		if (!info)
			continue;
		uint64_t size = hp_sizes_mirror(c, info, &s->convention);
		row->instances++;
		row->shallow += size;
		row->data += info->statics_data;
		if (size > row->largest)
			row->largest = size;
	}
}

/* A row, and the index of its class in struct hp_class_table. */
struct numbered_row {
	struct hprof_class_row row;
	uint32_t class;
};

static int compare_rows(const void *a, const void *b)
{
	const struct numbered_row *first = a, *second = b;
	const struct hprof_class_row *x = &first->row, *y = &second->row;

	if (x->shallow != y->shallow)
		return x->shallow > y->shallow ? -1 : 1;
	/* Names are shared, so equal pointers save comparing long ones. */
	int by_name = x->name == y->name ? 0 : strcmp(x->name, y->name);
	if (by_name)
		return by_name;
	return x->class_id < y->class_id ? -1 : x->class_id > y->class_id;
}

static enum hprof_status fill_rows(struct hprof_summary *s)
{
	const struct hp_class_table *c = &s->impl->classes;
	struct numbered_row *rows = hp_calloc(c->count + 1, sizeof *rows);

	s->class_rows = hp_calloc(c->count + 1, sizeof *s->class_rows);
	s->impl->row_class = hp_calloc(c->count + 1, sizeof(uint32_t));
	if (!rows || !s->class_rows || !s->impl->row_class) {
		hp_free(rows);
		return HPROF_E_NOMEM;
	}
	s->class_count = c->count;
	for (size_t i = 0; i < c->count; i++) {
		fill_row(c, &c->rows[i], &rows[i].row);
		rows[i].class = (uint32_t)i;
	}
	if (c->java_lang_class != HP_NO_CLASS)
		add_mirrors(s, &rows[c->java_lang_class].row);
	qsort(rows, c->count, sizeof *rows, compare_rows);
	for (size_t i = 0; i < c->count; i++) {
		s->class_rows[i] = rows[i].row;
		s->impl->row_class[i] = rows[i].class;
		s->shallow += rows[i].row.shallow;
		s->data += rows[i].row.data;
	}
	hp_free(rows);
	return HPROF_OK;
}

static enum hprof_status fill_tags(struct hprof_summary *s)
{
	const struct hp_census *c = &s->impl->census;
	struct hprof_tag_row *row;

	s->tag_rows = hp_calloc(512, sizeof *s->tag_rows);
	if (!s->tag_rows)
		return HPROF_E_NOMEM;
	row = s->tag_rows;
	for (unsigned i = 0; i < 512; i++) {
		bool sub = i >= HPROF_SUB;
		uint64_t count = sub ? c->tally.tag_count[i & 0xff]
				     : c->symbols.tag_count[i];
		uint64_t bytes = sub ? c->tally.tag_bytes[i & 0xff]
				     : c->symbols.tag_bytes[i];
		if (i == HPROF_HEAP_DUMP || i == HPROF_HEAP_DUMP_SEGMENT) {
			count = c->tally.segments[i == HPROF_HEAP_DUMP_SEGMENT];
			bytes = count * HPROF_RECORD_HEADER;
		}
		if (count)
			*row++ = (struct hprof_tag_row){ (uint16_t)i, count,
							 bytes };
		if (hprof_tag_is_root(i))
			s->roots += count;
	}
	s->tag_count = (size_t)(row - s->tag_rows);
	return HPROF_OK;
}

static void fill_totals(struct hprof_summary *s)
{
	const struct hp_census *c = &s->impl->census;
	const uint64_t *subs = c->tally.tag_count;

	s->instances = subs[HPROF_INSTANCE_DUMP & 0xff];
	s->obj_arrays = subs[HPROF_OBJ_ARRAY_DUMP & 0xff];
	s->prim_arrays = subs[HPROF_PRIM_ARRAY_DUMP & 0xff] +
			 subs[HPROF_PRIM_ARRAY_NODATA_DUMP & 0xff];
	s->classes = subs[HPROF_CLASS_DUMP & 0xff];
	s->objects = s->instances + s->obj_arrays + s->prim_arrays +
		     s->impl->classes.class_objects;
	s->strings = c->symbols.tag_count[HPROF_UTF8];
	s->threads = subs[HPROF_ROOT_THREAD_OBJ & 0xff];
	if (s->threads == 0)
		s->threads = c->symbols.tag_count[HPROF_START_THREAD];
	s->descents = c->tally.descents;
}

static void fill_diagnostics(struct hprof_summary *s)
{
	struct hp_diag_list *list = &s->impl->census.diagnostics;

	hp_diag_list_finalize(list);
	s->diagnostics = list->items;
	s->diagnostic_count = list->count;
	s->errors = list->errors;
	s->warnings = list->warnings;
	s->notes = list->notes;
}

/* ---- reading ------------------------------------------------------------- */

/* The fault in the options, or NULL. */
static const char *find_fault(const struct hprof_summary_options *o)
{
	if ((unsigned)o->sizes > HPROF_SIZES_DATA)
		return "sizes is not one that there is";
	if (o->ref_width != 0 && o->ref_width != 4 && o->ref_width != 8)
		return "ref_width is not 0, 4 or 8";
	if (o->header > 64)
		return "header is larger than 64";
	if (o->alignment > 256 || (o->alignment & (o->alignment - 1)))
		return "alignment is no power of two up to 256";
	return NULL;
}

static enum hprof_status take_options(const struct hprof_summary_options *given,
				      struct hprof_summary_options *ret,
				      struct hprof_error *error)
{
	const char *fault;

	if (!HP_OPTIONS_TAKE(given, ret))
		return hp_bad_options(error);
	fault = find_fault(ret);
	return fault ? hp_bad_argument(error, "options", fault) : HPROF_OK;
}

/*
 * An archive that cannot be searched beforehand (a pipe) turned out to hold
 * several dumps: as with a file, the caller has to choose.
 */
static bool several_members(const struct hp_diag_list *list)
{
	return list->counts[HP_DIAG_SEVERAL_MEMBERS] > 0;
}

static enum hprof_status build(struct hprof_summary *s,
			       const struct hprof_summary_options *options,
			       struct hprof_error *error)
{
	struct hprof_summary_impl *impl = s->impl;
	struct hp_census *census = &impl->census;

	/* One that is in a cache is not of such an archive. */
	if (!census->restored && several_members(&census->diagnostics))
		return hp_fail(error, HPROF_E_AMBIGUOUS, HP_NO_OFFSET,
			       "the archive holds more than one dump, choose "
			       "one");
	hp_tally_finalize(&census->tally);
	if (hp_class_table_build(&impl->classes, &census->symbols,
				 &census->tally) != HPROF_OK ||
	    hp_sizes_assign(&impl->classes, options, &s->convention) !=
		    HPROF_OK ||
	    fill_rows(s) != HPROF_OK || fill_tags(s) != HPROF_OK)
		return hp_no_memory(error);
	s->header = *hprof_reader_header(census->reader);
	hprof_reader_get_info(census->reader, &s->input);
	fill_totals(s);
	if (!census->restored)
		hp_summary_check(impl);
	if (census->diagnostics.no_memory)
		return hp_no_memory(error);
	fill_diagnostics(s);
	return HPROF_OK;
}

enum hprof_status hp_summary_read(const struct hprof_input *given_input,
				  const struct hprof_summary_options *given,
				  bool extents,
				  const struct hp_cache_map *cached,
				  struct hprof_summary **ret,
				  struct hprof_error *ret_error)
{
	struct hprof_error local, *error = ret_error ? ret_error : &local;
	struct hprof_summary_options options;
	struct hprof_input input;
	struct hprof_summary *s;
	enum hprof_status status;

	HP_TRY(hp_input_take(given_input, &input, error));
	HP_TRY(take_options(given, &options, error));
	s = hp_calloc(1, sizeof *s);
	if (s)
		s->impl = hp_calloc(1, sizeof *s->impl);
	if (!s || !s->impl) {
		hprof_summary_free(s);
		return hp_no_memory(error);
	}
	status = hp_census_run(&s->impl->census, &input, &options, extents,
			       cached, error);
	if (status >= 0)
		status = build(s, &options, error);
	if (status < 0) {
		hprof_summary_free(s);
		return status;
	}
	*ret = s;
	return HPROF_OK;
}

enum hprof_status hprof_summary_read(const struct hprof_input *input,
				     const struct hprof_summary_options *given,
				     struct hprof_summary **ret_summary,
				     struct hprof_error *ret_error)
{
	HP_NEED(ret_error, ret_summary);
	return hp_summary_read(input, given, false, NULL, ret_summary,
			       ret_error);
}

static void refill_rows(struct hprof_summary *s)
{
	const struct hp_class_table *c = &s->impl->classes;

	s->shallow = s->data = 0;
	for (size_t i = 0; i < s->class_count; i++) {
		uint32_t class = s->impl->row_class[i];

		fill_row(c, &c->rows[class], &s->class_rows[i]);
		if (class == c->java_lang_class)
			add_mirrors(s, &s->class_rows[i]);
		s->shallow += s->class_rows[i].shallow;
		s->data += s->class_rows[i].data;
	}
}

enum hprof_status hprof_summary_resize(struct hprof_summary *s,
				       const struct hprof_size_convention *like,
				       struct hprof_error *ret_error)
{
	if (!s)
		return hp_bad_argument(ret_error, "summary", "is NULL");
	HP_NEED(ret_error, like);

	uint64_t alignment = like->alignment;
	if (!alignment || alignment > 256 || (alignment & (alignment - 1)) ||
	    like->declared || like->sizes == HPROF_SIZES_DATA)
		return hp_bad_argument(ret_error, "like",
				       "is no convention that a summary can "
				       "be computed by");
	if (hp_sizes_like(&s->impl->classes, like, &s->convention) != HPROF_OK)
		return hp_no_memory(ret_error);
	refill_rows(s);
	return HPROF_OK;
}

enum hprof_status hp_summary_bytes(const struct hprof_summary *s,
				   struct hprof_reader **ret_copy,
				   const struct hprof_reader **ret_parent,
				   struct hprof_error *error)
{
	const struct hprof_reader *reader = s->impl->census.reader;

	*ret_copy = NULL;
	*ret_parent = reader;
	if (reader->source->ops->pread)
		return HPROF_OK;
	/* A file that is not at its start would be read as a stream. */
	int copy = hprof_reader_copy(reader);
	if (copy < 0 || lseek(copy, 0, SEEK_SET) != 0)
		return hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
			       "objects of a stream can only be looked at "
			       "when asked for before reading");
	const struct hprof_input input = { .size = sizeof input,
					   .kind = HPROF_INPUT_FD,
					   .fd = copy,
					   .threads = 1 };
	HP_TRY(hprof_reader_open(&input, NULL, ret_copy, error));
	*ret_parent = *ret_copy;
	if ((*ret_parent)->source->ops->pread)
		return HPROF_OK;
	return hp_fail(error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
		       "the copy of the dump cannot be read again");
}

void hprof_summary_free(struct hprof_summary *s)
{
	if (!s)
		return;
	if (s->impl) {
		hp_class_table_done(&s->impl->classes);
		hp_census_done(&s->impl->census);
		hp_free(s->impl->row_class);
		hp_free(s->impl);
	}
	hp_free(s->class_rows);
	hp_free(s->tag_rows);
	hp_free(s);
}

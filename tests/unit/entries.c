/* SPDX-License-Identifier: MIT */
/*
 * entries.c - see entries.h.
 */
#include "entries.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "../visit.h"
#include "writing.h"

static void mix(struct answer *a, uint64_t value)
{
	a->hash = (a->hash ^ value) * 0x9e3779b97f4a7c15;
	a->hash ^= a->hash >> 29;
}

static void mix_text(struct answer *a, const char *text)
{
	for (; *text; text++)
		mix(a, (unsigned char)*text);
}

static struct answer ask_reader(const struct hprof_input *input,
				struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_reader *reader = NULL;
	struct hprof_reader_info info;
	struct hprof_record record;
	enum hprof_status status;

	a.status = hprof_reader_open(input, NULL, &reader, error);
	if (a.status < 0) {
		cr_assert(!reader, "untouched on failure");
		return a;
	}
	while ((status = hprof_reader_next(reader, &record)) == HPROF_OK) {
		mix(&a, record.tag);
		mix(&a, record.offset);
	}
	hprof_reader_get_info(reader, &info);
	mix(&a, info.errors);
	mix(&a, info.dump);
	if (status < 0) {
		a.status = status;
		*error = *hprof_reader_error(reader);
	}
	hprof_reader_close(reader);
	return a;
}

static struct answer ask_summary(const struct hprof_input *input,
				 struct hprof_error *error)
{
	const struct hprof_summary_options options = { .size = sizeof options,
						       .objects = true };
	struct answer a = { 0 };
	struct hprof_summary *s = NULL;
	struct hprof_loader_table *loaders;

	a.status = hprof_summary_read(input, &options, &s, error);
	if (a.status < 0) {
		cr_assert(!s, "untouched on failure");
		return a;
	}
	mix(&a, s->objects);
	mix(&a, s->shallow);
	mix(&a, s->errors);
	mix(&a, s->class_count);
	if (hprof_summary_loaders(s, &loaders, NULL) == HPROF_OK) {
		mix(&a, loaders->count);
		hprof_loader_table_free(loaders);
	}
	hprof_summary_free(s);
	return a;
}

struct answer ask_heap(const struct hprof_input *input,
		       struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_heap *heap = NULL;

	a.status = hprof_heap_open(input, NULL, &heap, error);
	if (a.status < 0) {
		cr_assert(!heap, "untouched on failure");
		return a;
	}
	const char *wrong = heap_visit(heap, &a.hash);
	cr_assert(!wrong, "%s", wrong);
	hprof_heap_close(heap);
	return a;
}

static struct answer ask_check(const struct hprof_input *input,
			       struct hprof_error *error)
{
	struct answer a = { 0 };
	struct hprof_check_result *result = NULL;

	a.status = hprof_check(input, NULL, &result, error);
	if (a.status < 0) {
		cr_assert(!result, "untouched on failure");
		return a;
	}
	mix(&a, result->objects);
	mix(&a, result->references);
	for (size_t i = 0; i < result->code_count; i++) {
		mix_text(&a, result->codes[i].code);
		mix(&a, result->codes[i].count);
	}
	hprof_check_result_free(result);
	return a;
}

int take_bytes(void *user, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		mix(user, p[i]);
	return 0;
}

struct answer ask_recipe(const struct hprof_input *input,
			 struct hprof_error *error)
{
	struct answer a = { 0 };

	a.status = hprof_recipe_write_input(input, take_bytes, &a, error);
	return a;
}

static struct answer convert_to(const struct hprof_input *input,
				enum hprof_format format,
				struct hprof_error *error)
{
	const struct hprof_convert_options options = { .size = sizeof options,
						       .format = format };
	struct answer a = { 0 };
	struct buffer out;

	a.status = hprof_convert(input, "out", -1, NULL, &options, NULL, error);
	if (a.status < 0) {
		cr_assert(!exists("out") && !exists("out.part"));
		return a;
	}
	out = read_file("out");
	unlink("out");
	take_bytes(&a, out.bytes, out.size);
	buffer_free(&out);
	return a;
}

struct answer ask_copy(const struct hprof_input *input,
		       struct hprof_error *error)
{
	return convert_to(input, HPROF_FORMAT_SAME, error);
}

struct answer ask_convert(const struct hprof_input *input,
			  struct hprof_error *error)
{
	return convert_to(input, HPROF_FORMAT_101, error);
}

const struct entry entries[ENTRIES] = {
	{ "reader", ask_reader },   { "summary", ask_summary },
	{ "heap", ask_heap },	    { "check", ask_check },
	{ "recipe", ask_recipe },   { "copy", ask_copy },
	{ "convert", ask_convert },
};

int64_t read_stream(void *user, void *buffer, size_t room)
{
	struct stream *s = user;
	size_t n = s->bytes->size - s->at;

	n = n < room ? n : room;
	n = n < 1000 ? n : 1000;
	if (n)
		memcpy(buffer, s->bytes->bytes + s->at, n);
	s->at += n;
	return (int64_t)n;
}

/* SPDX-License-Identifier: MIT */
/*
 * same.c - see same.h.
 */
#include "same.h"

#include <string.h>

#include "base/same_text.h"

#define CHECK(member)                       \
	do {                                \
		if (a->member != b->member) \
			return #member;     \
	} while (0)
#define CHECK_TEXT(member)                               \
	do {                                             \
		if (!hp_same_text(a->member, b->member)) \
			return #member;                  \
	} while (0)

static const char *row_difference(const struct hprof_class_row *a,
				  const struct hprof_class_row *b)
{
	CHECK(class_id);
	CHECK_TEXT(name);
	CHECK(kind);
	CHECK(super_id);
	CHECK(loader_id);
	CHECK(dumped);
	CHECK(loaded);
	CHECK(instances);
	CHECK(shallow);
	CHECK(largest);
	CHECK(data);
	CHECK(measured);
	return NULL;
}

static const char *tag_difference(const struct hprof_tag_row *a,
				  const struct hprof_tag_row *b)
{
	CHECK(tag);
	CHECK(count);
	CHECK(bytes);
	return NULL;
}

static const char *diagnostic_difference(const struct hprof_kept_diagnostic *a,
					 const struct hprof_kept_diagnostic *b)
{
	CHECK(severity);
	CHECK_TEXT(code);
	CHECK(offset);
	CHECK_TEXT(text);
	CHECK(count);
	return NULL;
}

static const char *input_difference(const struct hprof_reader_info *a,
				    const struct hprof_reader_info *b)
{
	CHECK_TEXT(container);
	CHECK_TEXT(member);
	CHECK(file_size);
	CHECK(file_read);
	CHECK(bytes_read);
	CHECK(dump);
	CHECK(dump_count);
	CHECK(complete);
	CHECK(truncated);
	CHECK(errors);
	CHECK(warnings);
	CHECK(notes);
	return NULL;
}

static const char *convention_difference(const struct hprof_size_convention *a,
					 const struct hprof_size_convention *b)
{
	CHECK(sizes);
	CHECK(ref_width);
	CHECK(header);
	CHECK(array_header);
	CHECK(alignment);
	CHECK(fill_gaps);
	CHECK(measured);
	CHECK(declared);
	CHECK_TEXT(text);
	return NULL;
}

static const char *total_difference(const struct hprof_summary *a,
				    const struct hprof_summary *b)
{
	CHECK_TEXT(header.version);
	CHECK(header.id_size);
	CHECK(header.time_ms);
	CHECK(objects);
	CHECK(instances);
	CHECK(obj_arrays);
	CHECK(prim_arrays);
	CHECK(classes);
	CHECK(strings);
	CHECK(threads);
	CHECK(roots);
	CHECK(shallow);
	CHECK(data);
	CHECK(descents);
	CHECK(class_count);
	CHECK(tag_count);
	CHECK(diagnostic_count);
	CHECK(errors);
	CHECK(warnings);
	CHECK(notes);
	return NULL;
}

const char *summary_difference(const struct hprof_summary *a,
			       const struct hprof_summary *b)
{
	const char *what = total_difference(a, b);

	if (!what)
		what = input_difference(&a->input, &b->input);
	if (!what)
		what = convention_difference(&a->convention, &b->convention);
	for (size_t i = 0; !what && i < a->class_count; i++)
		what = row_difference(&a->class_rows[i], &b->class_rows[i]);
	for (size_t i = 0; !what && i < a->tag_count; i++)
		what = tag_difference(&a->tag_rows[i], &b->tag_rows[i]);
	for (size_t i = 0; !what && i < a->diagnostic_count; i++)
		what = diagnostic_difference(&a->diagnostics[i],
					     &b->diagnostics[i]);
	return what;
}

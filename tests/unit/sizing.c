/* SPDX-License-Identifier: MIT */
/*
 * sizing.c - see sizing.h.
 */
#include "sizing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "../inputs.h"

struct hprof_summary *summarise_by(struct maker *m,
				   const struct hprof_summary_options *options)
{
	struct hprof_summary *summary;
	char path[32];

	maker_heap_end(m);
	snprintf(path, sizeof path, "rules.%d", (int)getpid());
	maker_file(path, m->out.bytes, m->out.size);
	cr_assert(hprof_summary_read(INPUT_PATH(path), options, &summary,
				     NULL) >= 0);
	unlink(path);
	buffer_free(&m->out);
	return summary;
}

struct hprof_summary *summarise(struct maker *m, enum hprof_sizes sizes)
{
	struct hprof_summary_options options = { .size = sizeof options,
						 .sizes = sizes };

	return summarise_by(m, &options);
}

const struct hprof_class_row *class_row(const struct hprof_summary *s,
					uint64_t class_id)
{
	for (size_t i = 0; i < s->class_count; i++)
		if (s->class_rows[i].class_id == class_id)
			return &s->class_rows[i];
	cr_assert(false, "no class 0x%llx", (unsigned long long)class_id);
	return NULL;
}

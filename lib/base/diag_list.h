/* SPDX-License-Identifier: MIT */
/*
 * diag_list.h - keeps the first few diagnostics of each code, and counts all of
 * them.
 */
#ifndef HP_DIAG_LIST_H
#define HP_DIAG_LIST_H

#include "base/diag_codes.h"
#include "hprof/report.h"

enum { HP_KEPT_PER_CODE = 10 };

struct hp_diag_list {
	struct hprof_kept_diagnostic *items;
	size_t count, room;
	uint64_t counts[HP_DIAG_CODES];
	uint64_t errors, warnings, notes;
	bool no_memory;
};

/* An hprof_diagnostic_fn; USER is a struct hp_diag_list. */
void hp_diag_list_add(void *user, const struct hprof_diagnostic *diagnostic);

void hp_diag_list_say(struct hp_diag_list *list, enum hprof_severity severity,
		      enum hp_diag_code code, uint64_t offset,
		      const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Moves everything from FROM to TO and leaves FROM empty. */
void hp_diag_list_move(struct hp_diag_list *to, struct hp_diag_list *from);

/* Sorts by offset, keeps the first few of each code, fills in counts. */
void hp_diag_list_finalize(struct hp_diag_list *list);

void hp_diag_list_done(struct hp_diag_list *list);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * diag_list.c - see diag_list.h.
 */
#include "base/diag_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void count_severity(struct hp_diag_list *list,
			   enum hprof_severity severity, uint64_t n)
{
	if (severity == HPROF_ERROR)
		list->errors += n;
	else if (severity == HPROF_WARNING)
		list->warnings += n;
	else
		list->notes += n;
}

void hp_diag_list_add(void *user, const struct hprof_diagnostic *d)
{
	struct hp_diag_list *list = user;
	char *text;

	count_severity(list, d->severity, 1);
	if (list->counts[d->number]++ >= HP_KEPT_PER_CODE)
		return;
	text = hp_strdup(d->text);
	if (!text || hp_grow((void **)&list->items, &list->room, list->count,
			     sizeof *list->items) != HPROF_OK) {
		hp_free(text);
		list->no_memory = true;
		return;
	}
	list->items[list->count++] = (struct hprof_kept_diagnostic){
		.severity = d->severity,
		.number = d->number,
		.code = hp_diag_word(d->number),
		.offset = d->offset,
		.text = text,
	};
}

void hp_diag_list_say(struct hp_diag_list *list, enum hprof_severity severity,
		      enum hp_diag_code code, uint64_t offset,
		      const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	struct hprof_diagnostic d = hp_diag_make(severity, code, offset, text);
	hp_diag_list_add(list, &d);
}

void hp_diag_list_move(struct hp_diag_list *to, struct hp_diag_list *from)
{
	for (unsigned code = 0; code < HP_DIAG_CODES; code++)
		to->counts[code] += from->counts[code];
	for (size_t i = 0; i < from->count; i++) {
		if (hp_grow((void **)&to->items, &to->room, to->count,
			    sizeof *to->items) != HPROF_OK) {
			to->no_memory = true;
			hp_free((char *)from->items[i].text);
			continue;
		}
		to->items[to->count++] = from->items[i];
	}
	to->no_memory = to->no_memory || from->no_memory;
	to->errors += from->errors;
	to->warnings += from->warnings;
	to->notes += from->notes;
	hp_free(from->items);
	memset(from, 0, sizeof *from);
}

static int compare(const void *a, const void *b)
{
	const struct hprof_kept_diagnostic *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	int by_code = strcmp(x->code, y->code);
	return by_code ? by_code : strcmp(x->text, y->text);
}

void hp_diag_list_finalize(struct hp_diag_list *list)
{
	size_t kept = 0, same[HP_DIAG_CODES] = { 0 };

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare);
	for (size_t i = 0; i < list->count; i++) {
		struct hprof_kept_diagnostic item = list->items[i];
		size_t before = same[item.number]++;
		if (before >= HP_KEPT_PER_CODE) {
			hp_free((char *)item.text);
			continue;
		}
		if (before == 0)
			item.count = list->counts[item.number];
		list->items[kept++] = item;
	}
	list->count = kept;
}

void hp_diag_list_done(struct hp_diag_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		hp_free((char *)list->items[i].text);
	hp_free(list->items);
	memset(list, 0, sizeof *list);
}

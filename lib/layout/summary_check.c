/* SPDX-License-Identifier: MIT */
/*
 * summary_check.c - inconsistencies among records that are each valid: classes
 * without layout, names without text, repeated ids. No data are lost by these,
 * so they are warnings.
 */
#include "layout/summary_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

static void say_class(struct hp_diag_list *list, enum hp_diag_code code,
		      uint64_t offset, const char *what,
		      const struct hp_class *row)
{
	char shown[256];

	hp_text_escape(row->name, strlen(row->name), shown, sizeof shown);
	hp_diag_list_say(list, HPROF_WARNING, code, offset,
			 "%s: %s (0x%" PRIx64 ")", what, shown, row->class_id);
}

static void check_layout(const struct hp_class_table *c,
			 const struct hp_class *row, struct hp_diag_list *list)
{
	const struct hp_slot *slot = row->instances;

	if (row->info && row->info->super_id &&
	    hp_class_table_find(c, row->info->super_id) == HP_NO_CLASS)
		say_class(list, HP_DIAG_MISSING_SUPER, row->info->offset,
			  "the superclass of a class is not in the dump", row);
	if (!slot)
		return;
	if (!row->info)
		say_class(list, HP_DIAG_UNKNOWN_CLASS, HP_NO_OFFSET,
			  "instances of a class without CLASS_DUMP", row);
	else if (row->kind != HPROF_CLASS_PLAIN)
		say_class(list, HP_DIAG_INSTANCE_OF_ARRAY, row->info->offset,
			  "instances of an array class", row);
	else if (row->complete && slot->data != slot->count * row->data_size)
		say_class(list, HP_DIAG_INSTANCE_SIZE, row->info->offset,
			  "instances longer or shorter than their class says",
			  row);
}

/* Reports arrays of a class that the dump does not have. */
static void check_array(const struct hp_class *row, struct hp_diag_list *list)
{
	if (row->arrays && row->class_id && !row->info && !row->loaded)
		say_class(list, HP_DIAG_UNKNOWN_CLASS, HP_NO_OFFSET,
			  "arrays of a class that is not in the dump", row);
}

static void check_name(const struct hp_name_table *symbols,
		       const struct hp_class *row, struct hp_diag_list *list)
{
	if (row->class_id && row->loaded &&
	    !hp_name_table_raw_class_name(symbols, row->class_id))
		say_class(list, HP_DIAG_MISSING_STRING, HP_NO_OFFSET,
			  "the name of a class is not in the dump", row);
}

/* Reports classes that are dumped twice: the last record counts. */
static void check_duplicates(struct hprof_summary_impl *impl)
{
	struct hp_tally *tally = &impl->census.tally;

	for (size_t i = 0; i < tally->class_count; i++) {
		const struct hp_class_info *info = &tally->classes[i];
		uint32_t index =
			hp_class_table_find(&impl->classes, info->class_id);
		if (index != HP_NO_CLASS &&
		    impl->classes.rows[index].info != info)
			say_class(&impl->census.diagnostics,
				  HP_DIAG_DUPLICATE_CLASS, info->offset,
				  "a class is dumped again",
				  &impl->classes.rows[index]);
	}
}

void hp_summary_check(struct hprof_summary_impl *impl)
{
	struct hp_diag_list *list = &impl->census.diagnostics;
	const struct hp_name_table *symbols = &impl->census.symbols;
	const struct hp_tally *tally = &impl->census.tally;

	for (size_t i = 0; i < impl->classes.count; i++) {
		check_layout(&impl->classes, &impl->classes.rows[i], list);
		check_array(&impl->classes.rows[i], list);
		check_name(symbols, &impl->classes.rows[i], list);
	}
	check_duplicates(impl);
	if (impl->classes.cycles)
		hp_diag_list_say(list, HPROF_WARNING, HP_DIAG_SUPER_CYCLE,
				 HP_NO_OFFSET,
				 "%zu superclass links lead back to the class",
				 impl->classes.cycles);
	if (symbols->string_clashes)
		hp_diag_list_say(list, HPROF_WARNING, HP_DIAG_DUPLICATE_STRING,
				 symbols->string_clash,
				 "%" PRIu64
				 " string ids have a second, different text; "
				 "the first counts",
				 symbols->string_clashes);
	if (tally->zero_ids)
		hp_diag_list_say(
			list, HPROF_WARNING, HP_DIAG_ID_ZERO, HP_NO_OFFSET,
			"%" PRIu64 " objects with the id 0", tally->zero_ids);
	if (tally->duplicate_ids)
		hp_diag_list_say(list, HPROF_WARNING, HP_DIAG_DUPLICATE_ID,
				 HP_NO_OFFSET,
				 "%" PRIu64
				 " object ids occur more than once (among the "
				 "objects sampled)",
				 tally->duplicate_ids);
}

/*
 * properties.c - being written.
 */
#include "error.h"
#include "mem.h"
#include "summary.h"

enum hprof_status
hprof_summary_properties(const struct hprof_summary *summary,
		 struct hprof_property_table **ret_table,
		 struct hprof_error *ret_error)
{
	(void)summary;
	(void)ret_table;
	return hp_fail(ret_error, HPROF_E_UNSUPPORTED, HP_NO_OFFSET,
		       "not there yet");
}

void hprof_property_table_free(struct hprof_property_table *table)
{
	hp_free(table);
}

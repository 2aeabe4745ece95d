/* SPDX-License-Identifier: MIT */
/* table_infos.c - describes the tables and their columns. */
#include <string.h>

#include "hprof/tables.h"

#define NUMBER(name) { name, HPROF_COLUMN_NUMBER, false, NULL }
#define CLASS(name) { name, HPROF_COLUMN_NUMBER, false, name "_name" }
#define ADDRESS(name) { name, HPROF_COLUMN_ADDRESS, false, NULL }
#define TEXT(name) { name, HPROF_COLUMN_TEXT, false, NULL }
#define WORD(name) { name, HPROF_COLUMN_TEXT, true, NULL }

static const struct hprof_table_info infos[HPROF_TABLE_COUNT] = {
	[HPROF_TABLE_DUMP] = { .name = "dump",
			    .columns = {
				    NUMBER("schema"), TEXT("file"),
				    TEXT("format"), NUMBER("id_size"),
				    NUMBER("time_ms"), TEXT("time"),
				    NUMBER("number"), NUMBER("complete"),
				    NUMBER("truncated"), NUMBER("errors"),
				    NUMBER("objects"), NUMBER("instances"),
				    NUMBER("object_arrays"),
				    NUMBER("primitive_arrays"),
				    NUMBER("class_objects"),
				    NUMBER("threads"), NUMBER("roots"),
				    NUMBER("shallow"), NUMBER("data"),
				    TEXT("sizes"), NUMBER("reachable"),
				    NUMBER("reachable_shallow"),
			    } },
	[HPROF_TABLE_CLASS] = { .name = "class",
			     .columns = {
				     NUMBER("id"), TEXT("name"),
				     WORD("package"), WORD("kind"),
				     NUMBER("object"), ADDRESS("address"),
				     CLASS("super"), NUMBER("loader"),
				     ADDRESS("loader_address"),
				     NUMBER("instances"), NUMBER("shallow"),
				     NUMBER("largest"), NUMBER("data"),
			     } },
	[HPROF_TABLE_FIELD] = { .name = "field",
			     .columns = {
				     NUMBER("id"), CLASS("class"),
				     WORD("name"), WORD("type"),
				     NUMBER("static"),
			     } },
	[HPROF_TABLE_OBJECT] = { .name = "object",
			      .columns = {
				      NUMBER("id"), ADDRESS("address"),
				      CLASS("class"), NUMBER("shallow"),
				      NUMBER("length"),
			      } },
	[HPROF_TABLE_REFERENCE] = { .name = "reference",
				 .columns = {
					 NUMBER("source"), NUMBER("place"),
					 NUMBER("target"),
				 },
				 .key = 2 },
	[HPROF_TABLE_DANGLING] = { .name = "dangling",
				.columns = {
					NUMBER("source"), NUMBER("place"),
					ADDRESS("address"),
				},
				.key = 2 },
	[HPROF_TABLE_VALUE] = { .name = "value",
			     .columns = {
				     NUMBER("object"), NUMBER("place"),
				     { "value", HPROF_COLUMN_ANY, false, NULL },
			     },
			     .key = 2 },
	[HPROF_TABLE_STRING] = { .name = "string",
			      .columns = {
				      NUMBER("object"), NUMBER("length"),
				      TEXT("text"),
			      } },
	[HPROF_TABLE_ROOT] = { .name = "root",
			    .columns = {
				    NUMBER("id"), WORD("kind"),
				    NUMBER("object"), ADDRESS("address"),
				    NUMBER("thread_serial"),
				    NUMBER("depth"),
			    } },
	[HPROF_TABLE_THREAD] = { .name = "thread",
			      .columns = {
				      NUMBER("id"), NUMBER("serial"),
				      NUMBER("object"), TEXT("name"),
				      WORD("class"), NUMBER("daemon"),
				      NUMBER("priority"), NUMBER("status"),
				      WORD("state"), NUMBER("tid"),
			      } },
	[HPROF_TABLE_FRAME] = { .name = "frame",
			     .columns = {
				     NUMBER("thread"), NUMBER("depth"),
				     WORD("class"), WORD("method"),
				     WORD("signature"), WORD("source"),
				     NUMBER("line"),
			     },
			     .key = 2 },
	[HPROF_TABLE_RETAINED] = { .name = "retained",
				.columns = {
					NUMBER("object"),
					NUMBER("dominator"), NUMBER("depth"),
					NUMBER("retained"),
				} },
	[HPROF_TABLE_STRENGTH] = { .name = "strength",
				.columns = {
					NUMBER("object"), WORD("strength"),
				} },
	[HPROF_TABLE_LOADER] = { .name = "loader",
			      .columns = {
				      NUMBER("id"), ADDRESS("address"),
				      NUMBER("object"), NUMBER("parent"),
				      TEXT("name"), CLASS("class"),
				      WORD("state"), NUMBER("classes"),
				      NUMBER("duplicates"),
				      NUMBER("instances"), NUMBER("bytes"),
				      NUMBER("retained"), NUMBER("holder"),
				      TEXT("field"),
			      } },
	[HPROF_TABLE_WASTE] = { .name = "waste",
			     .columns = {
				     NUMBER("id"), WORD("kind"),
				     CLASS("class"), NUMBER("objects"),
				     NUMBER("bytes"), NUMBER("saved"),
				     CLASS("holder"), WORD("field"),
				     NUMBER("static"), NUMBER("fields"),
				     NUMBER("example"),
			     } },
	[HPROF_TABLE_DUPLICATE] = { .name = "duplicate",
				 .columns = {
					 NUMBER("object"), CLASS("class"),
					 NUMBER("length"), TEXT("text"),
					 NUMBER("objects"), NUMBER("saved"),
					 CLASS("holder"), WORD("field"),
					 NUMBER("static"), NUMBER("held"),
				 } },
	[HPROF_TABLE_WASTE_MAP] = { .name = "waste_map",
				 .columns = {
					 NUMBER("id"), WORD("kind"),
					 NUMBER("object"), CLASS("class"),
					 NUMBER("entries"), NUMBER("buckets"),
					 NUMBER("deepest"),
					 NUMBER("refer_back"),
					 CLASS("key_class"),
					 CLASS("holder"), WORD("field"),
					 NUMBER("static"),
				 } },
	[HPROF_TABLE_SUSPECT] = { .name = "suspect",
			       .columns = {
				       NUMBER("id"), WORD("kind"),
				       NUMBER("retained"), NUMBER("objects"),
				       NUMBER("point"), CLASS("class"),
				       NUMBER("owner"), CLASS("owner_class"),
				       TEXT("field"), NUMBER("collection"),
				       NUMBER("elements"), TEXT("item_class"),
				       NUMBER("items"), TEXT("member_class"),
				       NUMBER("members"), TEXT("crowd"),
				       TEXT("local_class"),
				       TEXT("local_field"),
				       NUMBER("local_threads"),
				       NUMBER("local_of_threads"),
				       NUMBER("local_values"),
				       NUMBER("local_retained"),
			       } },
	[HPROF_TABLE_SUSPECT_PATH] = { .name = "suspect_path",
				    .columns = {
					    NUMBER("suspect"), NUMBER("step"),
					    WORD("root"), NUMBER("object"),
					    CLASS("class"), WORD("field"),
					    NUMBER("element"),
				    },
				    .key = 2 },
	[HPROF_TABLE_SITE] = { .name = "site",
			    .columns = {
				    NUMBER("id"), NUMBER("trace"),
				    CLASS("class"), NUMBER("objects"),
				    NUMBER("shallow"),
			    } },
	[HPROF_TABLE_SAMPLE] = { .name = "sample",
			      .columns = {
				      NUMBER("id"), NUMBER("section"),
				      WORD("kind"), NUMBER("time_us"),
				      NUMBER("trace"), NUMBER("thread_serial"),
				      WORD("class"), NUMBER("samples"),
				      NUMBER("live_bytes"),
				      NUMBER("live_objects"),
				      NUMBER("allocated_bytes"),
				      NUMBER("allocated_objects"),
			      } },
	[HPROF_TABLE_TRACE] = { .name = "trace",
			     .columns = {
				     NUMBER("trace"), NUMBER("depth"),
				     WORD("class"), WORD("method"),
				     WORD("signature"), WORD("source"),
				     NUMBER("line"),
			     },
			     .key = 2 },
};

const struct hprof_table_info *hprof_table_info(enum hprof_table table)
{
	return (unsigned)table < HPROF_TABLE_COUNT ? &infos[table] : NULL;
}

unsigned hprof_table_width(enum hprof_table table)
{
	const struct hprof_table_info *info = hprof_table_info(table);
	unsigned width = 0;

	while (info && info->columns[width].name)
		width++;
	return width;
}

enum hprof_table hprof_table_named(const char *name)
{
	unsigned i = 0;

	while (i < HPROF_TABLE_COUNT &&
	       (!name || strcmp(infos[i].name, name) != 0))
		i++;
	return (enum hprof_table)i;
}

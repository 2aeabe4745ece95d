/* SPDX-License-Identifier: MIT */
/*
 * export_schema.c - how the database is written, and its indexes.
 */
#include "tools/export/export_sqlite.h"

/*
 * page_size: 64 KiB would make large files no smaller, and those of small
 * dumps larger, since each table and index ends with a page that is not full.
 * journal_mode, synchronous, locking_mode: the file has another name until it
 * is whole, so nobody else reads it and nothing is ever rolled back.
 * cache_size: 64 MiB, of which each table needs the few pages at its end;
 * the rest is for sorting the indexes. What does not fit goes to temporary
 * files, so the memory does not grow with the dump.
 * application_id: "HPRF", for file(1). user_version: of the schema.
 */
const char sqlite_pragmas[] = "PRAGMA page_size = 16384;"
			      "PRAGMA journal_mode = OFF;"
			      "PRAGMA synchronous = OFF;"
			      "PRAGMA locking_mode = EXCLUSIVE;"
			      "PRAGMA cache_size = -65536;"
			      "PRAGMA application_id = 1213223494;"
			      "PRAGMA user_version = 2;";

/*
 * A temporary database, which SQLite removes. Its tables grow only at their
 * ends.
 */
const char sqlite_stage[] = "ATTACH '' AS stage;"
			    "PRAGMA stage.page_size = 16384;"
			    "PRAGMA stage.journal_mode = OFF;"
			    "PRAGMA stage.synchronous = OFF;"
			    "PRAGMA stage.cache_size = -8192;";

/*
 * The tables of references and values are stored by their keys: source and
 * place. So what an object refers to needs no index.
 */
const char *const sqlite_indexes[] = {
	"CREATE INDEX object_class ON object (class)",
	"CREATE INDEX reference_target ON reference (target)",
	"CREATE INDEX class_name ON class (name)",
	"CREATE INDEX class_object ON class (object)",
	"CREATE INDEX field_name ON field (name)",
	"CREATE INDEX root_object ON root (object)",
	"CREATE INDEX retained_dominator ON retained (dominator)",
	"CREATE INDEX retained_size ON retained (retained)",
	0,
};

const unsigned sqlite_index_count =
	sizeof(sqlite_indexes) / sizeof(sqlite_indexes[0]) - 1;

/* A sample of each index is enough for the query planner. */
const char sqlite_last[] = "PRAGMA analysis_limit = 1000; ANALYZE;";

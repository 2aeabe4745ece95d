/* SPDX-License-Identifier: MIT */
/*
 * export_schema.c - indexes and views of the database.
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

const char sqlite_views[] =
	/* One row for all classes of the same name. */
	"CREATE VIEW histogram AS"
	" SELECT name AS class, sum(instances) AS instances,"
	" sum(shallow) AS shallow, max(largest) AS largest,"
	" count(*) AS classes"
	" FROM class GROUP BY name HAVING sum(instances) > 0"
	" ORDER BY sum(shallow) DESC, name;\n"

	/* Objects with the names of their classes. */
	"CREATE VIEW object_named AS"
	" SELECT o.id, printf('0x%x', o.address) AS address, c.name AS class,"
	" m.name AS of_class, o.shallow, o.length, s.text"
	" FROM object o LEFT JOIN class c ON c.id = o.class"
	" LEFT JOIN class m ON m.object = o.id"
	" LEFT JOIN string s ON s.object = o.id;\n"

	/* References with the names of source, field and target. */
	"CREATE VIEW reference_named AS"
	" SELECT r.source, c.name AS source_class,"
	" CASE WHEN r.place >= 0 THEN '[' || r.place || ']' ELSE f.name END"
	" AS place, r.target, d.name AS target_class"
	" FROM reference r"
	" JOIN object s ON s.id = r.source LEFT JOIN class c ON c.id = s.class"
	" JOIN object t ON t.id = r.target LEFT JOIN class d ON d.id = t.class"
	" LEFT JOIN field f ON f.id = r.place;\n"

	/* Values of primitive fields with their names. */
	"CREATE VIEW value_named AS"
	" SELECT v.object, c.name AS class, f.name AS field, f.type, v.value"
	" FROM value v JOIN field f ON f.id = v.place"
	" LEFT JOIN class c ON c.id = f.class;\n"

	/* A line for each stack frame, as Java prints it. */
	"CREATE VIEW thread_stack AS"
	" SELECT t.id AS thread, t.name, t.state, f.depth,"
	" coalesce(f.class, '?') || '.' || coalesce(f.method, '?') || '(' ||"
	" CASE WHEN f.line = -3 THEN 'Native Method'"
	" WHEN f.line > 0 THEN coalesce(f.source, 'Unknown Source') || ':' ||"
	" f.line ELSE coalesce(f.source, 'Unknown Source') END || ')' AS frame"
	" FROM thread t JOIN frame f ON f.thread = t.id"
	" ORDER BY t.id, f.depth;\n"

	/* Texts that several strings have in common. */
	"CREATE VIEW duplicate_string AS"
	" SELECT text, count(*) AS strings, max(length) AS length,"
	" (count(*) - 1) * max(length) AS characters_wasted"
	" FROM string GROUP BY text HAVING count(*) > 1"
	" ORDER BY (count(*) - 1) * max(length) DESC, text;\n"

	/* Empty without --retained. */
	"CREATE VIEW biggest_retained AS"
	" SELECT r.object, printf('0x%x', o.address) AS address,"
	" c.name AS class, m.name AS of_class, o.shallow, r.retained,"
	" r.dominator, r.depth"
	" FROM retained r JOIN object o ON o.id = r.object"
	" LEFT JOIN class c ON c.id = o.class"
	" LEFT JOIN class m ON m.object = o.id"
	" ORDER BY r.retained DESC, r.object;\n";

/* A sample of each index is enough for the query planner. */
const char sqlite_last[] = "PRAGMA analysis_limit = 1000; ANALYZE;";

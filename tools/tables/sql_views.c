/* SPDX-License-Identifier: MIT */
/*
 * sql_views.c - the views of hprof-tables(7), which join the tables for people.
 */
#include "tools/tables/sql_views.h"

const char sql_views[] =
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

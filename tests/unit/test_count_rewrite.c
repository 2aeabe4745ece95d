/* SPDX-License-Identifier: MIT */
/*
 * test_count_rewrite.c - statements that are answered from the table of
 * classes: on real tables both forms give the same rows, names and types, and
 * statements that could differ are left alone.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "tools/query/count_rewrite.h"

static void run(sqlite3 *db, const char *sql)
{
	cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK,
		     "%s: %s", sql, sqlite3_errmsg(db));
}

/* 400 objects of 6 classes, two of one name; a class without objects. */
static sqlite3 *tables(void)
{
	sqlite3 *db;

	cr_assert_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	run(db, "CREATE TABLE object(id INTEGER PRIMARY KEY, address INTEGER, "
		"class INTEGER, shallow INTEGER, length INTEGER)");
	run(db, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 "
		"FROM n WHERE i < 399) INSERT INTO object SELECT i, 4096 + i, "
		"i * i % 7, 16 + i % 5 * 8, NULL FROM n");
	run(db, "CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT, "
		"package TEXT, instances INTEGER, shallow INTEGER)");
	run(db, "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 "
		"FROM n WHERE i < 7) INSERT INTO class SELECT i, 'p' || i % 2 "
		"|| '.C' || i % 5, 'p' || i % 2, (SELECT count(*) FROM object "
		"WHERE class = i), (SELECT coalesce(sum(shallow), 0) FROM "
		"object WHERE class = i) FROM n");
	return db;
}

static void class_of(sqlite3_context *context, int count, sqlite3_value **value)
{
	sqlite3 *db = sqlite3_context_db_handle(context);
	sqlite3_stmt *s;

	cr_assert_eq(count, 1);
	cr_assert_eq(sqlite3_prepare_v2(db,
					"SELECT name FROM class WHERE id = "
					"(SELECT class FROM object WHERE id = "
					"?)",
					-1, &s, NULL),
		     SQLITE_OK);
	sqlite3_bind_value(s, 1, value[0]);
	cr_assert_eq(sqlite3_step(s), SQLITE_ROW);
	sqlite3_result_value(context, sqlite3_column_value(s, 0));
	sqlite3_finalize(s);
}

static sqlite3 *tables_and_function(void)
{
	sqlite3 *db = tables();

	cr_assert_eq(sqlite3_create_function(db, "class_of", 1, SQLITE_UTF8,
					     NULL, class_of, NULL, NULL),
		     SQLITE_OK);
	return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL),
		     SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	return statement;
}

static void expect_same_row(const char *sql, sqlite3_stmt *a, sqlite3_stmt *b)
{
	for (int i = 0; i < sqlite3_column_count(a); i++) {
		const char *x = (const char *)sqlite3_column_text(a, i);
		const char *y = (const char *)sqlite3_column_text(b, i);

		cr_expect_str_eq(sqlite3_column_name(a, i),
				 sqlite3_column_name(b, i), "%s", sql);
		cr_expect_eq(sqlite3_column_type(a, i),
			     sqlite3_column_type(b, i), "%s", sql);
		cr_expect_str_eq(x ? x : "NULL", y ? y : "NULL", "%s", sql);
	}
}

static void expect_same(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *plain = prepare(db, sql), *fast;
	char *text = count_rewrite(sql, strlen(sql), plain);
	int code;

	cr_assert_not_null(text, "%s", sql);
	cr_assert_null(strstr(text, "FROM object"), "%s", text);
	fast = prepare(db, text);
	cr_assert_eq(sqlite3_column_count(plain), sqlite3_column_count(fast));
	do {
		code = sqlite3_step(plain);
		cr_assert_eq(sqlite3_step(fast), code, "%s", sql);
		if (code == SQLITE_ROW)
			expect_same_row(sql, plain, fast);
	} while (code == SQLITE_ROW);
	sqlite3_finalize(plain);
	sqlite3_finalize(fast);
	sqlite3_free(text);
}

Test(count_rewrite, same_rows)
{
	static const char *const statements[] = {
		"SELECT count(*), sum(shallow) FROM object",
		"select Count( * ) , SUM (SHALLOW)from object;",
		"SELECT count(*) AS n, /* bytes */ sum(shallow) FROM object -- "
		"x",
		"SELECT total(shallow), avg(shallow), count(id) FROM object",
		"SELECT sum(shallow) / count(*) FROM object",
		"SELECT sum(shallow), total(shallow), avg(shallow), count(*) "
		"FROM object WHERE class = 99",
		"SELECT count(*) FROM object WHERE class = '4'",
		"SELECT count(*) FROM object WHERE class IN (1, 2, 5)",
		"SELECT count(*) FROM object WHERE class<=2 OR class!=4",
		"SELECT sum(shallow) FROM object WHERE class IS NULL",
		"SELECT class, count(*) FROM object GROUP BY class",
		"SELECT class, count(*) AS n FROM object GROUP BY 1 "
		"ORDER BY n DESC, class LIMIT 2 OFFSET 1",
		"SELECT class AS k, sum(shallow) AS \"all bytes\" FROM object "
		"GROUP BY k HAVING count(*) > 50 ORDER BY \"all bytes\" DESC, "
		"k",
		"SELECT o.class, count(o.id) FROM object o GROUP BY o.class",
		"SELECT o.class, count(*) FROM object AS o GROUP BY o.class "
		"ORDER BY sum(o.shallow), 1",
		"SELECT class_of(id) AS c, count(*) FROM object GROUP BY c",
		"SELECT class_of(id), count(*) FROM object GROUP BY 1 "
		"ORDER BY 2 DESC, 1",
		"SELECT class_of(id) AS class, sum(shallow) AS bytes "
		"FROM object GROUP BY class ORDER BY bytes DESC, class",
		"SELECT count(*) FROM object WHERE class_of(id) = 'p0.C1'",
		"SELECT count(*) FROM object WHERE class_of(id) LIKE 'p1%'",
		"SELECT c.name, count(*), sum(o.shallow) FROM object o "
		"JOIN class c ON c.id = o.class GROUP BY c.name",
		"SELECT c.package, count(*) FROM object o INNER JOIN class c "
		"ON o.class = c.id GROUP BY c.package ORDER BY 2, 1",
		"SELECT c.id, c.name, count(*) FROM object o JOIN class c "
		"ON c.id = o.class WHERE c.package = 'p1' GROUP BY c.id",
		"SELECT name, count(*) FROM object JOIN class "
		"ON class.id = object.class GROUP BY name",
		"SELECT printf('%d', count(*)), round(avg(shallow), 2) "
		"FROM object",
		"SELECT class, CASE WHEN count(*) > 60 THEN 'many' ELSE 'few' "
		"END FROM object GROUP BY class",
	};
	sqlite3 *db = tables_and_function();

	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
		expect_same(db, statements[i]);
	sqlite3_close(db);
}

Test(count_rewrite, parameters_stay)
{
	static const char sql[] =
		"SELECT count(*) FROM object WHERE class = :class";
	sqlite3 *db = tables();
	sqlite3_stmt *plain = prepare(db, sql);
	char *text = count_rewrite(sql, strlen(sql), plain);

	cr_assert_not_null(text);
	sqlite3_finalize(plain);
	plain = prepare(db, text);
	cr_expect_str_eq(sqlite3_bind_parameter_name(plain, 1), ":class");
	sqlite3_finalize(plain);
	sqlite3_free(text);
	sqlite3_close(db);
}

Test(count_rewrite, others_are_left_alone)
{
	static const char *const statements[] = {
		"SELECT * FROM object",
		"SELECT class FROM object",
		"SELECT 1 FROM object",
		"SELECT DISTINCT class FROM object",
		"SELECT class, count(*) FROM object",
		"SELECT id, count(*) FROM object GROUP BY class",
		"SELECT count(length) FROM object",
		"SELECT count(DISTINCT class) FROM object",
		"SELECT min(shallow) FROM object",
		"SELECT max(class), count(*) FROM object",
		"SELECT sum(shallow + 1) FROM object",
		"SELECT sum(id) FROM object",
		"SELECT count(*) FROM object WHERE shallow > 20",
		"SELECT count(*) FROM object WHERE id < 10",
		"SELECT count(*) FROM object WHERE class = id",
		"SELECT count(*) FILTER (WHERE class = 1) FROM object",
		"SELECT count(*) OVER () FROM object",
		"SELECT count(*), shallow FROM object GROUP BY class",
		"SELECT class, sum(shallow) AS shallow FROM object "
		"GROUP BY class HAVING shallow > 100",
		"SELECT count(*) FROM object GROUP BY length",
		"SELECT count(*) FROM object, class",
		"SELECT count(*) FROM object a JOIN object b ON a.id = b.class",
		"SELECT count(*) FROM object o LEFT JOIN class c "
		"ON c.id = o.class",
		"SELECT count(*) FROM object o JOIN class c ON c.id = o.id",
		"SELECT sum(c.instances) FROM object o JOIN class c "
		"ON c.id = o.class",
		"SELECT c.name, count(*) FROM object o JOIN class c "
		"ON c.id = o.class GROUP BY c.package",
		"SELECT count(*) FROM class",
		"SELECT count(*) FROM (SELECT * FROM object)",
		"SELECT count(*) FROM main.object",
		"SELECT count(*) FROM object WHERE class IN "
		"(SELECT id FROM class)",
		"SELECT count(*) FROM object UNION SELECT 1",
		"SELECT count(*) FROM object WHERE random() > 0",
		"SELECT count(*) FROM object WHERE rowid < 10",
		"SELECT group_concat(class) FROM object",
		"EXPLAIN SELECT count(*) FROM object",
		"WITH x(a) AS (SELECT 1) SELECT count(*) FROM object",
		"VALUES (1)",
	};
	sqlite3 *db = tables_and_function();

	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++) {
		sqlite3_stmt *plain = prepare(db, statements[i]);
		char *text = count_rewrite(statements[i], strlen(statements[i]),
					   plain);

		cr_expect_null(text, "%s becomes %s", statements[i], text);
		sqlite3_free(text);
		sqlite3_finalize(plain);
	}
	sqlite3_close(db);
}

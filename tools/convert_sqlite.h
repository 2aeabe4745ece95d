/*
 * convert_sqlite.h - the parts of the database that are written in SQL:
 * hprof-tables(7) explains them.
 */
#ifndef TOOLS_CONVERT_SQLITE_H
#define TOOLS_CONVERT_SQLITE_H

/* Before all tables. */
extern const char sqlite_pragmas[];

/* One statement each, so that progress can be shown; NULL behind the last. */
extern const char *const sqlite_indexes[];
extern const unsigned sqlite_index_count;

extern const char sqlite_views[];

/* When everything is there. */
extern const char sqlite_last[];

#endif

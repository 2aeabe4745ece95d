/* SPDX-License-Identifier: MIT */
/*
 * sql_views.h - CREATE VIEW statements: views that join the tables.
 */
#ifndef TOOLS_SQL_VIEWS_H
#define TOOLS_SQL_VIEWS_H

extern const char sql_views[];

#endif

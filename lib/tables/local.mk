# SPDX-License-Identifier: MIT
# lib/tables: a dump as rows: for databases, CSV, queries and columns.

core_sources += \
	lib/tables/table_fields.c \
	lib/tables/table_graph.c \
	lib/tables/table_infos.c \
	lib/tables/table_loader.c \
	lib/tables/table_objects.c \
	lib/tables/table_profile.c \
	lib/tables/table_rows.h \
	lib/tables/table_suspects.c \
	lib/tables/table_waste.c \
	lib/tables/tables.c \
	lib/tables/text_limit.c \
	lib/tables/words.c

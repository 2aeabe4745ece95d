# SPDX-License-Identifier: MIT
# lib/columns: tables as columns for other programs.

core_sources += \
	lib/columns/arrow_export.c \
	lib/columns/arrow_export.h \
	lib/columns/arrow_stream.c \
	lib/columns/class_stream.c \
	lib/columns/column.c \
	lib/columns/column.h \
	lib/columns/stream.h \
	lib/columns/table_stream.c

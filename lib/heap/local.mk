# SPDX-License-Identifier: MIT
# lib/heap: every object by number or id.

reading_sources += \
	lib/heap/class_fields.c \
	lib/heap/cursor.c \
	lib/heap/cursor.h \
	lib/heap/cursor_fields.c \
	lib/heap/heap.c \
	lib/heap/heap.h \
	lib/heap/heap_cache.c \
	lib/heap/heap_cache.h \
	lib/heap/heap_cache_tables.c \
	lib/heap/heap_classes.c \
	lib/heap/heap_duplicates.c \
	lib/heap/heap_index.c \
	lib/heap/heap_index.h \
	lib/heap/heap_offsets.c \
	lib/heap/heap_order.c \
	lib/heap/heap_pass.c \
	lib/heap/heap_scan.c

core_sources += \
	lib/heap/class_index.c \
	lib/heap/cursor_string.c \
	lib/heap/cursor_value.c

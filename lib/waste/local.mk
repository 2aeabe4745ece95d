# SPDX-License-Identifier: MIT
# lib/waste: memory that a program could do without.

core_sources += \
	lib/waste/arrays.c \
	lib/waste/beside.c \
	lib/waste/boxes.c \
	lib/waste/class_fields.c \
	lib/waste/class_objects.c \
	lib/waste/classes.c \
	lib/waste/collections.c \
	lib/waste/content_bits.c \
	lib/waste/content_bits.h \
	lib/waste/content_hash.c \
	lib/waste/content_hash.h \
	lib/waste/content_sort.c \
	lib/waste/content_sort.h \
	lib/waste/contents.c \
	lib/waste/find_referrers.c \
	lib/waste/holder_sums.c \
	lib/waste/holders.c \
	lib/waste/list_order.c \
	lib/waste/lists.c \
	lib/waste/lists.h \
	lib/waste/maps.c \
	lib/waste/note_lists.c \
	lib/waste/note_objects.c \
	lib/waste/note_prims.c \
	lib/waste/notes.c \
	lib/waste/notes.h \
	lib/waste/number_width.c \
	lib/waste/number_width.h \
	lib/waste/referrers.c \
	lib/waste/referrers.h \
	lib/waste/roles.h \
	lib/waste/short_rows.c \
	lib/waste/waste.c \
	lib/waste/waste.h \
	lib/waste/waste_report.c

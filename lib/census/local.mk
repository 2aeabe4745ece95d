# SPDX-License-Identifier: MIT
# lib/census: one counting pass over all objects, and the classes it met.

reading_sources += \
	lib/census/census.c \
	lib/census/census.h \
	lib/census/census_cache.c \
	lib/census/census_cache.h \
	lib/census/census_merge.c \
	lib/census/census_workers.c \
	lib/census/census_workers.h \
	lib/census/class_count.c \
	lib/census/class_table.c \
	lib/census/class_table.h \
	lib/census/object_count.c \
	lib/census/object_count.h \
	lib/census/object_scan.c \
	lib/census/object_scan.h \
	lib/census/property_names.c \
	lib/census/property_names.h

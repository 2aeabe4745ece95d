# SPDX-License-Identifier: MIT
# lib/census: one counting pass over all objects, and the summary made of it.

core_sources += \
	lib/census/census.c \
	lib/census/census.h \
	lib/census/census_merge.c \
	lib/census/census_workers.c \
	lib/census/census_workers.h \
	lib/census/object_count.c \
	lib/census/object_count.h \
	lib/census/object_scan.c \
	lib/census/object_scan.h \
	lib/census/summary.c \
	lib/census/summary.h \
	lib/census/summary_check.c \
	lib/census/summary_check.h

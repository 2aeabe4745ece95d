# SPDX-License-Identifier: MIT
# lib/check: what is wrong with a dump.

core_sources += \
	lib/check/check.c \
	lib/check/check.h \
	lib/check/check_class.c \
	lib/check/check_codes.c \
	lib/check/check_ids.c \
	lib/check/check_names.c \
	lib/check/check_objects.c \
	lib/check/check_pass.c \
	lib/check/check_readers.c \
	lib/check/check_scan.c

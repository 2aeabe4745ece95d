# SPDX-License-Identifier: MIT
# lib/layout: how JVMs lay out objects, the shallow sizes that
# follow, and the summary, which has them.

reading_sources += \
	lib/layout/hotspot_layout.c \
	lib/layout/hotspot_layout.h \
	lib/layout/instance_sizes.c \
	lib/layout/instance_sizes.h \
	lib/layout/object_layout.c \
	lib/layout/object_layout.h \
	lib/layout/shallow_sizes.c \
	lib/layout/shallow_sizes.h \
	lib/layout/summary.c \
	lib/layout/summary.h \
	lib/layout/summary_check.c \
	lib/layout/summary_check.h

# SPDX-License-Identifier: MIT
# lib/layout: how JVMs lay out objects, and the shallow sizes that follow.

core_sources += \
	lib/layout/hotspot_layout.c \
	lib/layout/hotspot_layout.h \
	lib/layout/object_layout.c \
	lib/layout/object_layout.h \
	lib/layout/shallow_sizes.c

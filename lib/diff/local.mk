# SPDX-License-Identifier: MIT
# lib/diff: what changed between dumps.

core_sources += \
	lib/diff/diff.c \
	lib/diff/diff_name.c \
	lib/diff/diff_name.h \
	lib/diff/diff_parts.c \
	lib/diff/diff_parts.h \
	lib/diff/diff_paths.c \
	lib/diff/path_tree.c \
	lib/diff/path_tree.h \
	lib/diff/path_tree_overlay.c \
	lib/diff/path_tree_overlay.h \
	lib/diff/path_tree_read.c \
	lib/diff/path_tree_strings.c \
	lib/diff/path_tree_strings.h

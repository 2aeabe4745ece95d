# SPDX-License-Identifier: MIT
# lib/report: tables for people.

core_sources += \
	lib/report/allocations.c \
	lib/report/ancestor_sets.c \
	lib/report/ancestor_sets.h \
	lib/report/bounded_bfs.c \
	lib/report/bounded_bfs.h \
	lib/report/class_instances.c \
	lib/report/dominator_kinds.c \
	lib/report/dominator_paths.c \
	lib/report/dominator_paths.h \
	lib/report/garbage.c \
	lib/report/kind_tree.c \
	lib/report/kind_tree.h \
	lib/report/merged_paths.c \
	lib/report/name_keys.c \
	lib/report/name_keys.h \
	lib/report/native_finder.c \
	lib/report/native_finder.h \
	lib/report/native_memory.c \
	lib/report/native_objects.c \
	lib/report/native_objects.h \
	lib/report/native_pools.c \
	lib/report/native_pools.h \
	lib/report/object_info.c \
	lib/report/object_info.h \
	lib/report/path_choice.c \
	lib/report/path_steps.c \
	lib/report/resource_classes.c \
	lib/report/resource_classes.h \
	lib/report/resource_forms.c \
	lib/report/resource_forms.h \
	lib/report/resources.c \
	lib/report/retained_groups.c \
	lib/report/retained_report.c \
	lib/report/retained_sets.c \
	lib/report/retained_sets.h \
	lib/report/retained_sums.c \
	lib/report/retained_tree.c \
	lib/report/root_index.c \
	lib/report/root_index.h \
	lib/report/root_paths.c \
	lib/report/root_paths.h \
	lib/report/set_counts.c \
	lib/report/set_counts.h \
	lib/report/sets_table.h \
	lib/report/shunned_edges.c \
	lib/report/shunned_edges.h \
	lib/report/step_keys.c \
	lib/report/step_keys.h \
	lib/report/thread_local_names.c \
	lib/report/thread_local_names.h \
	lib/report/thread_locals.c

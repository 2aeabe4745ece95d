# SPDX-License-Identifier: MIT
# lib/leaks: leak suspects.

core_sources += \
	lib/leaks/backlog.c \
	lib/leaks/backlog.h \
	lib/leaks/backlog_join.c \
	lib/leaks/backlog_join.h \
	lib/leaks/backlog_queues.c \
	lib/leaks/backlog_weaker.c \
	lib/leaks/backlog_work.c \
	lib/leaks/backlog_work.h \
	lib/leaks/children_by_class.c \
	lib/leaks/children_by_class.h \
	lib/leaks/dominator_children.c \
	lib/leaks/dominator_children.h \
	lib/leaks/dominator_search.c \
	lib/leaks/dominator_search.h \
	lib/leaks/leak_contents.c \
	lib/leaks/leak_contents.h \
	lib/leaks/leak_crowd_join.c \
	lib/leaks/leak_crowd_join.h \
	lib/leaks/leak_crowd_list.c \
	lib/leaks/leak_crowd_threads.c \
	lib/leaks/leak_crowds.c \
	lib/leaks/leak_crowds.h \
	lib/leaks/leak_describe.c \
	lib/leaks/leak_descent.c \
	lib/leaks/leak_descent.h \
	lib/leaks/leak_explained.c \
	lib/leaks/leak_explained.h \
	lib/leaks/leak_locals.c \
	lib/leaks/leak_locals.h \
	lib/leaks/leak_next.c \
	lib/leaks/leak_origins.c \
	lib/leaks/leak_origins.h \
	lib/leaks/leak_owners.c \
	lib/leaks/leak_owners.h \
	lib/leaks/leak_parts.c \
	lib/leaks/leak_parts.h \
	lib/leaks/leak_paths.c \
	lib/leaks/leak_reasons.c \
	lib/leaks/leak_reasons.h \
	lib/leaks/leak_report.c \
	lib/leaks/leak_report.h \
	lib/leaks/leak_search.c \
	lib/leaks/leak_search.h \
	lib/leaks/leak_subject.c \
	lib/leaks/leak_subject.h \
	lib/leaks/leak_tree.c \
	lib/leaks/leak_tree.h \
	lib/leaks/loader_holders.c \
	lib/leaks/loader_holders.h \
	lib/leaks/loader_names.c \
	lib/leaks/loader_names.h \
	lib/leaks/loader_use.c \
	lib/leaks/out_of_memory.c \
	lib/leaks/out_of_memory.h

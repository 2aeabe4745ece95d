# SPDX-License-Identifier: MIT
# lib/base: memory, errors, threads, containers, text.

plain_sources += \
	lib/base/arena.c \
	lib/base/arena.h \
	lib/base/error.c \
	lib/base/error.h \
	lib/base/escape.c \
	lib/base/mem.c \
	lib/base/mem.h \
	lib/base/mem_reserve.c \
	lib/base/mem_reserve.h \
	lib/base/options.h \
	lib/base/u64_map.c \
	lib/base/u64_map.h \
	lib/base/utf8.c \
	lib/base/utf8.h \
	lib/base/wire.h

reading_sources += \
	lib/base/cache_file.c \
	lib/base/cache_file.h \
	lib/base/diag_codes.c \
	lib/base/diag_codes.h \
	lib/base/diag_list.c \
	lib/base/diag_list.h \
	lib/base/parallel_for.c \
	lib/base/parallel_for.h \
	lib/base/pattern.c \
	lib/base/pattern.h \
	lib/base/prefetch.h \
	lib/base/tempfile.c \
	lib/base/tempfile.h \
	lib/base/thread.c \
	lib/base/thread.h \
	lib/base/thread_pool.c \
	lib/base/thread_pool.h

core_sources += \
	lib/base/bits.h \
	lib/base/diag_codes.def \
	lib/base/id_marks.c \
	lib/base/id_marks.h \
	lib/base/job.c \
	lib/base/job.h \
	lib/base/mapped_table.c \
	lib/base/mapped_table.h \
	lib/base/populate.c \
	lib/base/populate.h \
	lib/base/ranked_bits.h \
	lib/base/same_text.h \
	lib/base/search.h \
	lib/base/sort_numbers.c \
	lib/base/sort_numbers.h \
	lib/base/spare_memory.c \
	lib/base/spare_memory.h \
	lib/base/string_map.c \
	lib/base/string_map.h

# SPDX-License-Identifier: MIT
# lib/stream: a dump as a stream of records.

plain_sources += \
	lib/stream/writer.c \
	lib/stream/writer.h \
	lib/stream/writer_bytes.c \
	lib/stream/writer_cut.c \
	lib/stream/writer_open.c \
	lib/stream/writer_segments.c

reading_sources += \
	lib/stream/reader.c \
	lib/stream/reader.h \
	lib/stream/reader_finish.c \
	lib/stream/reader_heap.c \
	lib/stream/reader_open.c \
	lib/stream/reader_recover.c \
	lib/stream/reader_record.c \
	lib/stream/reader_split.c \
	lib/stream/reader_state.c

core_sources += \
	lib/stream/copy_record.c

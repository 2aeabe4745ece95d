# SPDX-License-Identifier: MIT
# lib/io: bytes in and out: files, pipes, compression, archives.

plain_sources += \
	lib/io/sink.h \
	lib/io/sink_file.c \
	lib/io/sink_options.c

reading_sources += \
	lib/io/input.c \
	lib/io/input.h \
	lib/io/source.c \
	lib/io/source.h \
	lib/io/source_file.c \
	lib/io/window.c \
	lib/io/window.h

core_sources += \
	lib/io/archive_input.c \
	lib/io/archive_input.h \
	lib/io/archive_member.c \
	lib/io/archive_member.h \
	lib/io/gzip_split.c \
	lib/io/gzip_split.h \
	lib/io/inflate.h \
	lib/io/inflate_isal.c \
	lib/io/inflate_zlib.c \
	lib/io/output.c \
	lib/io/read_ahead.c \
	lib/io/sink_archive.c \
	lib/io/sink_compress.c \
	lib/io/sink_gzip.c \
	lib/io/source_archive.c \
	lib/io/source_codecs.c \
	lib/io/source_gzip.c \
	lib/io/source_gzip_parallel.c \
	lib/io/source_open.c \
	lib/io/source_stream.c \
	lib/io/source_stream.h

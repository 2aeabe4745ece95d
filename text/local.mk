# SPDX-License-Identifier: MIT
# The text of format=a, for the agent and hprof-convert. Of the library it needs
# what reads dumps (reading_sources) and hprof_char_is_unsafe.
noinst_LTLIBRARIES += text/libtext.la
text_libtext_la_SOURCES = \
	text/dump_heap.c \
	text/dump_records.c \
	text/dump_text.h \
	text/escape.c \
	text/escape.h \
	text/number_text.c \
	text/number_text.h \
	text/text_heap.c \
	text/text_heap.h \
	text/text_monitors.c \
	text/text_monitors.h \
	text/text_profile.c \
	text/text_profile.h \
	text/text_writer.c \
	text/text_writer.h
text_libtext_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)

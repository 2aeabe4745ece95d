# SPDX-License-Identifier: MIT
# The text of format=a, for the agent and hprof-convert. Needs the library's
# hprof_char_is_unsafe and the C library alone.
noinst_LTLIBRARIES += text/libtext.la
text_libtext_la_SOURCES = \
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

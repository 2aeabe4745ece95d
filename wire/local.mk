# SPDX-License-Identifier: MIT
# What the agent and hprof-dump say to each other over a network. Needs the C
# library alone.
noinst_LTLIBRARIES += wire/libwire.la
wire_libwire_la_SOURCES = \
	wire/address.c \
	wire/address.h \
	wire/command.c \
	wire/command.h \
	wire/request.h \
	wire/token.c \
	wire/token.h
wire_libwire_la_CFLAGS = $(AM_CFLAGS) $(LIB_CFLAGS)

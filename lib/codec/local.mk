# SPDX-License-Identifier: MIT
# lib/codec: one record to and from bytes: no I/O, no allocation.

plain_sources += \
	lib/codec/class_dump.c \
	lib/codec/class_name.c \
	lib/codec/decode.c \
	lib/codec/decode.h \
	lib/codec/describe.c \
	lib/codec/encode.c \
	lib/codec/encode.h \
	lib/codec/header.c \
	lib/codec/long_field.c \
	lib/codec/long_field.h \
	lib/codec/records.def \
	lib/codec/tags.h \
	lib/codec/value.c

core_sources += \
	lib/codec/object_head.h

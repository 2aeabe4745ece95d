# SPDX-License-Identifier: MIT
# lib/java: the objects of java.lang that every dump has: strings, threads,
# class loaders, system properties.

core_sources += \
	lib/java/class_loaders.c \
	lib/java/field_lookup.c \
	lib/java/field_lookup.h \
	lib/java/java_string.c \
	lib/java/java_string.h \
	lib/java/object_fetch.c \
	lib/java/object_fetch.h \
	lib/java/object_inspect.c \
	lib/java/object_inspect.h \
	lib/java/outside_memory.c \
	lib/java/package.c \
	lib/java/recorded_profile.c \
	lib/java/stack_traces.c \
	lib/java/stack_traces.h \
	lib/java/system_properties.c \
	lib/java/threads.c \
	lib/java/utf16.c \
	lib/java/utf16.h \
	lib/java/virtual_thread.c \
	lib/java/virtual_thread.h

# SPDX-License-Identifier: MIT
# lib/model: names and classes while a dump streams by.

reading_sources += \
	lib/model/class_chain.c \
	lib/model/class_chain.h \
	lib/model/decoded_names.c \
	lib/model/decoded_names.h \
	lib/model/id_index.c \
	lib/model/id_index.h \
	lib/model/known_classes.c \
	lib/model/known_classes.h \
	lib/model/name_table.c \
	lib/model/name_table.h \
	lib/model/names.c \
	lib/model/string_table.c \
	lib/model/string_table.h

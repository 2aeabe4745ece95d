# SPDX-License-Identifier: MIT
# lib/collections: lists, sets, maps and queues.

core_sources += \
	lib/collections/bits_walk.c \
	lib/collections/collection.c \
	lib/collections/collection.h \
	lib/collections/entries.c \
	lib/collections/field_list.c \
	lib/collections/field_path.c \
	lib/collections/field_path.h \
	lib/collections/forms.c \
	lib/collections/forms.h \
	lib/collections/forms_java.c \
	lib/collections/forms_languages.c \
	lib/collections/forms_libraries.c \
	lib/collections/forms_lines.h \
	lib/collections/node_key.c \
	lib/collections/node_walk.c \
	lib/collections/parts.c \
	lib/collections/recognise.c \
	lib/collections/recognise.h \
	lib/collections/trie_walk.c \
	lib/collections/vector_walk.c \
	lib/collections/walk.c \
	lib/collections/walk.h

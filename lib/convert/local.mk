# SPDX-License-Identifier: MIT
# lib/convert: a dump in another form.

core_sources += \
	lib/convert/convert.c \
	lib/convert/convert.h \
	lib/convert/convert_copy.c \
	lib/convert/convert_model.c \
	lib/convert/convert_names.c \
	lib/convert/convert_obfuscate.c \
	lib/convert/convert_part_files.c \
	lib/convert/convert_reachable.c \
	lib/convert/convert_record.c \
	lib/convert/convert_redact.c \
	lib/convert/convert_repair.c \
	lib/convert/convert_values.c

# SPDX-License-Identifier: MIT
# lib/convert: a dump in another form.

core_sources += \
	lib/convert/convert.c \
	lib/convert/convert.h \
	lib/convert/convert_exact.c \
	lib/convert/convert_input.c \
	lib/convert/convert_model.c \
	lib/convert/convert_output.c \
	lib/convert/convert_part_files.c \
	lib/convert/convert_plan.c \
	lib/convert/convert_record.c \
	lib/convert/convert_report.c \
	lib/convert/plausible_name.c \
	lib/convert/repair.h \
	lib/convert/repair_missing.c \
	lib/convert/transform_deobfuscate.c \
	lib/convert/transform_level.c \
	lib/convert/transform_names.c \
	lib/convert/transform_obfuscate.c \
	lib/convert/transform_reachable.c \
	lib/convert/transform_redact.c \
	lib/convert/transform_repair.c \
	lib/convert/transform_values.c \
	lib/convert/transform_version.c \
	lib/convert/transform_zygote.c

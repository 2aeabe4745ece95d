# SPDX-License-Identifier: MIT
# lib/recipe: a dump as text that can be edited.

core_sources += \
	lib/recipe/recipe.h \
	lib/recipe/recipe_assemble.c \
	lib/recipe/recipe_fields.c \
	lib/recipe/recipe_file.c \
	lib/recipe/recipe_lex.c \
	lib/recipe/recipe_line.c \
	lib/recipe/recipe_out.c \
	lib/recipe/recipe_out.h \
	lib/recipe/recipe_out_value.c \
	lib/recipe/recipe_value.c \
	lib/recipe/recipe_write.c

/* SPDX-License-Identifier: MIT */
/*
 * recipe-tool.c - recipe to dump and back, for fixtures and by hand.
 *
 *   recipe-tool assemble RECIPE DUMP
 *   recipe-tool write DUMP RECIPE
 *
 * '-' is standard input or output. Exit status: 0 fine, 1 the recipe is
 * wrong, 2 anything else.
 */
#include <hprof/recipe.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain(const char *name, const char *what)
{
	fprintf(stderr, "recipe-tool: %s: %s\n", name, what);
	return 2;
}

/* All bytes of FILE, to be freed; NULL and errno on failure. */
static char *read_all(FILE *file, size_t *ret_size)
{
	size_t room = 1 << 16;
	size_t used = 0;
	char *bytes = malloc(room);

	while (bytes) {
		used += fread(bytes + used, 1, room - used, file);
		if (used < room)
			break;
		char *more = realloc(bytes, room *= 2);
		if (!more)
			free(bytes);
		bytes = more;
	}
	if (bytes && ferror(file)) {
		free(bytes);
		return NULL;
	}
	*ret_size = used;
	return bytes;
}

static char *read_file(const char *name, size_t *ret_size)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "rb") : stdin;
	char *bytes = file ? read_all(file, ret_size) : NULL;

	if (file && file != stdin)
		fclose(file);
	return bytes;
}

static int write_bytes(void *user, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, user) == size ? 0 : -1;
}

static int convert(int assemble, const char *in_name, const char *bytes,
		   size_t size, FILE *out)
{
	struct hprof_error error;
	enum hprof_status status;

	if (!assemble) {
		status = hprof_recipe_write(bytes, size, write_bytes, out);
		return status == HPROF_OK
			       ? 0
			       : complain(in_name, hprof_status_text(status));
	}
	status = hprof_recipe_assemble(bytes, size, write_bytes, out, &error);
	if (status == HPROF_OK)
		return 0;
	complain(in_name, error.text);
	return status == HPROF_E_CORRUPT ? 1 : 2;
}

int main(int argc, char **argv)
{
	int assemble = argc == 4 && strcmp(argv[1], "assemble") == 0;
	size_t size;
	int status;

	if (argc != 4 || (!assemble && strcmp(argv[1], "write") != 0)) {
		fputs("usage: recipe-tool assemble|write IN OUT\n", stderr);
		return 2;
	}
	char *bytes = read_file(argv[2], &size);
	if (!bytes)
		return complain(argv[2], strerror(errno));
	FILE *out = strcmp(argv[3], "-") ? fopen(argv[3], "wb") : stdout;
	if (!out) {
		free(bytes);
		return complain(argv[3], strerror(errno));
	}
	status = convert(assemble, argv[2], bytes, size, out);
	if (fclose(out) != 0 && status == 0)
		status = complain(argv[3], strerror(errno));
	free(bytes);
	return status;
}

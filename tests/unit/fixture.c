/* SPDX-License-Identifier: MIT */
/*
 * fixture.c - dumps for tests: the recipes in tests/recipes, assembled.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <hprof/recipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *directory(void)
{
	static char path[4096];
	const char *top = getenv("top_srcdir");

	snprintf(path, sizeof path, "%s/tests/recipes", top ? top : ".");
	return path;
}

size_t sweep_step(size_t step, size_t sample)
{
	const char *all = getenv("HPROF_LONG");

	return all && strcmp(all, "1") == 0 ? step : step * sample;
}

int buffer_add(void *user, const void *bytes, size_t size)
{
	struct buffer *b = user;

	if (b->room - b->size < size) {
		b->room = 2 * b->room + size;
		b->bytes = realloc(b->bytes, b->room);
	}
	if (!b->bytes)
		return -1;
	memcpy(b->bytes + b->size, bytes, size);
	b->size += size;
	return 0;
}

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){ 0 };
}

static void read_text(struct fixture *f)
{
	struct buffer text = { 0 };
	char path[4200];
	char piece[4096];
	size_t got;

	snprintf(path, sizeof path, "%s/%s.recipe", directory(), f->name);
	FILE *file = fopen(path, "rb");
	cr_assert(file != NULL, "cannot open %s", path);
	while ((got = fread(piece, 1, sizeof piece, file)) > 0)
		buffer_add(&text, piece, got);
	fclose(file);
	f->text = (char *)text.bytes;
	f->text_size = text.size;
}

struct fixture fixture_load(const char *name)
{
	struct fixture f = { 0 };
	struct buffer bytes = { 0 };
	struct hprof_error error;

	snprintf(f.name, sizeof f.name, "%s", name);
	read_text(&f);
	cr_assert(hprof_recipe_assemble(f.text, f.text_size, buffer_add, &bytes,
					&error) == HPROF_OK,
		  "%s: %s", name, error.text);
	/* Of exactly its size, so that a sanitizer sees one byte too many. */
	f.size = bytes.size;
	f.bytes = malloc(f.size + (f.size == 0));
	cr_assert(f.bytes != NULL);
	if (f.size)
		memcpy(f.bytes, bytes.bytes, f.size);
	buffer_free(&bytes);
	return f;
}

void fixture_free(struct fixture *fixture)
{
	free(fixture->text);
	free(fixture->bytes);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **fixture_names(void)
{
	static char *names[512];
	size_t count = 0;
	struct dirent *entry;
	DIR *dir = opendir(directory());

	cr_assert(dir != NULL, "cannot open %s", directory());
	while ((entry = readdir(dir)) != NULL && count < 511) {
		static char pool[512][64];
		const char *dot = strstr(entry->d_name, ".recipe");
		if (!dot || dot[7])
			continue;
		snprintf(pool[count], sizeof pool[count], "%.*s",
			 (int)(dot - entry->d_name), entry->d_name);
		names[count] = pool[count];
		count++;
	}
	closedir(dir);
	cr_assert(count > 0, "no recipe in %s", directory());
	names[count] = NULL;
	qsort(names, count, sizeof names[0], compare);
	return names;
}

/* SPDX-License-Identifier: MIT */
/*
 * test_recipe_file.c - recipes in files: whatever comes in whichever pieces,
 * the outcome is that of the same text in memory, errors included.
 */
#include "fixture.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <hprof/recipe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../inputs.h"
#include "writing.h"

struct outcome {
	enum hprof_status status;
	struct hprof_error error;
	struct buffer bytes;
};

static struct outcome from_memory(const char *text, size_t size)
{
	struct outcome o = { 0 };

	o.status = hprof_recipe_assemble(text, size, buffer_add, &o.bytes,
					 &o.error);
	return o;
}

static struct outcome from_file(const char *path)
{
	struct outcome o = { 0 };

	o.status = hprof_recipe_assemble_input(INPUT_PATH(path), buffer_add,
					       &o.bytes, &o.error);
	return o;
}

/* Through standard input, in pieces of PIECE bytes. */
static struct outcome from_pipe(const char *text, size_t size, size_t piece)
{
	int ends[2], status;
	struct outcome o;
	pid_t child;

	cr_assert_eq(pipe(ends), 0);
	child = fork();
	cr_assert(child >= 0);
	if (child == 0) {
		close(ends[0]); /* or it would wait for itself to read */
		for (size_t n; size; text += n, size -= n) {
			n = size < piece ? size : piece;
			if (write(ends[1], text, n) != (ssize_t)n)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	cr_assert_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	o = from_file("-");
	close(STDIN_FILENO); /* a writer that is not finished ends */
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(open("/dev/null", O_RDONLY), STDIN_FILENO);
	return o;
}

static void expect_same(struct outcome *is, const struct outcome *was,
			const char *what)
{
	cr_assert_eq(is->status, was->status, "%s: status %d, not %d: %s", what,
		     is->status, was->status, is->error.text);
	if (was->status < 0) {
		cr_assert_str_eq(is->error.text, was->error.text, "%s", what);
		cr_assert_eq(is->error.offset, was->error.offset, "%s", what);
		/* The caller discards what was written before. */
		cr_assert(is->bytes.size <= was->bytes.size ||
				  memcmp(is->bytes.bytes, was->bytes.bytes,
					 was->bytes.size) == 0,
			  "%s", what);
	} else {
		cr_assert(same(&is->bytes, &was->bytes), "%s: other bytes",
			  what);
	}
	buffer_free(&is->bytes);
}

static void compare(const char *text, size_t size, const char *what)
{
	static const size_t pieces[] = { 50000, 4096 };
	struct outcome was = from_memory(text, size), is;
	FILE *file = fopen("recipe", "w");

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(text, 1, size, file), size);
	cr_assert_eq(fclose(file), 0);
	is = from_file("recipe");
	expect_same(&is, &was, what);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		is = from_pipe(text, size, pieces[i]);
		expect_same(&is, &was, what);
	}
	buffer_free(&was.bytes);
}

static void add(struct buffer *text, const char *line)
{
	cr_assert_eq(buffer_add(text, line, strlen(line)), 0);
}

/*
 * More than is read at once: lists over many lines, with brackets in strings
 * and comments, one list that is longer than the first piece of text.
 */
static struct buffer long_recipe(void)
{
	struct buffer text = { 0 };
	char line[200];

	add(&text, "header \"JAVA PROFILE 1.0.2\" id_size=8 time_ms=1\n");
	add(&text, "UTF8 string_id=1 text=\"[[ # ]\" # [ \"\nHEAP_DUMP {\n");
	for (unsigned i = 0; i < 6000; i++) {
		snprintf(line, sizeof line,
			 "\tOBJ_ARRAY_DUMP object_id=%#x class_id=0x100 "
			 "elements=[0x1 0x2 # ]\n",
			 0x1000 + i);
		add(&text, line);
		for (unsigned k = 0; k < i % 7 + (i == 3000) * 70000; k++)
			add(&text, "\t\t\t0x123456789a 0*3\n");
		add(&text, "\t\t0x77]\n\tPRIM_ARRAY_DUMP object_id=0x5 "
			   "type=byte elements=[\"]\\\"[\" \n hex:00ff\n ]\n");
	}
	add(&text, "}\nHEAP_DUMP_END\n");
	return text;
}

Test(recipe_file, long_lists)
{
	struct buffer text = long_recipe();

	enter_directory();
	cr_assert_gt(text.size, 2 << 20);
	compare((const char *)text.bytes, text.size, "whole");
	/* Cut anywhere: in a list, a string, behind a line. */
	for (unsigned i = 1; i < 12; i++)
		compare((const char *)text.bytes, text.size / 12 * i + i * i,
			"cut");
	buffer_free(&text);
}

Test(recipe_file, errors_are_where_they_are)
{
	static const char wrong[] = "]}[\"#=\n\\x";
	struct buffer text = long_recipe();
	char what[40];

	enter_directory();
	for (unsigned i = 0; i < 24; i++) {
		size_t at = text.size / 24 * i + 60 + i * 7;
		uint8_t was = text.bytes[at];
		text.bytes[at] = (uint8_t)wrong[i % (sizeof wrong - 1)];
		snprintf(what, sizeof what, "%c at %zu", wrong[i % 9], at);
		compare((const char *)text.bytes, text.size, what);
		text.bytes[at] = was;
	}
	buffer_free(&text);
}

Test(recipe_file, all_fixtures)
{
	char **names = fixture_names();

	enter_directory();
	for (unsigned i = 0; names[i]; i++) {
		struct fixture f = fixture_load(names[i]);
		compare(f.text, f.text_size, names[i]);
		/* The last line without its newline, and then cut in half. */
		compare(f.text, f.text_size - 1, names[i]);
		compare(f.text, f.text_size - f.text_size / 3, names[i]);
		fixture_free(&f);
	}
}

/* An endless line must not be scanned again and again. */
Test(recipe_file, one_long_line)
{
	enum { SIZE = 5 << 20 };
	char *text = malloc(SIZE);

	enter_directory();
	cr_assert_not_null(text);
	memset(text, ' ', SIZE);
	memcpy(text, "raw 00ff", 8);
	memcpy(text + SIZE - 3, " 01", 3);
	compare(text, SIZE, "blanks");
	memcpy(text, "# a comment", 11);
	compare(text, SIZE, "a comment");
	free(text);
}

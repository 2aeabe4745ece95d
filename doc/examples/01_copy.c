/* SPDX-License-Identifier: MIT */
/*
 * 01_copy.c - copies a dump, record by record.
 *
 *   01_copy [-e] IN OUT
 *
 * IN is read in whatever form it has; OUT becomes gzip if its name ends in
 * ".gz". With -e the dump in OUT has the same bytes as the one in IN, which
 * must not be damaged; without it, all that can be read of a damaged dump is
 * copied, and the writer makes heap segments of its own.
 *
 *   cc -o 01_copy 01_copy.c $(pkg-config --cflags --libs libhprof)
 */
#include <stdio.h>
#include <string.h>

#include <hprof.h>

/* The reader continues after damage and reports it here. */
static void complain(void *user, const struct hprof_diagnostic *diagnostic)
{
	if (diagnostic->severity == HPROF_ERROR)
		fprintf(stderr, "%s: %s\n", (const char *)user,
			diagnostic->text);
}

/* Why it failed, or NULL. */
static const char *copy(struct hprof_reader *reader,
			struct hprof_writer *writer)
{
	struct hprof_record record;
	enum hprof_status written, got = HPROF_OK;

	written = hprof_writer_header(writer, hprof_reader_header(reader));
	while (written == HPROF_OK &&
	       (got = hprof_reader_next(reader, &record)) == HPROF_OK)
		written = hprof_copy_record(reader, writer, &record);
	if (got < 0)
		return hprof_reader_error(reader)->text;
	if (written == HPROF_OK)
		written = hprof_writer_finish(writer);
	return written == HPROF_OK ? NULL : hprof_writer_error(writer)->text;
}

int main(int argc, char **argv)
{
	bool exact = argc == 4 && strcmp(argv[1], "-e") == 0;
	struct hprof_reader_options in = { .size = sizeof in,
					   .exact = exact,
					   .strict = exact };
	struct hprof_writer_options out = { .size = sizeof out,
					    .exact = exact };
	struct hprof_reader *reader = NULL;
	struct hprof_writer *writer = NULL;
	struct hprof_error error;
	const char *why = error.text;

	if (argc != 3 && !exact) {
		fprintf(stderr, "usage: 01_copy [-e] IN OUT\n");
		return 2;
	}
	const char *from = argv[argc - 2], *to = argv[argc - 1];
	size_t length = strlen(to);
	if (length > 3 && strcmp(to + length - 3, ".gz") == 0)
		out.compression = HPROF_GZIP;
	const struct hprof_input input = hprof_input_path(from);
	in.diagnostic = complain;
	in.user = argv[argc - 2];

	if (hprof_reader_open(&input, &in, &reader, &error) == HPROF_OK &&
	    hprof_writer_create(to, &out, &writer, &error) == HPROF_OK)
		why = copy(reader, writer);
	if (why)
		fprintf(stderr, "01_copy: %s to %s: %s\n", from, to, why);
	hprof_writer_free(writer); /* unfinished: leaves no file */
	hprof_reader_close(reader);
	return why ? 1 : 0;
}

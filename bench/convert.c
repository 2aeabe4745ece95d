/* SPDX-License-Identifier: MIT */
/*
 * convert.c - copies a dump and discards the result, for bench/run: the writer
 * gets all records of the reader and makes segments of its own.
 *
 *   convert plain|gzip THREADS FILE
 *
 * gzip compresses as HotSpot does, at level 1.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "../tests/inputs.h"

static int copy(struct hprof_reader *reader, struct hprof_writer *writer)
{
	struct hprof_record record;
	enum hprof_status status;

	status = hprof_writer_header(writer, hprof_reader_header(reader));
	while (status == HPROF_OK &&
	       hprof_reader_next(reader, &record) == HPROF_OK)
		status = hprof_copy_record(reader, writer, &record);
	if (status == HPROF_OK)
		status = hprof_writer_finish(writer);
	return status == HPROF_OK ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct hprof_writer_options options = { .size = sizeof options };
	struct hprof_reader *reader;
	struct hprof_writer *writer;
	int fd = open("/dev/null", O_WRONLY);
	int failed;

	if (argc != 4 || fd < 0) {
		fputs("usage: convert plain|gzip THREADS FILE\n", stderr);
		return 2;
	}
	options.threads = (unsigned)atoi(argv[2]);
	options.level = 1;
	if (strcmp(argv[1], "gzip") == 0)
		options.compression = HPROF_GZIP;
	if (hprof_reader_open(INPUT_PATH(argv[3]), NULL, &reader, NULL) !=
		    HPROF_OK ||
	    hprof_writer_open_fd(fd, &options, &writer, NULL) != HPROF_OK) {
		fputs("convert: cannot open\n", stderr);
		return 2;
	}
	failed = copy(reader, writer);
	hprof_writer_free(writer);
	hprof_reader_close(reader);
	return failed;
}

/* SPDX-License-Identifier: MIT */
/*
 * replay.c - main() of a fuzz target that is built without a fuzzer: feeds it
 * each file that is named, and each file below a directory that is named. A
 * file NAME.recipe is assembled first. Says how many there were; none at all
 * is a failure, and so is a file that takes more than LIMIT_S of processor time,
 * or that does not end at all.
 */
#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <hprof.h>

#include "target.h"

#define LIMIT_S 20
#define END_S 1200 /* however busy the machine is */

struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t room;
};

static unsigned long files;
static const char *current = "";

/* The name of the file that crashed or hung the target. */
static void on_signal(int number)
{
	static const char text[] = "replay: at ";

	if (write(2, text, sizeof(text) - 1) < 0 ||
	    write(2, current, strlen(current)) < 0 || write(2, "\n", 1) < 0)
		_exit(3);
	signal(number, SIG_DFL);
	raise(number);
}

static void die(const char *path, const char *why)
{
	fprintf(stderr, "replay: %s: %s\n", path, why);
	exit(2);
}

static int append(void *user, const void *bytes, size_t size)
{
	struct buffer *buffer = user;

	if (buffer->room - buffer->size < size) {
		size_t room = 2 * buffer->room + size;
		uint8_t *more = realloc(buffer->bytes, room);
		if (more == NULL)
			return -1;
		buffer->bytes = more;
		buffer->room = room;
	}
	if (size > 0)
		memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
	return 0;
}

static void load(const char *path, struct buffer *buffer)
{
	FILE *file = fopen(path, "rb");
	uint8_t piece[65536];
	size_t size;

	if (file == NULL)
		die(path, strerror(errno));
	while ((size = fread(piece, 1, sizeof(piece), file)) > 0)
		if (append(buffer, piece, size) < 0)
			die(path, strerror(errno));
	if (ferror(file))
		die(path, "cannot be read");
	fclose(file);
}

static void assemble(const char *path, struct buffer *buffer)
{
	struct buffer text = *buffer;
	struct hprof_error error;

	*buffer = (struct buffer){ 0 };
	if (hprof_recipe_assemble((const char *)text.bytes, text.size, append,
				  buffer, &error) != HPROF_OK)
		die(path, error.text);
	free(text.bytes);
}

static void limit_time(void)
{
	const struct itimerval limit = { .it_value.tv_sec = LIMIT_S };

	alarm(END_S);
	if (setitimer(ITIMER_PROF, &limit, NULL) != 0)
		die("setitimer", strerror(errno));
}

static void replay(const char *path)
{
	const char *dot = strrchr(path, '.');
	struct buffer buffer = { 0 };

	current = path;
	limit_time();
	load(path, &buffer);
	if (dot != NULL && strcmp(dot, ".recipe") == 0)
		assemble(path, &buffer);
	/* An exact copy, so that a sanitizer sees one byte too many. */
	uint8_t *exact = malloc(buffer.size + (buffer.size == 0));
	if (exact == NULL)
		die(path, strerror(errno));
	if (buffer.size > 0)
		memcpy(exact, buffer.bytes, buffer.size);
	LLVMFuzzerTestOneInput(exact, buffer.size);
	free(exact);
	free(buffer.bytes);
	files++;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("usage", "replay FILE|DIRECTORY...");
	signal(SIGALRM, on_signal);
	signal(SIGPROF, on_signal);
	signal(SIGABRT, on_signal);
	FTS *walk = fts_open(argv + 1, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	if (walk == NULL)
		die(argv[1], strerror(errno));
	FTSENT *entry;
	while ((entry = fts_read(walk)) != NULL) {
		if (entry->fts_info == FTS_F)
			replay(entry->fts_accpath);
		else if (entry->fts_info == FTS_ERR ||
			 entry->fts_info == FTS_DNR ||
			 entry->fts_info == FTS_NS)
			die(entry->fts_path, strerror(entry->fts_errno));
	}
	fts_close(walk);
	printf("%lu files\n", files);
	return files == 0;
}

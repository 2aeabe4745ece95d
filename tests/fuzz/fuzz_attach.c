/* SPDX-License-Identifier: MIT */
/*
 * fuzz_attach.c - what hprof-dump is told by a JVM and about it: replies,
 * counters, texts of /proc. The first byte says what the rest is.
 */
#include <stdlib.h>
#include <string.h>

#include "target.h"
#include "tools/capture/attach_protocol.h"
#include "tools/capture/jvm_process.h"
#include "tools/capture/perfdata.h"

static void check(bool good)
{
	if (!good)
		abort();
}

static void read_reply(const char *bytes, size_t size)
{
	struct attach_reply reply;
	char line[40];
	uint64_t written;
	int code;

	if (!attach_parse_reply(bytes, size, &reply))
		return;
	check(reply.text >= bytes && reply.size <= size &&
	      reply.text + reply.size == bytes + size);
	check(attach_version(&reply) >= 1);
	attach_help_has(&reply, "-overwrite");
	if (attach_dump_result(&reply, &written) != ATTACH_DUMP_MADE)
		check(written == 0);
	if (attach_load_result(&reply, &code) == ATTACH_LOADED)
		check(code == 0);
	attach_reply_line(&reply, line, sizeof(line));
	check(strlen(line) < sizeof(line) && !strchr(line, '\n'));
}

static void read_counters(const char *bytes, size_t size)
{
	static const char *const names[] = { "sun.rt.javaCommand",
					     "sun.rt.jvmCapabilities", "a",
					     "" };
	struct perfdata perfdata;
	struct perfdata_heap heap;
	struct perfdata_pauses pauses;
	uint64_t number;
	char text[24];

	if (!perfdata_open(&perfdata, bytes, size))
		return;
	perfdata_get_heap(&perfdata, &heap);
	perfdata_get_pauses(&perfdata, &pauses);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		perfdata_number(&perfdata, names[i], &number);
		if (perfdata_text(&perfdata, names[i], text, sizeof(text)))
			check(strlen(text) < sizeof(text));
	}
}

/* A request with arguments that are separated by newlines. */
static void make_requests(char *text)
{
	enum { MOST = 8, ROOM = 8192 };
	const char *arguments[MOST];
	size_t count = 0, size;
	char *out = malloc(ROOM);

	check(out != NULL);
	for (char *save, *at = strtok_r(text, "\n", &save); at && count < MOST;
	     at = strtok_r(NULL, "\n", &save))
		arguments[count++] = at;
	size = attach_request_v1("load", arguments, count, out, ROOM);
	check(size <= ROOM && (size == 0 || attach_fits_v1(arguments, count)));
	check(size == 0 || out[size - 1] == '\0');
	size = attach_request_v2("load", arguments, count, out, ROOM);
	check(size <= ROOM && (size == 0 || out[size - 1] == '\0'));
	free(out);
}

/* Whatever file is named has the same text. */
static char *read_same(void *user, const char *path)
{
	(void)path;
	return strdup(user);
}

static void read_command(char *text, size_t size)
{
	const struct jvm_option_sources sources = { .command = text,
						    .command_size = size,
						    .environment = text,
						    .environment_size = size,
						    .read_file = read_same,
						    .user = text };
	struct jvm_options options;
	char program[16];

	jvm_options_program(text, size, program, sizeof(program));
	check(strlen(program) < sizeof(program));
	jvm_options_parse(&sources, &options);
}

static void read_text(char kind, char *text, size_t size)
{
	struct jvm_process process = { 0 };

	switch (kind) {
	case 's':
		jvm_parse_status(text, &process);
		break;
	case 'm':
		jvm_parse_map(text, &process);
		check(strlen(process.perf_path) < sizeof(process.perf_path));
		break;
	case 'c':
		read_command(text, size);
		break;
	default:
		make_requests(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char kind, *copy;

	if (size == 0)
		return 0;
	kind = (char)bytes[0];
	size--;
	copy = malloc(size + 1);
	check(copy != NULL);
	memcpy(copy, bytes + 1, size);
	copy[size] = '\0';
	/* These two do not even include the NUL. */
	if (kind == 'r' || kind == 'p') {
		char *exact = realloc(copy, size + (size == 0));
		check(exact != NULL);
		copy = exact;
	}
	if (kind == 'r')
		read_reply(copy, size);
	else if (kind == 'p')
		read_counters(copy, size);
	else
		read_text(kind, copy, size);
	free(copy);
	return 0;
}

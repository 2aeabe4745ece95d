/* SPDX-License-Identifier: MIT */
/*
 * cli.c - the start and the end of a program: messages, exit, memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli_parts.h"
#include "tools/common/escape.h"

const struct cli_program *cli_program;

/* ---- messages and exit -------------------------------------------------- */

static void print_message(const char *format, va_list arguments)
	__attribute__((format(printf, 1, 0)));

static void print_message(const char *format, va_list arguments)
{
	va_list again;
	char small[512], *text = small;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(small, sizeof(small), format, arguments);
	if (length >= (int)sizeof(small)) {
		text = malloc((size_t)length + 1);
		if (text)
			vsnprintf(text, (size_t)length + 1, format, again);
		else
			text = small;
	}
	va_end(again);
	fprintf(stderr, "%s: ", cli_program->name);
	escape_write(stderr, text, ESCAPE_TERMINAL);
	putc('\n', stderr);
	if (text != small)
		free(text);
}

void cli_message(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
}

void cli_usage_error(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_message(format, arguments);
	va_end(arguments);
	fprintf(stderr,
		"Usage: %s [OPTION]... %s\n"
		"Try '%s --help' for the options.\n",
		cli_program->name, cli_program->operands, cli_program->name);
	exit(CLI_TROUBLE);
}

/* Is standard output a pipe whose reader is gone? */
static bool nobody_reads(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int cli_finish(int status)
{
	/* Why an earlier write failed is not known any more. */
	bool failed = ferror(stdout) != 0, closed = failed && nobody_reads();

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno == EPIPE || closed)
		return CLI_TROUBLE;
	cli_message("standard output: %s",
		    errno ? strerror(errno) : "write error");
	return CLI_TROUBLE;
}

/*
 * If standard output is closed, the next file that is opened gets its number,
 * and the report would be written into that file. So each free descriptor is
 * opened on /dev/null in the mode in which it cannot be used: reading what
 * should be written, writing what should be read.
 */
static void fill_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

void cli_start(const struct cli_program *new_program)
{
	static char buffer[1 << 16];

	cli_program = new_program;
	fill_descriptors();
	signal(SIGPIPE, SIG_IGN); /* writing then fails with EPIPE */
	signal(SIGXFSZ, SIG_IGN); /* and with EFBIG, like a full disk */
	/* Most output is written at the end, when its errors can be told. */
	if (!isatty(STDOUT_FILENO))
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/* ---- memory ------------------------------------------------------------- */

void cli_out_of_memory(void)
{
	cli_message("out of memory");
	exit(CLI_TROUBLE);
}

bool cli_close_text(FILE *out, char *const *text)
{
	const bool good = !ferror(out);

	return !fclose(out) && good && *text;
}

void *cli_realloc(void *old, size_t count, size_t size)
{
	void *memory = NULL;

	if (size && count > SIZE_MAX / size)
		errno = ENOMEM;
	else
		memory = realloc(old, count && size ? count * size : 1);
	if (!memory)
		cli_out_of_memory();
	return memory;
}

void *cli_calloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		cli_out_of_memory();
	return memory;
}

char *cli_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(cli_realloc(NULL, size, 1), text, size);
}

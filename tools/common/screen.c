/* SPDX-License-Identifier: MIT */
/*
 * screen.c - see screen.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/common/screen.h"
#include "tools/common/shorten.h"

#define WIDTH_DEFAULT 100

/* 0: not known yet. It is the same for all that a process prints. */
static size_t width;

/* What $COLUMNS says; 0 if it is not set or makes no sense. */
static size_t width_of_environment(void)
{
	const char *text = getenv("COLUMNS");
	unsigned long columns;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	columns = strtoul(text, &end, 10);
	if (errno || *end || columns > SCREEN_WIDTH_MOST)
		return 0;
	return columns;
}

static size_t width_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/*
 * What goes through a pipe mostly comes out on the terminal that messages go to, as
 * from less(1) or grep(1). A file is read elsewhere, and shall not depend on that.
 */
static size_t width_of_terminal(void)
{
	size_t found = width_of(STDOUT_FILENO);
	struct stat what;

	if (!found && !fstat(STDOUT_FILENO, &what) && S_ISFIFO(what.st_mode))
		found = width_of(STDERR_FILENO);
	return found;
}

static size_t find_width(void)
{
	size_t found = width_of_environment();

	if (!found)
		found = width_of_terminal();
	if (!found)
		return WIDTH_DEFAULT;
	return found < SCREEN_WIDTH_LEAST ? SCREEN_WIDTH_LEAST : found;
}

void screen_set(const struct screen_words *words)
{
	if (words->width.given && words->wide)
		cli_usage_error("--width and --wide exclude each other");
	if (words->wide)
		width = SIZE_MAX;
	else if (words->width.given)
		width = (size_t)words->width.value;
}

size_t screen_width(void)
{
	if (!width)
		width = find_width();
	return width;
}

size_t screen_height(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_row;
}

size_t screen_width_after(size_t indent)
{
	size_t columns = screen_width();

	if (columns == SIZE_MAX)
		return columns;
	return columns > indent + SCREEN_WIDTH_LEAST ? columns - indent
						     : SCREEN_WIDTH_LEAST;
}

void screen_text(FILE *out, unsigned indent, const char *text)
{
	char *copy = shorten_text(text, screen_width_after(indent));

	fprintf(out, "%*s%s", (int)indent, "", copy);
	free(copy);
}

void screen_line(FILE *out, unsigned indent, const char *text)
{
	screen_text(out, indent, text);
	putc('\n', out);
}

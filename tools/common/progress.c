/* SPDX-License-Identifier: MIT */
/*
 * progress.c - see progress.h.
 *
 * The line is drawn with carriage returns and blanks only, so that it works on
 * every terminal and can be erased completely.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/common/clock.h"
#include "tools/common/progress.h"
#include "tools/common/units.h"

#define FIRST_MS 1000
#define TERMINAL_MS 200
#define LINE_MS 1000
#define BAR_WIDTH 24

/* The remaining time is estimated only after so many seconds. */
#define GUESS_SECONDS 1.0
#define GUESS_SHARE 0.01

static volatile sig_atomic_t line_wanted;

static void want_line(int number)
{
	(void)number;
	line_wanted = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = want_line,
				    .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
#ifdef SIGINFO
	sigaction(SIGINFO, &action, NULL);
#endif
}

static int terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 80;
}

void progress_begin(struct progress *progress, const char *name,
		    enum progress_when when)
{
	bool terminal = isatty(STDERR_FILENO) == 1;

	*progress = (struct progress){
		.name = name,
		.shown = when == PROGRESS_ALWAYS ||
			 (when == PROGRESS_AUTO && terminal),
		.terminal = terminal,
		.start_ms = clock_ms(),
	};
	if (when == PROGRESS_AUTO)
		progress->next_ms = progress->start_ms + FIRST_MS;
	catch_signals();
}

/* "[=====>    ]" */
static void put_bar(char *out, uint64_t done, uint64_t total)
{
	unsigned filled = (unsigned)((double)done / (double)total * BAR_WIDTH);

	*out++ = '[';
	for (unsigned i = 0; i < BAR_WIDTH; i++)
		*out++ = i < filled ? '=' : i == filled ? '>' : ' ';
	*out++ = ']';
	*out = 0;
}

/* "hprof-stat: dominators  42% [===>   ]" */
static void put_phase(const struct progress *progress, uint64_t done,
		      uint64_t total, char *out, size_t room)
{
	char bar[BAR_WIDTH + 3];

	if (!total || done > total) {
		snprintf(out, room, "%s: %s", progress->name, progress->phase);
		return;
	}
	put_bar(bar, done, total);
	snprintf(out, room, "%s: %s %3u%% %s", progress->name, progress->phase,
		 (unsigned)((double)done / (double)total * 100), bar);
}

static void put_line(const struct progress *progress, uint64_t done,
		     uint64_t total, char *out, size_t room)
{
	double seconds = (double)(clock_ms() - progress->start_ms) / 1000;
	double rate = seconds > 0 ? (double)done / seconds : 0;
	char bar[BAR_WIDTH + 3], read[UNITS_MAX], per_second[UNITS_MAX];
	char left[UNITS_MAX];

	units_bytes(done, read);
	units_bytes((uint64_t)rate, per_second);
	if (!total || done > total) {
		snprintf(out, room, "%s: %s, %s/s", progress->name, read,
			 per_second);
		return;
	}
	put_bar(bar, done, total);
	int size = snprintf(out, room, "%s: %3u%% %s %s/s", progress->name,
			    (unsigned)((double)done / (double)total * 100), bar,
			    per_second);
	if (seconds < GUESS_SECONDS || rate <= 0 ||
	    (double)done < (double)total * GUESS_SHARE)
		return;
	units_duration((uint64_t)((double)(total - done) / rate + 0.5), left);
	snprintf(out + size, room - (size_t)size, ", %s left", left);
}

static void draw(struct progress *progress, uint64_t done, uint64_t total)
{
	int width = terminal_width() - 1;
	char line[256];

	if (progress->phase)
		put_phase(progress, done, total, line, sizeof(line));
	else
		put_line(progress, done, total, line, sizeof(line));
	if (progress->terminal)
		fprintf(stderr, "\r%-*.*s", width, width, line);
	else
		fprintf(stderr, "%s\n", line);
	fflush(stderr);
	progress->drawn = progress->terminal;
}

void progress_update(struct progress *progress, uint64_t done, uint64_t total)
{
	if (line_wanted) {
		line_wanted = 0;
		draw(progress, done, total);
		if (progress->terminal && !progress->shown) {
			fputc('\n', stderr);
			progress->drawn = false;
		}
	}
	if (progress->shown && clock_ms() >= progress->next_ms) {
		draw(progress, done, total);
		progress->next_ms =
			clock_ms() +
			(progress->terminal ? TERMINAL_MS : LINE_MS);
	}
}

bool progress_bytes(void *user, const char *phase, uint64_t done,
		    uint64_t total)
{
	(void)phase;
	progress_update(user, done, total);
	return true;
}

bool progress_phase(void *user, const char *phase, uint64_t done,
		    uint64_t total)
{
	struct progress *progress = user;

	progress->phase = phase;
	progress_update(progress, done, total);
	return true;
}

void progress_end(struct progress *progress)
{
	if (progress->drawn)
		fprintf(stderr, "\r%*s\r", terminal_width() - 1, "");
	progress->drawn = false;
	progress->shown = false;
}

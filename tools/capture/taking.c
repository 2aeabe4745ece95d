/* SPDX-License-Identifier: MIT */
/*
 * taking.c - see taking.h.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/capture/interrupt.h"
#include "tools/capture/taking.h"
#include "tools/common/cli.h"
#include "tools/common/units.h"

#define FILE_GRACE_S 10 /* to write what the compressor still holds */

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* FROM: what made the dump. */
static void print_closing_line(const struct dump_order *order,
			       const struct dump_result *result, double seconds,
			       const char *from)
{
	char objects[UNITS_MAX], bytes[UNITS_MAX], written[UNITS_MAX];
	char pause[64] = "", packed[UNITS_MAX + 16] = "";

	units_count(result->objects, objects);
	units_bytes(result->bytes, bytes);
	if (order->form.compression != HPROF_PLAIN && result->written)
		snprintf(packed, sizeof(packed), " (%s compressed)",
			 units_bytes(result->written, written));
	if (result->paused)
		snprintf(pause, sizeof(pause), ", paused for %.3f s",
			 (double)result->pause_ns / 1e9);
	cli_message("%s: %s objects, %s%s in %.2f s; %s%s",
		    strcmp(order->output, "-") == 0 ? "standard output"
						    : order->output,
		    objects, bytes, packed, seconds, from, pause);
}

/* FROM: the JVM, or the one who sends the dump. */
static void print_failure(const struct dump_order *order, const char *from,
			  bool about_output, bool part_left,
			  const struct reason *reason)
{
	if (about_output && strcmp(order->output, "-") == 0)
		cli_message("standard output: %s", reason->text);
	else if (about_output)
		cli_message("%s: %s", order->output, reason->text);
	else
		cli_message("%s: %s", from, reason->text);
	if (part_left)
		cli_message("%s.part has what came before", order->output);
}

/* Output that can be left incomplete when it is cut short. */
static bool is_file(const char *output)
{
	struct stat info;

	if (strcmp(output, "-") == 0)
		return false;
	return stat(output, &info) != 0 || S_ISREG(info.st_mode);
}

bool taking_begin(struct taking *t, struct dump_order *order,
		  enum progress_when when)
{
	*t = (struct taking){ .order = order };
	clock_gettime(CLOCK_MONOTONIC, &t->start);
	if (!stop_begin(is_file(order->output) ? FILE_GRACE_S : 1)) {
		cli_message("cannot catch signals");
		return false;
	}
	progress_begin(&t->progress, "hprof-dump", when);
	order->progress = &t->progress;
	return true;
}

int taking_end(struct taking *t, const char *from, const char *made_by)
{
	progress_end(&t->progress);
	if (!t->made)
		print_failure(t->order, from, t->about_output,
			      t->result.part_left, &t->reason);
	else if (!t->order->quiet)
		print_closing_line(t->order, &t->result,
				   seconds_since(&t->start), made_by);
	return t->made ? CLI_FINE : CLI_TROUBLE;
}

/* SPDX-License-Identifier: MIT */
/*
 * plain_time.c - see plain_time.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/common/describe.h"
#include "tools/report/plain_fields.h"
#include "tools/report/plain_time.h"

enum { DAY_SECONDS = 86400, BILLION = 1000000000 };

struct clock_time {
	int64_t hour, minute, second, nano;
};

struct calendar_date {
	int64_t year, month, day;
};

/* Rounded down, as needed before 1970. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/*
 * The date DAYS after 1970-01-01 in the Gregorian calendar. Years are counted
 * from March on, so that a leap day is the last one, in eras of 400 years.
 */
static struct calendar_date date_of(int64_t days)
{
	enum { ERA_DAYS = 146097, TO_MARCH_OF_YEAR_0 = 719468 };
	int64_t since = days + TO_MARCH_OF_YEAR_0;
	int64_t era = floor_div(since, ERA_DAYS);
	int64_t in_era = since - era * ERA_DAYS;
	int64_t year = (in_era - in_era / 1460 + in_era / 36524 -
			in_era / (ERA_DAYS - 1)) /
		       365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153;

	return (struct calendar_date){
		.year = era * 400 + year + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = in_year - (153 * month + 2) / 5 + 1,
	};
}

static char *date_text(struct calendar_date d)
{
	const char *sign = d.year < 0 ? "-" : d.year > 9999 ? "+" : "";

	return describe_format("%s%04" PRId64 "-%02" PRId64 "-%02" PRId64, sign,
			       d.year < 0 ? -d.year : d.year, d.month, d.day);
}

/* ".123", ".123456" or ".123456789"; nothing of 0. */
static const char *fraction(int64_t nano, char out[16])
{
	out[0] = '\0';
	if (nano <= 0 || nano >= BILLION)
		return out;
	if (nano % 1000000 == 0)
		snprintf(out, 16, ".%03d", (int)(nano / 1000000));
	else if (nano % 1000 == 0)
		snprintf(out, 16, ".%06d", (int)(nano / 1000));
	else
		snprintf(out, 16, ".%09d", (int)nano);
	return out;
}

/* Seconds that are 0 are left out if SHORTEST. */
static char *time_text(struct clock_time t, bool shortest)
{
	char part[16];

	if (shortest && !t.second && !t.nano)
		return describe_format("%02" PRId64 ":%02" PRId64, t.hour,
				       t.minute);
	return describe_format("%02" PRId64 ":%02" PRId64 ":%02" PRId64 "%s",
			       t.hour, t.minute, t.second,
			       fraction(t.nano, part));
}

static char *join(char *date, char *time, const char *zone)
{
	char *text = date && time ? describe_format("%sT%s%s", date, time, zone)
				  : NULL;

	free(date);
	free(time);
	return text;
}

static char *instant_text(int64_t seconds, int64_t nano)
{
	int64_t days = floor_div(seconds, DAY_SECONDS);
	int64_t rest = seconds - days * DAY_SECONDS;
	struct clock_time time = { rest / 3600, rest / 60 % 60, rest % 60,
				   nano };

	/* Beyond a year of 10 digits the sums above could overflow. */
	if (days > INT64_C(1) << 42 || days < -(INT64_C(1) << 42))
		return NULL;
	return join(date_text(date_of(days)), time_text(time, false), "Z");
}

/* ---- objects ------------------------------------------------------------- */

/* Also of java.sql.Timestamp, whose parts of a second are in a field alone. */
char *plain_util_date(struct hprof_cursor *cursor,
		      const struct hprof_heap *heap, uint64_t object)
{
	int64_t ms, nano;

	(void)heap;
	if (!plain_number(cursor, object, "fastTime", &ms))
		return NULL;
	if (!plain_number(cursor, object, "nanos", &nano))
		nano = (ms - floor_div(ms, 1000) * 1000) * 1000000;
	return instant_text(floor_div(ms, 1000), nano);
}

char *plain_instant(struct hprof_cursor *cursor, const struct hprof_heap *heap,
		    uint64_t object)
{
	int64_t seconds, nano;

	(void)heap;
	if (!plain_number(cursor, object, "seconds", &seconds) ||
	    !plain_number(cursor, object, "nanos", &nano))
		return NULL;
	return instant_text(seconds, nano);
}

char *plain_local_date(struct hprof_cursor *cursor,
		       const struct hprof_heap *heap, uint64_t object)
{
	struct calendar_date d;

	(void)heap;
	if (!plain_number(cursor, object, "year", &d.year) ||
	    !plain_number(cursor, object, "month", &d.month) ||
	    !plain_number(cursor, object, "day", &d.day))
		return NULL;
	return date_text(d);
}

char *plain_local_time(struct hprof_cursor *cursor,
		       const struct hprof_heap *heap, uint64_t object)
{
	struct clock_time t;

	(void)heap;
	if (!plain_number(cursor, object, "hour", &t.hour) ||
	    !plain_number(cursor, object, "minute", &t.minute) ||
	    !plain_number(cursor, object, "second", &t.second) ||
	    !plain_number(cursor, object, "nano", &t.nano))
		return NULL;
	return time_text(t, true);
}

char *plain_local_date_time(struct hprof_cursor *cursor,
			    const struct hprof_heap *heap, uint64_t object)
{
	uint64_t date, time;

	if (!plain_object(cursor, object, "date", heap, &date) ||
	    !plain_object(cursor, object, "time", heap, &time))
		return NULL;
	return join(plain_local_date(cursor, heap, date),
		    plain_local_time(cursor, heap, time), "");
}

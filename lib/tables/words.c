/* SPDX-License-Identifier: MIT */
/*
 * words.c - names for what a dump has as numbers: roots, strengths, states of
 * threads, times.
 */
#include <ctype.h>
#include <stdio.h>

#include "hprof/tables.h"

/* ---- roots and strengths ------------------------------------------------- */

const char *hprof_root_name(unsigned tag)
{
	static const struct {
		unsigned tag;
		const char *name;
	} names[] = {
		{ HPROF_ROOT_JNI_GLOBAL, "JNI global" },
		{ HPROF_ROOT_JNI_LOCAL, "JNI local" },
		{ HPROF_ROOT_JAVA_FRAME, "Java frame" },
		{ HPROF_ROOT_NATIVE_STACK, "native stack" },
		{ HPROF_ROOT_STICKY_CLASS, "sticky class" },
		{ HPROF_ROOT_THREAD_BLOCK, "thread block" },
		{ HPROF_ROOT_MONITOR_USED, "monitor in use" },
		{ HPROF_ROOT_THREAD_OBJ, "thread object" },
		{ HPROF_ROOT_INTERNED_STRING, "interned string" },
		{ HPROF_ROOT_FINALIZING, "finalizing" },
		{ HPROF_ROOT_DEBUGGER, "debugger" },
		{ HPROF_ROOT_REFERENCE_CLEANUP, "reference cleanup" },
		{ HPROF_ROOT_VM_INTERNAL, "VM internal" },
		{ HPROF_ROOT_JNI_MONITOR, "JNI monitor" },
		{ HPROF_ROOT_UNREACHABLE, "unreachable" },
		{ HPROF_ROOT_UNKNOWN, "unknown" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].tag == tag)
			return names[i].name;
	return "other";
}

const char *hprof_root_word(unsigned tag, char word[32])
{
	const char *name = hprof_root_name(tag);
	size_t length = 0;

	for (; name[length] && length < 31; length++)
		word[length] =
			name[length] == ' '
				? '_'
				: (char)tolower((unsigned char)name[length]);
	word[length] = 0;
	return word;
}

const char *hprof_strength_name(enum hprof_strength strength)
{
	static const char *const words[HPROF_STRENGTHS] = {
		NULL,	"strong",  "soft",    "finalizer",
		"weak", "phantom", "garbage",
	};

	return (unsigned)strength < HPROF_STRENGTHS ? words[strength] : NULL;
}

/* ---- suspects ------------------------------------------------------------ */

const char *hprof_leak_kind_name(enum hprof_leak_kind kind)
{
	static const char *const words[] = { "object", "point",	  "chain",
					     "group",  "threads", "loaders" };

	return (unsigned)kind < sizeof(words) / sizeof(words[0]) ? words[kind]
								 : NULL;
}

const char *hprof_backlog_kind_name(enum hprof_backlog_kind kind)
{
	static const char *const words[] = { "finalizers", "queue", "cleaners",
					     "soft", "class-values" };

	return (unsigned)kind < sizeof(words) / sizeof(words[0]) ? words[kind]
								 : NULL;
}

/* ---- threads ------------------------------------------------------------- */

/* Bits of a JVMTI thread state. */
enum thread_bit {
	THREAD_ALIVE = 0x1,
	THREAD_TERMINATED = 0x2,
	THREAD_RUNNABLE = 0x4,
	THREAD_WAITING_INDEFINITELY = 0x10,
	THREAD_WAITING_WITH_TIMEOUT = 0x20,
	THREAD_SLEEPING = 0x40,
	THREAD_IN_OBJECT_WAIT = 0x100,
	THREAD_PARKED = 0x200,
	THREAD_BLOCKED = 0x400
};

const char *hprof_thread_state_name(uint32_t status)
{
	static const struct {
		uint32_t bits;
		const char *name;
	} states[] = {
		{ THREAD_TERMINATED, "TERMINATED" },
		{ THREAD_BLOCKED, "BLOCKED (on object monitor)" },
		{ THREAD_SLEEPING, "TIMED_WAITING (sleeping)" },
		{ THREAD_IN_OBJECT_WAIT | THREAD_WAITING_WITH_TIMEOUT,
		  "TIMED_WAITING (on object monitor)" },
		{ THREAD_IN_OBJECT_WAIT, "WAITING (on object monitor)" },
		{ THREAD_PARKED | THREAD_WAITING_WITH_TIMEOUT,
		  "TIMED_WAITING (parking)" },
		{ THREAD_PARKED, "WAITING (parking)" },
		{ THREAD_WAITING_WITH_TIMEOUT, "TIMED_WAITING" },
		{ THREAD_WAITING_INDEFINITELY, "WAITING" },
		{ THREAD_RUNNABLE, "RUNNABLE" },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if ((status & states[i].bits) == states[i].bits)
			return states[i].name;
	return status & THREAD_ALIVE ? "UNKNOWN" : "NEW";
}

/* ---- times --------------------------------------------------------------- */

/*
 * The Gregorian date of a day since 1970. Days are counted in eras of 400 years
 * that begin on 1 March, so that a leap day is the last day of its year.
 */
static void civil_date(uint64_t day, unsigned *year, unsigned *month,
		       unsigned *month_day)
{
	uint64_t shifted = day + 719468; /* since 0000-03-01 */
	unsigned in_era = (unsigned)(shifted % 146097);
	unsigned in_era_year =
		(in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) /
		365;
	unsigned year_day = in_era - (365 * in_era_year + in_era_year / 4 -
				      in_era_year / 100);
	unsigned march_month = (5 * year_day + 2) / 153;

	*month_day = year_day - (153 * march_month + 2) / 5 + 1;
	*month = march_month < 10 ? march_month + 3 : march_month - 9;
	*year = (unsigned)(shifted / 146097 * 400) + in_era_year +
		(*month <= 2);
}

const char *hprof_time_text(uint64_t time_ms, char separator,
			    char out[HPROF_TIME_TEXT])
{
	uint64_t second = time_ms / 1000;
	unsigned year, month, day;

	if (!time_ms ||
	    second > UINT64_C(253402300799)) /* 9999-12-31 23:59:59 */
		return NULL;
	civil_date(second / 86400, &year, &month, &day);
	snprintf(out, HPROF_TIME_TEXT, "%04u-%02u-%02u%c%02u:%02u:%02u", year,
		 month, day, separator, (unsigned)(second / 3600 % 24),
		 (unsigned)(second / 60 % 60), (unsigned)(second % 60));
	if (separator == 'T')
		snprintf(out + 19, HPROF_TIME_TEXT - 19, ".%03uZ",
			 (unsigned)(time_ms % 1000));
	else
		snprintf(out + 19, HPROF_TIME_TEXT - 19, " UTC");
	return out;
}

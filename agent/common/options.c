/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h. What an option takes is in option_table.c; here
 * are the grammar, the defaults, and what does not go together.
 */
#include "agent/common/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agent/common/option_table.h"
#include "base/mem.h"
#include "base/utf8.h"

/* A part of the text, not NUL-terminated. */
struct span {
	const char *at;
	size_t size;
};

struct parser {
	struct ag_options *options;
	uint64_t given; /* a bit for each line of the table */
	char *message;
	size_t room;
};

static bool is(struct span s, const char *word)
{
	return s.size == strlen(word) && memcmp(s.at, word, s.size) == 0;
}

/* Sets the message: the option as it was given, then what is wrong with it. */
static enum ag_options_status wrong(struct parser *p, struct span item,
				    const char *why)
{
	char shown[80];

	hp_text_escape(item.at, item.size, shown, sizeof shown);
	snprintf(p->message, p->room, "%s: %s", shown, why);
	return AG_OPTIONS_WRONG;
}

static enum ag_options_status wrong_option(struct parser *p, const char *option,
					   const char *why)
{
	return wrong(p, (struct span){ option, strlen(option) }, why);
}

/* ---- values -------------------------------------------------------------- */

static char *copy(struct span value)
{
	char *text = hp_alloc(value.size + 1);

	if (text) {
		memcpy(text, value.at, value.size);
		text[value.size] = '\0';
	}
	return text;
}

/*
 * Takes the digits that VALUE begins with and moves it behind them. False if
 * there are none, or for 2^31 and more.
 */
static bool take_digits(struct span *value, unsigned *ret)
{
	const size_t size = value->size;
	uint64_t n = 0;

	while (value->size > 0 && *value->at >= '0' && *value->at <= '9') {
		n = n * 10 + (uint64_t)(*value->at - '0');
		if (n > INT32_MAX)
			return false;
		value->at++;
		value->size--;
	}
	*ret = (unsigned)n;
	return value->size < size;
}

static bool take_word(const struct ag_option *option, struct span value,
		      unsigned *ret)
{
	for (unsigned i = 0; i < AG_OPTION_WORDS; i++) {
		if (!option->words[i] || !is(value, option->words[i]))
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static bool take_number(const struct ag_option *option, struct span value,
			unsigned *ret)
{
	return take_digits(&value, ret) && value.size == 0 &&
	       *ret >= option->least && *ret <= option->most;
}

/* Milliseconds without a unit, as the old agent had them. */
static bool take_time(const struct ag_option *option, struct span value,
		      unsigned *ret)
{
	unsigned n, unit = 1000;

	if (!take_digits(&value, &n))
		return false;
	if (is(value, "us"))
		unit = 1;
	else if (value.size > 0 && !is(value, "ms"))
		return false;
	if (n > option->most / unit || n * unit < option->least)
		return false;
	*ret = n * unit;
	return true;
}

/* JVMTI takes an int. */
static bool take_bytes(struct span value, uint64_t *ret)
{
	static const char units[] = "kmg";
	const char *unit;
	unsigned n, shift = 0;

	if (!take_digits(&value, &n) || value.size > 1)
		return false;
	if (value.size == 1) {
		unit = memchr(units, *value.at | 0x20, sizeof units - 1);
		if (!unit)
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	*ret = (uint64_t)n << shift;
	return *ret <= INT32_MAX;
}

/* Not by strtod, whose decimal point is that of the program's locale. */
static bool take_share(struct span value, double *ret)
{
	double digit = 0.1;
	unsigned whole = 0;

	if (!take_digits(&value, &whole) && (value.size == 0 || whole > 0))
		return false;
	*ret = whole;
	if (value.size > 0 && *value.at == '.') {
		for (size_t i = 1; i < value.size; i++, digit /= 10) {
			if (value.at[i] < '0' || value.at[i] > '9')
				return false;
			*ret += digit * (value.at[i] - '0');
		}
	} else if (value.size > 0) {
		return false;
	}
	return *ret <= 1;
}

static bool take_file(struct span value, char **ret)
{
	hp_free(*ret);
	*ret = value.size ? copy(value) : NULL;
	return *ret != NULL;
}

/* False if VALUE is not valid for OPTION, or if memory runs out. */
static bool take_value(const struct ag_option *option, struct span value,
		       struct ag_options *ret)
{
	void *member = (char *)ret + option->offset;

	switch (option->kind) {
	case AG_OPTION_IGNORED:
		return is(value, "y") || is(value, "n");
	case AG_OPTION_YES_NO:
		*(bool *)member = is(value, "y");
		return is(value, "y") || is(value, "n");
	case AG_OPTION_WORD:
		return take_word(option, value, member);
	case AG_OPTION_NUMBER:
		return take_number(option, value, member);
	case AG_OPTION_TIME:
		return take_time(option, value, member);
	case AG_OPTION_BYTES:
		return take_bytes(value, member);
	case AG_OPTION_SHARE:
		return take_share(value, member);
	case AG_OPTION_ADDRESS:
	case AG_OPTION_PORT:
		return wire_address_parse(value.at, value.size,
					  option->kind == AG_OPTION_PORT,
					  member);
	case AG_OPTION_FILE:
		return take_file(value, member);
	}
	return false;
}

/* ---- one option ---------------------------------------------------------- */

static const struct ag_option *find(struct span name)
{
	for (size_t i = 0; i < ag_option_count; i++)
		if (is(name, ag_option_table[i].name))
			return &ag_option_table[i];
	return NULL;
}

/* ITEM is one NAME=VALUE. */
static enum ag_options_status take(struct parser *p, struct span item)
{
	const char *equals = memchr(item.at, '=', item.size);
	struct span name = item, value = { "", 0 };
	const struct ag_option *option;

	if (is(item, "help"))
		return AG_OPTIONS_HELP;
	if (equals) {
		name.size = (size_t)(equals - item.at);
		value.at = equals + 1;
		value.size = item.size - name.size - 1;
	}
	option = find(name);
	if (!option)
		return wrong(p, item, "unknown option");
	if (!equals)
		return wrong(p, item, "needs a value");
	if (!take_value(option, value, p->options))
		return wrong(p, item,
			     option->kind == AG_OPTION_FILE && value.size
				     ? "out of memory"
				     : option->wrong);
	p->given |= UINT64_C(1) << (option - ag_option_table);
	return AG_OPTIONS_OK;
}

static bool was_given(const struct parser *p, const char *name)
{
	const struct ag_option *option =
		find((struct span){ name, strlen(name) });

	assert(option);
	return p->given >> (option - ag_option_table) & 1;
}

/* ---- all of them --------------------------------------------------------- */

/* What MONITOR, CPU and heap=life report has no records in the binary format. */
static bool needs_text(const struct ag_options *o)
{
	return o->monitor != AG_MONITOR_NONE || o->cpu == AG_CPU_TIMES ||
	       o->cpu == AG_CPU_OLD || o->heap == AG_HEAP_LIFE;
}

/*
 * The defaults that depend on other options. The old agent, too, profiled the
 * heap only if nothing else was asked for.
 */
static enum ag_options_status settle(struct parser *p)
{
	struct ag_options *o = p->options;
	const bool old = o->defaults == AG_DEFAULTS_OLD;
	const char *name;

	o->at_exit_given = was_given(p, "doe");
	o->at_oome_given = was_given(p, "oome");
	/* A front end asks for dumps; files are for those who ask for them. */
	if (o->listen.port[0] && !o->at_exit_given)
		o->at_exit = false;
	if (!was_given(p, "heap") && !o->cpu && !o->monitor)
		o->heap = old ? AG_HEAP_ALL : AG_HEAP_DUMP;
	if (!was_given(p, "format") && (old || needs_text(o)))
		o->format = AG_FORMAT_TEXT;
	if (!old)
		return AG_OPTIONS_OK;
	if (!was_given(p, "force"))
		o->force = true;
	if (o->file || o->net.port[0])
		return AG_OPTIONS_OK;
	name = o->format == AG_FORMAT_TEXT ? "java.hprof.txt" : "java.hprof";
	return take_file((struct span){ name, strlen(name) }, &o->file)
		       ? AG_OPTIONS_OK
		       : wrong_option(p, "file", "out of memory");
}

/* Options that do not go together. The JVM's own dumper knows less; a fork
 * walks only once, and finishes a file. */
static enum ag_options_status check_all(struct parser *p)
{
	const struct ag_options *o = p->options;
	const bool net = o->net.port[0], listen = o->listen.port[0];
	const bool vm = o->engine == AG_ENGINE_VM;
	const bool fork = o->engine == AG_ENGINE_FORK;
	const bool binary = o->format == AG_FORMAT_BINARY;
	const bool profiled = o->cpu || o->monitor;
	const struct {
		bool wrong;
		const char *option, *why;
	} checks[] = {
		{ o->id_size != 4 && o->id_size != 8, "ids", "must be 4 or 8" },
		{ binary && o->monitor, "format=b",
		  "not with monitor: the binary format has no record for it" },
		{ binary && o->heap == AG_HEAP_LIFE, "format=b",
		  "not with heap=life: the binary format has no record for "
		  "it" },
		{ binary && needs_text(o), "format=b",
		  "not with cpu=times or cpu=old: the binary format has no "
		  "record for it" },
		{ vm && (o->id_size != 8 || !o->constants), "engine=vm",
		  "not with ids=4 or constpool=n" },
		{ vm && o->level < 2, "engine=vm",
		  "not with level: the JVM writes all contents" },
		{ vm && (net || listen), "engine=vm",
		  "not with net or listen: the JVM writes only files" },
		{ fork && !o->live, "engine=fork", "not with live=n" },
		{ o->heap == AG_HEAP_ALL && (vm || fork), "heap=all",
		  "only with engine=walk" },
		{ o->heap == AG_HEAP_DUMP && profiled && (vm || fork),
		  "heap=dump", "with cpu or monitor only with engine=walk" },
		{ !binary && vm, "engine=vm",
		  "not with format=a: the JVM writes only format=b" },
		{ !binary && fork, "engine=fork",
		  "not with format=a, which is made of a dump in format=b" },
		{ net && listen, "net", "not with listen" },
		{ net && o->file, "net", "not with file" },
		{ listen && !o->token, "listen", "needs token=FILE" },
		{ o->token && !listen, "token", "needs listen" },
		{ o->exit && !net && !listen, "exit=y", "needs net or listen" },
	};

	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		if (checks[i].wrong)
			return wrong_option(p, checks[i].option, checks[i].why);
	return AG_OPTIONS_OK;
}

static enum ag_options_status take_all(struct parser *p, const char *text)
{
	for (;;) {
		struct span item = { text, strcspn(text, ",") };
		enum ag_options_status status;

		status = item.size == 0 ? wrong_option(p, "options",
						       "a comma too many")
					: take(p, item);
		if (status != AG_OPTIONS_OK || !text[item.size])
			return status;
		text += item.size + 1;
	}
}

enum ag_options_status ag_options_parse(const char *text,
					struct ag_options *ret, char *message,
					size_t room)
{
	struct parser p = { .options = ret, .message = message, .room = room };
	enum ag_options_status status = AG_OPTIONS_OK;

	assert(ag_option_count <= 64);
	*ret = (struct ag_options){
		.at_exit = true,
		.verbose = true,
		.live = true,
		.constants = true,
		.id_size = 8,
		.level = 2,
		.limit_s = 600,
		.depth = 4,
		.interval_us = 10000,
		.cutoff = 0.0001,
		.line_numbers = true,
	};
	if (text && *text)
		status = take_all(&p, text);
	if (status == AG_OPTIONS_OK)
		status = settle(&p);
	return status == AG_OPTIONS_OK ? check_all(&p) : status;
}

void ag_options_free(struct ag_options *o)
{
	hp_free(o->file);
	hp_free(o->token);
	o->file = o->token = NULL;
}

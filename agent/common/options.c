/* SPDX-License-Identifier: MIT */
/*
 * options.c - see options.h. One table says what each option takes. Another
 * lists what the JDK's old agent had and this one does not, so that such
 * options are told apart from mistakes.
 */
#include "agent/common/options.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

enum kind { FILE_NAME, YES_NO, WORD, ID_SIZE, ENGINE, SECONDS, ADDRESS, PORT };

enum { LIMIT_S = 600 };

struct option {
	const char *name;
	enum kind kind;
	size_t offset;	  /* of the member in struct ag_options */
	const char *word; /* the only value of a WORD */
	const char *wrong;
};

#define MEMBER(member) offsetof(struct ag_options, member)
#define YES_NO_OPTION(name, member) \
	{ name, YES_NO, MEMBER(member), NULL, "must be y or n" }

static const struct option options[] = {
	{ "file", FILE_NAME, MEMBER(file), NULL, "must name a file" },
	YES_NO_OPTION("force", force),
	YES_NO_OPTION("doe", at_exit),
	YES_NO_OPTION("oome", at_oome),
	YES_NO_OPTION("live", live),
	YES_NO_OPTION("constpool", constants),
	YES_NO_OPTION("verbose", verbose),
	{ "ids", ID_SIZE, MEMBER(id_size), NULL, "must be 4 or 8" },
	{ "engine", ENGINE, MEMBER(engine), NULL,
	  "must be auto, fork, vm or walk" },
	{ "limit", SECONDS, MEMBER(limit_s), NULL, "must be 1 to 86400" },
	{ "net", ADDRESS, MEMBER(net), NULL, "must be HOST:PORT" },
	{ "listen", PORT, MEMBER(listen), NULL,
	  "must be PORT or ADDRESS:PORT" },
	{ "token", FILE_NAME, MEMBER(token), NULL, "must name a file" },
	YES_NO_OPTION("exit", exit),
	{ "heap", WORD, 0, "dump", "must be dump" },
	{ "format", WORD, 0, "b", "must be b" },
};

/* Options and values of the old agent that are not supported. */
static const struct {
	const char *name, *value; /* NULL: any value */
} not_here[] = {
	{ "cpu", NULL },      { "monitor", NULL }, { "depth", NULL },
	{ "interval", NULL }, { "cutoff", NULL },  { "lineno", NULL },
	{ "thread", NULL },   { "heap", "sites" }, { "heap", "all" },
	{ "format", "a" },
};

/* A part of the text, not NUL-terminated. */
struct span {
	const char *at;
	size_t size;
};

static bool is(struct span s, const char *word)
{
	return s.size == strlen(word) && memcmp(s.at, word, s.size) == 0;
}

/* Sets the message: the option as it was given, then what is wrong with it. */
static enum ag_options_status wrong(struct span item, const char *why,
				    char *message, size_t room)
{
	char shown[80];

	hp_text_escape(item.at, item.size, shown, sizeof shown);
	snprintf(message, room, "%s: %s", shown, why);
	return AG_OPTIONS_WRONG;
}

static bool is_not_here(struct span name, struct span value)
{
	for (size_t i = 0; i < sizeof not_here / sizeof *not_here; i++)
		if (is(name, not_here[i].name) &&
		    (!not_here[i].value || is(value, not_here[i].value)))
			return true;
	return false;
}

static char *copy(struct span value)
{
	char *text = hp_alloc(value.size + 1);

	if (text) {
		memcpy(text, value.at, value.size);
		text[value.size] = '\0';
	}
	return text;
}

static bool take_engine(struct span value, unsigned *ret)
{
	static const char *const words[] = {
		[AG_ENGINE_AUTO] = "auto",
		[AG_ENGINE_WALK] = "walk",
		[AG_ENGINE_VM] = "vm",
		[AG_ENGINE_FORK] = "fork",
	};

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		if (!is(value, words[i]))
			continue;
		*ret = i;
		return true;
	}
	return false;
}

static bool take_seconds(struct span value, unsigned *ret)
{
	enum { MOST = 86400 };
	unsigned long n = 0;

	for (size_t i = 0; i < value.size; i++) {
		if (value.at[i] < '0' || value.at[i] > '9' || n > MOST)
			return false;
		n = n * 10 + (unsigned long)(value.at[i] - '0');
	}
	*ret = (unsigned)n;
	return n >= 1 && n <= MOST;
}

/* False if VALUE is not valid for OPTION, or if memory runs out. */
static bool take_value(const struct option *option, struct span value,
		       struct ag_options *ret)
{
	void *member = (char *)ret + option->offset;

	switch (option->kind) {
	case YES_NO:
		*(bool *)member = is(value, "y");
		return is(value, "y") || is(value, "n");
	case ID_SIZE:
		*(unsigned *)member = is(value, "4") ? 4 : 8;
		return is(value, "4") || is(value, "8");
	case ENGINE:
		return take_engine(value, member);
	case SECONDS:
		return take_seconds(value, member);
	case WORD:
		return is(value, option->word);
	case ADDRESS:
	case PORT:
		return wire_address_parse(value.at, value.size,
					  option->kind == PORT, member);
	case FILE_NAME:
		hp_free(*(char **)member);
		*(char **)member = value.size ? copy(value) : NULL;
		return *(char **)member != NULL;
	}
	return false;
}

static const struct option *find(struct span name)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (is(name, options[i].name))
			return &options[i];
	return NULL;
}

/* ITEM is one NAME=VALUE. */
static enum ag_options_status take(struct span item, struct ag_options *ret,
				   char *message, size_t room)
{
	const char *equals = memchr(item.at, '=', item.size);
	struct span name = item, value = { "", 0 };
	const struct option *option;

	if (is(item, "help"))
		return AG_OPTIONS_HELP;
	if (equals) {
		name.size = (size_t)(equals - item.at);
		value.at = equals + 1;
		value.size = item.size - name.size - 1;
	}
	if (is_not_here(name, value))
		return wrong(item, "not in this version", message, room);
	option = find(name);
	if (!option)
		return wrong(item, "unknown option", message, room);
	if (!equals)
		return wrong(item, "needs a value", message, room);
	if (!take_value(option, value, ret))
		return wrong(item,
			     option->kind == FILE_NAME && value.size
				     ? "out of memory"
				     : option->wrong,
			     message, room);
	if (option->offset == MEMBER(at_exit) && option->kind == YES_NO)
		ret->at_exit_given = true;
	if (option->offset == MEMBER(at_oome) && option->kind == YES_NO)
		ret->at_oome_given = true;
	return AG_OPTIONS_OK;
}

/* Options that do not go together. The JVM's own dumper knows less; a fork
 * walks only once, and finishes a file. */
static enum ag_options_status check_all(const struct ag_options *o,
					char *message, size_t room)
{
	const bool net = o->net.port[0], listen = o->listen.port[0];
	const bool vm = o->engine == AG_ENGINE_VM;
	const bool fork = o->engine == AG_ENGINE_FORK;
	const struct {
		bool wrong;
		const char *option, *why;
	} checks[] = {
		{ vm && (o->id_size != 8 || !o->constants), "engine=vm",
		  "not with ids=4 or constpool=n" },
		{ vm && (net || listen), "engine=vm",
		  "not with net or listen: the JVM writes only files" },
		{ fork && !o->live, "engine=fork", "not with live=n" },
		{ fork && (net || listen), "engine=fork",
		  "not with net or listen" },
		{ net && listen, "net", "not with listen" },
		{ net && o->file, "net", "not with file" },
		{ listen && !o->token, "listen", "needs token=FILE" },
		{ o->token && !listen, "token", "needs listen" },
		{ o->exit && !net && !listen, "exit=y", "needs net or listen" },
	};

	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		if (checks[i].wrong)
			return wrong((struct span){ checks[i].option,
						    strlen(checks[i].option) },
				     checks[i].why, message, room);
	return AG_OPTIONS_OK;
}

enum ag_options_status ag_options_parse(const char *text,
					struct ag_options *ret, char *message,
					size_t room)
{
	*ret = (struct ag_options){
		.at_exit = true,
		.verbose = true,
		.live = true,
		.constants = true,
		.id_size = 8,
		.limit_s = LIMIT_S,
	};
	if (!text || !*text)
		return AG_OPTIONS_OK;
	for (;;) {
		struct span item = { text, strcspn(text, ",") };
		enum ag_options_status status;

		status = item.size == 0
				 ? wrong((struct span){ "options", 7 },
					 "a comma too many", message, room)
				 : take(item, ret, message, room);
		if (status != AG_OPTIONS_OK)
			return status;
		if (!text[item.size])
			break;
		text += item.size + 1;
	}
	/* A front end asks for dumps; files are for those who ask for them. */
	if (ret->listen.port[0] && !ret->at_exit_given)
		ret->at_exit = false;
	return check_all(ret, message, room);
}

void ag_options_free(struct ag_options *o)
{
	hp_free(o->file);
	hp_free(o->token);
	o->file = o->token = NULL;
}

const char *ag_options_help(void)
{
	return "libhprof-agent writes heap dumps of the JVM it is loaded "
	       "into.\n"
	       "\n"
	       "  java -agentlib:hprof-agent[=NAME=VALUE,...] ...\n"
	       "  jcmd PID JVMTI.agent_load /path/libhprof-agent.so "
	       "[NAME=VALUE,...]\n"
	       "\n"
	       "  help           print this; nothing is dumped\n"
	       "  heap=dump      write heap dumps; there is no other kind yet\n"
	       "  format=b       in the binary format; there is no other yet\n"
	       "  file=FILE      where to [java_pidPID.hprof]; %p is the "
	       "process's number\n"
	       "  force=y|n      replace a file that exists [n]\n"
	       "  doe=y|n        dump when the JVM ends [y; n when attached, "
	       "or "
	       "with listen]\n"
	       "  oome=y|n       dump once when the heap is exhausted [n]\n"
	       "  engine=ENGINE  vm, the JVM itself, or the agent: walk, or "
	       "fork; auto [auto]\n"
	       "  limit=SECONDS  time of the forked process [600]\n"
	       "  net=HOST:PORT  send dumps there, and take commands; not to "
	       "a file\n"
	       "  listen=[ADDRESS:]PORT  take commands there, and answer with "
	       "dumps\n"
	       "  token=FILE     for listen: has the secret that clients must "
	       "send\n"
	       "  exit=y|n       a command may end the JVM [n]\n"
	       "  live=y|n       only objects that can be reached [y]\n"
	       "  ids=4|8        bytes of an identifier [8]\n"
	       "  constpool=y|n  references from constant pools [y]\n"
	       "  verbose=y|n    a line about each dump on standard error [y]\n"
	       "\n"
	       "A dump is also written on a data dump request (SIGQUIT, "
	       "jcmd PID JVMTI.data_dump)\n"
	       "and at once when the agent is loaded into a running JVM.\n"
	       "See hprof-agent(7).\n";
}

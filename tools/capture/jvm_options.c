/* SPDX-License-Identifier: MIT */
/*
 * jvm_options.c - see jvm_options.h.
 *
 * The order is HotSpot's, and the last one counts: the file of -XX:Flags,
 * JAVA_TOOL_OPTIONS, the command line, before which the launcher puts
 * JDK_JAVA_OPTIONS, and _JAVA_OPTIONS. The launcher replaces @FILE by what the
 * file has, and the JVM does so with -XX:VMOptionsFile=FILE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/capture/jvm_options.h"

enum setting { NOT_SET, SET_OFF, SET_ON };

/* How words are separated in a text. */
enum syntax {
	SYNTAX_JVM,	 /* blanks, and quotes around them */
	SYNTAX_SETTINGS, /* of -XX:Flags: also comments */
	SYNTAX_LAUNCHER	 /* of @FILE: also escapes within quotes */
};

#define FILES_MOST 64

struct scan {
	const struct jvm_option_sources *sources;
	enum setting attach_disabled, agents_enabled;
	char *flags_file;  /* the last -XX:Flags; owned */
	unsigned files;	   /* that were read */
	bool in_file;	   /* a file names no others */
	bool value_next;   /* the next word is the value of an option */
	bool no_files;	   /* --disable-@files */
	bool program_seen; /* what follows is for the program */
};

/* ---- words -------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static char *skip_blanks(char *at, enum syntax syntax)
{
	for (;;) {
		while (is_blank(*at))
			at++;
		if (*at != '#' || syntax == SYNTAX_JVM)
			return at;
		at += strcspn(at, "\r\n");
	}
}

/* Takes one word from *AT, in place; NULL at the end. */
static char *take_word(char **at, enum syntax syntax)
{
	char *from = skip_blanks(*at, syntax), *word = from, *to = from;
	char quote = '\0';

	if (*from == '\0')
		return NULL;
	for (; *from && (quote || !is_blank(*from)); from++) {
		if (!quote && (*from == '"' || *from == '\'')) {
			quote = *from;
		} else if (quote && *from == quote) {
			quote = '\0';
		} else {
			if (quote && syntax == SYNTAX_LAUNCHER &&
			    *from == '\\' && from[1])
				from++;
			*to++ = *from;
		}
	}
	*at = *from ? from + 1 : from;
	*to = '\0';
	return word;
}

/* Calls VISIT for each word of TEXT, which is changed, and frees it. */
static void for_each_word(struct scan *scan, char *text, enum syntax syntax,
			  void (*visit)(struct scan *scan, const char *word))
{
	char *at = text;
	const char *word;

	while (at && (word = take_word(&at, syntax)) != NULL)
		visit(scan, word);
	free(text);
}

static void
for_each_word_of_file(struct scan *scan, const char *path, enum syntax syntax,
		      void (*visit)(struct scan *scan, const char *word))
{
	const struct jvm_option_sources *sources = scan->sources;

	if (scan->in_file || !sources->read_file || scan->files == FILES_MOST)
		return;
	scan->files++;
	scan->in_file = true;
	for_each_word(scan, sources->read_file(sources->user, path), syntax,
		      visit);
	scan->in_file = false;
}

/* ---- options of the JVM ------------------------------------------------- */

/* "+Name" or "-Name". */
static void take_flag(struct scan *scan, const char *flag)
{
	enum setting setting = *flag == '+' ? SET_ON : SET_OFF;

	if (*flag != '+' && *flag != '-')
		return;
	if (strcmp(flag + 1, "DisableAttachMechanism") == 0)
		scan->attach_disabled = setting;
	else if (strcmp(flag + 1, "EnableDynamicAgentLoading") == 0)
		scan->agents_enabled = setting;
}

/* The text behind PREFIX, or NULL. */
static const char *after(const char *word, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static void take_jvm_option(struct scan *scan, const char *word)
{
	const char *rest = after(word, "-XX:"), *path;

	if (!rest)
		return;
	if ((path = after(rest, "Flags=")) != NULL) {
		free(scan->flags_file);
		scan->flags_file = strdup(path);
	} else if ((path = after(rest, "VMOptionsFile=")) != NULL) {
		for_each_word_of_file(scan, path, SYNTAX_JVM, take_jvm_option);
	} else {
		take_flag(scan, rest);
	}
}

/* ---- arguments of the launcher ------------------------------------------ */

/* Options of java that take the next word as their value. */
static bool takes_value(const char *word)
{
	static const char *const options[] = { "-cp",
					       "-classpath",
					       "--class-path",
					       "-p",
					       "--module-path",
					       "--upgrade-module-path",
					       "--add-modules",
					       "--limit-modules",
					       "--add-exports",
					       "--add-opens",
					       "--add-reads",
					       "--patch-module",
					       "--source",
					       "--enable-native-access",
					       "--describe-module",
					       "-d" };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(word, options[i]) == 0)
			return true;
	return false;
}

static bool names_program(const char *option)
{
	return strcmp(option, "-jar") == 0 || strcmp(option, "-m") == 0 ||
	       strcmp(option, "--module") == 0;
}

static void take_argument(struct scan *scan, const char *word)
{
	bool is_value = scan->value_next;

	scan->value_next = false;
	if (scan->program_seen)
		return;
	if (*word == '@' && !scan->no_files && !scan->in_file &&
	    !scan->sources->old_launcher && word[1] != '@') {
		scan->value_next = is_value;
		for_each_word_of_file(scan, word + 1, SYNTAX_LAUNCHER,
				      take_argument);
	} else if (is_value) {
		return;
	} else if (*word != '-' || names_program(word)) {
		scan->program_seen = true;
	} else if (takes_value(word)) {
		scan->value_next = true;
	} else if (strcmp(word, "--disable-@files") == 0) {
		scan->no_files = true;
	} else {
		take_jvm_option(scan, word);
	}
}

/* ---- the sources -------------------------------------------------------- */

/* The word at AT, or NULL at the end of SIZE bytes; it ends within them. */
static const char *string_at(const char *bytes, size_t size, size_t at)
{
	return at < size && memchr(bytes + at, '\0', size - at) ? bytes + at
								: NULL;
}

/* A copy of the value of a variable, or NULL. */
static char *get_variable(const struct jvm_option_sources *sources,
			  const char *name)
{
	const char *word, *value;
	size_t length = strlen(name), at = 0;

	while ((word = string_at(sources->environment,
				 sources->environment_size, at)) != NULL) {
		value = after(word, name);
		if (value && *value == '=')
			return strdup(word + length + 1);
		at += strlen(word) + 1;
	}
	return NULL;
}

static bool is_java(const char *command, size_t size)
{
	const char *path = string_at(command, size, 0), *slash;

	if (!path)
		return false;
	slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, "java") == 0;
}

static void scan_command(struct scan *scan)
{
	const struct jvm_option_sources *sources = scan->sources;
	const char *word;
	size_t at = 0;

	if (is_java(sources->command, sources->command_size) &&
	    !sources->old_launcher)
		for_each_word(scan, get_variable(sources, "JDK_JAVA_OPTIONS"),
			      SYNTAX_JVM, take_argument);
	scan->program_seen = scan->value_next = false;
	while ((word = string_at(sources->command, sources->command_size,
				 at)) != NULL &&
	       !scan->program_seen) {
		if (at > 0) /* the first is java itself */
			take_argument(scan, word);
		at += strlen(word) + 1;
	}
}

void jvm_options_parse(const struct jvm_option_sources *sources,
		       struct jvm_options *ret)
{
	struct scan scan = { .sources = sources };

	for_each_word(&scan, get_variable(sources, "JAVA_TOOL_OPTIONS"),
		      SYNTAX_JVM, take_jvm_option);
	scan_command(&scan);
	for_each_word(&scan, get_variable(sources, "_JAVA_OPTIONS"), SYNTAX_JVM,
		      take_jvm_option);
	if (scan.flags_file) {
		struct scan file = { .sources = sources };
		for_each_word_of_file(&file, scan.flags_file, SYNTAX_SETTINGS,
				      take_flag);
		if (scan.attach_disabled == NOT_SET)
			scan.attach_disabled = file.attach_disabled;
		if (scan.agents_enabled == NOT_SET)
			scan.agents_enabled = file.agents_enabled;
	}
	free(scan.flags_file);
	ret->no_attach = scan.attach_disabled == SET_ON;
	ret->no_agents = scan.agents_enabled == SET_OFF;
}

void jvm_options_program(const char *command, size_t size, char *out,
			 size_t room)
{
	const char *before = "-", *word;
	size_t at = 0;

	*out = '\0';
	while ((word = string_at(command, size, at)) != NULL) {
		bool is_first = at == 0;
		at += strlen(word) + 1;
		if (is_first)
			continue;
		if (names_program(before) ||
		    (*word != '-' && *word != '@' && !takes_value(before))) {
			snprintf(out, room, "%s", word);
			return;
		}
		before = word;
	}
}

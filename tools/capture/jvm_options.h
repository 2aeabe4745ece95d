/* SPDX-License-Identifier: MIT */
/*
 * jvm_options.h - which options a JVM was started with, as far as that can be
 * known from outside: its command line, its environment at the start, and the
 * files that these name. Pure functions; the caller reads the files.
 *
 * A file may have changed since, a process may have set its environment itself,
 * and a launcher may add options of its own: the result is a good guess.
 */
#ifndef TOOLS_JVM_OPTIONS_H
#define TOOLS_JVM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct jvm_options {
	bool no_attach; /* -XX:+DisableAttachMechanism */
	bool no_agents; /* -XX:-EnableDynamicAgentLoading */
};

struct jvm_option_sources {
	const char *command; /* /proc/PID/cmdline: each word with its NUL */
	size_t command_size;
	const char *environment; /* /proc/PID/environ, likewise */
	size_t environment_size;
	bool old_launcher; /* of JDK 8: no argument files */
	/*
	 * The text of a file as the JVM sees it, with a NUL, for this code to
	 * free; NULL if it cannot be read.
	 */
	char *(*read_file)(void *user, const char *path);
	void *user;
};

void jvm_options_parse(const struct jvm_option_sources *sources,
		       struct jvm_options *ret_options);

/* Copies the main class or jar of a command line to OUT, "" if there is none. */
void jvm_options_program(const char *command, size_t size, char *out,
			 size_t room);

#endif

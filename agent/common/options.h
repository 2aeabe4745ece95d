/* SPDX-License-Identifier: MIT */
/*
 * options.h - the agent's options, in the grammar of the JDK's old agent:
 * NAME=VALUE, separated by commas. This part does not depend on the JVM.
 */
#ifndef AG_OPTIONS_H
#define AG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "wire/address.h"

/* Who reads the heap and writes the dump. */
enum ag_engine {
	AG_ENGINE_AUTO, /* the JVM when the heap is full, else the agent */
	AG_ENGINE_WALK, /* the agent */
	AG_ENGINE_VM,	/* the JVM */
	AG_ENGINE_FORK	/* the agent, in a process that is forked */
};

struct ag_connection;

struct ag_options {
	char *file;   /* NULL: java_pidPID.hprof */
	bool force;   /* replace existing files */
	bool at_exit; /* option doe */
	bool at_oome; /* option oome */
	bool verbose;
	bool live;	/* only reachable objects */
	bool constants; /* option constpool */
	unsigned id_size;
	unsigned engine;  /* enum ag_engine */
	unsigned limit_s; /* option limit: of the process of engine=fork */
	struct wire_address net, listen; /* no port: not given */
	char *token;			 /* option token: a file */
	bool exit;			 /* a front end may end the JVM */

	/* Was it given, or is it the default? */
	bool at_exit_given, at_oome_given;

	/* Set by the one who asks for a dump, not by options. */
	struct ag_connection *connection; /* NULL: to a file */
	bool traces_only;		  /* no heap */
};

enum ag_options_status {
	AG_OPTIONS_OK,
	AG_OPTIONS_HELP, /* help was requested */
	AG_OPTIONS_WRONG
};

/*
 * Parses TEXT, the options as the JVM passes them, or NULL if there are none.
 * RET is filled in any case and freed by ag_options_free. On AG_OPTIONS_WRONG,
 * MESSAGE (of ROOM bytes; 200 are plenty) names the option and is safe to print
 * on a terminal.
 */
enum ag_options_status ag_options_parse(const char *text,
					struct ag_options *ret, char *message,
					size_t room);
void ag_options_free(struct ag_options *options);

/* The text printed for the option help. */
const char *ag_options_help(void);

#endif

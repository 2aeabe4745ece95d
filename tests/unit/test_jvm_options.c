/* SPDX-License-Identifier: MIT */
/*
 * test_jvm_options.c - what a command line, an environment and the files that
 * they name say about attaching.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/capture/jvm_options.h"

/* Files by name, the last one NULL. */
struct file {
	const char *path, *text;
};

static char *read_one(void *user, const char *path)
{
	for (const struct file *file = user; file->path; file++)
		if (strcmp(file->path, path) == 0)
			return strdup(file->text);
	return NULL;
}

#define BYTES(text) text, sizeof(text)

static struct jvm_options parse(const char *command, size_t command_size,
				const char *environment,
				size_t environment_size,
				const struct file *files)
{
	const struct jvm_option_sources sources = {
		.command = command,
		.command_size = command_size,
		.environment = environment,
		.environment_size = environment_size,
		.read_file = files ? read_one : NULL,
		.user = (void *)(uintptr_t)files,
	};
	struct jvm_options options;

	jvm_options_parse(&sources, &options);
	return options;
}

static bool command_forbids(const char *bytes, size_t size)
{
	return parse(bytes, size, BYTES("A=b"), NULL).no_attach;
}

#define FORBIDS(command) command_forbids(BYTES(command))

/* The last option counts, and only before the program's own arguments. */
Test(jvm_options, commands)
{
	cr_assert(FORBIDS("java\0-XX:+DisableAttachMechanism\0Main"));
	cr_assert(!FORBIDS("java\0-XX:+DisableAttachMechanism\0"
			   "-XX:-DisableAttachMechanism\0Main"));
	cr_assert(!FORBIDS("java\0Main\0-XX:+DisableAttachMechanism"));
	cr_assert(!FORBIDS("java\0-jar\0-XX:+DisableAttachMechanism"));
	cr_assert(!FORBIDS("java\0-cp\0-XX:+DisableAttachMechanism\0Main"));
	cr_assert(FORBIDS("java\0-cp\0x\0-XX:+DisableAttachMechanism"));
	cr_assert(!FORBIDS("-XX:+DisableAttachMechanism"));
	cr_assert(!FORBIDS("java\0-XX:+DisableAttachMechanismX\0Main"));
	cr_assert(!FORBIDS("java\0-XX:DisableAttachMechanism\0Main"));
	cr_assert(!command_forbids("", 0));
	cr_assert(!command_forbids("java\0-XX:+DisableAttachMechanism",
				   sizeof("java\0-XX:+DisableAttachMechanism") -
					   1));
}

Test(jvm_options, agents)
{
	cr_assert(parse(BYTES("java\0-XX:-EnableDynamicAgentLoading"), "", 0,
			NULL)
			  .no_agents);
	cr_assert(!parse(BYTES("java\0-XX:+EnableDynamicAgentLoading"), "", 0,
			 NULL)
			   .no_agents);
}

static bool both_forbid(const char *command, size_t command_size,
			const char *environment, size_t environment_size)
{
	return parse(command, command_size, environment, environment_size, NULL)
		.no_attach;
}

#define BOTH(command, environment) \
	both_forbid(BYTES(command), BYTES(environment))

Test(jvm_options, environments)
{
	cr_assert(BOTH("x\0Main", "A=b\0JAVA_TOOL_OPTIONS=-Xmx1g "
				  "-XX:+DisableAttachMechanism\0C=d"));
	cr_assert(BOTH("x\0Main", "_JAVA_OPTIONS=\t'-XX:+Disable'Attach"
				  "\"Mechanism\""));
	cr_assert(!BOTH("x\0Main", "JAVA_TOOL_OPTIONS=-Da='b "
				   "-XX:+DisableAttachMechanism'"));
	cr_assert(!BOTH("x\0Main", "MY_JAVA_TOOL_OPTIONS="
				   "-XX:+DisableAttachMechanism"));
	/* The first of a name is the one that getenv finds. */
	cr_assert(!BOTH("x\0Main", "JAVA_TOOL_OPTIONS=\0JAVA_TOOL_OPTIONS="
				   "-XX:+DisableAttachMechanism"));
}

Test(jvm_options, order)
{
	cr_assert(!BOTH("java\0-XX:-DisableAttachMechanism\0Main",
			"JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism"));
	cr_assert(BOTH("java\0-XX:-DisableAttachMechanism\0Main",
		       "_JAVA_OPTIONS=-XX:+DisableAttachMechanism"));
	cr_assert(!BOTH("java\0-XX:-DisableAttachMechanism\0Main",
			"JDK_JAVA_OPTIONS=-XX:+DisableAttachMechanism"));
	/* Only java itself has this variable. */
	cr_assert(BOTH("/jdk/bin/java\0Main",
		       "JDK_JAVA_OPTIONS=-XX:+DisableAttachMechanism"));
	cr_assert(!BOTH("/opt/server\0Main",
			"JDK_JAVA_OPTIONS=-XX:+DisableAttachMechanism"));
}

/* The end of the text may be anywhere. */
Test(jvm_options, cut_environments)
{
	static const char text[] = "A=b\0JAVA_TOOL_OPTIONS='a \"b' -XX:+Disab"
				   "leAttachMechanism";

	for (size_t size = 0; size <= sizeof(text); size++) {
		char *copy = malloc(size + 1);
		memcpy(copy, text, size < sizeof(text) ? size : sizeof(text));
		bool forbids =
			parse(BYTES("java\0Main"), copy,
			      size < sizeof(text) ? size : sizeof(text), NULL)
				.no_attach;
		cr_expect_eq(forbids, size >= sizeof(text), "%zu", size);
		free(copy);
	}
}

static bool files_forbid(const char *command, size_t size,
			 const struct file *files)
{
	return parse(command, size, BYTES("A=b"), files).no_attach;
}

#define WITH_FILES(command, ...)           \
	files_forbid(BYTES(command),       \
		     (const struct file[]){ \
			     __VA_ARGS__, { NULL, NULL } })

Test(jvm_options, argument_files)
{
	cr_assert(WITH_FILES("java\0@args\0Main",
			     { "args", "-cp x # comment\n"
				       "-XX:+DisableAttachMechanism" }));
	cr_assert(WITH_FILES("java\0@a\0Main",
			     { "a", "\"-XX:+Disable\\AttachMechanism\"" }));
	cr_assert(!WITH_FILES("java\0@a\0Main",
			      { "a", "# -XX:+DisableAttachMechanism" }));
	/* The program is in the file, or a value. */
	cr_assert(!WITH_FILES("java\0@a\0-XX:+DisableAttachMechanism",
			      { "a", "-cp x Main" }));
	cr_assert(WITH_FILES("java\0@a\0-XX:+DisableAttachMechanism",
			     { "a", "-cp" }, { "-XX:+DisableA", "" }) == false);
	/* A file names no other; after this option, none is a file. */
	cr_assert(!WITH_FILES("java\0@a\0Main", { "a", "@b" },
			      { "b", "-XX:+DisableAttachMechanism" }));
	cr_assert(!WITH_FILES("java\0--disable-@files\0@a\0Main",
			      { "a", "-XX:+DisableAttachMechanism" }));
	cr_assert(!WITH_FILES("java\0@@a\0Main",
			      { "@a", "-XX:+DisableAttachMechanism" }));
	/* It is not there any more. */
	cr_assert(!WITH_FILES("java\0@gone\0Main", { "a", "" }));
}

/* A file that names itself, and more names than anybody has. */
Test(jvm_options, endless_files)
{
	static char command[8000];
	const struct file files[] = { { "a", "-XX:VMOptionsFile=a @a" },
				      { NULL, NULL } };
	size_t used = 0;

	while (used + 3 < sizeof command) {
		memcpy(command + used, "@a", 3);
		used += 3;
	}
	cr_assert(!files_forbid(command, used, files));
}

Test(jvm_options, files_of_the_jvm)
{
	cr_assert(WITH_FILES("java\0-XX:VMOptionsFile=/o\0Main",
			     { "/o", "-Xmx1g\n-XX:+DisableAttachMechanism" }));
	cr_assert(WITH_FILES("java\0-XX:Flags=/f\0Main",
			     { "/f", "# old\n+DisableAttachMechanism\n" }));
	cr_assert(!WITH_FILES("java\0-XX:Flags=/f\0Main",
			      { "/f", "-DisableAttachMechanism" }));
	/* The options come later. */
	cr_assert(!WITH_FILES("java\0-XX:-DisableAttachMechanism\0"
			      "-XX:Flags=/f\0-XX:Flags=/f\0Main",
			      { "/f", "+DisableAttachMechanism" }));
}

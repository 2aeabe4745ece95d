/* SPDX-License-Identifier: MIT */
/*
 * jvm_parse.c - parses the text of /proc/PID/status, maps and cmdline. Pure
 * functions; jvm_process.c reads the files.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/capture/jvm_process.h"

/* ---- status ------------------------------------------------------------- */

/* The text after "\nNAME:" and blanks, or NULL. */
static const char *field(const char *text, const char *name)
{
	size_t length = strlen(name);

	while (text) {
		if (strncmp(text, name, length) == 0 && text[length] == ':') {
			text += length + 1;
			return text + strspn(text, " \t");
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return NULL;
}

/* Number INDEX (from 0) in a line; a large INDEX gives the last one. */
static bool number_of(const char *text, unsigned index, unsigned long *ret)
{
	bool any = false;

	if (!text)
		return false;
	for (unsigned i = 0; i <= index; i++) {
		char *end;
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		*ret = strtoul(text, &end, 10);
		any = true;
		text = end;
	}
	return any;
}

static bool has_signal(const char *mask, int number)
{
	if (!mask)
		return false;
	return (strtoull(mask, NULL, 16) >> (number - 1) & 1) != 0;
}

static void take_groups(const char *text, struct target_ids *ids)
{
	ids->group_count = 0;
	while (text && ids->group_count < TARGET_GROUPS_MOST) {
		char *end;
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		ids->groups[ids->group_count++] =
			(gid_t)strtoul(text, &end, 10);
		text = end;
	}
}

bool jvm_parse_status(const char *text, struct jvm_process *p)
{
	enum { EFFECTIVE = 1, LAST = 64 };
	const char *state = field(text, "State");
	const char *caught = field(text, "SigCgt");
	unsigned long number;

	if (!state || !*state || !caught)
		return false;
	p->state = *state;
	p->catches_quit = has_signal(caught, SIGQUIT);
	p->survives_pipe = has_signal(caught, SIGPIPE) ||
			   has_signal(field(text, "SigIgn"), SIGPIPE);
	if (number_of(field(text, "Uid"), EFFECTIVE, &number))
		p->ids.uid = (uid_t)number;
	if (number_of(field(text, "Gid"), EFFECTIVE, &number))
		p->ids.gid = (gid_t)number;
	take_groups(field(text, "Groups"), &p->ids);
	if (number_of(field(text, "Tgid"), LAST, &number))
		p->leader = p->inner_pid = (pid_t)number;
	/* One number for each nested pid namespace, the innermost last. */
	if (number_of(field(text, "NStgid"), LAST, &number))
		p->inner_pid = (pid_t)number;
	return true;
}

/* ---- maps --------------------------------------------------------------- */

/* The sixth field, up to the end of the line, as it may hold blanks. */
static const char *map_path(const char *line)
{
	for (unsigned i = 0; i < 5; i++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return line;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* "/tmp/hsperfdata_USER/PID" */
static bool is_perf_path(const char *path, const char *name)
{
	const char *folder = strstr(path, "/hsperfdata_");

	return folder && strchr(folder + 1, '/') == name - 1 && *name >= '0' &&
	       *name <= '9' && name[strspn(name, "0123456789")] == '\0';
}

void jvm_parse_map(const char *line, struct jvm_process *p)
{
	const char *path = map_path(line);
	const char *name = strrchr(path, '/');

	if (!name)
		return;
	name++;
	if (begins(name, "libj9vm"))
		p->kind = JVM_OPENJ9;
	else if (p->kind == JVM_NONE && begins(name, "libjvm.so"))
		p->kind = JVM_HOTSPOT;
	else if (begins(name, "ld-musl-") || begins(name, "libc.musl-"))
		p->libc = JVM_LIBC_MUSL;
	else if (p->libc == JVM_LIBC_UNKNOWN &&
		 (begins(name, "libc.so.6") || begins(name, "libc-2.")))
		p->libc = JVM_LIBC_GLIBC;
	else if (is_perf_path(path, name) &&
		 strlen(path) < sizeof(p->perf_path)) {
		strcpy(p->perf_path, path);
		/* The JVM may be statically linked into a launcher. */
		if (p->kind == JVM_NONE)
			p->kind = JVM_HOTSPOT;
	}
}

/* ---- cmdline ------------------------------------------------------------ */

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

void jvm_parse_command(const char *bytes, size_t size, char *out, size_t room,
		       bool *ret_no_attach)
{
	const char *before = "-", *word = bytes, *end = bytes + size;

	*out = '\0';
	if (size == 0 || end[-1] != '\0')
		return;
	for (word += strlen(word) + 1; word < end; word += strlen(word) + 1) {
		if (strcmp(word, "-XX:+DisableAttachMechanism") == 0)
			*ret_no_attach = true;
		else if (strcmp(word, "-XX:-DisableAttachMechanism") == 0)
			*ret_no_attach = false;
		if (names_program(before) ||
		    (*word != '-' && *word != '@' && !takes_value(before))) {
			snprintf(out, room, "%s", word);
			return;
		}
		before = word;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * jvm_parse.c - parses the text of /proc/PID/status and maps. Pure functions; jvm_process.c reads the files.
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
	if (number_of(field(text, "VmRSS"), 0, &number))
		p->resident = (uint64_t)number * 1024;
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

/* Are the last folders of the LENGTH bytes of PATH "/lib/ANY/"? */
static bool is_old_layout(const char *path, size_t length)
{
	size_t slashes = 0;

	while (length > 0 && slashes < 2)
		slashes += path[--length] == '/';
	return length >= 4 && strncmp(path + length - 4, "/lib", 4) == 0;
}

/* The folder of a JVM before 11 is .../lib/ARCHITECTURE/server, then lib/server. */
static void take_libjvm(const char *path, const char *name,
			struct jvm_process *p)
{
	static const char *const kinds[] = { "server/", "client/", "minimal/" };
	size_t length = (size_t)(name - path);

	if (p->kind == JVM_NONE)
		p->kind = JVM_HOTSPOT;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t end = strlen(kinds[i]);
		if (length < end || strncmp(name - end, kinds[i], end) != 0)
			continue;
		p->old_layout = is_old_layout(path, length - end);
	}
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
	else if (begins(name, "libjvm.so"))
		take_libjvm(path, name, p);
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

/* ---- versions ----------------------------------------------------------- */

unsigned jvm_parse_version(const char *text)
{
	if (strncmp(text, "1.", 2) == 0)
		text += 2;
	if (*text < '0' || *text > '9')
		return 0;
	unsigned long number = strtoul(text, NULL, 10);
	return number < 1000 ? (unsigned)number : 0;
}

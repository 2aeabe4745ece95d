/* SPDX-License-Identifier: MIT */
/* jvm_process.c - reads /proc/PID; jvm_parse.c interprets its contents. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/capture/jvm_process.h"
#include "tools/capture/proc_file.h"
#include "tools/capture/target_files.h"
#include "tools/common/cli.h"

static bool read_status(pid_t pid, struct jvm_process *p)
{
	char text[32768]; /* some users are in hundreds of groups */

	return proc_read(pid, "status", text, sizeof(text)) > 0 &&
	       jvm_parse_status(text, p);
}

/* The map shows which JVM it is. Kernel threads have an empty one. */
static void read_maps(struct jvm_process *p)
{
	int fd = proc_open(p->pid, "maps", O_RDONLY);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (!file) {
		p->kind = errno == EACCES || errno == EPERM ? JVM_UNSEEN
							    : JVM_NONE;
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((length = getline(&line, &room, file)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		jvm_parse_map(line, p);
	}
	free(line);
	fclose(file);
}

static uint64_t uptime_of(uint64_t start)
{
	long ticks = sysconf(_SC_CLK_TCK);
	struct timespec now;

	if (ticks <= 0 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
		return 0;
	start /= (uint64_t)ticks;
	return (uint64_t)now.tv_sec > start ? (uint64_t)now.tv_sec - start : 0;
}

/* ---- its counters ------------------------------------------------------- */

bool jvm_process_perfdata(const struct jvm_process *p,
			  struct perfdata *ret_perfdata, void **ret_bytes)
{
	enum { MOST = 1 << 20 };
	size_t size;
	char *bytes;

	if (!p->perf_path[0])
		return false;
	bytes = target_read(p->pid, &p->ids, p->perf_path, true, MOST, &size);
	if (!bytes || !perfdata_open(ret_perfdata, bytes, size)) {
		free(bytes);
		return false;
	}
	*ret_bytes = bytes;
	return true;
}

/* ---- its options -------------------------------------------------------- */

static char *read_file(void *user, const char *path)
{
	enum { MOST = 64 * 1024 };
	const struct jvm_process *p = user;
	size_t size;

	return target_read(p->pid, &p->ids, path, false, MOST, &size);
}

/* Text of NUL-terminated strings; the last may be cut. Never NULL. */
static char *read_strings(pid_t pid, const char *name, size_t *ret_size)
{
	enum { MOST = 1 << 20 };
	char *bytes = cli_calloc(1, MOST);
	ssize_t size = proc_read(pid, name, bytes, MOST);

	/* If it was cut, the NUL of proc_read ends it. */
	*ret_size = size == MOST - 1 ? MOST : size < 0 ? 0 : (size_t)size;
	return bytes;
}

static void read_options(struct jvm_process *p)
{
	struct jvm_option_sources sources = { .old_launcher = p->old_layout,
					      .read_file = read_file,
					      .user = p };
	char *command = read_strings(p->pid, "cmdline", &sources.command_size);
	char *environment =
		read_strings(p->pid, "environ", &sources.environment_size);

	sources.command = command;
	sources.environment = environment;
	jvm_options_parse(&sources, &p->options);
	jvm_options_program(command, sources.command_size, p->command,
			    sizeof(p->command));
	free(command);
	free(environment);
}

/* The counters are a better source, if the JVM has any. */
static void read_counters(struct jvm_process *p)
{
	static const char version[] =
		"java.property.java.vm.specification.version";
	char text[sizeof(p->command)];
	struct perfdata perf;
	void *bytes;

	if (!jvm_process_perfdata(p, &perf, &bytes))
		return;
	if (perfdata_text(&perf, "sun.rt.javaCommand", text, sizeof(text)) &&
	    text[0]) {
		text[strcspn(text, " ")] = '\0';
		memcpy(p->command, text, sizeof(text));
	}
	if (perfdata_text(&perf, "sun.rt.jvmCapabilities", text,
			  sizeof(text)) &&
	    text[0])
		p->options.no_attach = text[0] != '1';
	if (perfdata_text(&perf, version, text, sizeof(text)))
		p->version = jvm_parse_version(text);
	free(bytes);
}

/* ---- the whole ---------------------------------------------------------- */

bool jvm_process_read(pid_t pid, struct jvm_process *p, struct reason *reason)
{
	*p = (struct jvm_process){ .pid = pid, .inner_pid = pid };
	p->start = jvm_process_start(pid);
	if (!read_status(pid, p))
		return reason_set(reason, "no such process");
	if (p->leader != pid)
		return reason_set(reason, "is a thread of process %d",
				  (int)p->leader);
	read_maps(p);
	p->uptime_s = uptime_of(p->start);
	if (p->kind != JVM_NONE)
		read_options(p);
	read_counters(p);
	return true;
}

static const char *user_name(uid_t uid)
{
	static char text[64];
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(text, sizeof(text), "%s", user->pw_name);
	else
		snprintf(text, sizeof(text), "with the id %u", (unsigned)uid);
	return text;
}

static bool check_kind(const struct jvm_process *p, struct reason *reason)
{
	switch (p->kind) {
	case JVM_HOTSPOT:
		return true;
	case JVM_OPENJ9:
		return reason_set(reason,
				  "an OpenJ9 JVM, which has another attach "
				  "protocol: use the jcmd of its JDK, with "
				  "Dump.heap");
	case JVM_UNSEEN:
		return reason_set(reason,
				  "its memory map cannot be read: run "
				  "hprof-dump as root, outside of containers");
	default:
		return reason_set(reason,
				  "not a JVM: no libjvm.so is mapped into it");
	}
}

bool jvm_process_check(const struct jvm_process *p, struct reason *reason)
{
	if (p->state == 'Z' || p->state == 'X')
		return reason_set(reason, "the process has ended");
	if (geteuid() != 0 && p->ids.uid != geteuid())
		return reason_set(reason,
				  "belongs to user %s: run hprof-dump as that "
				  "user or as root",
				  user_name(p->ids.uid));
	if (!check_kind(p, reason))
		return false;
	if (p->state == 'T' || p->state == 't')
		return reason_set(reason,
				  "is stopped, by a signal or a debugger, and "
				  "cannot answer: let it go on first (kill "
				  "-CONT %d)",
				  (int)p->pid);
	if (p->options.no_attach)
		return reason_set(reason,
				  "nothing can attach to it: it runs with "
				  "-XX:+DisableAttachMechanism");
	return true;
}

bool jvm_process_catches_quit(pid_t pid)
{
	struct jvm_process p = { 0 };

	return read_status(pid, &p) && p.catches_quit;
}

enum jvm_libc jvm_own_libc(void)
{
	struct jvm_process own = { .pid = getpid() };

	read_maps(&own);
	return own.libc;
}

/* SPDX-License-Identifier: MIT */
/*
 * fake-jvm.c - looks like a HotSpot JVM to hprof-dump, and answers whatever a
 * test wants: old JVMs, broken ones, hostile ones, and those that end in the
 * middle.
 *
 *   fake-jvm [OPTION]... ACTION...
 *
 * Maps ./libjvm.so into itself, prints its pid and waits. At a SIGQUIT it
 * listens on /tmp/.java_pidN; the Nth request is answered by the Nth ACTION,
 * and the last one also answers all further requests:
 *
 *   reply=TEXT    TEXT, in which \n is a newline
 *   flood=N       a reply of N bytes
 *   drip          a reply that never ends, a byte now and then
 *   empty         closes the connection
 *   hang          answers nothing
 *   end           ends
 *   dump=FILE     copies FILE to the path in the request, and says so
 *   walk=FILE     the same, and replies as if an agent was loaded
 *   make=FILE     as dump, for a JVM that cannot overwrite
 *   less=FILE     as dump, but reports one byte more
 *   parts=FILE    as dump, by way of part files, as JDK 22 and later
 *   late=FILE     as dump, but replies only once the file ./go is there
 *   trickle=MS:FILE as dump, in small pieces, which take MS milliseconds
 *   drip=FILE     as dump, with such a reply
 *   endless=FILE  as dump, and then zeros for as long as it can
 *   sparse=FILE   as make, and then zeros to 4 TiB that take no space
 *   drop=N:FILE   copies N bytes, and then for ever one now and then
 *   cut=N:FILE    copies N bytes, and reports that the disk is full
 *   end=N:FILE    copies N bytes, and ends
 *   stall=N:FILE  copies N bytes, and then nothing happens
 *   stop=N:FILE   copies N bytes, and is stopped by a signal
 *   lost=N:FILE   makes part files, copies N bytes, and ends
 *   link=FILE     makes a symbolic link to FILE instead of a dump
 *   pipe          makes a pipe instead of a dump
 *   give=FILE     copies FILE, and gives the copy to the user 1 (takes root)
 *   move=FILE     renames the folder of the dump and puts a link to ./victim
 *                 in its place, and then as dump
 *
 * Options: -q has no handler for SIGQUIT; -n does not listen; -e ends at a
 * SIGQUIT; -s first makes a socket that nobody listens on; -i first has
 * another process listen there, -l does so behind a symbolic link; -b takes
 * no connections; -p would end by SIGPIPE; -j is OpenJ9; -m runs on musl; -c
 * has performance counters, -C ones that forbid to attach, and before these, -V N
 * says which JDK they are of; -8 has the files of a JDK 8; -u N becomes the user
 * N; -XX:... is only to be read.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/fake-counters.h"
#include "tests/fake-jvm.h"

static char socket_path[64];
static pid_t impostor;
static volatile sig_atomic_t asked;

void fake_die(const char *about)
{
	perror(about);
	exit(2);
}

static void clean_up(void)
{
	if (socket_path[0])
		unlink(socket_path);
	if (impostor > 0)
		kill(impostor, SIGKILL);
}

void fake_end(void)
{
	clean_up();
	_exit(0);
}

static void on_term(int number)
{
	(void)number;
	fake_end();
}

static void on_quit(int number)
{
	(void)number;
	asked = 1;
}

/* Mapped, and so in /proc/PID/maps. */
static void map_file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || ftruncate(fd, 4096) != 0 ||
	    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		fake_die(name);
	close(fd);
}

/* Where a JDK 8 has it. */
static void map_old(void)
{
	static const char *const folders[] = { "old", "old/lib",
					       "old/lib/amd64",
					       "old/lib/amd64/server" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(folders[i], 0755);
	map_file("old/lib/amd64/server/libjvm.so");
}

static int listen_on(const char *path, int backlog)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	unlink(path);
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, backlog) != 0)
		fake_die(path);
	return fd;
}

/* ---- requests ----------------------------------------------------------- */

static void answer(int fd, const char *action, const char *path)
{
	if (strncmp(action, "reply=", 6) == 0)
		fake_reply(fd, action + 6);
	else if (strncmp(action, "flood=", 6) == 0)
		fake_flood(fd, atol(action + 6));
	else if (strcmp(action, "drip") == 0)
		fake_drip(fd);
	else if (strcmp(action, "hang") == 0)
		fake_stall();
	else if (strcmp(action, "end") == 0)
		fake_end();
	else if (strcmp(action, "pipe") == 0 && mkfifo(path, 0600) == 0)
		fake_reply(fd, "0\nHeap dump file created\n");
	else if (strcmp(action, "empty") != 0)
		fake_dump(fd, action, path);
}

/* Reads one more string of a request, with its NUL; false at its end. */
static bool read_string(int fd, char *request, size_t room, size_t *used)
{
	while (*used < room && read(fd, request + *used, 1) == 1)
		if (request[(*used)++] == '\0')
			return true;
	return false;
}

/*
 * Version 1: command and three arguments. Version 2: the number of bytes to
 * come, and in these the command and any number of arguments. The strings
 * behind the version and the number are in OUT; returns their size.
 */
static size_t read_request(int fd, char *out, size_t room, int *ret_version)
{
	char number[32];
	size_t used = 0, size;

	if (!read_string(fd, number, sizeof(number), &used))
		return 0;
	*ret_version = atoi(number);
	used = 0;
	if (*ret_version == 1) {
		for (unsigned i = 0; i < 4; i++)
			read_string(fd, out, room, &used);
		return used;
	}
	if (!read_string(fd, number, sizeof(number), &used))
		return 0;
	size = strtoul(number, NULL, 10);
	for (used = 0; used < size;)
		if (!read_string(fd, out, size < room ? size : room, &used))
			return 0;
	return used;
}

static void serve(int fd, const char *action)
{
	static char request[16384];
	int version = 0;
	size_t size = read_request(fd, request, sizeof(request), &version);
	char *path = request;

	if (size == 0) {
		fprintf(stderr, "fake-jvm: no request\n");
		return;
	}
	/* The last word of a jcmd, or an option of the agent. */
	for (size_t i = 1; i < size; i++)
		if (request[i] == '/' &&
		    (request[i - 1] == ' ' || request[i - 1] == '='))
			path = request + i;
	path[strcspn(path, ",")] = '\0';
	fprintf(stderr, "fake-jvm: %s%s%s\n", request,
		version == 2 ? " of version 2" : "",
		strstr(request + strlen(request) + 1, "-all") ? " -all" : "");
	answer(fd, action, path);
}

/* ---- options ------------------------------------------------------------ */

struct options {
	bool silent, ends, stale, busy;
	const char *impostor; /* where another process listens */
	const char *version;  /* of the JDK; NULL: unknown */
};

static void take_option(int letter, struct options *options)
{
	switch (letter) {
	case 'q':
		signal(SIGQUIT, SIG_DFL);
		break;
	case 'n':
		options->silent = true;
		break;
	case 'e':
		options->ends = true;
		break;
	case 's':
		options->stale = true;
		break;
	case 'i':
		options->impostor = socket_path;
		break;
	case 'l':
		options->impostor = "elsewhere";
		break;
	case 'b':
		options->busy = true;
		break;
	case 'p':
		signal(SIGPIPE, SIG_DFL);
		break;
	case 'j':
		map_file("libj9vm29.so");
		break;
	case 'm':
		map_file("ld-musl-x86_64.so.1");
		break;
	case 'c':
		counters_make(true, options->version);
		break;
	case 'C':
		counters_make(false, options->version);
		break;
	case '8':
		map_old();
		break;
	case 'V':
		options->version = optarg;
		break;
	case 'u':
		if (setgid((gid_t)atoi(optarg)) != 0 ||
		    setuid((uid_t)atoi(optarg)) != 0)
			fake_die(optarg);
		break;
	}
}

/*
 * A process that would answer, were it asked. It listens itself: the kernel
 * tells those who connect which process that was.
 */
static void __attribute__((noreturn)) be_impostor(const char *path, int ready)
{
	int fd = listen_on(path, 5), connection;
	char request;

	close(ready);
	connection = accept(fd, NULL, NULL);
	if (read(connection, &request, 1) == 1)
		fprintf(stderr, "fake-jvm: the impostor was asked\n");
	for (;;)
		pause();
}

static void start_impostor(const char *path)
{
	char here[PATH_MAX];
	int ready[2];

	if (pipe(ready) != 0)
		fake_die("pipe");
	impostor = fork();
	if (impostor == 0) {
		close(ready[0]);
		be_impostor(path, ready[1]);
	}
	close(ready[1]);
	(void)!read(ready[0], here, 1);
	close(ready[0]);
	if (path != socket_path &&
	    (!realpath(path, here) || symlink(here, socket_path) != 0))
		fake_die(path);
}

/* A listener whose queue is full, and stays so. */
static void __attribute__((noreturn)) be_busy(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, socket_path);
	listen_on(socket_path, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		fake_die(socket_path);
	printf("%d\n", (int)getpid());
	fclose(stdout);
	for (;;)
		pause();
}

/* ---- life --------------------------------------------------------------- */

/* It is blocked between looking and waiting, so that none is missed. */
static void wait_for_quit(bool for_ever)
{
	sigset_t quit, old;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, &old);
	while (!asked || for_ever)
		sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void __attribute__((noreturn)) run(char **actions)
{
	int fd = listen_on(socket_path, 5);

	for (;;) {
		int connection = accept(fd, NULL, NULL);
		if (connection < 0)
			continue;
		serve(connection, actions[0]);
		close(connection);
		if (actions[1])
			actions++;
	}
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int letter;

	map_file("libjvm.so");
	snprintf(socket_path, sizeof(socket_path), "/tmp/.java_pid%d",
		 (int)getpid());
	/* Of an earlier process of that number; a JVM removes it, too. */
	unlink(socket_path);
	atexit(clean_up);
	signal(SIGQUIT, on_quit);
	signal(SIGTERM, on_term);
	signal(SIGPIPE, SIG_IGN);
	while ((letter = getopt(argc, argv, "qnesilbpjmcC8V:u:X:")) != -1)
		take_option(letter, &options);
	if (options.stale)
		close(listen_on(socket_path, 5));
	if (options.impostor)
		start_impostor(options.impostor);
	if (options.busy)
		be_busy();
	printf("%d\n", (int)getpid());
	fclose(stdout);
	wait_for_quit(options.silent);
	if (options.ends)
		fake_end();
	run(argv + optind);
}

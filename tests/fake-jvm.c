/* SPDX-License-Identifier: MIT */
/*
 * fake-jvm.c - looks like a HotSpot JVM to hprof-dump, and answers whatever a
 * test wants: old JVMs, broken ones, and those that end in the middle.
 *
 *   fake-jvm [OPTION]... ACTION...
 *
 * maps ./libjvm.so into itself, prints its pid and waits. At a SIGQUIT it
 * listens on /tmp/.java_pidN; the Nth request is answered by the Nth ACTION,
 * and the last stands for all others:
 *
 *   reply=TEXT    TEXT, in which \n is a newline
 *   empty         closes the connection
 *   hang          answers nothing
 *   end           ends
 *   dump=FILE     copies FILE to the path in the request, and tells so
 *   make=FILE     the same for a JVM that cannot overwrite
 *   less=FILE     the same, but tells of one byte more
 *   cut=N:FILE    copies N bytes, and tells of the lack of space
 *   end=N:FILE    copies N bytes, and ends
 *   stall=N:FILE  copies N bytes, and then nothing happens
 *
 * Options: -q has no handler for SIGQUIT; -n does not listen; -s makes a
 * socket that nobody listens on, first; -p would end by SIGPIPE; -j is
 * OpenJ9; -m runs on musl; -XX:+DisableAttachMechanism is only to be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char socket_path[64];
static volatile sig_atomic_t asked;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void remove_socket(void)
{
	if (socket_path[0])
		unlink(socket_path);
}

static void end(int number)
{
	(void)number;
	unlink(socket_path);
	_exit(0);
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
		die(name);
	close(fd);
}

static int listen_on_socket(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, socket_path);
	unlink(socket_path);
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(fd, 5) != 0)
		die(socket_path);
	return fd;
}

/* ---- actions ------------------------------------------------------------ */

static void reply(int fd, const char *text)
{
	for (; *text; text++) {
		char c = *text;
		if (c == '\\' && text[1] == 'n') {
			c = '\n';
			text++;
		}
		if (write(fd, &c, 1) != 1)
			return;
	}
}

/* Up to MOST bytes of FROM to the path TO; how many, or -1. */
static long long copy(const char *from, const char *to, int flags,
		      long long most)
{
	static char piece[65536];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | flags, 0600);
	long long done = 0;
	ssize_t n = 1;

	if (in < 0)
		die(from);
	while (out >= 0 && done < most && n > 0) {
		size_t size = sizeof(piece);
		if (most - done < (long long)size)
			size = (size_t)(most - done);
		n = read(in, piece, size);
		if (n > 0 && write(out, piece, (size_t)n) != n) {
			done = -1;
			break;
		}
		done += n;
	}
	close(in);
	if (out < 0)
		return -1;
	close(out);
	return done;
}

static void tell_made(int fd, long long bytes, const char *path)
{
	char text[256];

	if (bytes < 0)
		snprintf(text, sizeof(text), "0\nDumping heap to %s ...\n"
			 "Dump file is incomplete: %s\n", path,
			 strerror(errno));
	else
		snprintf(text, sizeof(text), "0\nDumping heap to %s ...\n"
			 "Heap dump file created [%lld bytes in 0.1 secs]\n",
			 path, bytes);
	reply(fd, text);
}

static void __attribute__((noreturn)) stay(void)
{
	for (;;)
		pause();
}

static bool is(const char *action, const char *name, const char **ret_rest)
{
	size_t length = strlen(name);

	*ret_rest = action + length;
	return strncmp(action, name, length) == 0;
}

/* PATH: the last word of the request. */
static void dump(int fd, const char *action, const char *path)
{
	enum { NEW = O_CREAT | O_EXCL, ANY = O_CREAT | O_TRUNC };
	const char *rest, *from;
	long long most;

	if (is(action, "dump=", &rest)) {
		tell_made(fd, copy(rest, path, ANY, 1LL << 60), path);
		return;
	}
	if (is(action, "make=", &rest)) {
		tell_made(fd, copy(rest, path, NEW, 1LL << 60), path);
		return;
	}
	if (is(action, "less=", &rest)) {
		tell_made(fd, copy(rest, path, ANY, 1LL << 60) + 1, path);
		return;
	}
	from = strchr(action, ':');
	if (!from || !strchr(action, '='))
		die(action);
	most = atoll(strchr(action, '=') + 1);
	copy(from + 1, path, ANY, most);
	if (is(action, "cut=", &rest))
		reply(fd, "0\nDump file is incomplete: No space left on "
			  "device\n");
	else if (is(action, "end=", &rest))
		end(0);
	else
		stay();
}

static void answer(int fd, const char *action, const char *path)
{
	const char *text;

	if (is(action, "reply=", &text))
		reply(fd, text);
	else if (strcmp(action, "hang") == 0)
		stay();
	else if (strcmp(action, "end") == 0)
		end(0);
	else if (strcmp(action, "empty") != 0)
		dump(fd, action, path);
}

/* Four strings behind the version: command and arguments. */
static void serve(int fd, const char *action)
{
	static char request[4096];
	size_t used = 0;
	unsigned strings = 0;
	char *path = request;

	while (strings < 5 && used < sizeof(request) - 1 &&
	       read(fd, request + used, 1) == 1)
		strings += request[used++] == '\0';
	/* The one argument of a command, or the third of a load. */
	for (size_t i = 0; i + 1 < used; i++)
		if (request[i] == '/' && (request[i - 1] == ' ' ||
					  request[i - 1] == '='))
			path = request + i;
	path[strcspn(path, ",")] = '\0';
	fprintf(stderr, "fake-jvm: %s%s\n", request + 2,
		strstr(request + 2 + strlen(request + 2) + 1, "-all") ?
			" -all" :
			"");
	answer(fd, action, path);
}

int main(int argc, char **argv)
{
	bool listens = true, stale = false;
	int option, fd;

	map_file("libjvm.so");
	snprintf(socket_path, sizeof(socket_path), "/tmp/.java_pid%d",
		 (int)getpid());
	/* Of an earlier process of that number; a JVM removes it, too. */
	unlink(socket_path);
	atexit(remove_socket);
	signal(SIGQUIT, on_quit);
	signal(SIGTERM, end);
	signal(SIGPIPE, SIG_IGN);
	while ((option = getopt(argc, argv, "qnspjmX:")) != -1) {
		if (option == 'q')
			signal(SIGQUIT, SIG_DFL);
		listens = listens && option != 'n';
		stale = stale || option == 's';
		if (option == 'p')
			signal(SIGPIPE, SIG_DFL);
		if (option == 'j')
			map_file("libj9vm29.so");
		if (option == 'm')
			map_file("ld-musl-x86_64.so.1");
	}
	if (stale)
		close(listen_on_socket());
	printf("%d\n", (int)getpid());
	fclose(stdout);
	while (!asked || !listens)
		pause();
	fd = listen_on_socket();
	for (;;) {
		int connection = accept(fd, NULL, NULL);
		if (connection < 0)
			continue;
		serve(connection, argv[optind]);
		close(connection);
		if (argv[optind + 1])
			optind++;
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * fake-dumps.c - how fake-jvm writes dumps: whole, in parts, slowly, cut, and
 * with malice. The list of actions is in fake-jvm.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake-counters.h"
#include "tests/fake-jvm.h"

#define ALL LLONG_MAX

static void nap_ms(long ms)
{
	const struct timespec nap = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&nap, NULL);
}

/* ---- what a JVM writes -------------------------------------------------- */

void fake_reply(int fd, const char *text)
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

void fake_flood(int fd, long size)
{
	fake_reply(fd, "0\n");
	for (size -= 2; size > 0; size--)
		if (write(fd, "x", 1) != 1)
			return;
}

void fake_drip(int fd)
{
	fake_reply(fd, "0\n");
	while (write(fd, "x", 1) == 1)
		nap_ms(200);
	fprintf(stderr, "fake-jvm: hung up\n");
}

/* How a dump is copied. */
struct way {
	int flags;	 /* for open */
	long long first; /* byte of FILE */
	long long most;	 /* bytes */
	size_t piece;	 /* bytes at a time; 0: many */
	long nap_ms;	 /* after each piece */
};

/* Part of FROM to the path TO; how many bytes, or -1. */
static long long copy(const char *from, const char *to, const struct way *way)
{
	static char piece[65536];
	int in = open(from, O_RDONLY);
	int out = open(to, O_WRONLY | way->flags, 0600);
	long long done = 0;
	ssize_t n = 1;

	if (in < 0 || lseek(in, way->first, SEEK_SET) < 0)
		fake_die(from);
	while (out >= 0 && done < way->most && n > 0) {
		size_t size = way->piece ? way->piece : sizeof(piece);
		if (way->most - done < (long long)size)
			size = (size_t)(way->most - done);
		n = read(in, piece, size);
		if (n > 0 && write(out, piece, (size_t)n) != n) {
			done = -1;
			break;
		}
		done += n;
		if (way->nap_ms)
			nap_ms(way->nap_ms);
	}
	close(in);
	if (out < 0)
		return -1;
	close(out);
	return done;
}

static long long copy_some(const char *from, const char *to, long long most)
{
	const struct way way = { .flags = O_CREAT | O_TRUNC, .most = most };

	return copy(from, to, &way);
}

static void tell_made(int fd, long long bytes, const char *path)
{
	char text[256];

	if (bytes < 0)
		snprintf(text, sizeof(text),
			 "0\nDumping heap to %s ...\n"
			 "Dump file is incomplete: %s\n",
			 path, strerror(errno));
	else
		snprintf(text, sizeof(text),
			 "0\nDumping heap to %s ...\n"
			 "Heap dump file created [%lld bytes in 0.1 secs]\n",
			 path, bytes);
	counters_pause();
	fake_reply(fd, text);
}

void fake_stall(void)
{
	fprintf(stderr, "fake-jvm: stalls\n");
	for (;;)
		pause();
}

/* ---- actions with a file ------------------------------------------------ */

static long long size_of(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0)
		fake_die(path);
	return info.st_size;
}

/* PATH.p0 and PATH.p1, a half of FROM each. */
static void make_parts(const char *from, const char *path)
{
	long long half = size_of(from) / 2;
	char name[128];

	for (unsigned i = 0; i < 2; i++) {
		const struct way way = { .flags = O_CREAT | O_EXCL,
					 .first = i * half,
					 .most = i ? ALL : half };
		snprintf(name, sizeof(name), "%s.p%u", path, i);
		if (copy(from, name, &way) < 0)
			fake_die(name);
	}
}

static long long join_parts(const char *path)
{
	int out = open(path, O_WRONLY);
	char name[128], piece[4096];
	long long sum = 0;

	for (unsigned i = 0; i < 2; i++) {
		int in;
		ssize_t n;
		snprintf(name, sizeof(name), "%s.p%u", path, i);
		in = open(name, O_RDONLY);
		while ((n = read(in, piece, sizeof(piece))) > 0 &&
		       write(out, piece, (size_t)n) == n)
			sum += n;
		close(in);
		unlink(name);
	}
	close(out);
	return sum;
}

static void dump_dump(int fd, const char *from, const char *path)
{
	tell_made(fd, copy_some(from, path, ALL), path);
}

static void dump_walk(int fd, const char *from, const char *path)
{
	copy_some(from, path, ALL);
	fake_reply(fd, "0\nreturn code: 0\n");
}

static void dump_endless(int fd, const char *from, const char *path)
{
	static const char zeros[65536];
	/* Before the first byte, after which the pipe has no name. */
	int out = open(path, O_WRONLY | O_APPEND);

	copy_some(from, path, ALL);
	while (out >= 0 && write(out, zeros, sizeof(zeros)) > 0)
		;
	fprintf(stderr, "fake-jvm: released\n");
	fake_reply(fd, "0\nDump file is incomplete: Broken pipe\n");
}

static void dump_sparse(int fd, const char *from, const char *path)
{
	const struct way way = { .flags = O_CREAT | O_EXCL, .most = ALL };

	copy(from, path, &way);
	if (truncate(path, 1LL << 42) != 0)
		fake_die(path);
	fake_reply(fd, "0\nHeap dump file created\n");
}

static void dump_drip(int fd, const char *from, const char *path)
{
	copy_some(from, path, ALL);
	fake_drip(fd);
}

static void dump_make(int fd, const char *from, const char *path)
{
	const struct way way = { .flags = O_CREAT | O_EXCL, .most = ALL };

	tell_made(fd, copy(from, path, &way), path);
}

static void dump_less(int fd, const char *from, const char *path)
{
	tell_made(fd, copy_some(from, path, ALL) + 1, path);
}

static void dump_parts(int fd, const char *from, const char *path)
{
	make_parts(from, path);
	tell_made(fd, join_parts(path), path);
}

static void dump_late(int fd, const char *from, const char *path)
{
	long long bytes = copy_some(from, path, ALL);

	fprintf(stderr, "fake-jvm: waits\n");
	while (access("go", F_OK) != 0)
		nap_ms(5);
	tell_made(fd, bytes, path);
}

static void dump_link(int fd, const char *from, const char *path)
{
	if (symlink(from, path) != 0)
		fake_die(path);
	fake_reply(fd, "0\nHeap dump file created\n");
}

static void dump_give(int fd, const char *from, const char *path)
{
	long long bytes = copy_some(from, path, ALL);

	if (chown(path, 1, 1) != 0)
		fake_die(path);
	tell_made(fd, bytes, path);
}

static void dump_move(int fd, const char *from, const char *path)
{
	char folder[128], aside[160], victim[PATH_MAX], moved[180];

	snprintf(folder, sizeof(folder), "%s", path);
	dirname(folder);
	snprintf(aside, sizeof(aside), "%s-moved", folder);
	if (!realpath("victim", victim) || rename(folder, aside) != 0 ||
	    symlink(victim, folder) != 0)
		fake_die(folder);
	snprintf(moved, sizeof(moved), "%s/heap", aside);
	tell_made(fd, copy_some(from, moved, ALL), path);
}

static void dump_trickle(int fd, long long ms, const char *from,
			 const char *path)
{
	enum { STEP_MS = 50 };
	const struct way way = {
		.flags = O_CREAT | O_TRUNC,
		.most = ALL,
		.piece = (size_t)(size_of(from) * STEP_MS / ms) + 1,
		.nap_ms = STEP_MS
	};

	tell_made(fd, copy(from, path, &way), path);
}

/* N bytes, and then for ever one now and then. */
static void dump_drop(int fd, long long most, const char *from,
		      const char *path)
{
	int out = open(path, O_WRONLY | O_APPEND);

	copy_some(from, path, most);
	while (out >= 0 && write(out, "x", 1) == 1)
		nap_ms(200);
	fprintf(stderr, "fake-jvm: released\n");
	fake_reply(fd, "0\nDump file is incomplete: Broken pipe\n");
}

static void dump_cut(int fd, long long most, const char *from, const char *path)
{
	copy_some(from, path, most);
	fake_reply(fd, "0\nDump file is incomplete: No space left on device\n");
}

static void dump_end(int fd, long long most, const char *from, const char *path)
{
	(void)fd;
	copy_some(from, path, most);
	fake_end();
}

static void dump_stall(int fd, long long most, const char *from,
		       const char *path)
{
	(void)fd;
	copy_some(from, path, most);
	fake_stall();
}

static void dump_stop(int fd, long long most, const char *from,
		      const char *path)
{
	(void)fd;
	copy_some(from, path, most);
	raise(SIGSTOP);
	fake_stall();
}

static void dump_lost(int fd, long long most, const char *from,
		      const char *path)
{
	make_parts(from, path);
	dump_end(fd, most, from, path);
}

/* NAME=FILE, or NAME=N:FILE. */
static const struct {
	const char *name;
	void (*run)(int fd, const char *from, const char *path);
	void (*run_number)(int fd, long long number, const char *from,
			   const char *path);
} dumps[] = {
	{ "dump", dump_dump, NULL },	   { "make", dump_make, NULL },
	{ "walk", dump_walk, NULL },	   { "less", dump_less, NULL },
	{ "parts", dump_parts, NULL },	   { "late", dump_late, NULL },
	{ "link", dump_link, NULL },	   { "give", dump_give, NULL },
	{ "move", dump_move, NULL },	   { "cut", NULL, dump_cut },
	{ "end", NULL, dump_end },	   { "stall", NULL, dump_stall },
	{ "stop", NULL, dump_stop },	   { "lost", NULL, dump_lost },
	{ "trickle", NULL, dump_trickle }, { "drip", dump_drip, NULL },
	{ "endless", dump_endless, NULL }, { "sparse", dump_sparse, NULL },
	{ "drop", NULL, dump_drop },
};

void fake_dump(int fd, const char *action, const char *path)
{
	size_t length = strcspn(action, "=");
	const char *rest = action + length + 1, *colon = strchr(rest, ':');

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		if (strlen(dumps[i].name) != length ||
		    strncmp(dumps[i].name, action, length) != 0)
			continue;
		if (dumps[i].run)
			dumps[i].run(fd, rest, path);
		else if (colon)
			dumps[i].run_number(fd, atoll(rest), colon + 1, path);
		return;
	}
	fprintf(stderr, "fake-jvm: no action '%s'\n", action);
	exit(2);
}

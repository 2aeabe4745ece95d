/* SPDX-License-Identifier: MIT */
/*
 * planted.c - a library to be preloaded into a JVM, which is the worse for each
 * dump then: whenever the agent is loaded something is left behind, as PLANTED in
 * the environment says: 8 MiB of memory, a descriptor, a thread, or a file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY = 8 << 20 };

static void *sleep_on(void *user)
{
	for (;;)
		pause();
	return user;
}

static void leave_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_on, NULL) == 0)
		pthread_detach(thread);
}

static void leave_file(void)
{
	char name[64];
	FILE *file;

	snprintf(name, sizeof name, "/tmp/hprof-dump-%d-planted",
		 (int)getpid());
	file = fopen(name, "w");
	if (file)
		fclose(file);
}

static void leave(const char *what)
{
	char *memory;

	if (strcmp(what, "memory") == 0) {
		memory = malloc(MEMORY);
		if (memory)
			memset(memory, 1, MEMORY);
	} else if (strcmp(what, "descriptor") == 0) {
		dup(STDIN_FILENO);
	} else if (strcmp(what, "thread") == 0) {
		leave_thread();
	} else if (strcmp(what, "file") == 0) {
		leave_file();
	}
}

void *dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int);
	void *found = dlsym(RTLD_NEXT, "dlopen");
	const char *what = getenv("PLANTED");

	memcpy(&next, &found, sizeof next);
	if (what && name && strstr(name, "libhprof-agent"))
		leave(what);
	return next(name, flags);
}

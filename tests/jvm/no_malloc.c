/* SPDX-License-Identifier: MIT */
/*
 * no_malloc.c - a library to be preloaded: ends a process that was forked from
 * the one it was loaded in, and in which the agent calls malloc or a relative of
 * it. At the end it says how often the agent did so in the first process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

static pid_t first;
static atomic_uintptr_t start, end; /* of the agent's code */
static atomic_ulong calls;

__attribute__((constructor)) static void begin(void)
{
	first = getpid();
}

__attribute__((destructor)) static void tell(void)
{
	if (first == getpid())
		fprintf(stderr, "no_malloc: %lu calls\n", atomic_load(&calls));
}

/* Finds the code of the agent when it has been loaded. */
static int find(struct dl_phdr_info *info, size_t size, void *user)
{
	(void)size;
	(void)user;
	if (!strstr(info->dlpi_name, "libhprof-agent"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		atomic_store(&end,
			     info->dlpi_addr + part->p_vaddr + part->p_memsz);
		atomic_store(&start, info->dlpi_addr + part->p_vaddr);
	}
	return 1;
}

void *dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int);
	void *found = dlsym(RTLD_NEXT, "dlopen");
	void *library;

	memcpy(&next, &found, sizeof next);
	library = next(name, flags);
	if (name && strstr(name, "libhprof-agent"))
		dl_iterate_phdr(find, NULL);
	return library;
}

static void look_at(const void *caller)
{
	const uintptr_t at = (uintptr_t)caller;

	if (at < atomic_load(&start) || at >= atomic_load(&end))
		return;
	if (getpid() != first)
		abort();
	atomic_fetch_add(&calls, 1);
}

void *malloc(size_t size)
{
	look_at(__builtin_return_address(0));
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	look_at(__builtin_return_address(0));
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	look_at(__builtin_return_address(0));
	return __libc_realloc(old, size);
}

void free(void *memory)
{
	look_at(__builtin_return_address(0));
	__libc_free(memory);
}

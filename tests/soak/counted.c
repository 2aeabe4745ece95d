/* SPDX-License-Identifier: MIT */
/*
 * counted.c - a library to be preloaded into a JVM: counts the bytes that
 * libhprof-prof has from malloc, by the address that calls it, as a number of eight
 * bytes in the file COUNTED of the environment. So what it keeps is known apart from
 * what the JVM does. With PLANTED=own every other piece that it frees is kept.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, which are there before anything can be looked up. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *memory);

static _Atomic uintptr_t begin, end; /* of the library's code; 0: not loaded */
static _Atomic int64_t *counted;

#define IS_OURS() is_inside((uintptr_t)__builtin_return_address(0))

static int is_inside(uintptr_t caller)
{
	return caller >= atomic_load_explicit(&begin, memory_order_relaxed) &&
	       caller < atomic_load_explicit(&end, memory_order_relaxed);
}

static void count(void *memory, int sign)
{
	if (counted && memory)
		atomic_fetch_add(counted,
				 sign * (int64_t)malloc_usable_size(memory));
}

void *malloc(size_t size)
{
	void *memory = __libc_malloc(size);

	if (IS_OURS())
		count(memory, 1);
	return memory;
}

void *calloc(size_t number, size_t size)
{
	void *memory = __libc_calloc(number, size);

	if (IS_OURS())
		count(memory, 1);
	return memory;
}

void *realloc(void *old, size_t size)
{
	const int ours = IS_OURS();
	const int64_t had = ours && old ? (int64_t)malloc_usable_size(old) : 0;
	void *memory = __libc_realloc(old, size);

	if (ours && memory) {
		count(memory, 1);
		if (counted)
			atomic_fetch_sub(counted, had);
	}
	return memory;
}

void free(void *memory)
{
	static atomic_uint freed;
	static int keeps = -1;

	if (IS_OURS()) {
		if (keeps < 0)
			keeps = getenv("PLANTED") &&
				!strcmp(getenv("PLANTED"), "own");
		if (keeps && atomic_fetch_add(&freed, 1) % 2 == 0)
			return;
		count(memory, -1);
	}
	__libc_free(memory);
}

/* ---- where the library is -------------------------------------------------- */

static int find(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (!strstr(info->dlpi_name, "libhprof-prof.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		atomic_store(&begin, info->dlpi_addr + part->p_vaddr);
		atomic_store(&end, begin + part->p_memsz);
	}
	return 1;
}

void *dlopen(const char *name, int flags)
{
	void *(*next)(const char *, int);
	void *found = dlsym(RTLD_NEXT, "dlopen"), *opened;

	memcpy(&next, &found, sizeof next);
	opened = next(name, flags);
	if (!end)
		dl_iterate_phdr(find, NULL);
	return opened;
}

__attribute__((constructor)) static void open_count(void)
{
	const char *name = getenv("COUNTED");
	void *page;
	int file;

	if (!name)
		return;
	file = open(name, O_RDWR | O_CREAT, 0644);
	if (file < 0 || ftruncate(file, sizeof *counted))
		return;
	page = mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED,
		    file, 0);
	close(file);
	if (page != MAP_FAILED)
		counted = page;
}

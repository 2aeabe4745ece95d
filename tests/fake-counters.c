/* SPDX-License-Identifier: MIT */
/*
 * fake-counters.c - see fake-counters.h; the layout is in
 * tools/capture/perfdata.c.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fake-counters.h"

enum { SIZE = 4096, HEADER = 32, ENTRY = 20 };

static uint8_t *file;
static uint32_t used = HEADER, entries;
static uint64_t *safepoints, *safepoint_time;

static void put4(size_t at, uint32_t value)
{
	memcpy(file + at, &value, 4);
}

/* An entry with SIZE bytes of data, aligned for numbers; where these are. */
static uint8_t *add(const char *name, char type, uint32_t vector_length,
		    uint32_t size)
{
	uint32_t at = used, name_size = (uint32_t)strlen(name) + 1;
	uint32_t data = (ENTRY + name_size + 7) / 8 * 8;

	put4(at, (data + size + 7) / 8 * 8);
	put4(at + 4, ENTRY);
	put4(at + 8, vector_length);
	file[at + 12] = (uint8_t)type;
	put4(at + 16, data);
	memcpy(file + at + ENTRY, name, name_size);
	used += (data + size + 7) / 8 * 8;
	put4(8, used);
	put4(28, ++entries);
	return file + at + data;
}

static uint64_t *add_number(const char *name, uint64_t value)
{
	uint8_t *data = add(name, 'J', 0, 8);

	memcpy(data, &value, 8);
	return (uint64_t *)(void *)data;
}

static void add_text(const char *name, const char *text)
{
	uint32_t size = (uint32_t)strlen(text) + 1;

	memcpy(add(name, 'B', size, size), text, size);
}

static void make_file(void)
{
	char name[64];
	int fd;

	mkdir("hsperfdata_fake", 0755);
	snprintf(name, sizeof(name), "hsperfdata_fake/%d", (int)getpid());
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		exit(2);
	file = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		exit(2);
	close(fd);
}

void counters_make(bool may_attach, const char *version)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	const uint16_t one = 1;

	make_file();
	memcpy(file, magic, sizeof(magic));
	file[4] = *(const uint8_t *)&one; /* the byte order */
	file[5] = 2;
	put4(24, HEADER);
	add_text("sun.rt.javaCommand", "com.acme.Fake \033[2J of it");
	add_text("sun.rt.jvmCapabilities", may_attach ? "1100" : "0100");
	add_text("java.property.java.vm.version", "99-fake");
	if (version)
		add_text("java.property.java.vm.specification.version",
			 version);
	add_text("sun.gc.policy.name", "GarbageFirst");
	add_number("sun.gc.generation.0.space.0.used", 3 << 20);
	add_number("sun.gc.generation.0.space.0.capacity", 8 << 20);
	add_number("sun.gc.generation.0.maxCapacity", 64 << 20);
	add_number("sun.gc.generation.1.space.0.used", 1 << 20);
	add_number("sun.gc.generation.1.space.0.capacity", 8 << 20);
	add_number("sun.gc.generation.1.maxCapacity", 64 << 20);
	add_number("sun.os.hrt.frequency", 1000);
	safepoints = add_number("sun.rt.safepoints", 7);
	safepoint_time = add_number("sun.rt.safepointTime", 100);
	file[7] = 1; /* complete */
}

void counters_pause(void)
{
	if (!file)
		return;
	*safepoints += 1;
	*safepoint_time += 250;
}

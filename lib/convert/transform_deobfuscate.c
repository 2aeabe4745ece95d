/* SPDX-License-Identifier: MIT */
/*
 * transform_deobfuscate.c - restores the old names from the map that an
 * obfuscation has written.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/string_map.h"

#define MAP_MAX ((size_t)1 << 30)

/*
 * Unescapes one text of a line in place, up to a tab or the end. Returns what
 * follows it.
 */
static uint8_t *get_text(uint8_t *p, uint8_t *end, struct hprof_bytes *ret)
{
	uint8_t *out = p;

	ret->data = p;
	for (; p < end && *p != '\t'; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
			*out++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : *p;
		} else {
			*out++ = *p;
		}
	}
	ret->size = (uint64_t)(out - ret->data);
	return p;
}

static bool take_lines(struct hp_convert *c, uint8_t *p, uint8_t *end)
{
	struct hprof_bytes new, old;

	while (p < end) {
		uint8_t *line = memchr(p, '\n', (size_t)(end - p));
		uint8_t *stop = line ? line : end;
		uint8_t *tab = get_text(p, stop, &new);
		if (tab < stop) {
			get_text(tab + 1, stop, &old);
			if (!hp_string_map_put(&c->renamed, new.data,
					       (size_t) new.size, old.data,
					       (size_t)old.size))
				return false;
		}
		p = line ? line + 1 : end;
	}
	return true;
}

/* Reads the whole file. */
static enum hprof_status read_file(int fd, uint8_t **bytes, size_t *ret_size,
				   struct hprof_error *error)
{
	size_t room = 0, used = 0;
	ssize_t n = 1;

	while (n > 0) {
		if (used == room) {
			room = room ? 2 * room : (size_t)64 << 10;
			uint8_t *more = room <= MAP_MAX
						? hp_realloc(*bytes, room, 1)
						: NULL;
			if (!more)
				return hp_no_memory(error);
			*bytes = more;
		}
		n = read(fd, *bytes + used, room - used);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return hp_fail_errno(error, "cannot read the map");
		else
			used += (size_t)n;
	}
	*ret_size = used;
	return HPROF_OK;
}

static enum hprof_status begin(struct hp_convert *c, void *state)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	enum hprof_status status;
	int fd = open(c->plan->options.deobfuscate, O_RDONLY | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		return hp_fail_errno(c->error, "cannot open the map");
	status = read_file(fd, &bytes, &size, c->error);
	close(fd);
	if (status == HPROF_OK && !take_lines(c, bytes, bytes + size))
		status = hp_no_memory(c->error);
	hp_free(bytes);
	return status;
}

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->options.deobfuscate != NULL;
}

const struct hp_transform hp_transform_deobfuscate = {
	.name = "deobfuscate",
	.wanted = wanted,
	.begin = begin,
};

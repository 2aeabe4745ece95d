/* SPDX-License-Identifier: MIT */
/*
 * line_edit.c - see line_edit.h.
 */
#include "tools/browse/line_edit.h"

#include <hprof.h>
#include <stdio.h>
#include <string.h>

#include "tools/browse/keys.h"

void line_edit_set(struct line_edit *l, const char *text)
{
	snprintf(l->text, sizeof(l->text), "%s", text);
	l->size = strlen(l->text);
}

/* The character as UTF-8; returns its size. */
static size_t encode(unsigned point, char out[4])
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xc0 | point >> 6);
		out[1] = (char)(0x80 | (point & 63));
		return 2;
	}
	if (point < 0x10000) {
		out[0] = (char)(0xe0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 63));
		out[2] = (char)(0x80 | (point & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | point >> 18);
	out[1] = (char)(0x80 | (point >> 12 & 63));
	out[2] = (char)(0x80 | (point >> 6 & 63));
	out[3] = (char)(0x80 | (point & 63));
	return 4;
}

static void erase_last(struct line_edit *l)
{
	while (l->size && ((unsigned char)l->text[l->size - 1] & 0xc0) == 0x80)
		l->size--;
	if (l->size)
		l->size--;
	l->text[l->size] = '\0';
}

bool line_edit_key(struct line_edit *l, int key)
{
	char bytes[4];
	size_t size;

	if (key == KEY_OF_BACKSPACE) {
		erase_last(l);
		return true;
	}
	if (key == KEY_OF_ERASE) {
		line_edit_set(l, "");
		return true;
	}
	if (key <= 0 || key > 0x10ffff || hprof_char_is_unsafe((unsigned)key))
		return false;
	size = encode((unsigned)key, bytes);
	if (l->size + size < sizeof(l->text)) {
		memcpy(l->text + l->size, bytes, size);
		l->size += size;
		l->text[l->size] = '\0';
	}
	return true;
}

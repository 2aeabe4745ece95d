/* SPDX-License-Identifier: MIT */
/*
 * plausible_name.c - whether a string can be the name that it is used as.
 *
 * In a damaged dump, a text may have got the identifier of a name, or a name
 * the bytes of a text. So if several texts claim to be a name, none of them is
 * taken for one; and a text that no compiler would use as a name is not
 * disclosed.
 */
#include <string.h>

#include "convert/convert.h"
#include "base/utf8.h"

enum { NAME_MOST = 4096 };

/* ---- what may be a name -------------------------------------------------- */

/* Valid UTF-8 without blanks and control characters. */
static bool is_word(const uint8_t *p, size_t size)
{
	while (size > 0) {
		uint32_t code;
		size_t used = hp_utf8_next(p, size, &code);

		if (used == 0 || code <= ' ' ||
		    (code >= 0x7f && code <= 0xa0) ||
		    (code >= 0x2000 && code <= 0x206f) || code == 0x3000 ||
		    (code >= 0xd800 && code <= 0xdfff))
			return false;
		p += used;
		size -= used;
	}
	return true;
}

static bool has_one_of(const uint8_t *text, size_t size, const char *list)
{
	for (size_t i = 0; i < size; i++)
		if (strchr(list, text[i]))
			return true;
	return false;
}

/* Of a field or method; "<init>", "<clinit>", "<resolved_references>". */
static bool is_member(const uint8_t *text, size_t size)
{
	if (size > 2 && text[0] == '<' && text[size - 1] == '>')
		return !has_one_of(text + 1, size - 2, ".;[/<>");
	return !has_one_of(text, size, ".;[/<>");
}

/* One type of a descriptor at the start of P; 0: there is none. */
static size_t type_size(const uint8_t *p, size_t size)
{
	const uint8_t *end;
	size_t at = 0;

	while (at < size && p[at] == '[')
		at++;
	if (at == size || !strchr("BCDFIJSZVL", p[at]))
		return 0;
	end = p[at] == 'L' ? memchr(p + at, ';', size - at) : p + at;
	return end ? (size_t)(end - p) + 1 : 0;
}

/* "I", "(ILjava/lang/String;)V" */
static bool is_signature(const uint8_t *p, size_t size)
{
	bool method = size > 0 && p[0] == '(';
	size_t at = method, n;

	while (method && at < size && p[at] != ')') {
		n = type_size(p + at, size - at);
		if (n == 0)
			return false;
		at += n;
	}
	at += method;
	return at < size && at + type_size(p + at, size - at) == size;
}

bool hp_cv_is_doubtful(const struct hp_cv_string *s)
{
	const unsigned words = HP_CV_CLASS | HP_CV_SOURCE | HP_CV_HEAP;

	if (s->unsure || s->string.size > NAME_MOST)
		return true;
	if (s->string.size == 0)
		return false;
	if (!s->string.bytes || !is_word(s->string.bytes, s->string.size))
		return true;
	return !(s->uses & words) &&
	       !(s->uses & (HP_CV_METHOD | HP_CV_FIELD) &&
		 is_member(s->string.bytes, s->string.size)) &&
	       !(s->uses & HP_CV_SIGNATURE &&
		 is_signature(s->string.bytes, s->string.size));
}

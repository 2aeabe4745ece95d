/* SPDX-License-Identifier: MIT */
/*
 * header.c - the header of a dump: version text, id size, time.
 */
#include "hprof/record.h"
#include "base/wire.h"

#define PREFIX "JAVA PROFILE "

enum { PREFIX_SIZE = sizeof PREFIX - 1, AFTER_TEXT = 4 + 8 };

enum hprof_status hprof_header_decode(const void *bytes, size_t size,
				      struct hprof_header *ret_header,
				      size_t *ret_used)
{
	const uint8_t *p = bytes;
	if (size == 0)
		return HPROF_E_TRUNCATED;
	size_t known = size < PREFIX_SIZE ? size : PREFIX_SIZE;
	if (memcmp(p, PREFIX, known) != 0)
		return HPROF_E_FORMAT;
	const uint8_t *nul = memchr(p, 0, size);
	size_t text = nul ? (size_t)(nul - p) : size;
	if (text >= HPROF_VERSION_MAX)
		return HPROF_E_FORMAT;
	for (size_t i = 0; i < text; i++)
		if (p[i] < 0x20 || p[i] > 0x7e)
			return HPROF_E_FORMAT;
	if (!nul || size - text - 1 < AFTER_TEXT)
		return HPROF_E_TRUNCATED;
	memset(ret_header, 0, sizeof *ret_header);
	memcpy(ret_header->version, p, text);
	ret_header->id_size = hp_get32(nul + 1);
	ret_header->time_ms = hp_get64(nul + 5);
	*ret_used = text + 1 + AFTER_TEXT;
	return HPROF_OK;
}

enum hprof_status hprof_header_encode(const struct hprof_header *header,
				      void *bytes, size_t room,
				      size_t *ret_used)
{
	uint8_t *p = bytes;
	size_t text = strnlen(header->version, HPROF_VERSION_MAX);
	if (text == HPROF_VERSION_MAX)
		return HPROF_E_USAGE;
	if (room < text + 1 + AFTER_TEXT)
		return HPROF_E_LIMIT;
	memcpy(p, header->version, text);
	p[text] = 0;
	hp_put32(p + text + 1, header->id_size);
	hp_put64(p + text + 5, header->time_ms);
	*ret_used = text + 1 + AFTER_TEXT;
	return HPROF_OK;
}

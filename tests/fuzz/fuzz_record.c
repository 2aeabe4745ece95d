/* SPDX-License-Identifier: MIT */
/*
 * fuzz_record.c - the codec. The first byte chooses the id size, and records
 * or sub-records; the rest is decoded. What decodes must encode to the same
 * bytes.
 */
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

#include "target.h"

typedef enum hprof_status decode_fn(const void *bytes, size_t size,
				    unsigned id_size,
				    struct hprof_record *ret_record,
				    size_t *ret_used);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void walk_list(struct hprof_class_cursor cursor, unsigned most)
{
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		require(most-- > 0);
}

static void walk_lists(const struct hprof_record *record)
{
	walk_list(hprof_class_constants(record), 0xffff);
	walk_list(hprof_class_statics(record), 0xffff);
	walk_list(hprof_class_fields(record), 0xffff);
}

/* RECORD, just decoded from the SIZE bytes at FROM, must give them back. */
static void round_trip(const struct hprof_record *record, unsigned id_size,
		       const uint8_t *from, size_t size)
{
	uint64_t announced;
	size_t used;
	uint8_t *bytes = malloc(size);

	if (bytes == NULL)
		return;
	require(hprof_record_size(record, id_size, &announced) == HPROF_OK);
	require(announced == size);
	require(hprof_record_encode(record, id_size, bytes, size - 1, &used) ==
		HPROF_E_LIMIT);
	require(hprof_record_encode(record, id_size, bytes, size, &used) ==
		HPROF_OK);
	require(used == size && memcmp(bytes, from, size) == 0);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const unsigned id_sizes[] = { 8, 4, 2, 1 };
	struct hprof_record record;
	struct hprof_header header;
	size_t used;

	hprof_header_decode(bytes, size, &header, &used);
	if (size == 0)
		return 0;
	unsigned id_size = id_sizes[bytes[0] & 3];
	decode_fn *decode =
		bytes[0] & 4 ? hprof_sub_decode : hprof_record_decode;
	bytes++;
	size--;
	while (size > 0) {
		enum hprof_status status =
			decode(bytes, size, id_size, &record, &used);
		if (status == HPROF_OK) {
			require(used > 0 && used <= size);
			if (record.tag == HPROF_CLASS_DUMP)
				walk_lists(&record);
			round_trip(&record, id_size, bytes, used);
		} else if (status != HPROF_E_CORRUPT ||
			   decode == hprof_sub_decode) {
			break;
		}
		require(used > 0 && used <= size);
		bytes += used;
		size -= used;
	}
	return 0;
}

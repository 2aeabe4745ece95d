/* SPDX-License-Identifier: MIT */
/*
 * compression.c - see compression.h.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/common/compression.h"
#include "tools/common/cpus.h"

#define THREADS_MAX 256

/* In the order of the words of --compress that follow "auto". */
static const struct {
	const char *suffix;
	enum hprof_compression compression;
} forms[] = {
	{ "", HPROF_PLAIN },
	{ ".gz", HPROF_GZIP },
	{ ".zst", HPROF_ZSTD },
	{ ".xz", HPROF_XZ },
};

enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/*
 * The index of the form whose suffix NAME ends in. A name that is nothing but a
 * suffix (".gz") has none.
 */
static unsigned form_of(const char *name)
{
	size_t length = strlen(name);

	for (unsigned i = 1; i < FORMS; i++) {
		size_t size = strlen(forms[i].suffix);
		if (length > size &&
		    strcmp(name + length - size, forms[i].suffix) == 0)
			return i;
	}
	return 0;
}

enum hprof_compression compression_of(const struct cli_choice *choice,
				      const char *name)
{
	if (choice->value)
		return forms[choice->value - 1].compression;
	return name ? forms[form_of(name)].compression : HPROF_PLAIN;
}

const char *compression_suffix(enum hprof_compression compression)
{
	for (unsigned i = 1; i < FORMS; i++)
		if (forms[i].compression == compression)
			return forms[i].suffix;
	return "";
}

size_t compression_stem(const char *name)
{
	return strlen(name) - strlen(forms[form_of(name)].suffix);
}

struct hprof_writer_options
compression_options(enum hprof_compression compression,
		    const struct cli_number *level,
		    const struct cli_number *jobs)
{
	if (level->given && compression == HPROF_PLAIN)
		cli_usage_error(
			"option '--compress-level': nothing is compressed");
	if (level->value > 9 && compression != HPROF_ZSTD)
		cli_usage_error("option '--compress-level': %" PRIu64
				" is not from 1 to 9",
				level->value);
	return (struct hprof_writer_options){
		.size = sizeof(struct hprof_writer_options),
		.compression = compression,
		.level = (int)level->value,
		.threads = jobs->given ? (unsigned)jobs->value
				       : cpu_count(THREADS_MAX),
	};
}

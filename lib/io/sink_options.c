/* SPDX-License-Identifier: MIT */
/*
 * sink_options.c - checks and copies the options of writers and outputs.
 */
#include "base/options.h"
#include "io/sink.h"

bool hp_writer_options_take(const struct hprof_writer_options *given,
			    struct hprof_writer_options *ret)
{
	if (!HP_OPTIONS_TAKE(given, ret))
		return false;
	return ret->compression <= HPROF_XZ && ret->level >= 0 &&
	       ret->level <= (ret->compression == HPROF_ZSTD ? 19 : 9) &&
	       ret->mode <= 0777;
}

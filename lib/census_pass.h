/*
 * census_pass.h - one pass over a dump with one or several threads.
 */
#ifndef HP_CENSUS_PASS_H
#define HP_CENSUS_PASS_H

#include "census.h"
#include "diaglist.h"
#include "symbols.h"

struct hp_census {
	struct hprof_reader *reader; /* at its end; for info, and to go back */
	struct hp_symbols symbols;
	struct hp_tally tally;
	struct hp_diaglist diagnostics;
	uint64_t *mirrors; /* class ids when the first object came */
	struct hp_before before;
};

/*
 * Reads PATH with THREADS threads. Done with hp_census_done, also after a
 * failure.
 */
enum hprof_status hp_census_run(struct hp_census *census, const char *path,
				const struct hprof_summary_options *options,
				unsigned threads, struct hprof_error *error);
void hp_census_done(struct hp_census *census);

/* Everything that READER yields from here on, into T and (if not NULL) S. */
enum hprof_status hp_census_read(struct hp_tally *t, struct hp_symbols *s,
				 struct hprof_reader *reader,
				 struct hprof_record *record);

#endif

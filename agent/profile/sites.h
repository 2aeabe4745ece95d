/* SPDX-License-Identifier: MIT */
/*
 * sites.h - the collector of heap=sites: counts allocations by class and trace,
 * and what is alive of them.
 *
 * The JVM reports allocations by SampledObjectAlloc. With an interval of 0 it
 * reports all of them; else one in so many bytes, and the counts are estimated.
 * Each reported object is tagged with the number of its site, in an environment
 * of its own: so those that are alive can be counted after a collection, without
 * any work when objects die.
 */
#ifndef AG_SITES_H
#define AG_SITES_H

#include "agent/profile/session.h"

/* For options with heap=sites or all. NULL, with a message logged, on failure. */
struct ag_collector *ag_sites_new(const struct ag_options *options);

struct ag_marks;

/*
 * Ends the loan of the marks that a report with the option lend got. By the same
 * thread, whose allocations are not counted meanwhile.
 */
void ag_sites_give_back(struct ag_marks *marks);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * samples.h - the collector of cpu=samples: counts the stacks that a sampler
 * finds.
 */
#ifndef AG_SAMPLES_H
#define AG_SAMPLES_H

#include "agent/profile/session.h"

/* For a session with cpu=samples. NULL, with a message logged, on failure. */
struct ag_collector *ag_samples_new(void);

#endif

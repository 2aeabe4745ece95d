/* SPDX-License-Identifier: MIT */
/*
 * same_waste.h - what could be saved does not depend on whether its notes were
 * taken with the graph, nor on threads or memory, nor on what the graph knows.
 */
#ifndef SAME_WASTE_H
#define SAME_WASTE_H

#include <hprof.h>

/* Where it does for HEAP, with references that HOLD; NULL: it does not. */
const char *waste_differs(const struct hprof_heap *heap, unsigned hold);

#endif

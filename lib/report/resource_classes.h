/* SPDX-License-Identifier: MIT */
/* resource_classes.h - which line of resource_forms.h each class fits. */
#ifndef HP_RESOURCE_CLASSES_H
#define HP_RESOURCE_CLASSES_H

#include "hprof/report.h"

enum { HP_NO_RESOURCE = UINT8_MAX };

/*
 * The line for each of the summary's class_rows, by the class's name or that of
 * its nearest known superclass; HP_NO_RESOURCE for others and, at the end, for
 * unknown classes. To be freed with hp_free; NULL without memory.
 */
uint8_t *hp_resource_classes(const struct hprof_summary *summary);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * site_scale.h - what an object that is reported stands for, when the JVM
 * reports one for INTERVAL bytes that are allocated; 0: each is reported.
 */
#ifndef AG_SITE_SCALE_H
#define AG_SITE_SCALE_H

#include <stdint.h>

/* Objects, in AG_OBJECT_PARTS (site_counts.h) of one. */
uint64_t ag_site_parts(uint64_t interval, uint64_t size);

uint64_t ag_site_bytes(uint64_t interval, uint64_t size);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hprof/version.h - the version of these headers; configure takes it from here.
 */
#ifndef HPROF_VERSION_H
#define HPROF_VERSION_H

#define HPROF_VERSION_MAJOR 0
#define HPROF_VERSION_MINOR 1
#define HPROF_VERSION_PATCH 0
#define HPROF_VERSION_TEXT "0.1.0"

/* Versions as numbers that can be compared: 1.2.3 is 1002003. */
#define HPROF_VERSION_AT(major, minor, patch) \
	((major) * 1000000 + (minor) * 1000 + (patch))
#define HPROF_VERSION_NUMBER \
	HPROF_VERSION_AT(HPROF_VERSION_MAJOR, HPROF_VERSION_MINOR, \
			 HPROF_VERSION_PATCH)

#endif

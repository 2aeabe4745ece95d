/* SPDX-License-Identifier: MIT */
/*
 * redact.h - takes what a program's strings said out of a report.
 */
#ifndef TOOLS_PAGE_REDACT_H
#define TOOLS_PAGE_REDACT_H

#include "tools/report/report_data.h"

/*
 * Removes texts that come from String objects: values of properties but for the
 * versions of JVM and system, equal strings, keys of maps in paths, names of
 * threads and of class loaders. Names of classes, methods and fields stay.
 */
void redact_report(struct report_data *data);

#endif

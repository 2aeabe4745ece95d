/* SPDX-License-Identifier: MIT */
/* child_report.h - what a child (child.h) writes to its parent when it ends. */
#ifndef AG_CHILD_REPORT_H
#define AG_CHILD_REPORT_H

#include <stdint.h>

enum { AG_CHILD_DATA_MOST = 2048 };

struct ag_child_report {
	uint32_t end; /* enum ag_child_end */
	uint32_t signal;
	uint32_t size; /* bytes of data that are written */
	uint8_t data[AG_CHILD_DATA_MOST];
};

#endif

/*
 * summary.h - the inside of struct hprof_summary.
 */
#ifndef HP_SUMMARY_H
#define HP_SUMMARY_H

#include "census_pass.h"
#include "classes.h"

struct hprof_summary_impl {
	struct hp_census census;
	struct hp_classes classes;
};

#endif

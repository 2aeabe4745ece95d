/* SPDX-License-Identifier: MIT */
/*
 * hprof.h - all of libhprof's public headers.
 */
#ifndef HPROF_H
#define HPROF_H

#include <hprof/arrow.h>
#include <hprof/check.h>
#include <hprof/collection.h>
#include <hprof/convert.h>
#include <hprof/diff.h>
#include <hprof/error.h>
#include <hprof/graph.h>
#include <hprof/heap.h>
#include <hprof/input.h>
#include <hprof/leaks.h>
#include <hprof/names.h>
#include <hprof/output.h>
#include <hprof/paths.h>
#include <hprof/reader.h>
#include <hprof/recipe.h>
#include <hprof/record.h>
#include <hprof/report.h>
#include <hprof/resource.h>
#include <hprof/retained.h>
#include <hprof/tables.h>
#include <hprof/text.h>
#include <hprof/version.h>
#include <hprof/waste.h>
#include <hprof/writer.h>

#endif

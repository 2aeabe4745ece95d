/* SPDX-License-Identifier: MIT */
/* error_names.h - errors as their constants are called. */
#ifndef PF_ERROR_NAMES_H
#define PF_ERROR_NAMES_H

#include "prof/hprof/prof.h"

const char *pf_error_name(jvmtiProfError error); /* NULL: there is none */

#endif

/* SPDX-License-Identifier: MIT */
/*
 * errors.h - what JVMTI's errors mean, in words.
 */
#ifndef AG_ERRORS_H
#define AG_ERRORS_H

#include <jvmti.h>

const char *ag_error_text(jvmtiError error); /* static */

#endif

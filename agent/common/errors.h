/* SPDX-License-Identifier: MIT */
/* errors.h - descriptions of the error codes of JVMTI. */
#ifndef AG_ERRORS_H
#define AG_ERRORS_H

#include <jvmti.h>

const char *ag_error_text(jvmtiError error); /* a static string */

#endif

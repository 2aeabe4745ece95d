/* SPDX-License-Identifier: MIT */
/*
 * code_map.h - which method a piece of compiled code is of.
 */
#ifndef AG_CODE_MAP_H
#define AG_CODE_MAP_H

#include <stdint.h>

#include <jvmti.h>

/* One for the process; each function may be called by any thread. */
void ag_code_add(jmethodID method, const void *start, uintptr_t size);
void ag_code_remove(const void *start);
jmethodID ag_code_method(uintptr_t address); /* NULL: of none */

#endif

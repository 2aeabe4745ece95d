/* SPDX-License-Identifier: MIT */
/*
 * jvm_list.h - the JVMs on this host, as a table or as JSON.
 */
#ifndef TOOLS_JVM_LIST_H
#define TOOLS_JVM_LIST_H

#include <stdbool.h>

#include "tools/capture/failure_text.h"

/* False if /proc cannot be read. */
bool jvm_list_print(bool json, struct reason *reason);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * target.h - what a fuzz target defines: one function, called with any bytes.
 * It returns 0, and calls abort when something that must hold does not.
 */
#ifndef TARGET_H
#define TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif

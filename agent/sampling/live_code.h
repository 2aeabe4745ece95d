/* SPDX-License-Identifier: MIT */
/*
 * live_code.h - whether compiled code is still the JVM's, as seen from a signal
 * handler. HotSpot describes its own structures in tables that it exports for
 * debuggers; by them the block of its code heap is found that has an address.
 */
#ifndef AG_LIVE_CODE_H
#define AG_LIVE_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* As HotSpot exports them: gHotSpotVMStructs and gHotSpotVMTypes. */
struct ag_vm_field {
	const char *type, *name, *kind;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

struct ag_vm_type {
	const char *name, *super;
	int32_t is_oop, is_integer, is_unsigned;
	uint64_t size;
};

/*
 * Reads the tables, each ended by a name that is NULL. False, and nothing is known
 * then, if they lack something, or are NULL. Not while handlers ask.
 */
bool ag_live_code_learn(const struct ag_vm_field *fields,
			const struct ag_vm_type *types);

/* The same with the tables of the JVM of this process, once. */
void ag_live_code_find(void);

/*
 * False if ADDRESS is in the code of a method that the JVM has given up or freed,
 * or in none at all. True if nothing is known. Safe in a handler; any thread.
 */
bool ag_live_code_has(uintptr_t address);

#endif

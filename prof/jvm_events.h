/* SPDX-License-Identifier: MIT */
/*
 * jvm_events.h - what this library itself is told by the JVM.
 */
#ifndef PF_JVM_EVENTS_H
#define PF_JVM_EVENTS_H

#include <stdbool.h>

#include <jvmti.h>

/*
 * Makes the library's own environment for VM and listens, from VMInit to
 * VMDeath. Once; later calls only say whether that went well.
 */
bool pf_jvm_listen(JavaVM *vm);

/* Listens for threads as well, which samples need. */
void pf_jvm_listen_for_threads(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * memory_events.h - the events of objects, collections, classes, references and
 * monitors together: what the rest of the library asks of them.
 */
#ifndef PF_MEMORY_EVENTS_H
#define PF_MEMORY_EVENTS_H

#include "prof/environment.h"

/* Those of BITS, PF_CAN_..., that the JVM has, in so far as CAN says. */
unsigned pf_memory_potential(const jvmtiCapabilities *can);

/* Asks for what BITS need; those that the JVM gave. Under pf_lock. */
unsigned pf_memory_prepare(unsigned bits);

void pf_memory_callbacks(struct pf_env *e,
			 const jvmtiProfEventCallbacks *callbacks);

/*
 * Enables and disables what the environments want now. Under pf_lock. False if
 * the JVM does not do it.
 */
bool pf_memory_update(void);

/* Events. */
void pf_memory_begin(JNIEnv *jni); /* VMInit, once */
void pf_memory_thread_end(JNIEnv *jni);

#endif

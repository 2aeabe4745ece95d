/* SPDX-License-Identifier: MIT */
/*
 * capabilities.h - what an environment may do: the public struct and our bits.
 */
#ifndef PF_CAPABILITIES_H
#define PF_CAPABILITIES_H

#include "prof/environment.h"

unsigned pf_capabilities_bits(const jvmtiProfCapabilities *capabilities);
jvmtiProfCapabilities pf_capabilities_of(unsigned bits);

/* The bit of the capability that an event needs; 0: there is no such event. */
unsigned pf_capability_of(jvmtiProfEvent event);

/* The events, 1 << event, that need one of the capabilities in BITS. */
unsigned pf_events_of(unsigned bits);

/* Makes the JVM ready for what is new in BITS. Those that it has: its answer. */
unsigned pf_capabilities_prepare(unsigned bits);

/* What PREPARE is expected to answer, without doing it. */
unsigned pf_capabilities_potential(void);

#endif

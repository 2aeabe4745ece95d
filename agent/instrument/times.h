/* SPDX-License-Identifier: MIT */
/*
 * times.h - cpu=times and cpu=old: how often methods were called, and how much
 * processor time they took, by trace or by caller.
 *
 * Classes are instrumented when the JVM is initialized and when they are loaded
 * later. Not counted are native methods and hidden classes, such as the ones
 * that lambdas are made of; the body of a lambda is a method of its class.
 */
#ifndef AG_TIMES_H
#define AG_TIMES_H

#include "agent/profile/session.h"

/* NULL, with a message logged, without memory. It is never freed. */
struct ag_collector *ag_times_new(const struct ag_options *options);

#endif

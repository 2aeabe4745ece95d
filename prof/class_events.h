/* SPDX-License-Identifier: MIT */
/* class_events.h - classes that are loaded and unloaded, told to the environments. */
#ifndef PF_CLASS_EVENTS_H
#define PF_CLASS_EVENTS_H

#include "prof/environment.h"

/* As those of objects.h. */
bool pf_class_events_prepare(void);
bool pf_class_events_update(void);

#endif

/* SPDX-License-Identifier: MIT */
/* monitor_events.h - threads that wait for monitors, told to the environments. */
#ifndef PF_MONITOR_EVENTS_H
#define PF_MONITOR_EVENTS_H

#include "prof/environment.h"

/* As those of objects.h. */
bool pf_monitor_events_prepare(void);
bool pf_monitor_events_update(void);

#endif

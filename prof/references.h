/* SPDX-License-Identifier: MIT */
/* references.h - global references of JNI that are made and dropped, told to the environments. */
#ifndef PF_REFERENCES_H
#define PF_REFERENCES_H

#include "prof/environment.h"

/* As those of objects.h. */
bool pf_references_prepare(void);
bool pf_references_update(void);

#endif

/* SPDX-License-Identifier: MIT */
/* collections.h - collections of garbage, told to the environments. */
#ifndef PF_COLLECTIONS_H
#define PF_COLLECTIONS_H

#include "prof/environment.h"

/* As those of objects.h. */
bool pf_collections_prepare(void);
bool pf_collections_update(void);
void pf_collections_begin(JNIEnv *jni);

#endif

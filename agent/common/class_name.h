/* SPDX-License-Identifier: MIT */
/*
 * class_name.h - the names and types that dumps have for the JVM's signatures.
 */
#ifndef AG_CLASS_NAME_H
#define AG_CLASS_NAME_H

#include <stdint.h>

#include <jvmti.h>

/*
 * The type code for the first character of a signature, such as 'I'. The values
 * of jvmtiPrimitiveType are the same characters.
 */
uint8_t ag_type_of(int signature);

/*
 * Changes a class's signature to what HotSpot's own dumps have: with '+' before
 * the address of a hidden class, where the signature has '.'; and without the
 * hash after the last '/' of an anonymous class, which differs in each run.
 */
void ag_class_name_as_hotspot(char *signature, jvmtiEnv *jvmti);

#endif

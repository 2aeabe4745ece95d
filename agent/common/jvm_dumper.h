/* SPDX-License-Identifier: MIT */
/*
 * jvm_dumper.h - HotSpot's own heap dumper, called from within the process.
 *
 * It is what HotSpotDiagnosticMXBean.dumpHeap calls: libjvm exports the table
 * of functions that the JDK's management library uses. That is no
 * public interface, so everything about it is verified before it is used.
 */
#ifndef AG_JVM_DUMPER_H
#define AG_JVM_DUMPER_H

#include <jvmti.h>

/*
 * Writes the heap to a new file called NAME, after a full collection if LIVE is
 * set. Returns 0 on success; on failure an exception may be pending.
 */
typedef jint(JNICALL *ag_jvm_dumper)(JNIEnv *jni, jstring name, jboolean live);

/* NULL, or a constant string that says why this JVM does not have it. */
const char *ag_jvm_dumper_find(JavaVM *vm, jvmtiEnv *jvmti, JNIEnv *jni,
			       ag_jvm_dumper *ret);

#endif

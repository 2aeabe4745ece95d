/*
 * take.h - takes one dump from beginning to end: file, environment, walk,
 * message. One at a time in the whole process.
 */
#ifndef AG_TAKE_H
#define AG_TAKE_H

#include <stdbool.h>

#include <jvmti.h>

#include "options.h"

/*
 * The NUMBERth dump of an agent, from 0, to the file that goes with it. Waits
 * for a dump of another thread. True if it was written whole; else a message
 * was.
 */
bool ag_take_dump(JavaVM *vm, JNIEnv *jni, const struct ag_options *options,
		  unsigned number);

/*
 * The JVM ends: waits until no dump is being taken. From now on all are
 * refused but those of this thread.
 */
void ag_take_end(JNIEnv *jni);

/* An environment of the JVM's tool interface; NULL and a message if none. */
jvmtiEnv *ag_environment(JavaVM *vm);

#endif

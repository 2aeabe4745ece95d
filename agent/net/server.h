/* SPDX-License-Identifier: MIT */
/*
 * server.h - the agent's end of a network: a thread of the JVM that dials out
 * (net=) or listens (listen=), and serves one front end at a time.
 */
#ifndef AG_SERVER_H
#define AG_SERVER_H

#include <jvmti.h>

#include "agent/common/connection.h"
#include "agent/common/options.h"

struct ag_server;
struct ag_session; /* agent/profile/session.h */

/*
 * Takes a dump, to the connection in OPTIONS; OPTIONS are those of the server
 * but for members that are set for the occasion.
 */
typedef void ag_server_dump(void *user, JNIEnv *jni,
			    const struct ag_options *options);

/*
 * Starts the thread, once the JVM is initialized. OPTIONS and SESSION, which may
 * be NULL, are borrowed as long as the JVM lives. NULL, with a message logged, on failure. A server is never
 * freed: it may be in use until the process ends.
 */
struct ag_server *ag_server_start(jvmtiEnv *jvmti, JNIEnv *jni,
				  const struct ag_options *options,
				  struct ag_session *session,
				  ag_server_dump *dump, void *user);

/* Ends the thread and its connection, at some time. NULL is fine. */
void ag_server_stop(struct ag_server *server);

/* What dumps of the JVM's events are written to with net=. */
struct ag_connection *ag_server_connection(struct ag_server *server);

#endif

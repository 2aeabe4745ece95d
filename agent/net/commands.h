/* SPDX-License-Identifier: MIT */
/*
 * commands.h - what a front end may ask for over a connection: the commands of
 * wire/command.h, one after the other.
 *
 * Nothing that a front end sends, or does not send, harms the JVM: frames must
 * be whole within some seconds, what is unknown is skipped with a message, and
 * after some messages there are no more.
 */
#ifndef AG_COMMANDS_H
#define AG_COMMANDS_H

#include <stdbool.h>

#include <jvmti.h>

#include "agent/net/peer.h"
#include "agent/net/profile_commands.h"
#include "agent/net/requests.h"

struct ag_commands {
	struct ag_peer peer;
	int idle_ms; /* the longest silence between commands; -1: any */
	bool exit;   /* the command EXIT is allowed */
	struct ag_profile_commands profile;
	struct ag_requests *requests;
	jvmtiEnv *jvmti;
	JNIEnv *jni;
	void (*dump)(void *user, JNIEnv *jni, bool traces_only);
	void *user;
};

enum ag_commands_end {
	AG_PEER_GONE, /* closed the connection, broke the rules, or was idle */
	AG_NO_MORE,   /* said so; it still receives dumps */
	AG_TOLD_TO_STOP
};

enum ag_commands_end ag_commands_serve(const struct ag_commands *commands);

/* Waits until the peer closes the connection, or for stop. */
enum ag_commands_end ag_commands_ignore(const struct ag_commands *commands);

#endif

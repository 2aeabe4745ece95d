/* SPDX-License-Identifier: MIT */
/*
 * profile_commands.h - the commands of a front end that are about profiles: ALLOC
 * SITES, HEAP SUMMARY, CPU SAMPLES and CONTROL.
 */
#ifndef AG_PROFILE_COMMANDS_H
#define AG_PROFILE_COMMANDS_H

#include <jvmti.h>

#include "agent/net/peer.h"
#include "agent/profile/session.h"
#include "agent/profile/site_changes.h"
#include "wire/command.h"

struct ag_profile_commands {
	struct ag_session *session; /* NULL: no profile */
	const struct ag_options *options;
	struct ag_connection *connection; /* where the records go */
	struct ag_site_changes *sent;	  /* over this connection */
};

/*
 * Reads the operands of TAG, and does it. Where there is no such profile a message
 * says so. False if the operands did not come.
 */
bool ag_profile_command(const struct ag_profile_commands *commands,
			const struct ag_peer *peer, JNIEnv *jni,
			enum wire_command tag);

#endif

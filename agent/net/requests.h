/* SPDX-License-Identifier: MIT */
/*
 * requests.h - the command REQUEST: one object, monitor or thread, or some
 * instances of a class.
 */
#ifndef AG_REQUESTS_H
#define AG_REQUESTS_H

#include "agent/common/connection.h"
#include "agent/net/known_objects.h"
#include "agent/net/peer.h"

struct ag_requests {
	struct ag_known known;
	struct ag_connection *connection; /* where answers go */
	unsigned level;			  /* option level: no more than that */
	bool text; /* the connection has text: there are no answers */
};

/*
 * Reads the body, of SIZE bytes, of one request, and sends the answer, which may
 * be that there is none. False if the body did not come, or is none.
 */
bool ag_request(struct ag_requests *requests, const struct ag_peer *peer,
		JNIEnv *jni, uint32_t size);

#endif

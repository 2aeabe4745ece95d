/* SPDX-License-Identifier: MIT */
/*
 * request.h - the command REQUEST: u1 kind, u8 identifier, and of the kind
 * INSTANCES, whose identifier is 0, u2 size and the name of a class. The answer
 * is a record with the command's tag, u4 0, u4 length, and a text in JSON, which
 * is ASCII without control characters.
 */
#ifndef WIRE_REQUEST_H
#define WIRE_REQUEST_H

enum wire_request {
	WIRE_OBJECT = 1,
	WIRE_MONITOR = 2, /* the monitor of an object */
	WIRE_THREAD = 3,  /* 0: all of them */
	WIRE_INSTANCES = 4
};

/* Bytes of kind and identifier; of a name; of an answer. */
enum {
	WIRE_REQUEST_SIZE = 9,
	WIRE_NAME_MOST = 1024,
	WIRE_ANSWER_MOST = 2 << 20
};

#endif

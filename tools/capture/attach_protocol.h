/* SPDX-License-Identifier: MIT */
/*
 * attach_protocol.h - the bytes of HotSpot's attach protocol.
 *
 * A request of version 1 has three arguments of at most 1024 bytes each.
 * Version 2, of JDK 24 and later, allows any number of arguments and 256 KiB in
 * all. The reply to both is a number, a newline and text up to the end of the
 * stream. These are pure functions that do not trust what a JVM sends.
 */
#ifndef TOOLS_ATTACH_PROTOCOL_H
#define TOOLS_ATTACH_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_V1_ARGUMENTS 3
#define ATTACH_V1_LONGEST 1024
#define ATTACH_V2_MOST (256 * 1024)

/* Does version 1 have room for these COUNT arguments? */
bool attach_fits_v1(const char *const *arguments, size_t count);

/*
 * A request for COMMAND in OUT. Returns its size, or 0 if it is not allowed
 * in that version or ROOM is too small.
 */
size_t attach_request_v1(const char *command, const char *const *arguments,
			 size_t count, char *out, size_t room);
size_t attach_request_v2(const char *command, const char *const *arguments,
			 size_t count, char *out, size_t room);

struct attach_reply {
	int code;	  /* 0: the command is known */
	const char *text; /* in the parsed bytes, not NUL-terminated */
	size_t size;
};

/* False if BYTES, the whole reply, do not start with a number and newline. */
bool attach_parse_reply(const char *bytes, size_t size,
			struct attach_reply *ret_reply);

/* The version given in the reply to "getversion"; 1 if unknown. */
unsigned attach_version(const struct attach_reply *reply);

/* Does the help text mention this option, such as "-overwrite"? */
bool attach_help_has(const struct attach_reply *reply, const char *option);

enum attach_dump_result {
	ATTACH_DUMP_MADE,
	ATTACH_DUMP_EXISTS, /* the file exists already */
	ATTACH_DUMP_FAILED
};

/*
 * The result of a dump, from the text: the code is 0 in any case. *RET_BYTES is
 * the size that the JVM reports, or 0 if it reports none.
 */
enum attach_dump_result attach_dump_result(const struct attach_reply *reply,
					   uint64_t *ret_bytes);

enum attach_load_result {
	ATTACH_LOADED,
	ATTACH_LOAD_REFUSED, /* this JVM does not allow agents */
	ATTACH_LOAD_MISSING, /* the library cannot be loaded */
	ATTACH_LOAD_FAILED   /* Agent_OnAttach returned *RET_CODE */
};

enum attach_load_result attach_load_result(const struct attach_reply *reply,
					   int *ret_code);

/*
 * Copies the most informative line of the reply to OUT, cut to ROOM: the
 * message of an exception, else the last line that is not empty.
 */
void attach_reply_line(const struct attach_reply *reply, char *out,
		       size_t room);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * token.h - the secret that a listening agent asks for. It is the first line of
 * a file that nobody but its owner may read.
 */
#ifndef WIRE_TOKEN_H
#define WIRE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_TOKEN_LEAST 16
#define WIRE_TOKEN_MOST 256

struct wire_token {
	size_t size;
	uint8_t bytes[WIRE_TOKEN_MOST];
};

/*
 * Reads the token in PATH. The file must belong to this user or root. False
 * with the reason in WHY and *RET_ERRNO, which is 0 if the system has none.
 */
bool wire_token_read(const char *path, struct wire_token *ret,
		     const char **ret_why, int *ret_errno);

/* Makes the file, which must not exist, of mode 0600, with a random token. */
bool wire_token_make(const char *path, struct wire_token *ret,
		     const char **ret_why, int *ret_errno);

/* Takes the same time wherever they differ. */
bool wire_token_same(const struct wire_token *token, const uint8_t *bytes,
		     size_t size);

#endif

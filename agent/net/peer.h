/* SPDX-License-Identifier: MIT */
/*
 * peer.h - what a front end sends, byte by byte, and messages about it.
 */
#ifndef AG_PEER_H
#define AG_PEER_H

#include <stdbool.h>
#include <stddef.h>

struct ag_peer {
	int fd;		      /* a non-blocking socket */
	int stop;	      /* readable: return at once */
	const char *name;     /* escaped */
	unsigned *complaints; /* messages about peers so far */
};

/*
 * Reads SIZE bytes from a non-blocking socket, for at most TIMEOUT_MS (-1: any
 * time) between two. False: they did not come; errno is 0 if the peer closed,
 * ECANCELED if STOP became readable.
 */
bool ag_receive(int fd, int stop, void *out, size_t size, int timeout_ms);

/* A message about a peer, unless there were too many. */
void ag_complain(unsigned *complaints, const char *name, const char *what);

/* The same for parts of a frame, which have to come within some seconds. */
bool ag_peer_read(const struct ag_peer *peer, void *out, size_t size);
bool ag_peer_skip(const struct ag_peer *peer, size_t size);

#endif

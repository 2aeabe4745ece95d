/* SPDX-License-Identifier: MIT */
/*
 * connection.h - a connection that dumps are written to. The peer gets one file
 * header and after it the records of any number of dumps, as from the JDK's old
 * agent.
 *
 * A peer that takes nothing does not stop the JVM for long: the dump is given up
 * and the connection closed.
 *
 * Threads: one thread, the server, attaches and detaches connections; any other
 * may begin a dump.
 */
#ifndef AG_CONNECTION_H
#define AG_CONNECTION_H

#include <pthread.h>
#include <stdbool.h>

#include "hprof/writer.h"

/* What each dump begins with, in a file or a connection. */
struct hprof_header ag_dump_header(unsigned id_size);

struct hp_sink; /* io/sink.h */

struct ag_connection {
	pthread_mutex_t lock; /* held during a dump */
	pthread_cond_t changed;
	int fd;	  /* -1: there is no connection */
	int wake; /* an eventfd: a dump waits for a connection; -1: it need not */
	bool over; /* the peer is gone, or had too little patience with it */
	bool text; /* what is written to it is text, not records */
	unsigned id_size;
	uint64_t last_name; /* the last id of a string that the peer knows */
	size_t header_size, header_left; /* not to be sent again */
	char name[300]; /* of the peer, for messages: not escaped */
};

bool ag_connection_init(struct ag_connection *connection, bool text,
			unsigned id_size);

/*
 * Takes ownership of FD, a non-blocking socket, and sends the file header, or
 * what a text begins with. False if that fails; FD is closed then.
 */
bool ag_connection_attach(struct ag_connection *connection, int fd,
			  const char *name);

/* Closes the connection, once no dump is written to it. */
void ag_connection_detach(struct ag_connection *connection);

/*
 * Begins a dump: returns a writer for it, and no other dump can begin, nor the
 * connection end, until ag_connection_end. If there is no connection, and somebody
 * makes one on demand (wake), this waits up to AG_CONNECTION_WAIT_S seconds.
 */
enum { AG_CONNECTION_WAIT_S = 5 };
enum hprof_status ag_connection_begin(struct ag_connection *connection,
				      struct hprof_writer **ret_writer,
				      struct hprof_error *error);

/* The same for text, which gets a sink. */
enum hprof_status ag_connection_begin_text(struct ag_connection *connection,
					   struct hp_sink **ret_sink,
					   struct hprof_error *error);

/*
 * Sends SIZE bytes that are no dump, once none is written. False if there is no
 * connection, or the peer takes nothing, which ends it.
 */
bool ag_connection_send(struct ag_connection *connection, const void *bytes,
			size_t size);

/*
 * Frees the writer or sink; the other is NULL. If it was not finished, the connection is shut down, so that
 * the peer knows that the dump is incomplete.
 */
void ag_connection_end(struct ag_connection *connection,
		       struct hprof_writer *writer, struct hp_sink *sink,
		       bool finished);

#endif

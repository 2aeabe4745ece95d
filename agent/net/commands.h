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

struct ag_commands {
	int fd;		  /* a non-blocking socket */
	int stop;	  /* readable: return at once */
	int idle_ms;	  /* the longest silence between commands; -1: any */
	unsigned id_size; /* of identifiers in commands */
	bool exit;	  /* the command EXIT is allowed */
	const char *name; /* of the peer, escaped */
	unsigned *complaints; /* messages about peers so far */
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

/*
 * Reads SIZE bytes from a non-blocking socket, for at most TIMEOUT_MS (-1: any
 * time) between two. False: they did not come; errno is 0 if the peer closed,
 * ECANCELED if STOP became readable.
 */
bool ag_receive(int fd, int stop, void *out, size_t size, int timeout_ms);

/* A message about a peer, unless there were too many. */
void ag_complain(unsigned *complaints, const char *name, const char *what);

#endif

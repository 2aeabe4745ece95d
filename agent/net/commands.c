/* SPDX-License-Identifier: MIT */
/*
 * commands.c - see commands.h. The old agent read the operands by the tag,
 * whatever length the frame claimed, and so does this one: front ends may send
 * any length. Only what is unknown is skipped by its length.
 */
#include "agent/net/commands.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "agent/common/clock.h"
#include "agent/common/log.h"
#include "wire/command.h"

#define FRAME_MS 10000	   /* for the rest of a frame */
#define SKIP_MOST 65536	   /* bytes of an unknown command */
#define COMPLAINTS_MOST 20 /* then silence: it is somebody else's log */

/* ---- receiving ----------------------------------------------------------- */

/* False with errno as ag_receive. UNTIL < 0: any time. */
static bool await_bytes(int fd, int stop, int64_t until)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = stop, .events = POLLIN },
	};
	int64_t left = until < 0 ? -1 : until - ag_clock_ms();
	int n;

	if (until >= 0 && left < 0)
		left = 0;
	n = poll(fds, 2, (int)left);
	if (n < 0)
		return errno == EINTR;
	errno = n == 0 ? ETIMEDOUT : ECANCELED;
	return n > 0 && !fds[1].revents;
}

bool ag_receive(int fd, int stop, void *out, size_t size, int timeout_ms)
{
	int64_t until = timeout_ms < 0 ? -1 : ag_clock_ms() + timeout_ms;
	uint8_t *to = out;

	while (size > 0) {
		ssize_t n = recv(fd, to, size, MSG_DONTWAIT);

		if (n > 0) {
			to += n;
			size -= (size_t)n;
		} else if (n == 0) {
			errno = 0;
			return false;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (!await_bytes(fd, stop, until)) {
			return false;
		}
	}
	return true;
}

void ag_complain(unsigned *complaints, const char *name, const char *what)
{
	if (*complaints < COMPLAINTS_MOST)
		ag_log("%s: %s%s", name, what,
		       ++*complaints == COMPLAINTS_MOST
			       ? "; there are no more messages about peers"
			       : "");
}

/* ---- one command --------------------------------------------------------- */

static bool receive(const struct ag_commands *c, void *out, size_t size)
{
	return ag_receive(c->fd, c->stop, out, size, FRAME_MS);
}

static bool skip(const struct ag_commands *c, size_t size)
{
	uint8_t unused[256];

	while (size > 0) {
		size_t part = size < sizeof unused ? size : sizeof unused;

		if (!receive(c, unused, part))
			return false;
		size -= part;
	}
	return true;
}

static void complain(const struct ag_commands *c, const char *what)
{
	ag_complain(c->complaints, c->name, what);
}

/* System.exit(0), so that the JVM ends in its order. */
static void end_jvm(const struct ag_commands *c)
{
	JNIEnv *jni = c->jni;
	jclass system;
	jmethodID method;

	if (!c->exit) {
		complain(c, "the command EXIT is refused without exit=y");
		return;
	}
	ag_log("%s: the command EXIT ends the JVM", c->name);
	system = (*jni)->FindClass(jni, "java/lang/System");
	method = system ? (*jni)->GetStaticMethodID(jni, system, "exit", "(I)V")
			: NULL;
	if (method)
		(*jni)->CallStaticVoidMethod(jni, system, method, (jint)0);
	(*jni)->ExceptionClear(jni);
}

/* The operand of CONTROL depends on the number that it begins with. */
static bool control(const struct ag_commands *c)
{
	enum { START_SAMPLES = 3, STOP_SAMPLES = 4, SET_DEPTH = 7 };
	uint8_t number[2];
	unsigned sub;

	if (!receive(c, number, sizeof number))
		return false;
	sub = (unsigned)number[0] << 8 | number[1];
	complain(c, "the command CONTROL does nothing: this version has no "
		    "profiles");
	if (sub == START_SAMPLES || sub == STOP_SAMPLES)
		return skip(c, c->id_size);
	return sub != SET_DEPTH || skip(c, 2);
}

static bool unknown(const struct ag_commands *c, unsigned tag, uint32_t size)
{
	char text[80];

	snprintf(text, sizeof text, "there is no command 0x%02X%s", tag,
		 size > SKIP_MOST ? ": the connection is closed" : "");
	complain(c, text);
	return size <= SKIP_MOST && skip(c, size);
}

/* False: no further command can be told apart. */
static bool execute(const struct ag_commands *c, unsigned tag, uint32_t size)
{
	enum { CUTOFF = 4, FLAGS = 2 }; /* bytes of these operands */

	switch ((enum wire_command)tag) {
	case WIRE_FORCE_GC:
		(*c->jvmti)->ForceGarbageCollection(c->jvmti);
		return true;
	case WIRE_DUMP_HEAP:
		c->dump(c->user, c->jni, false);
		return true;
	case WIRE_DUMP_TRACES:
		c->dump(c->user, c->jni, true);
		return true;
	case WIRE_EXIT:
		end_jvm(c);
		return true;
	case WIRE_HEAP_SUMMARY:
		complain(c, "the command HEAP SUMMARY does nothing: this "
			    "version has no profiles");
		return true;
	case WIRE_ALLOC_SITES:
	case WIRE_CPU_SAMPLES:
		complain(c, tag == WIRE_ALLOC_SITES
				    ? "the command ALLOC SITES does nothing: "
				      "this version has no profiles"
				    : "the command CPU SAMPLES does nothing: "
				      "this version has no profiles");
		return skip(c, FLAGS + CUTOFF);
	case WIRE_CONTROL:
		return control(c);
	case WIRE_TOKEN: /* nobody asked for it, or it was sent before */
		return size <= SKIP_MOST && skip(c, size);
	default:
		return unknown(c, tag, size);
	}
}

enum ag_commands_end ag_commands_serve(const struct ag_commands *c)
{
	uint8_t head[WIRE_HEAD];

	for (;;) {
		if (!ag_receive(c->fd, c->stop, head, 1, c->idle_ms))
			break;
		if (head[0] == WIRE_EOF)
			return AG_NO_MORE;
		if (!receive(c, head + 1, sizeof head - 1)) {
			if (errno == ETIMEDOUT)
				complain(c, "a command is incomplete: the "
					    "connection is closed");
			break;
		}
		if (!execute(c, head[0], wire_get_u32(head + 5)))
			return AG_PEER_GONE;
	}
	return errno == ECANCELED ? AG_TOLD_TO_STOP : AG_PEER_GONE;
}

enum ag_commands_end ag_commands_ignore(const struct ag_commands *c)
{
	uint8_t unused;

	while (ag_receive(c->fd, c->stop, &unused, 1, -1))
		;
	return errno == ECANCELED ? AG_TOLD_TO_STOP : AG_PEER_GONE;
}

/* SPDX-License-Identifier: MIT */
/*
 * commands.c - see commands.h. The old agent read the operands by the tag,
 * whatever length the frame claimed, and so does this one: front ends may send
 * any length. Only what is unknown is skipped by its length.
 */
#include "agent/net/commands.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "agent/common/log.h"
#include "wire/command.h"

#define SKIP_MOST 65536 /* bytes of an unknown command */

/* ---- one command --------------------------------------------------------- */

static void complain(const struct ag_commands *c, const char *what)
{
	ag_complain(c->peer.complaints, c->peer.name, what);
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
	ag_log("%s: the command EXIT ends the JVM", c->peer.name);
	system = (*jni)->FindClass(jni, "java/lang/System");
	method = system ? (*jni)->GetStaticMethodID(jni, system, "exit", "(I)V")
			: NULL;
	if (method)
		(*jni)->CallStaticVoidMethod(jni, system, method, (jint)0);
	(*jni)->ExceptionClear(jni);
}

static bool unknown(const struct ag_commands *c, unsigned tag, uint32_t size)
{
	char text[80];

	snprintf(text, sizeof text, "there is no command 0x%02X%s", tag,
		 size > SKIP_MOST ? ": the connection is closed" : "");
	complain(c, text);
	return size <= SKIP_MOST && ag_peer_skip(&c->peer, size);
}

/* False: no further command can be told apart. */
static bool execute(const struct ag_commands *c, unsigned tag, uint32_t size)
{
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
	case WIRE_ALLOC_SITES:
	case WIRE_CPU_SAMPLES:
	case WIRE_CONTROL:
		return ag_profile_command(&c->profile, &c->peer, c->jni,
					  (enum wire_command)tag);
	case WIRE_REQUEST:
		return ag_request(c->requests, &c->peer, c->jni, size);
	case WIRE_TOKEN: /* nobody asked for it, or it was sent before */
		return size <= SKIP_MOST && ag_peer_skip(&c->peer, size);
	default:
		return unknown(c, tag, size);
	}
}

enum ag_commands_end ag_commands_serve(const struct ag_commands *c)
{
	uint8_t head[WIRE_HEAD];

	for (;;) {
		if (!ag_receive(c->peer.fd, c->peer.stop, head, 1, c->idle_ms))
			break;
		if (head[0] == WIRE_EOF)
			return AG_NO_MORE;
		if (!ag_peer_read(&c->peer, head + 1, sizeof head - 1)) {
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

	while (ag_receive(c->peer.fd, c->peer.stop, &unused, 1, -1))
		;
	return errno == ECANCELED ? AG_TOLD_TO_STOP : AG_PEER_GONE;
}

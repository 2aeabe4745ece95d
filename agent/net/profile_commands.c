/* SPDX-License-Identifier: MIT */
/*
 * profile_commands.c - see profile_commands.h. The meaning is that of the JDK's
 * old agent: no acknowledgement, only records; a cutoff is the bits of a float.
 */
#include "agent/net/profile_commands.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "agent/profile/profile_file.h"

/* ---- reports ------------------------------------------------------------- */

/* Flags of ALLOC SITES, as in the record. */
enum { INCREMENTAL = 1, BY_ALLOCATION = 2, FORCE_GC = 4 };

/*
 * Old front ends sent all kinds of cutoffs: one that is no share of anything
 * cuts nothing.
 */
static double cutoff_of(const uint8_t *bytes)
{
	const uint32_t bits = wire_get_u32(bytes);
	float share;

	memcpy(&share, &bits, sizeof share);
	return share >= 0 && share <= 1 ? (double)share : 0;
}

static const char *name_of(enum wire_command tag)
{
	return tag == WIRE_ALLOC_SITES	  ? "ALLOC SITES"
	       : tag == WIRE_HEAP_SUMMARY ? "HEAP SUMMARY"
	       : tag == WIRE_CPU_SAMPLES  ? "CPU SAMPLES"
					  : "CONTROL";
}

static void say_missing(const struct ag_peer *peer, enum wire_command tag)
{
	char text[160];

	snprintf(text, sizeof text,
		 "the command %s does nothing: the agent's options do not ask "
		 "for that profile",
		 name_of(tag));
	ag_complain(peer->complaints, peer->name, text);
}

static void report(const struct ag_profile_commands *p, JNIEnv *jni,
		   const struct ag_report_options *wanted)
{
	struct ag_options options = *p->options;

	options.connection = p->connection;
	ag_profile_write(p->session, jni, &options, wanted, NULL);
}

static bool take_report(const struct ag_profile_commands *p,
			const struct ag_peer *peer, JNIEnv *jni,
			enum wire_command tag)
{
	struct ag_report_options wanted = { .sections = AG_SECTION_SUMMARY };
	uint8_t bytes[6] = { 0 }; /* u2 flags, u4 cutoff */

	if (tag != WIRE_HEAP_SUMMARY &&
	    !ag_peer_read(peer, bytes, sizeof bytes))
		return false;
	if (tag == WIRE_HEAP_SUMMARY && p->options->format == AG_FORMAT_TEXT) {
		ag_complain(peer->complaints, peer->name,
			    "the command HEAP SUMMARY does nothing: it has no "
			    "form in text");
		return true;
	}
	wanted.cutoff = cutoff_of(bytes + 2);
	if (tag == WIRE_CPU_SAMPLES)
		wanted.sections = AG_SECTION_SAMPLES;
	if (tag == WIRE_ALLOC_SITES) {
		wanted.sections = AG_SECTION_SITES;
		wanted.sent = p->sent;
		wanted.incremental = bytes[1] & INCREMENTAL;
		wanted.by_allocation = bytes[1] & BY_ALLOCATION;
		wanted.collect = bytes[1] & FORCE_GC;
	}
	if (p->session && ag_session_makes(p->session, wanted.sections))
		report(p, jni, &wanted);
	else
		say_missing(peer, tag);
	return true;
}

/* ---- CONTROL ------------------------------------------------------------- */

enum control {
	TRACES_ON = 1,
	TRACES_OFF,
	SAMPLES_ON,
	SAMPLES_OFF,
	CLEAR_SAMPLES,
	CLEAR_SITES,
	SET_DEPTH
};

static bool change(struct ag_session *s, enum control number, unsigned value)
{
	switch (number) {
	case TRACES_ON:
	case TRACES_OFF:
		return ag_session_control(s, AG_SECTION_SITES,
					  number == TRACES_ON ? AG_CONTROL_ON
							      : AG_CONTROL_OFF,
					  0);
	case SAMPLES_ON:
	case SAMPLES_OFF:
		return ag_session_control(s, AG_SECTION_SAMPLES,
					  number == SAMPLES_ON ? AG_CONTROL_ON
							       : AG_CONTROL_OFF,
					  0);
	case CLEAR_SAMPLES:
		return ag_session_clear(s, AG_SECTION_SAMPLES);
	case CLEAR_SITES:
		return ag_session_clear(s, AG_SECTION_SITES);
	case SET_DEPTH:
		return ag_session_control(s, 0, AG_CONTROL_DEPTH, value);
	}
	return false;
}

/*
 * The serial of the thread that an identifier stands for; 0: all; UINT32_MAX:
 * there is none. Front ends on hosts such as x86 sent it with its bytes reversed,
 * since the old agent read it in the order of its host.
 */
static uint32_t thread_of(const struct ag_profile_commands *p,
			  const uint8_t *bytes)
{
	const unsigned width = p->options->id_size;
	uint64_t big = 0, little = 0;

	for (unsigned i = 0; i < width; i++) {
		big = big << 8 | bytes[i];
		little = little << 8 | bytes[width - 1 - i];
	}
	if (big == 0)
		return 0;
	if (big <= UINT32_MAX &&
	    ag_threads_live(p->session->threads, (uint32_t)big))
		return (uint32_t)big;
	if (little <= UINT32_MAX &&
	    ag_threads_live(p->session->threads, (uint32_t)little))
		return (uint32_t)little;
	return UINT32_MAX;
}

static void change_samples(const struct ag_profile_commands *p,
			   const struct ag_peer *peer, bool on,
			   const uint8_t *id)
{
	uint32_t thread;

	if (!p->session || !ag_session_makes(p->session, AG_SECTION_SAMPLES)) {
		say_missing(peer, WIRE_CONTROL);
		return;
	}
	thread = thread_of(p, id);
	if (thread == 0)
		change(p->session, on ? SAMPLES_ON : SAMPLES_OFF, 0);
	else if (thread == UINT32_MAX)
		ag_complain(peer->complaints, peer->name,
			    "the command CONTROL does nothing: there is no "
			    "thread with that serial number");
	else if (!ag_session_control(p->session, AG_SECTION_SAMPLES,
				     on ? AG_CONTROL_THREAD_ON
					: AG_CONTROL_THREAD_OFF,
				     thread))
		ag_complain(peer->complaints, peer->name,
			    "the command CONTROL does nothing: single threads "
			    "can be chosen with sampler=thread, up to 256");
}

/* The operand depends on the number that the command begins with. */
static bool take_control(const struct ag_profile_commands *p,
			 const struct ag_peer *peer)
{
	uint8_t bytes[2], thread[8] = { 0 }, depth[2] = { 0 };
	const unsigned width = p->options->id_size;
	unsigned number;
	bool samples;

	if (!ag_peer_read(peer, bytes, sizeof bytes))
		return false;
	number = (unsigned)bytes[0] << 8 | bytes[1];
	samples = number == SAMPLES_ON || number == SAMPLES_OFF;
	if (samples && !ag_peer_read(peer, thread, width))
		return false;
	if (number == SET_DEPTH && !ag_peer_read(peer, depth, sizeof depth))
		return false;
	if (number < TRACES_ON || number > SET_DEPTH)
		ag_complain(peer->complaints, peer->name,
			    "there is no such number of the command CONTROL");
	else if (samples)
		change_samples(p, peer, number == SAMPLES_ON, thread);
	else if (!p->session || !change(p->session, (enum control)number,
					(unsigned)depth[0] << 8 | depth[1]))
		say_missing(peer, WIRE_CONTROL);
	return true;
}

bool ag_profile_command(const struct ag_profile_commands *p,
			const struct ag_peer *peer, JNIEnv *jni,
			enum wire_command tag)
{
	return tag == WIRE_CONTROL ? take_control(p, peer)
				   : take_report(p, peer, jni, tag);
}

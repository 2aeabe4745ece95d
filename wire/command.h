/* SPDX-License-Identifier: MIT */
/*
 * command.h - the commands that a front end sends to the agent, as the JDK's
 * old agent took them: u1 tag, u4 serial number, u4 length of the body, body;
 * big-endian. The answers are records of the dump; hprof-agent(7) describes
 * both.
 */
#ifndef WIRE_COMMAND_H
#define WIRE_COMMAND_H

#include <stdint.h>

enum wire_command {
	WIRE_FORCE_GC = 0x01,
	WIRE_DUMP_HEAP = 0x02,
	WIRE_ALLOC_SITES = 0x03,
	WIRE_HEAP_SUMMARY = 0x04,
	WIRE_EXIT = 0x05,
	WIRE_DUMP_TRACES = 0x06,
	WIRE_CPU_SAMPLES = 0x07,
	WIRE_CONTROL = 0x08,
	/* These two are not of the old agent. */
	WIRE_TOKEN = 0x80,   /* who may give commands */
	WIRE_REQUEST = 0x81, /* one object, monitor or thread; wire/request.h */
	WIRE_EOF = 0xFF	     /* the tag alone; no more commands follow */
};

/* Bytes of tag, serial number and length. */
#define WIRE_HEAD 9

void wire_put_u32(uint8_t *out, uint32_t value);
uint32_t wire_get_u32(const uint8_t *in);
void wire_put_head(uint8_t out[WIRE_HEAD], unsigned tag, uint32_t length);

#endif

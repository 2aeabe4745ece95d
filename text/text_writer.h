/* SPDX-License-Identifier: MIT */
/*
 * text_writer.h - writes the text that the JDK's hprof agent wrote with
 * format=a, for the agent and hprof-convert: what all of its sections are made
 * of, and the threads and stacks that come before them.
 *
 * The caller sees to the order: a trace comes before the section that names it,
 * once. Text is UTF-8, or Java's modified form of it, and is escaped. A writer
 * belongs to one thread at a time, allocates nothing and does not depend on the
 * locale.
 */
#ifndef TEXT_TEXT_WRITER_H
#define TEXT_TEXT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof/error.h>
#include <hprof/report.h>

enum { TEXT_BUFFER = 8192 };

/* Begin with { .write = ..., .user = ... }; the rest is 0. */
struct text_writer {
	/* Takes what was written. */
	enum hprof_status (*write)(void *user, const void *bytes, size_t size);
	void *user;

	enum hprof_status status; /* its first failure; then no more is said */
	size_t used;
	char buffer[TEXT_BUFFER];
};

/* Hands over what is still in the buffer; returns the status. */
enum hprof_status text_flush(struct text_writer *w);

/*
 * Writes what FORMAT says. It may have %s for text, which is escaped; %u for a
 * uint64_t and %d for an int64_t in decimal; %x for a uint64_t in hexadecimal;
 * each with a width, to which it is padded on the left; nothing else.
 */
void text_put(struct text_writer *w, const char *format, ...);

/* "Fri Nov 20 04:35:19 2026" and a newline: UTC. TIME_MS is since 1970. */
void text_put_time(struct text_writer *w, uint64_t time_ms);

/* "12.34%", at least 6 characters: PART of WHOLE. */
void text_put_share(struct text_writer *w, uint64_t part, uint64_t whole);

/* What stands before all. VERSION is "JAVA PROFILE 1.0.2". Not with cpu=old. */
void text_put_prelude(struct text_writer *w, const char *version,
		      uint64_t time_ms);

/* ---- threads and stacks -------------------------------------------------- */

struct text_thread {
	uint64_t object_id;
	uint32_t serial;
	const char *name, *group; /* NULL: none */
};

void text_put_thread_start(struct text_writer *w,
			   const struct text_thread *thread);
void text_put_thread_end(struct text_writer *w, uint32_t serial);

/*
 * One frame, of which any name may be NULL. The signature is not printed. A
 * line is a number or -1 unknown, -2 compiled, -3 native.
 */
void text_put_frame(struct text_writer *w, const struct hprof_stack_frame *f);

struct text_trace {
	uint32_t serial;
	uint32_t thread_serial; /* 0: not to be told */
	const char *phase;	/* of the JVM, such as "start"; NULL: live */
	size_t frame_count;
	const struct hprof_stack_frame *frames; /* innermost first */
};

void text_put_trace(struct text_writer *w, const struct text_trace *trace);

/* The same in parts: then come its frames, or text_put_no_frames. */
void text_put_trace_head(struct text_writer *w, const struct text_trace *trace);
void text_put_no_frames(struct text_writer *w);

#endif

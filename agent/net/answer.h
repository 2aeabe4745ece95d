/* SPDX-License-Identifier: MIT */
/*
 * answer.h - a text in JSON that grows in memory, for answers to requests. It is
 * ASCII: everything else is escaped.
 */
#ifndef AG_ANSWER_H
#define AG_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is longer is cut off by those who write lists. */
enum { AG_ANSWER_MOST = 1 << 20 };

struct ag_answer {
	char *text; /* NULL at first; the caller frees it */
	size_t size, room;
	bool failed; /* there was no memory */
	bool first;  /* the next value is the first one of its object or list */
};

/* Begins with SIZE bytes for the caller to fill in. */
void ag_answer_begin(struct ag_answer *answer, size_t size);
void ag_answer_done(struct ag_answer *answer);

/* NAME is NULL in a list, and must need no escapes. */
void ag_answer_open(struct ag_answer *answer, const char *name, char bracket);
void ag_answer_close(struct ag_answer *answer, char bracket);
void ag_answer_number(struct ag_answer *answer, const char *name,
		      int64_t value);
void ag_answer_double(struct ag_answer *answer, const char *name, double value);
void ag_answer_flag(struct ag_answer *answer, const char *name, bool value);
void ag_answer_null(struct ag_answer *answer, const char *name);

/* TEXT is of the JVM, in UTF-8 or nearly; NULL: null. */
void ag_answer_text(struct ag_answer *answer, const char *name,
		    const char *text);
/* The same, of UTF-16. */
void ag_answer_chars(struct ag_answer *answer, const char *name,
		     const uint16_t *chars, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * option_table.h - what each option of the agent takes and means. The parser,
 * the help and the test of the manual read this one table.
 */
#ifndef AG_OPTION_TABLE_H
#define AG_OPTION_TABLE_H

#include <stddef.h>

/* What the value is, and the type of its member in struct ag_options. */
enum ag_option_kind {
	AG_OPTION_FILE,	   /* char *, on the heap */
	AG_OPTION_YES_NO,  /* bool */
	AG_OPTION_WORD,	   /* unsigned, an index of words */
	AG_OPTION_NUMBER,  /* unsigned, least to most */
	AG_OPTION_TIME,	   /* unsigned, microseconds, least to most; ms given */
	AG_OPTION_BYTES,   /* uint64_t, a suffix k, m or g */
	AG_OPTION_SHARE,   /* double, 0 to 1 */
	AG_OPTION_ADDRESS, /* struct wire_address, HOST:PORT */
	AG_OPTION_PORT,	   /* the same, [ADDRESS:]PORT */
	AG_OPTION_IGNORED  /* y or n; there is no member */
};

enum { AG_OPTION_WORDS = 5 };

struct ag_option {
	const char *name;
	enum ag_option_kind kind;
	size_t offset; /* of the member in struct ag_options */
	const char *wrong;
	const char *words[AG_OPTION_WORDS]; /* NULL: no word for that number */
	unsigned least, most;

	/* For the help. */
	const char *value, *meaning;
	const char *standard;	  /* the default; NULL: none */
	const char *old_standard; /* with defaults=old; NULL: the same */
};

extern const struct ag_option ag_option_table[];
extern const size_t ag_option_count;

/* The text printed for the option help. */
enum { AG_HELP_ROOM = 8192 };
void ag_options_help(char ret_text[AG_HELP_ROOM]);

#endif

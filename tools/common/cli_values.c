/* SPDX-License-Identifier: MIT */
/* cli_values.c - what options are set to: see cli_parts.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/cli_parts.h"

const char *cli_option_label(const struct cli_option *option)
{
	static char label[64];

	if (option->name)
		snprintf(label, sizeof(label), "'--%s'", option->name);
	else
		snprintf(label, sizeof(label), "'-%c'", option->letter);
	return label;
}

static void set_number(const struct cli_option *option,
		       struct cli_number *number, const char *text)
{
	char *end = NULL;
	unsigned long long value = 0;

	errno = 0;
	/*
	 * strtoull would accept leading blanks and signs, and read -1 as 2^64 -
	 * 1.
	 */
	if (*text >= '0' && *text <= '9')
		value = strtoull(text, &end, 10);
	if (!end || *end || errno)
		cli_usage_error("option %s: '%s' is not a number",
				cli_option_label(option), text);
	if (value < option->least || value > option->most)
		cli_usage_error("option %s: %s is not from %llu to %llu",
				cli_option_label(option), text,
				(unsigned long long)option->least,
				(unsigned long long)option->most);
	number->given = true;
	number->value = value;
}

/* A number of bytes, which may end in a letter for a power of 1024: "512M". */
static void set_size(const struct cli_option *option, struct cli_number *number,
		     const char *text)
{
	static const char letters[] = "KMGT";
	size_t length = strlen(text);
	const char *letter =
		length > 1 ? strchr(letters, text[length - 1] & ~0x20) : NULL;
	char digits[32];
	unsigned shift = 0;

	if (letter && *letter && length <= sizeof(digits)) {
		shift = 10 * (unsigned)(letter - letters + 1);
		memcpy(digits, text, length - 1);
		digits[length - 1] = 0;
	}
	set_number(option, number, shift ? digits : text);
	if (number->value > option->most >> shift)
		cli_usage_error("option %s: %s is too large",
				cli_option_label(option), text);
	number->value <<= shift;
}

static void set_limit(const struct cli_option *option, struct cli_limit *limit,
		      const char *text)
{
	const double million = 1000000;
	size_t digits = strspn(text, "0123456789.");
	double percent;

	*limit = (struct cli_limit){ 0 };
	if (!digits || strcmp(text + digits, "%") != 0) {
		set_size(option, &limit->size, text);
		if (!limit->size.value)
			cli_usage_error("option %s: 0 is too small",
					cli_option_label(option));
		return;
	}
	percent = strtod(text, NULL);
	if (percent > 100 || percent * million / 100 < 1)
		cli_usage_error("option %s: %s is no share of a whole",
				cli_option_label(option), text);
	limit->share = (uint32_t)(percent * million / 100);
}

static void set_choice(const struct cli_option *option,
		       struct cli_choice *choice, const char *text)
{
	const char *word = option->argument;
	size_t size = strlen(text);

	for (unsigned index = 0; *word; index++) {
		size_t length = strcspn(word, "|");

		if (length == size && !memcmp(word, text, size)) {
			choice->given = true;
			choice->value = index;
			return;
		}
		word += length;
		word += *word == '|';
	}
	cli_usage_error("option %s: '%s' is not one of %s",
			cli_option_label(option), text, option->argument);
}

static void add_item(struct cli_list *list, const char *text)
{
	list->items = cli_realloc((void *)list->items, list->count + 1,
				  sizeof(list->items[0]));
	list->items[list->count++] = text;
}

void cli_list_free(struct cli_list *list)
{
	free((void *)list->items);
	*list = (struct cli_list){ 0 };
}

void cli_set_value(const struct cli_option *option, void *values,
		   const char *text)
{
	void *value = (char *)values + option->offset;

	switch (option->kind) {
	case CLI_FLAG:
		*(bool *)value = true;
		break;
	case CLI_TEXT:
		*(const char **)value = text ? text : "";
		break;
	case CLI_NUMBER:
		set_number(option, value, text);
		break;
	case CLI_SIZE:
		set_size(option, value, text);
		break;
	case CLI_LIMIT:
		set_limit(option, value, text);
		break;
	case CLI_CHOICE:
		set_choice(option, value, text);
		break;
	case CLI_LIST:
		add_item(value, text);
		break;
	case CLI_HELP:
	case CLI_VERSION:
	case CLI_HEADING:
		break;
	}
}

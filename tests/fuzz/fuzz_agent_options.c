/* SPDX-License-Identifier: MIT */
/*
 * fuzz_agent_options.c - the agent's options. Whatever comes, the result is
 * one of three, a message is short, printable and never empty, and what was
 * taken is taken again when it is written out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/common/options.h"
#include "target.h"

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_message(const char *message, size_t room)
{
	size_t size = strnlen(message, room);

	must(size > 0 && size < room);
	for (size_t i = 0; i < size; i++)
		must((unsigned char)message[i] >= 0x20 && message[i] != 0x7f);
}

static char yes_no(bool value)
{
	return value ? 'y' : 'n';
}

static void check_again(const struct ag_options *o)
{
	struct ag_options again;
	char message[200];
	size_t room = (o->file ? strlen(o->file) : 0) + 200;
	char *text = malloc(room);

	if (!text)
		exit(2);
	snprintf(text, room,
		 "force=%c,doe=%c,oome=%c,verbose=%c,live=%c,constpool=%c,"
		 "ids=%u%s%s",
		 yes_no(o->force), yes_no(o->at_exit), yes_no(o->at_oome),
		 yes_no(o->verbose), yes_no(o->live), yes_no(o->constants),
		 o->id_size, o->file ? ",file=" : "", o->file ? o->file : "");
	must(ag_options_parse(text, &again, message, sizeof message) ==
	     AG_OPTIONS_OK);
	must(again.force == o->force && again.at_exit == o->at_exit &&
	     again.at_oome == o->at_oome && again.verbose == o->verbose &&
	     again.live == o->live && again.constants == o->constants &&
	     again.id_size == o->id_size);
	must(!again.file == !o->file &&
	     (!o->file || strcmp(again.file, o->file) == 0));
	ag_options_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ag_options o;
	char message[200] = "";
	char *text = malloc(size + 1);

	if (!text)
		exit(2);
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	switch (ag_options_parse(text, &o, message, sizeof message)) {
	case AG_OPTIONS_OK:
		check_again(&o);
		break;
	case AG_OPTIONS_HELP:
		must(message[0] == '\0');
		break;
	case AG_OPTIONS_WRONG:
		check_message(message, sizeof message);
		break;
	}
	ag_options_free(&o);
	free(text);
	return 0;
}

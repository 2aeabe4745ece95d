/* SPDX-License-Identifier: MIT */
/*
 * source_archive.c - finds the member of a zip or tar file that is the dump,
 * with libarchive.
 *
 * A dump is recognized by its first bytes, after decompression if need be. If
 * the archive can be read at random, all members are examined before one is
 * chosen; in a stream the first dump is taken, and a second one behind it gives
 * a warning.
 */
#include <stdio.h>
#include <string.h>

#include "io/archive_member.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/utf8.h"

#define NAME_ROOM 200 /* for one name in a message */
#define LIST_ROOM 600 /* for all names in a message */

/* ---- choosing ------------------------------------------------------------ */

struct choice {
	const char *wanted; /* or NULL */
	struct hp_layers layers;
	unsigned count;	      /* members named WANTED; if NULL, dumps */
	uint64_t index;	      /* of the first of these */
	char list[LIST_ROOM]; /* names of the dumps, or of all if WANTED */
	size_t list_used;
	struct hp_source *top; /* in a stream: the stack on the first dump */
	char name[NAME_ROOM];  /* of the first, escaped */
};

static void escape_name(struct archive_entry *entry, char *text, size_t room)
{
	const char *name = archive_entry_pathname(entry);

	if (name == NULL)
		name = archive_entry_pathname_utf8(entry);
	if (name == NULL)
		name = "(name in an unknown character set)";
	hp_text_escape(name, strlen(name), text, room);
}

/* Appends NAME to the list, or "..." if there is no room. */
static void add_name(struct choice *choice, const char *name)
{
	size_t room = sizeof(choice->list) - choice->list_used;
	size_t length = strlen(name);

	if (room < 8)
		return;
	if (length + 8 > room) {
		name = "...";
		length = room - 3;
	}
	snprintf(choice->list + choice->list_used, room, "%s%s",
		 choice->list_used > 0 ? ", " : "", name);
	choice->list_used += length + (choice->list_used > 0 ? 2 : 0);
}

static bool is_wanted(const struct choice *choice, struct archive_entry *entry,
		      const char *escaped)
{
	const char *name = archive_entry_pathname(entry);

	return (name != NULL && strcmp(name, choice->wanted) == 0) ||
	       strcmp(escaped, choice->wanted) == 0;
}

/* Examines one member. *RET_DONE: the others need not be examined. */
static enum hprof_status consider(struct hp_archive_input *input,
				  struct choice *choice,
				  struct archive_entry *entry, uint64_t index,
				  bool *ret_done, struct hprof_error *error)
{
	struct hp_source *top = NULL;
	char name[NAME_ROOM];
	bool found;

	if (archive_entry_filetype(entry) != AE_IFREG)
		return HPROF_OK;
	escape_name(entry, name, sizeof(name));
	if (choice->wanted == NULL)
		HP_TRY(hp_archive_probe(input, choice->layers, &top, error));
	found = choice->wanted != NULL ? is_wanted(choice, entry, name)
				       : top != NULL;
	if (choice->wanted != NULL || found)
		add_name(choice, name);
	if (!found)
		return HPROF_OK;
	if (choice->count++ == 0) {
		choice->index = index;
		memcpy(choice->name, name, sizeof(name));
	}
	if (!hp_archive_can_seek(input->below)) {
		choice->top = top;
		*ret_done = true;
		return HPROF_OK;
	}
	hp_source_close(top);
	*ret_done = choice->wanted != NULL;
	return HPROF_OK;
}

/* Examines all members. A failure counts only if nothing was found before. */
static enum hprof_status scan(struct hp_archive_input *input,
			      struct choice *choice, struct hprof_error *error)
{
	struct archive_entry *entry;
	bool done = false;
	uint64_t index;

	for (index = 0; !done; index++) {
		int result = archive_read_next_header(input->archive, &entry);

		if (result == ARCHIVE_EOF)
			return HPROF_OK;
		if (result < ARCHIVE_WARN)
			return choice->count > 0
				       ? HPROF_OK
				       : hp_archive_input_failure(
						 input,
						 hp_archive_input_container(
							 input),
						 error);
		HP_TRY(consider(input, choice, entry, index, &done, error));
	}
	return HPROF_OK;
}

static enum hprof_status check_choice(const struct choice *choice,
				      struct hprof_error *error)
{
	if (choice->count == 0 && choice->wanted != NULL)
		return hp_fail(error, HPROF_E_USAGE, HP_NO_OFFSET,
			       "the archive has no such member; it has: %s",
			       choice->list_used > 0 ? choice->list : "none");
	if (choice->count == 0)
		return hp_fail(error, HPROF_E_FORMAT, HP_NO_OFFSET,
			       "no HPROF dump in this archive");
	if (choice->count > 1 && choice->wanted == NULL)
		return hp_fail(error, HPROF_E_AMBIGUOUS, HP_NO_OFFSET,
			       "the archive holds %u dumps, a member must be "
			       "named: %s",
			       choice->count, choice->list);
	return HPROF_OK;
}

/* Opens INPUT again and moves to the member at INDEX. */
static enum hprof_status go_to(struct hp_archive_input *input, uint64_t index,
			       struct hprof_error *error)
{
	struct archive_entry *entry;
	uint64_t i;

	if (!hp_archive_input_open(input, NULL))
		return hp_archive_input_failure(input, "archive", error);
	for (i = 0; i <= index; i++)
		if (archive_read_next_header(input->archive, &entry) <
			    ARCHIVE_WARN ||
		    entry == NULL)
			return hp_archive_input_failure(
				input, hp_archive_input_container(input),
				error);
	return HPROF_OK;
}

/* The bottom of a stack that hp_archive_probe() built. */
static struct hp_archive_member *bottom_of(struct hp_source *top)
{
	while (top->below != NULL)
		top = top->below;
	return (struct hp_archive_member *)top;
}

/* ---- stacking ------------------------------------------------------------ */

static enum hprof_status set_name(struct hp_source *top, const char *name,
				  struct hprof_error *error)
{
	if (top->member == NULL)
		top->member = hp_strdup(name);
	if (top->member != NULL)
		return HPROF_OK;
	hp_source_close(top);
	return hp_no_memory(error);
}

/* Takes ownership of INPUT, which is at the chosen member. */
static enum hprof_status take_member(struct hp_archive_input *input,
				     struct choice *choice,
				     struct hp_source **ret,
				     struct hprof_error *error)
{
	struct hp_archive_member *member;
	struct hp_source *top = choice->top;

	if (top != NULL) {
		member = bottom_of(top);
		hp_archive_member_own(member);
		member->look_on = true;
		HP_TRY(set_name(top, choice->name, error));
		*ret = top;
		return HPROF_OK;
	}
	member = hp_archive_member_new(input, hp_archive_input_container(input),
				       choice->layers);
	if (member == NULL) {
		hp_source_close(input->below);
		hp_archive_input_free(input);
		return hp_no_memory(error);
	}
	hp_archive_member_own(member);
	HP_TRY(choice->layers.stack(&member->source, NULL, 1,
				    choice->layers.left, &top, error));
	HP_TRY(set_name(top, choice->name, error));
	*ret = top;
	return HPROF_OK;
}

static enum hprof_status choose(struct hp_archive_input *input,
				struct choice *choice,
				struct hprof_error *error)
{
	if (!hp_archive_input_open(input, NULL))
		return hp_archive_input_failure(input, "archive", error);
	HP_TRY(scan(input, choice, error));
	HP_TRY(check_choice(choice, error));
	if (hp_archive_can_seek(input->below))
		return go_to(input, choice->index, error);
	return HPROF_OK;
}

enum hprof_status hp_source_archive(struct hp_source *below, const char *member,
				    struct hp_layers layers,
				    struct hp_source **ret,
				    struct hprof_error *error)
{
	struct choice choice = { .wanted = member, .layers = layers };
	struct hp_archive_input *input = hp_archive_input_new(below);
	enum hprof_status status;

	if (input == NULL) {
		hp_source_close(below);
		return hp_no_memory(error);
	}
	status = choose(input, &choice, error);
	if (status >= 0)
		return take_member(input, &choice, ret, error);
	hp_source_close(choice.top);
	hp_archive_input_free(input);
	hp_source_close(below);
	return status;
}

/*
 * source_archive.c - zip and tar by libarchive, and its filters for the
 * compressors that we have no library of our own for.
 *
 * A member is taken for a dump by its first bytes, seen through whatever it
 * is compressed with. If the archive can be read at random, all members are
 * looked at before one is chosen; in a stream the first dump is taken, and a
 * second one behind it gives a warning.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "mem.h"
#include "source.h"
#include "source_stream.h"
#include "text.h"

#define PIECE ((size_t)256 << 10)
#define NAME_ROOM 200	  /* of one name in a message */
#define LIST_ROOM 600	  /* of all names in a message */
#define EMPTY_BLOCKS 1000 /* in a row that we put up with */

/* ---- libarchive and what it reads from ---------------------------------- */

struct input {
	struct archive *archive;
	struct hp_source *below;
	uint64_t place;		    /* if BELOW has pread */
	bool at_end;		    /* libarchive wanted more than there is */
	struct hprof_error failure; /* of BELOW */
	unsigned char *buffer;
};

static la_ssize_t input_read(struct archive *archive, void *user,
			     const void **ret_bytes)
{
	struct input *input = user;
	struct hp_source *below = input->below;
	enum hprof_status status;
	size_t n;

	if (below->ops->pread == NULL) {
		status = below->ops->read(below, input->buffer, PIECE, &n);
		if (status < 0)
			input->failure = below->error;
	} else {
		status = below->ops->pread(below, input->place, input->buffer,
					   PIECE, &n, &input->failure);
		input->place += n;
		atomic_store_explicit(&below->file_used, input->place,
				      memory_order_relaxed);
	}
	*ret_bytes = input->buffer;
	if (n > 0)
		return (la_ssize_t)n;
	input->at_end = true;
	if (status >= 0)
		return 0;
	archive_set_error(archive, EIO, "cannot read");
	return -1;
}

static la_int64_t input_skip(struct archive *archive, void *user,
			     la_int64_t request)
{
	struct input *input = user;
	uint64_t left = input->place < input->below->size
				? input->below->size - input->place
				: 0;

	(void)archive;
	if (request < 0)
		return 0;
	if ((uint64_t)request > left)
		request = (la_int64_t)left;
	input->place += (uint64_t)request;
	return request;
}

static la_int64_t input_seek(struct archive *archive, void *user,
			     la_int64_t offset, int whence)
{
	struct input *input = user;
	uint64_t size = input->below->size;
	la_int64_t from = 0;

	(void)archive;
	if (whence == SEEK_CUR)
		from = (la_int64_t)input->place;
	else if (whence == SEEK_END)
		from = (la_int64_t)size;
	if (__builtin_add_overflow(from, offset, &from) || from < 0 ||
	    (uint64_t)from > size)
		return ARCHIVE_FATAL;
	input->place = (uint64_t)from;
	return from;
}

static bool can_seek(const struct hp_source *below)
{
	return below->ops->pread != NULL && below->size < INT64_MAX;
}

/* Frees all but what is below. */
static void input_free(struct input *input)
{
	if (input == NULL)
		return;
	archive_read_free(input->archive);
	hp_free(input->buffer);
	hp_free(input);
}

static struct input *input_new(struct hp_source *below)
{
	struct input *input = hp_calloc(1, sizeof(*input));

	if (input == NULL)
		return NULL;
	input->below = below;
	input->buffer = hp_alloc(PIECE);
	if (input->buffer == NULL) {
		input_free(input);
		return NULL;
	}
	return input;
}

static bool says(const struct input *input, const char *part)
{
	const char *text = archive_error_string(input->archive);

	return text != NULL && strstr(text, part) != NULL;
}

static enum hprof_status failure_status(const struct input *input)
{
	if (archive_errno(input->archive) == ENOMEM)
		return HPROF_E_NOMEM;
	if (says(input, "nsupported") || says(input, "not supported") ||
	    says(input, "ncrypt"))
		return HPROF_E_UNSUPPORTED;
	if (input->at_end || says(input, "runcated"))
		return HPROF_E_TRUNCATED;
	return HPROF_E_CORRUPT;
}

/* What libarchive has just complained of. */
static enum hprof_status input_failure(const struct input *input,
				       const char *container,
				       struct hprof_error *error)
{
	const char *text = archive_error_string(input->archive);
	char safe[256];

	if (input->failure.status < 0) {
		*error = input->failure;
		return error->status;
	}
	if (text == NULL)
		text = "cannot be read";
	hp_text_escape(text, strlen(text), safe, sizeof(safe));
	return hp_fail(error, failure_status(input), HP_NO_OFFSET, "%s: %s",
		       container, safe);
}

/* ---- opening ------------------------------------------------------------ */

struct filter {
	const char *name;
	const char *magic;
	size_t magic_size;
	int (*support)(struct archive *archive);
};

static const struct filter filters[] = {
	{ "lz4", "\x04\x22\x4d\x18", 4, archive_read_support_filter_lz4 },
	{ "lzip", "LZIP", 4, archive_read_support_filter_lzip },
#ifndef HAVE_ZSTD
	{ "zstd", "\x28\xb5\x2f\xfd", 4, archive_read_support_filter_zstd },
#endif
#ifndef HAVE_LZMA
	{ "xz",
	  "\xfd"
	  "7zXZ",
	  6, archive_read_support_filter_xz },
#endif
#ifndef HAVE_BZIP2
	{ "bzip2", "BZh", 3, archive_read_support_filter_bzip2 },
#endif
};

static const struct filter *find_filter(const void *head, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (size >= filters[i].magic_size &&
		    memcmp(head, filters[i].magic, filters[i].magic_size) == 0)
			return &filters[i];
	return NULL;
}

bool hp_source_is_filter(const void *head, size_t size)
{
	return find_filter(head, size) != NULL;
}

/* Opens INPUT at its start: with a FILTER, or as an archive if that is NULL. */
static bool input_open(struct input *input, const struct filter *filter)
{
	struct archive *a;

	archive_read_free(input->archive);
	input->place = 0;
	input->at_end = false;
	a = input->archive = archive_read_new();
	if (a == NULL)
		return false;
	if (filter != NULL) {
		/* Anything but OK would be a program that is started. */
		if (filter->support(a) != ARCHIVE_OK)
			return false;
		archive_read_support_format_raw(a);
	} else {
		archive_read_support_format_zip(a);
		archive_read_support_format_tar(a);
	}
	if (can_seek(input->below)) {
		archive_read_set_skip_callback(a, input_skip);
		archive_read_set_seek_callback(a, input_seek);
	}
	archive_read_set_read_callback(a, input_read);
	archive_read_set_callback_data(a, input);
	return archive_read_open1(a) == ARCHIVE_OK;
}

static const char *input_container(const struct input *input)
{
	int format = archive_format(input->archive);

	return (format & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP
		       ? "zip"
		       : "tar";
}

/* ---- a member as a source ------------------------------------------------ */

struct member_source {
	struct hp_source source;
	struct input *input;
	bool owns;    /* the input; else it looks at a member only */
	bool look_on; /* for another dump behind this member */
	bool ended;
	unsigned layers;
	const unsigned char *block; /* libarchive's */
	size_t block_left;
	uint64_t gap; /* zeros to give before the block */
	uint64_t out;
};

static enum hprof_status probe(struct input *input, unsigned layers,
			       struct hp_source **ret,
			       struct hprof_error *error);

static void look_for_more(struct member_source *member)
{
	struct input *input = member->input;
	struct archive_entry *entry;
	struct hprof_error unwanted;
	struct hp_source *other;

	while (archive_read_next_header(input->archive, &entry) >=
	       ARCHIVE_WARN) {
		if (archive_entry_filetype(entry) != AE_IFREG ||
		    probe(input, member->layers, &other, &unwanted) !=
			    HPROF_OK ||
		    other == NULL)
			continue;
		hp_source_close(other);
		member->source.warning_code = "several-members";
		snprintf(member->source.warning, sizeof(member->source.warning),
			 "the archive holds more than one dump; the first is "
			 "read");
		return;
	}
}

static enum hprof_status end_member(struct member_source *member)
{
	if (!member->ended && member->look_on)
		look_for_more(member);
	member->ended = true;
	return HPROF_END;
}

/* The next block from libarchive; it may leave holes between them. */
static enum hprof_status next_block(struct member_source *member)
{
	struct hprof_error *error = &member->source.error;
	const void *bytes = NULL;
	size_t n = 0;
	la_int64_t offset = 0;
	int result;

	result = archive_read_data_block(member->input->archive, &bytes, &n,
					 &offset);
	if (result == ARCHIVE_EOF)
		return end_member(member);
	if (result != ARCHIVE_OK && (result != ARCHIVE_WARN || n == 0)) {
		input_failure(member->input, member->source.container, error);
		error->offset = member->out;
		return error->status;
	}
	if (offset < 0 || (uint64_t)offset < member->out)
		return hp_fail(error, HPROF_E_CORRUPT, member->out,
			       "%s: parts of a file overlap",
			       member->source.container);
	member->gap = (uint64_t)offset - member->out;
	member->block = bytes;
	member->block_left = n;
	return HPROF_OK;
}

static size_t give_bytes(struct member_source *member, void *buffer,
			 size_t room)
{
	size_t n;

	if (member->gap > 0) {
		n = member->gap < room ? (size_t)member->gap : room;
		memset(buffer, 0, n);
		member->gap -= n;
	} else {
		n = member->block_left < room ? member->block_left : room;
		memcpy(buffer, member->block, n);
		member->block += n;
		member->block_left -= n;
	}
	member->out += n;
	return n;
}

static enum hprof_status member_read(struct hp_source *source, void *buffer,
				     size_t room, size_t *ret_n)
{
	struct member_source *member = (struct member_source *)source;
	enum hprof_status status;
	unsigned empty = 0;

	if (hp_source_early(source, buffer, room, ret_n, &status))
		return status;
	if (member->ended)
		return HPROF_END;
	while (member->gap == 0 && member->block_left == 0) {
		if (empty++ == EMPTY_BLOCKS)
			return hp_fail(&source->error, HPROF_E_CORRUPT,
				       member->out,
				       "%s: nothing but empty "
				       "blocks",
				       source->container);
		status = next_block(member);
		if (status != HPROF_OK)
			return status;
	}
	*ret_n = give_bytes(member, buffer, room);
	return HPROF_OK;
}

static void member_close(struct hp_source *source)
{
	struct member_source *member = (struct member_source *)source;

	if (member->owns)
		input_free(member->input);
	else
		source->below = NULL;
	hp_source_free(source);
}

static const struct hp_source_ops member_ops = { .read = member_read,
						 .pread = NULL,
						 .close = member_close };

/* The member that libarchive stands at, to look at. */
static struct member_source *member_new(struct input *input,
					const char *container, unsigned layers)
{
	struct member_source *member = hp_calloc(1, sizeof(*member));

	if (member == NULL)
		return NULL;
	hp_source_init(&member->source, &member_ops, input->below, container);
	member->source.below = NULL;
	member->input = input;
	member->layers = layers;
	return member;
}

static void member_own(struct member_source *member)
{
	member->owns = true;
	member->source.below = member->input->below;
}

/* ---- is it a dump -------------------------------------------------------- */

static bool is_grave(enum hprof_status status)
{
	return status == HPROF_E_NOMEM || status == HPROF_E_SYS;
}

/*
 * *RET is the stack on the member if that is a dump, else NULL; its bottom
 * does not own INPUT. OK whatever is wrong with the member, but for failures
 * that will not be better with the next.
 */
static enum hprof_status probe(struct input *input, unsigned layers,
			       struct hp_source **ret,
			       struct hprof_error *error)
{
	struct member_source *member;
	struct hp_source *top;
	enum hprof_status status;
	unsigned char head[12];
	size_t n;

	*ret = NULL;
	member = member_new(input, input_container(input), layers);
	if (member == NULL)
		return hp_no_memory(error);
	status = hp_source_stack(&member->source, NULL, 1, layers, &top, error);
	if (status < 0)
		return is_grave(status) ? status : HPROF_OK;
	status = hp_source_peek(top, head, sizeof(head), &n);
	if (status >= 0 && hp_is_hprof(head, n)) {
		*ret = top;
		return HPROF_OK;
	}
	*error = top->error;
	hp_source_close(top);
	return is_grave(status) ? status : HPROF_OK;
}

/* ---- choosing ------------------------------------------------------------ */

struct choice {
	const char *wanted; /* or NULL */
	unsigned layers;
	unsigned count;	      /* of the wanted ones or, without, of all dumps */
	uint64_t index;	      /* of the first of them */
	char list[LIST_ROOM]; /* names: of the dumps, or of all if WANTED */
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

/* Names end in "..." once there is no more room. */
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

/* Looks at one member; END once the choice is made. */
static enum hprof_status consider(struct input *input, struct choice *choice,
				  struct archive_entry *entry, uint64_t index,
				  struct hprof_error *error)
{
	struct hp_source *top = NULL;
	char name[NAME_ROOM];
	bool found;

	if (archive_entry_filetype(entry) != AE_IFREG)
		return HPROF_OK;
	escape_name(entry, name, sizeof(name));
	if (choice->wanted == NULL)
		HP_TRY(probe(input, choice->layers, &top, error));
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
	if (!can_seek(input->below)) {
		choice->top = top;
		return HPROF_END;
	}
	hp_source_close(top);
	return choice->wanted != NULL ? HPROF_END : HPROF_OK;
}

/* Goes through the members. A failure counts only if nothing was found. */
static enum hprof_status scan(struct input *input, struct choice *choice,
			      struct hprof_error *error)
{
	struct archive_entry *entry;
	enum hprof_status status = HPROF_OK;
	uint64_t index;

	for (index = 0; status == HPROF_OK; index++) {
		int result = archive_read_next_header(input->archive, &entry);

		if (result == ARCHIVE_EOF)
			return HPROF_OK;
		if (result < ARCHIVE_WARN)
			return choice->count > 0
				       ? HPROF_OK
				       : input_failure(input,
						       input_container(input),
						       error);
		status = consider(input, choice, entry, index, error);
	}
	return status;
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

/* Opens INPUT once more and goes to the member at INDEX. */
static enum hprof_status go_to(struct input *input, uint64_t index,
			       struct hprof_error *error)
{
	struct archive_entry *entry;
	uint64_t i;

	if (!input_open(input, NULL))
		return input_failure(input, "archive", error);
	for (i = 0; i <= index; i++)
		if (archive_read_next_header(input->archive, &entry) <
			    ARCHIVE_WARN ||
		    entry == NULL)
			return input_failure(input, input_container(input),
					     error);
	return HPROF_OK;
}

/* The bottom of a stack that probe() built: the one without anything below. */
static struct member_source *bottom_of(struct hp_source *top)
{
	while (top->below != NULL)
		top = top->below;
	return (struct member_source *)top;
}

/* ---- putting it on ------------------------------------------------------- */

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

/* The input is at the chosen member; owns it from here on. */
static enum hprof_status take_member(struct input *input, struct choice *choice,
				     struct hp_source **ret,
				     struct hprof_error *error)
{
	struct member_source *member;
	struct hp_source *top = choice->top;

	if (top != NULL) {
		member = bottom_of(top);
		member_own(member);
		member->look_on = true;
		HP_TRY(set_name(top, choice->name, error));
		*ret = top;
		return HPROF_OK;
	}
	member = member_new(input, input_container(input), choice->layers);
	if (member == NULL) {
		hp_source_close(input->below);
		input_free(input);
		return hp_no_memory(error);
	}
	member_own(member);
	HP_TRY(hp_source_stack(&member->source, NULL, 1, choice->layers, &top,
			       error));
	HP_TRY(set_name(top, choice->name, error));
	*ret = top;
	return HPROF_OK;
}

static enum hprof_status choose(struct input *input, struct choice *choice,
				struct hprof_error *error)
{
	if (!input_open(input, NULL))
		return input_failure(input, "archive", error);
	HP_TRY(scan(input, choice, error));
	HP_TRY(check_choice(choice, error));
	if (can_seek(input->below))
		return go_to(input, choice->index, error);
	return HPROF_OK;
}

enum hprof_status hp_source_archive(struct hp_source *below, const char *member,
				    unsigned layers, struct hp_source **ret,
				    struct hprof_error *error)
{
	struct choice choice = { .wanted = member, .layers = layers };
	struct input *input = input_new(below);
	enum hprof_status status;

	if (input == NULL) {
		hp_source_close(below);
		return hp_no_memory(error);
	}
	status = choose(input, &choice, error);
	if (status >= 0)
		return take_member(input, &choice, ret, error);
	hp_source_close(choice.top);
	input_free(input);
	hp_source_close(below);
	return status;
}

/* ---- filters ------------------------------------------------------------- */

static enum hprof_status open_filter(struct input *input,
				     const struct filter *filter,
				     struct hprof_error *error)
{
	struct archive_entry *entry;

	if (input_open(input, filter) &&
	    archive_read_next_header(input->archive, &entry) >= ARCHIVE_WARN)
		return HPROF_OK;
	if (input->archive == NULL)
		return hp_no_memory(error);
	return input_failure(input, filter->name, error);
}

enum hprof_status hp_source_filter(struct hp_source *below, const void *head,
				   size_t head_size, struct hp_source **ret,
				   struct hprof_error *error)
{
	const struct filter *filter = find_filter(head, head_size);
	struct input *input = input_new(below);
	struct member_source *member = NULL;
	enum hprof_status status = HPROF_E_NOMEM;

	if (input != NULL)
		member = member_new(input, filter->name, 0);
	if (member != NULL)
		status = open_filter(input, filter, error);
	else
		hp_fail(error, status, HP_NO_OFFSET, "out of memory");
	if (status >= 0) {
		member_own(member);
		*ret = &member->source;
		return HPROF_OK;
	}
	if (member != NULL)
		member_close(&member->source);
	input_free(input);
	hp_source_close(below);
	return status;
}

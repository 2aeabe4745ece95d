/* SPDX-License-Identifier: MIT */
/*
 * 02_count.c - counts the instances of each class.
 *
 *   02_count DUMP
 *
 * A dump refers to everything by id: an instance names its class' id, a
 * LOAD_CLASS record says which string is the name of that class, and a UTF8
 * record is the string. They may come in any order.
 *
 *   cc -o 02_count 02_count.c $(pkg-config --cflags --libs libhprof)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

/* ---- a table by id ------------------------------------------------------- */

struct entry {
	bool used;
	uint64_t id;
	uint64_t name_id; /* of a class */
	uint64_t count;	  /* of its instances */
	char *text;	  /* of a string */
};

struct table {
	struct entry *entries;
	size_t used, room; /* room is 0 or a power of two */
};

static struct entry *find(const struct table *table, uint64_t id)
{
	size_t i = (size_t)(id * 0x9e3779b97f4a7c15 >> 32);

	for (;; i++) {
		struct entry *entry = &table->entries[i & (table->room - 1)];
		if (!entry->used || entry->id == id)
			return entry;
	}
}

static void *must_have(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "02_count: out of memory\n");
	exit(1);
}

static void grow(struct table *table)
{
	struct table larger = { .used = table->used,
				.room = table->room ? 2 * table->room : 1024 };

	larger.entries = must_have(calloc(larger.room, sizeof *larger.entries));
	for (size_t i = 0; i < table->room; i++)
		if (table->entries[i].used)
			*find(&larger, table->entries[i].id) =
				table->entries[i];
	free(table->entries);
	*table = larger;
}

/* The entry of ID, made if there is none. */
static struct entry *get(struct table *table, uint64_t id)
{
	if (2 * table->used >= table->room)
		grow(table);
	struct entry *entry = find(table, id);
	if (!entry->used) {
		entry->used = true;
		entry->id = id;
		table->used++;
	}
	return entry;
}

/* ---- the dump ------------------------------------------------------------ */

static struct table strings, classes;

/* Keeps a class name as Java writes it: "java.lang.String". */
static void note_string(const struct hprof_utf8 *utf8)
{
	if (!utf8->text.data) /* too long for a name, and not in memory */
		return;
	struct entry *entry = get(&strings, utf8->string_id);
	size_t size = (size_t)utf8->text.size;
	size_t length = hprof_class_name_decode(utf8->text.data, size, NULL, 0);

	free(entry->text);
	entry->text = must_have(malloc(length + 1));
	hprof_class_name_decode(utf8->text.data, size, entry->text, length);
	entry->text[length] = '\0';
}

static void note_record(const struct hprof_record *record)
{
	switch (record->tag) {
	case HPROF_UTF8:
		note_string(&record->u.utf8);
		break;
	case HPROF_LOAD_CLASS:
		get(&classes, record->u.load_class.class_id)->name_id =
			record->u.load_class.name_id;
		break;
	case HPROF_INSTANCE_DUMP:
		get(&classes, record->u.instance_dump.class_id)->count++;
		break;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void print(void)
{
	qsort(classes.entries, classes.room, sizeof *classes.entries, by_count);
	for (size_t i = 0; i < classes.room && classes.entries[i].count; i++) {
		const struct entry *class = &classes.entries[i];
		const char *name =
			strings.room ? find(&strings, class->name_id)->text
				     : NULL;
		printf("%10" PRIu64 "  %s\n", class->count,
		       name ? name : "(a class without name)");
	}
}

int main(int argc, char **argv)
{
	struct hprof_input input;
	struct hprof_reader *reader;
	struct hprof_record record;
	struct hprof_error error;
	enum hprof_status status;

	if (argc != 2) {
		fprintf(stderr, "usage: 02_count DUMP\n");
		return 2;
	}
	input = hprof_input_path(argv[1]);
	if (hprof_reader_open(&input, NULL, &reader, &error) != HPROF_OK) {
		fprintf(stderr, "02_count: %s: %s\n", argv[1], error.text);
		return 1;
	}
	while ((status = hprof_reader_next(reader, &record)) == HPROF_OK)
		note_record(&record);
	if (status < 0)
		fprintf(stderr, "02_count: %s: %s\n", argv[1],
			hprof_reader_error(reader)->text);
	print();

	hprof_reader_close(reader);
	for (size_t i = 0; i < strings.room; i++)
		free(strings.entries[i].text);
	free(strings.entries);
	free(classes.entries);
	return status == HPROF_END ? 0 : 1;
}

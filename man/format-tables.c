/* SPDX-License-Identifier: MIT */
/*
 * format-tables.c - makes hprof(5) of hprof.5.in: each line
 *
 *	@record NAME@	becomes the table of that record's fields,
 *	@records@	the table of all top-level records,
 *	@sub-records@	that of all heap sub-records,
 *	@types@		that of the type codes,
 *
 * made from the descriptions in the library, which its decoder shares. A
 * record whose fields are in no table is an error. With the argument "codes" it prints
 * what hprof-check(1) can say, a line for each code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hprof.h>

/* BYTES + IDS * W: a size or an offset. */
struct extent {
	unsigned bytes, ids;
};

static bool shown[2 * HPROF_SUB];

static void die(const char *what, const char *name)
{
	fprintf(stderr, "format-tables: %s '%s'\n", what, name);
	exit(1);
}

/* ---- pieces -------------------------------------------------------------- */

static void print_extent(struct extent e)
{
	if (e.bytes || !e.ids)
		printf("%u", e.bytes);
	if (e.bytes && e.ids)
		printf("+");
	if (e.ids > 1)
		printf("%u", e.ids);
	if (e.ids)
		printf("W");
}

/* The width of a fixed field. */
static struct extent width_of(const struct hprof_field_info *field)
{
	switch (field->kind) {
	case HPROF_KIND_ID:
		return (struct extent){ 0, 1 };
	case HPROF_KIND_U1:
	case HPROF_KIND_TYPE:
		return (struct extent){ 1, 0 };
	case HPROF_KIND_U2:
		return (struct extent){ 2, 0 };
	case HPROF_KIND_U4:
	case HPROF_KIND_I4:
	case HPROF_KIND_COUNT:
		return (struct extent){ 4, 0 };
	case HPROF_KIND_U8:
		return (struct extent){ 8, 0 };
	default:
		return (struct extent){ 0, 0 };
	}
}

static const char *type_of(const struct hprof_field_info *field)
{
	static const char *const types[] = {
		[HPROF_KIND_ID] = "id",	       [HPROF_KIND_U1] = "u1",
		[HPROF_KIND_U2] = "u2",	       [HPROF_KIND_U4] = "u4",
		[HPROF_KIND_I4] = "i4",	       [HPROF_KIND_U8] = "u8",
		[HPROF_KIND_TYPE] = "u1",      [HPROF_KIND_COUNT] = "u4",
		[HPROF_KIND_REST] = "u1[]",    [HPROF_KIND_BYTES] = "u1[n]",
		[HPROF_KIND_IDS] = "id[n]",    [HPROF_KIND_VALUES] = "value[n]",
		[HPROF_KIND_LIST] = "list[n]", [HPROF_KIND_CLASS] = "lists",
	};

	return types[field->kind];
}

static const char *role_of(const struct hprof_field_info *field)
{
	static const char *const roles[] = {
		[HPROF_ROLE_NONE] = "",
		[HPROF_ROLE_STRING_DEF] = "a string, defined here",
		[HPROF_ROLE_STRING] = "a string",
		[HPROF_ROLE_CLASS_DEF] = "a class object, defined here",
		[HPROF_ROLE_CLASS] = "a class object",
		[HPROF_ROLE_OBJECT_DEF] = "an object, defined here",
		[HPROF_ROLE_OBJECT] = "an object",
		[HPROF_ROLE_FRAME_DEF] = "a stack frame, defined here",
		[HPROF_ROLE_FRAME] = "stack frames",
		[HPROF_ROLE_JNI_REF] = "a JNI reference",
		[HPROF_ROLE_CLASS_SERIAL_DEF] = "a class serial, defined here",
		[HPROF_ROLE_CLASS_SERIAL] = "a class serial",
		[HPROF_ROLE_TRACE_SERIAL_DEF] = "a trace serial, defined here",
		[HPROF_ROLE_TRACE_SERIAL] = "a trace serial",
		[HPROF_ROLE_THREAD_SERIAL_DEF] =
			"a thread serial, defined here",
		[HPROF_ROLE_THREAD_SERIAL] = "a thread serial",
		[HPROF_ROLE_FLAGS] = "bits",
		[HPROF_ROLE_RESERVED] = "0",
		[HPROF_ROLE_TEXT] = "text",
		[HPROF_ROLE_DATA] = "values",
	};

	if (field->kind == HPROF_KIND_COUNT)
		return "n";
	if (field->kind == HPROF_KIND_TYPE)
		return "a type code";
	if (field->kind == HPROF_KIND_REST && field->role == HPROF_ROLE_DATA)
		return "sub-records";
	if (field->kind == HPROF_KIND_IDS && field->role == HPROF_ROLE_OBJECT)
		return "objects";
	return roles[field->role];
}

static const char *dialect_of(const struct hprof_record_info *info)
{
	switch (info->dialect) {
	case HPROF_DIALECT_SEGMENTS:
		return "1.0.2";
	case HPROF_DIALECT_ANDROID:
		return "1.0.3";
	default:
		return "1.0.1";
	}
}

/* ---- the table of a record ----------------------------------------------- */

static void print_head(const char *const *titles, const char *const *widths)
{
	printf(".Bl -column");
	for (; *widths; widths++)
		printf(" \"%s\"", *widths);
	printf("\n.It");
	for (const char *separator = ""; *titles; titles++) {
		printf("%s Sy %s", separator, *titles);
		separator = " Ta";
	}
	printf("\n");
}

static void print_row(struct extent at, bool fixed, const char *type,
		      const char *name, const char *meaning)
{
	printf(".It ");
	if (fixed)
		print_extent(at);
	else
		printf("\\&");
	printf(" Ta %s Ta %s Ta %s\n", type, name, *meaning ? meaning : "\\&");
}

/* The lists of CLASS_DUMP, each with elements that a type code makes long. */
static void print_class_lists(struct extent at)
{
	static const char *const rows[][3] = {
		{ "u2", "constant_count",
		  "entries of the constant pool, each" },
		{ "u2", "\\ \\ index", "in the constant pool" },
		{ "u1", "\\ \\ type", "a type code" },
		{ "value", "\\ \\ value", "\\&" },
		{ "u2", "static_count", "static fields, each" },
		{ "id", "\\ \\ name_id", "a string" },
		{ "u1", "\\ \\ type", "a type code" },
		{ "value", "\\ \\ value", "\\&" },
		{ "u2", "field_count", "instance fields, each" },
		{ "id", "\\ \\ name_id", "a string" },
		{ "u1", "\\ \\ type", "a type code" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		print_row(at, i == 0, rows[i][0], rows[i][1], rows[i][2]);
}

static void print_fields(const struct hprof_record_info *info, struct extent at)
{
	static const char *const titles[] = { "offset", "type", "field",
					      "content", NULL };
	static const char *const widths[] = { "offsetx", "value[n]",
					      "allocated_instances", "content",
					      NULL };
	const struct hprof_record_info *group = NULL;

	print_head(titles, widths);
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct hprof_field_info *field = &info->fields[i];
		struct extent width = width_of(field);
		if (field->kind == HPROF_KIND_CLASS) {
			print_class_lists(at);
			continue;
		}
		print_row(at, true, type_of(field), field->name,
			  field->group ? "see below" : role_of(field));
		at.bytes += width.bytes;
		at.ids += width.ids;
		group = field->group ? field->group : group;
	}
	printf(".El\n");
	if (group) {
		printf(".Pp\nEach element of the list:\n");
		print_fields(group, (struct extent){ 0, 0 });
	}
}

static const struct hprof_record_info *find_record(const char *name)
{
	const struct hprof_record_info *info;

	for (unsigned i = 0; (info = hprof_record_list(i)); i++)
		if (strcmp(info->name, name) == 0)
			return info;
	die("no record", name);
	return NULL;
}

static void print_record(const char *name)
{
	const struct hprof_record_info *info = find_record(name);

	shown[info->tag] = true;
	print_fields(info, (struct extent){ info->tag >= HPROF_SUB, 0 });
}

/* ---- the other tables ---------------------------------------------------- */

/* "24 / 40" for the two widths of ids, with "+" before a tail. */
static void print_size(const struct hprof_record_info *info)
{
	struct extent size = { info->tag >= HPROF_SUB, 0 };
	bool open = false;

	for (unsigned i = 0; i < info->field_count; i++) {
		struct extent width = width_of(&info->fields[i]);
		size.bytes += width.bytes;
		size.ids += width.ids;
		if (info->fields[i].kind == HPROF_KIND_CLASS)
			size.bytes += 6;
		open = open || (!width.bytes && !width.ids);
	}
	printf("%u / %u%s", size.bytes + 4 * size.ids,
	       size.bytes + 8 * size.ids, open ? " +" : "");
}

static void print_list(bool subs)
{
	static const char *const titles[] = { "tag", "name", "since", "bytes",
					      NULL };
	static const char *const widths[] = { "0x00x", "PRIM_ARRAY_NODATA_DUMP",
					      "since", "bytes", NULL };
	const struct hprof_record_info *info;

	print_head(titles, widths);
	for (unsigned i = 0; (info = hprof_record_list(i)); i++) {
		if ((info->tag >= HPROF_SUB) != subs)
			continue;
		printf(".It 0x%02X Ta %s Ta %s Ta ",
		       (unsigned)info->tag % HPROF_SUB, info->name,
		       dialect_of(info));
		print_size(info);
		printf("\n");
	}
	printf(".El\n");
}

static void print_types(void)
{
	static const char *const titles[] = { "code", "type", "bytes", NULL };
	static const char *const widths[] = { "code", "reference", "bytes",
					      NULL };

	print_head(titles, widths);
	for (unsigned type = 0; type < 256; type++) {
		const char *name = hprof_type_name(type);
		if (!name)
			continue;
		printf(".It %u Ta %s Ta ", type, name);
		if (type == HPROF_TYPE_OBJECT)
			printf("W\n");
		else
			printf("%u\n", hprof_type_size(type, 0));
	}
	printf(".El\n");
}

static void print_codes(void)
{
	static const char *const severities[] = { "note", "warning", "error" };
	static const char *const readers[] = { "-", "jdk", "mat", "",
					       "visualvm" };
	const struct hprof_check_code *code;

	for (unsigned i = 0; (code = hprof_check_code(i)); i++)
		printf("%s\t%s\t%s\t%s\n", code->code,
		       severities[code->severity], readers[code->readers],
		       code->meaning);
}

/* ---- the page ------------------------------------------------------------ */

static void expand(char *line)
{
	size_t size = strcspn(line, "\n");

	if (line[0] != '@') {
		fputs(line, stdout);
		return;
	}
	line[size] = '\0';
	if (size < 2 || line[size - 1] != '@')
		die("what is", line);
	line[size - 1] = '\0';
	if (strncmp(line, "@record ", 8) == 0)
		print_record(line + 8);
	else if (strcmp(line, "@records") == 0)
		print_list(false);
	else if (strcmp(line, "@sub-records") == 0)
		print_list(true);
	else if (strcmp(line, "@types") == 0)
		print_types();
	else
		die("no table", line + 1);
}

int main(int argc, char **argv)
{
	const struct hprof_record_info *info;
	char line[1024];
	FILE *in;

	if (argc != 2)
		die("usage", "format-tables codes|FILE");
	if (strcmp(argv[1], "codes") == 0) {
		print_codes();
		return 0;
	}
	in = fopen(argv[1], "r");
	if (!in)
		die("cannot open", argv[1]);
	while (fgets(line, sizeof line, in))
		expand(line);
	for (unsigned i = 0; (info = hprof_record_list(i)); i++)
		if (!shown[info->tag] && info->field_count)
			die("no table for record", info->name);
	return fclose(in) != 0 || fflush(stdout) != 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * fuzz_convert.c - any bytes are converted or refused, and what comes out
 * keeps what its options promise: a copy is the same bytes, a repaired dump
 * has no fault for any reader, a redacted one no value that is not 0.
 *
 * The first two bytes are the options, the rest is the dump. What starts as a
 * dump does is converted with several options, one after another.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hprof.h>

#include "../inputs.h"
#include "target.h"

#define READERS (HPROF_FOR_JDK | HPROF_FOR_MAT | HPROF_FOR_VISUALVM)

/* Bytes of a file: of one made from SIZE bytes. */
#define MOST(size) ((rlim_t)(size) * 4 + (64 << 10))

/* ---- options ------------------------------------------------------------- */

enum {
	REDACT = 3,  /* enum hprof_redact */
	WIDTH_4 = 4, /* of identifiers */
	WIDTH_8 = 8,
	FORMAT_101 = 16,
	FORMAT_102 = 32,
	REPAIR = 64,
	LIVE = 128,
	NO_ZYGOTE = 256,
	OBFUSCATE = 512, /* and back */
	KEEP = 1024
};

/* For dumps without option bytes. */
static const unsigned several[] = {
	0,
	REPAIR,
	REPAIR | FORMAT_101 | WIDTH_8,
	REPAIR | REDACT,
	WIDTH_4,
	WIDTH_8,
	FORMAT_101,
	FORMAT_102 | NO_ZYGOTE,
	HPROF_REDACT_STRINGS,
	HPROF_REDACT_PRIMITIVES,
	REDACT | WIDTH_8,
	REDACT | KEEP,
	LIVE,
	LIVE | REDACT | WIDTH_8,
	OBFUSCATE,
	OBFUSCATE | REPAIR | REDACT,
};

/* A new file of this process. */
static const char *map_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/fuzz-convert-%ld", (long)getpid());
	return path;
}

static struct hprof_convert_options options_of(unsigned bits)
{
	static const char *const keep[] = { "java.lang.*", "*#name" };
	struct hprof_convert_options o = {
		.size = sizeof(o),
		.id_size = bits & WIDTH_4   ? 4
			   : bits & WIDTH_8 ? 8
					    : 0,
		.format = bits & FORMAT_101   ? HPROF_FORMAT_101
			  : bits & FORMAT_102 ? HPROF_FORMAT_102
					      : HPROF_FORMAT_SAME,
		.no_zygote = bits & NO_ZYGOTE,
		.live = bits & LIVE,
		.redact = bits & REDACT,
		.repair = bits & REPAIR,
	};

	if (bits & KEEP && o.redact) {
		o.keep = keep;
		o.keep_count = sizeof(keep) / sizeof(*keep);
	}
	if (bits & OBFUSCATE)
		o.obfuscate = map_path();
	return o;
}

/* ---- files --------------------------------------------------------------- */

static void fail(unsigned bits, const char *what)
{
	fprintf(stderr, "options 0x%x: %s\n", bits, what);
	abort();
}

struct dump {
	int fd;
	char path[64];
};

static struct dump new_dump(const void *bytes, size_t size)
{
	struct dump d = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };

	if (d.fd < 0 || write(d.fd, bytes, size) != (ssize_t)size)
		exit(2);
	snprintf(d.path, sizeof(d.path), "/proc/self/fd/%d", d.fd);
	return d;
}

/* Its bytes; free them. */
static uint8_t *load(const struct dump *d, size_t *ret_size)
{
	struct stat info;
	uint8_t *bytes;

	if (fstat(d->fd, &info) != 0)
		exit(2);
	*ret_size = (size_t)info.st_size;
	bytes = malloc(*ret_size + 1);
	if (!bytes || pread(d->fd, bytes, *ret_size, 0) != info.st_size)
		exit(2);
	return bytes;
}

/* ---- what is in the result ------------------------------------------------ */

static bool is_text(unsigned type)
{
	return type == HPROF_TYPE_BYTE || type == HPROF_TYPE_CHAR;
}

static void blank_elements(struct hprof_reader *reader,
			   const struct hprof_record *r, unsigned bits)
{
	static const uint8_t zeros[4096];
	const struct hprof_bytes *e = &r->u.prim_array_dump.elements;
	unsigned scope = is_text(r->u.prim_array_dump.type)
				 ? HPROF_REDACT_STRINGS
				 : HPROF_REDACT_PRIMITIVES;
	uint8_t piece[sizeof(zeros)];
	size_t got;

	if (r->tag != HPROF_PRIM_ARRAY_DUMP || !(bits & scope))
		return;
	for (uint64_t i = 0; e->data && i < e->size; i++)
		if (e->data[i])
			fail(bits, "an element is not blank");
	while (!e->data &&
	       hprof_reader_body(reader, piece, sizeof(piece), &got) ==
		       HPROF_OK &&
	       got > 0)
		if (memcmp(piece, zeros, got) != 0)
			fail(bits, "an element is not blank");
}

static void blank_entries(struct hprof_class_cursor cursor, unsigned bits)
{
	struct hprof_class_entry entry;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		if (entry.type != HPROF_TYPE_OBJECT && entry.value)
			fail(bits, "a static or constant is not blank");
}

static void look_at(struct hprof_reader *reader, const struct hprof_record *r,
		    unsigned bits)
{
	if (!(bits & REDACT) || bits & KEEP)
		return;
	if (bits & HPROF_REDACT_STRINGS && !hprof_record_describe(r->tag))
		fail(bits, "a record that nobody knows");
	blank_elements(reader, r, bits);
	if (r->tag == HPROF_CLASS_DUMP && bits & HPROF_REDACT_PRIMITIVES) {
		blank_entries(hprof_class_constants(r), bits);
		blank_entries(hprof_class_statics(r), bits);
	}
}

/* Codes of errors: static strings of the library. */
struct faults {
	const char *codes[64];
	size_t count;
	/* A record of unknown kind is believed by what follows it. */
	bool has_unknown;
};

static bool has_fault(const struct faults *faults, const char *code)
{
	for (size_t i = 0; i < faults->count; i++)
		if (strcmp(faults->codes[i], code) == 0)
			return true;
	return false;
}

static void note(void *user, const struct hprof_diagnostic *d)
{
	struct faults *faults = user;

	if (strcmp(d->code, "unknown-record") == 0)
		faults->has_unknown = true;
	if (d->severity == HPROF_ERROR && !has_fault(faults, d->code) &&
	    faults->count < 64)
		faults->codes[faults->count++] = d->code;
}

static struct hprof_reader *open_dump(const struct dump *d,
				      struct faults *faults)
{
	struct hprof_reader_options how = { .size = sizeof(how),
					    .diagnostic = note,
					    .user = faults };
	struct hprof_reader *reader;

	if (hprof_reader_open(INPUT_PATH(d->path), &how, &reader, NULL) !=
	    HPROF_OK)
		return NULL;
	return reader;
}

static struct faults faults_of(const struct dump *d)
{
	struct faults faults = { .count = 0 };
	struct hprof_reader *reader = open_dump(d, &faults);
	struct hprof_record r;

	while (reader && hprof_reader_next(reader, &r) == HPROF_OK)
		;
	hprof_reader_close(reader);
	return faults;
}

/*
 * Every record of it can be read, none has a fault that the input IN has not
 * (but that nothing may be left), and it has the form that was asked for.
 */
static void read_all(const struct dump *in, const struct dump *d, unsigned bits)
{
	const struct hprof_convert_options o = options_of(bits);
	struct faults had = faults_of(in), has = { .count = 0 };
	struct hprof_reader *reader = open_dump(d, &has);
	const struct hprof_header *header;
	struct hprof_record r;
	enum hprof_status status;

	if (!reader)
		fail(bits, "the result is no dump");
	header = hprof_reader_header(reader);
	if (o.id_size && header->id_size != o.id_size)
		fail(bits, "identifiers of another width");
	if (o.format == HPROF_FORMAT_101 &&
	    strcmp(header->version, "JAVA PROFILE 1.0.1") != 0)
		fail(bits, "another version");
	while ((status = hprof_reader_next(reader, &r)) == HPROF_OK)
		look_at(reader, &r, bits);
	if (status != HPROF_END)
		fail(bits, hprof_reader_error(reader)->text);
	for (size_t i = 0; i < has.count; i++)
		if (!had.has_unknown && !has_fault(&had, has.codes[i]) &&
		    strcmp(has.codes[i], "no-heap") != 0)
			fail(bits, has.codes[i]);
	hprof_reader_close(reader);
}

/* What a java.lang.String may keep. */
static bool is_form(const struct hprof_heap *heap,
		    const struct hprof_field *field)
{
	const struct hprof_summary *s = hprof_heap_summary(heap);

	return strcmp(s->class_rows[field->class_row].name,
		      "java.lang.String") == 0 &&
	       (strcmp(field->name, "coder") == 0 ||
		strcmp(field->name, "offset") == 0 ||
		strcmp(field->name, "count") == 0);
}

static void blank_fields(const struct hprof_heap *heap, unsigned bits)
{
	struct hprof_cursor *cursor;
	struct hprof_object object;
	struct hprof_field field;

	if (hprof_cursor_new(heap, &cursor, NULL) < 0)
		exit(2);
	for (uint64_t i = 0; i < hprof_heap_count(heap); i++) {
		if (hprof_cursor_seek(cursor, i, &object) != HPROF_OK)
			fail(bits, "an object cannot be read");
		for (size_t k = 0;
		     hprof_cursor_field(cursor, k, &field) == HPROF_OK; k++)
			if (field.type != HPROF_TYPE_OBJECT && field.value &&
			    !is_form(heap, &field))
				fail(bits, "a field is not blank");
	}
	hprof_cursor_free(cursor);
}

static void all_alive(const struct hprof_heap *heap, unsigned bits)
{
	struct hprof_graph_options how = {
		.size = sizeof(how),
		.hold = HPROF_HOLD_SOFT | HPROF_HOLD_FINAL,
	};
	struct hprof_graph *graph;

	if (hprof_graph_build(heap, &how, &graph, NULL) != HPROF_OK)
		fail(bits, "no graph");
	if (hprof_graph_totals(graph)->reachable != hprof_heap_count(heap))
		fail(bits, "not everything is alive");
	hprof_graph_free(graph);
}

static bool has_no_fault(const struct dump *d)
{
	struct hprof_check_options how = { .size = sizeof(how) };
	struct hprof_check_result *result;
	bool fine;

	if (hprof_check(INPUT_PATH(d->path), &how, &result, NULL) < 0)
		return false;
	fine = !result->errors && !result->warnings;
	hprof_check_result_free(result);
	return fine;
}

static void visit(const struct dump *in, const struct dump *d, unsigned bits)
{
	bool blank = (bits & REDACT) == REDACT && !(bits & KEEP);
	/*
	 * What is made up or gone may have held, or not be held; of objects
	 * and classes that come twice one holds, another does not.
	 */
	bool alive = (bits & (LIVE | REPAIR | NO_ZYGOTE)) == LIVE &&
		     has_no_fault(in);
	struct hprof_heap *heap;

	if (!blank && !alive)
		return;
	if (hprof_heap_open(INPUT_PATH(d->path), NULL, &heap, NULL) != HPROF_OK)
		fail(bits, "the result is no heap");
	if (blank)
		blank_fields(heap, bits);
	if (alive)
		all_alive(heap, bits);
	hprof_heap_close(heap);
}

static void no_fault(const struct dump *d, unsigned bits)
{
	struct hprof_check_options how = { .size = sizeof(how),
					   .readers = READERS };
	struct hprof_check_result *result;

	if (hprof_check(INPUT_PATH(d->path), &how, &result, NULL) < 0)
		fail(bits, "the result cannot be checked");
	for (size_t i = 0; i < result->code_count; i++)
		if (result->codes[i].severity == HPROF_ERROR)
			fail(bits, result->codes[i].code);
	hprof_check_result_free(result);
}

/* ---- conversions ---------------------------------------------------------- */

static void limit_files(rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		exit(2);
	limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
		exit(2);
}

/*
 * A few bytes can claim to be much, of which zeros are written, and these took
 * nearly all of the time when many were let through. The limit is for this
 * alone: the fuzzer has a log and a corpus to write, too.
 */
static enum hprof_status convert_file(const struct dump *in,
				      const struct dump *out,
				      const struct hprof_convert_options *o,
				      struct hprof_convert_result *ret,
				      struct hprof_error *error)
{
	enum hprof_status status;
	struct stat info;

	if (fstat(in->fd, &info) != 0)
		exit(2);
	limit_files(MOST(info.st_size));
	status = hprof_convert(INPUT_PATH(in->path), NULL, out->fd, NULL, o,
			       ret, error);
	limit_files(RLIM_INFINITY);
	return status;
}

static void same_bytes(const struct dump *d, const uint8_t *bytes, size_t size)
{
	size_t out_size;
	uint8_t *out = load(d, &out_size);

	if (out_size != size || memcmp(out, bytes, size) != 0)
		fail(0, "a copy with other bytes");
	free(out);
}

/* The old names are restored, which gives the same size. */
static void back(const struct dump *d, unsigned bits, uint64_t objects)
{
	struct hprof_convert_options o = { .size = sizeof(o),
					   .deobfuscate = map_path() };
	struct hprof_check_options how = { .size = sizeof(how) };
	struct hprof_check_result *result;
	struct dump out = new_dump("", 0);
	enum hprof_status status = convert_file(d, &out, &o, NULL, NULL);

	if (status == HPROF_E_SYS) { /* it got longer than MOST */
		close(out.fd);
		return;
	}
	if (status != HPROF_OK)
		fail(bits, "names cannot be put back");
	if (hprof_check(INPUT_PATH(out.path), &how, &result, NULL) < 0 ||
	    result->objects != objects)
		fail(bits, "names and objects went");
	hprof_check_result_free(result);
	close(out.fd);
}

static void judge(const struct dump *in, const struct dump *d, unsigned bits)
{
	read_all(in, d, bits);
	visit(in, d, bits);
	if (bits & REPAIR)
		no_fault(d, bits);
	if (bits & OBFUSCATE) {
		struct hprof_check_options how = { .size = sizeof(how) };
		struct hprof_check_result *result;

		if (hprof_check(INPUT_PATH(d->path), &how, &result, NULL) < 0)
			fail(bits, "the result cannot be checked");
		back(d, bits, result->objects);
		hprof_check_result_free(result);
	}
}

static void convert(const uint8_t *bytes, size_t size, unsigned bits)
{
	const struct hprof_convert_options o = options_of(bits);
	struct dump in = new_dump(bytes, size), out = new_dump("", 0);
	struct hprof_convert_result result = { .size = sizeof result };
	struct hprof_error error;
	enum hprof_status status = convert_file(&in, &out, &o, &result, &error);

	/* The converter must never give the writer what it refuses. */
	if (status == HPROF_E_USAGE)
		fail(bits, error.text);
	if (status == HPROF_OK && !result.exact)
		judge(&in, &out, bits);
	/* The copy of an archive is the dump in it. */
	if (status == HPROF_OK && result.exact && size >= 12 &&
	    memcmp(bytes, "JAVA PROFILE", 12) == 0)
		same_bytes(&out, bytes, size);
	close(in.fd);
	close(out.fd);
	if (o.obfuscate)
		unlink(o.obfuscate);
}

/*
 * With a fuzzer only one way: it is chosen by the last byte of the time of the
 * dump, which means nothing to a conversion, so that the fuzzer can go from
 * way to way and stay with one.
 */
static void convert_dump(const uint8_t *bytes, size_t size)
{
	enum { WAYS = sizeof(several) / sizeof(*several) };
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
	enum { TIME_END = 30 };

	convert(bytes, size,
		several[size > TIME_END ? bytes[TIME_END] % WAYS : 0]);
#else
	for (size_t i = 0; i < WAYS; i++)
		convert(bytes, size, several[i]);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	signal(SIGXFSZ, SIG_IGN);
	if (size >= 4 && memcmp(bytes, "JAVA", 4) == 0)
		convert_dump(bytes, size);
	else if (size >= 2)
		convert(bytes + 2, size - 2,
			(unsigned)bytes[0] | (unsigned)bytes[1] << 8);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * fuzz_convert.c - any bytes are converted or refused, and what comes out
 * keeps what its options promise: a copy is the same bytes, names can be put
 * back, and the rest is in converted.h.
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
#include "converted.h"
#include "target.h"

/* Bytes of a file: of one made from SIZE bytes. */
#define MOST(size) ((rlim_t)(size) * 4 + (64 << 10))

/* ---- options ------------------------------------------------------------- */

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
		converted_fail(0, "a copy with other bytes");
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
		converted_fail(bits, "names cannot be put back");
	if (hprof_check(INPUT_PATH(out.path), &how, &result, NULL) < 0 ||
	    result->objects != objects)
		converted_fail(bits, "names and objects went");
	hprof_check_result_free(result);
	close(out.fd);
}

static void judge(const struct dump *in, const struct dump *d, unsigned bits)
{
	const struct hprof_convert_options o = options_of(bits);

	converted_check(in->path, d->path, bits, &o);
	if (bits & OBFUSCATE) {
		struct hprof_check_options how = { .size = sizeof(how) };
		struct hprof_check_result *result;

		if (hprof_check(INPUT_PATH(d->path), &how, &result, NULL) < 0)
			converted_fail(bits, "the result cannot be checked");
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
		converted_fail(bits, error.text);
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

/* SPDX-License-Identifier: MIT */
/*
 * hprof/convert.h - a dump to another dump: compressed, with other
 * identifiers, in another version of the format, with less in it.
 *
 * Threads: several conversions may run at the same time.
 */
#ifndef HPROF_CONVERT_H
#define HPROF_CONVERT_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/reader.h>
#include <hprof/writer.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hprof_format {
	HPROF_FORMAT_SAME,
	HPROF_FORMAT_101, /* "JAVA PROFILE 1.0.1": one heap record */
	HPROF_FORMAT_102  /* segments; nothing of Android's */
};

/* What is blanked; or-ed. Lengths and references stay. */
enum hprof_redact {
	/*
	 * Elements of byte[] and char[], hashes of them in java.lang.String and
	 * java.util; strings of the dump that are not names of classes,
	 * methods, files and fields are left out, names of threads among them.
	 */
	HPROF_REDACT_STRINGS = 1,
	/* Fields, statics and elements of primitive types but these. */
	HPROF_REDACT_PRIMITIVES = 2
};

struct hprof_convert_options {
	size_t size; /* sizeof(struct hprof_convert_options) */
	/* As in struct hprof_reader_options. */
	hprof_diagnostic_fn *diagnostic;
	void *user;

	unsigned id_size; /* 4 or 8; 0: as it is */
	enum hprof_format format;
	unsigned redact; /* enum hprof_redact */
	bool no_zygote;	 /* Android: without objects of the zygote's heap */
	/*
	 * Only objects that the JVM's collector would keep; weak references
	 * to others are cleared. The object graph takes memory; memory
	 * below limits it.
	 */
	bool live;
	/*
	 * A dump that readers which believe what they read can open: in version
	 * 1.0.2 (or 1.0.1), names, frames, classes and threads before what
	 * needs them, what is missing made up. Where the input's path ends before
	 * its heap does, part files of HotSpot's (PATH.p0 ...) are joined, and
	 * a warning "parts-joined" says how many.
	 */
	bool repair;
	unsigned char reserved[1]; /* must be 0 */
	uint64_t memory; /* for live: as in struct hprof_graph_options */
	/*
	 * What is not blanked: "CLASS", "CLASS#FIELD", with '*' at the end of
	 * either for anything: the field itself, or the string or array that
	 * it refers to.
	 */
	const char *const *keep;
	size_t keep_count;
	/*
	 * Other names for classes that are not the platform's, their fields
	 * and methods; the old ones are written to this file, which must not
	 * exist. Strings that are no names are left out; text in objects stays.
	 */
	const char *obfuscate;
	const char *deobfuscate; /* such a file: the old names again */
};

/*
 * What became of a conversion. Set size before the call: members that a later
 * version adds are filled in only if the program knows them.
 */
struct hprof_convert_result {
	size_t size; /* sizeof(struct hprof_convert_result) */
	uint64_t errors, warnings, notes; /* of the input */
	uint64_t bytes;			  /* of the dump, not compressed */
	uint64_t lost; /* records that could not be converted; errors, too */
	bool exact;    /* the same bytes */
	unsigned char reserved[7]; /* 0 */
};

/*
 * Converts INPUT to the file OUT, or with NULL to the descriptor FD, as OUTPUT
 * (may be NULL) says; its "exact" is set here. Damage is no failure: what can be read is in the result.
 *
 * Where nothing is to be changed, an input that is not damaged gives the same
 * bytes, all its dumps included. For that it may be read twice. Else the result
 * is the one dump that was chosen, in heap segments of the writer's own making.
 *
 * An input that cannot be read twice (a pipe, "-", a callback) is copied first,
 * see hprof/input.h. With the input's no_copy, and for a redaction, which must
 * not leave on the disk what it is to remove, it is not: then even an unchanged
 * dump comes in segments of the writer's own making, and what needs more than
 * one pass (repair, keep lists, obfuscation, version 1.0.1, what is alive) is
 * HPROF_E_UNSUPPORTED. HPROF_E_LIMIT: an identifier does not fit id_size, or
 * the heap not version 1.0.1.
 *
 * Phases of the progress are "copy" and "convert", in bytes of the file and
 * from 0 again with each pass, and those of hprof/heap.h and hprof/graph.h.
 */
HPROF_API enum hprof_status
hprof_convert(const struct hprof_input *input, const char *out, int fd,
	      const struct hprof_writer_options *output,
	      const struct hprof_convert_options *options,
	      struct hprof_convert_result *ret_result,
	      struct hprof_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif

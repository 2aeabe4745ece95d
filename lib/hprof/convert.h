/* SPDX-License-Identifier: MIT */
/*
 * hprof/convert.h - converts a dump to another dump: compressed, with ids of
 * another width, in another version of the format, or with less in it.
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
	HPROF_FORMAT_102  /* segments; without Android's extensions */
};

/* What is blanked; flags. Lengths and references stay as they are. */
enum hprof_redact {
	/*
	 * Elements of byte[] and char[], and hash codes of them in
	 * java.lang.String and java.util. Strings of the dump are left out,
	 * such as names of threads, except names of classes, methods, files and
	 * fields.
	 */
	HPROF_REDACT_STRINGS = 1,
	/* All other fields, statics and elements of primitive types. */
	HPROF_REDACT_PRIMITIVES = 2
};

/*
 * What is left out of every object. The objects themselves stay, with roots,
 * names and stacks. These are the levels of JVMPI's heap dumps, in reverse.
 */
enum hprof_omit {
	HPROF_OMIT_NOTHING, /* level 2 */
	/*
	 * Level 1: each primitive value is 0, in fields, statics and elements.
	 * References, lengths and sizes stay.
	 */
	HPROF_OMIT_PRIMITIVES,
	/*
	 * Level 0: identifiers and types. Classes have no fields, statics and
	 * constants, instances no data, arrays no elements. The members of a
	 * class that describe the type stay, instance_size with them.
	 */
	HPROF_OMIT_CONTENTS
};

struct hprof_convert_options {
	size_t size; /* sizeof(struct hprof_convert_options) */
	/* As in struct hprof_reader_options. */
	hprof_diagnostic_fn *diagnostic;
	void *user;

	unsigned id_size; /* 4 or 8; 0: that of the input */
	enum hprof_format format;
	unsigned redact; /* enum hprof_redact */
	bool no_zygote;	 /* Android: leave out objects of the zygote heap */
	/*
	 * Keep only objects that the JVM's collector would keep, and clear weak
	 * references to others. This builds an object graph, whose memory is
	 * limited by the member memory.
	 */
	bool live;
	/*
	 * Write a dump that less tolerant readers can open: in version 1.0.2
	 * (or 1.0.1), with names, frames, classes and threads before the
	 * records that refer to them, and with substitutes for missing ones. If
	 * the file at the input's path ends before its heap does, HotSpot's
	 * part files (PATH.p0 ...) are joined to it, and a warning
	 * "parts-joined" says how many.
	 */
	bool repair;
	/*
	 * The dump ends with its first HEAP_DUMP_END: nothing behind that is
	 * read, such as from a connection that stays open.
	 */
	bool to_heap_end;
	uint64_t memory; /* for live: as in struct hprof_graph_options */
	/*
	 * What is not blanked: "CLASS" or "CLASS#FIELD", where either may end
	 * with the wildcard '*'. Applies to the field itself, or to the string
	 * or array that it refers to.
	 */
	const char *const *keep;
	size_t keep_count;
	/*
	 * Rename all classes that do not belong to the platform, their fields
	 * and methods, and write the mapping to this file, which must not
	 * exist. Strings that are not names are left out. Text in objects does
	 * not change.
	 */
	const char *obfuscate;
	const char *deobfuscate; /* such a file: restore the old names */
	/*
	 * Stop with HPROF_E_CORRUPT or _TRUNCATED at the first error, as for a
	 * dump that would hardly be redacted if it is damaged.
	 */
	bool strict;
	unsigned char reserved[3]; /* must be 0 */
	unsigned omit;		   /* enum hprof_omit */
};

/*
 * The result of a conversion. Set size before the call: members that a later
 * version adds are filled in only if the program knows them.
 */
struct hprof_convert_result {
	size_t size; /* sizeof(struct hprof_convert_result) */
	uint64_t errors, warnings, notes; /* of the input */
	uint64_t bytes;			  /* of the new dump, uncompressed */
	uint64_t lost; /* records not converted; also counted in errors */
	bool exact;    /* the dump has the same bytes as the input */
	/* The input had its HEAP_DUMP_END, or a whole HEAP_DUMP. */
	bool complete;
	unsigned char reserved[6]; /* 0 */
	uint64_t objects;	   /* instances and arrays that were written */
};

/*
 * Converts INPUT to the file OUT, or to the descriptor FD if OUT is NULL. The
 * options OUTPUT may be NULL; their member exact is ignored and set by this
 * function. A damaged dump is not a failure: what can be read is converted.
 *
 * If nothing is to be changed and the input is not damaged, the output has the
 * same bytes, including all dumps of the file. The input may be read twice for
 * that. Otherwise the output is the one chosen dump, with heap segments that
 * the writer makes.
 *
 * An input that cannot be read twice (a pipe, "-", a callback) is copied first,
 * see hprof/input.h. There is no copy with the input's no_copy, and none for a
 * redaction, which must not leave on the disk what it is to remove. In these
 * cases even an unchanged dump gets segments that the writer makes, and
 * anything that needs more than one pass (repair, keep lists, obfuscation,
 * version 1.0.1, live objects) is HPROF_E_UNSUPPORTED. HPROF_E_LIMIT: an id
 * does not fit id_size, or the heap is too large for version 1.0.1.
 *
 * Phases of the progress are "copy" and "convert", in bytes of the file and
 * starting at 0 in each pass, and those of hprof/heap.h and hprof/graph.h.
 */
HPROF_API enum hprof_status
hprof_convert(const struct hprof_input *input, const char *out, int fd,
	      const struct hprof_writer_options *output,
	      const struct hprof_convert_options *options,
	      struct hprof_convert_result *ret_result,
	      struct hprof_error *ret_error);

/*
 * The same to WRITER, which must not be exact and have nothing in it. The caller
 * finishes it, or, if the result is not good enough, frees it as it is: so a
 * dump that turns out to be damaged or cut short gets no name. If it fails,
 * hprof_writer_error says whether that was WRITER's fault. No output has the
 * same bytes: heap segments are those that the writer makes.
 */
HPROF_API enum hprof_status
hprof_convert_into(const struct hprof_input *input, struct hprof_writer *writer,
		   const struct hprof_convert_options *options,
		   struct hprof_convert_result *ret_result,
		   struct hprof_error *ret_error);

#ifdef __cplusplus
}
#endif

#endif

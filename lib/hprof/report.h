/* SPDX-License-Identifier: MIT */
/*
 * hprof/report.h - the contents of a dump as tables: classes, threads, system
 * properties, class loaders, recorded profiles.
 *
 * hprof_summary_read makes one pass over a dump, in memory that does not grow
 * with the number of objects. The result is a struct hprof_summary, which is
 * read-only and may be used by several threads at the same time.
 *
 * Tables here, in hprof/retained.h and in hprof/diff.h are arrays of rows that
 * a program steps through, so the size of a row is a part of the binary
 * interface: a row gets a further member only together with another name of the
 * shared library. The table itself, which only the library allocates, may get
 * further members at its end.
 */
#ifndef HPROF_REPORT_H
#define HPROF_REPORT_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/reader.h>
#include <hprof/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rule by which shallow sizes are computed. */
enum hprof_sizes {
	HPROF_SIZES_JVM, /* as the JVM lays objects out */
	HPROF_SIZES_MAT, /* Eclipse Memory Analyzer's rule */
	HPROF_SIZES_DATA /* bytes of the values in the dump, no header */
};

/* How shallow sizes were computed. */
struct hprof_size_convention {
	enum hprof_sizes sizes;
	unsigned ref_width;    /* bytes of a reference in the heap */
	unsigned header;       /* bytes before the fields of an object */
	unsigned array_header; /* bytes before the elements, int and smaller */
	unsigned alignment;    /* of objects */
	bool fill_gaps;	       /* subclass fields fill gaps (JDK 15+) */
	bool measured;	       /* by addresses in the dump; else assumed */
	bool declared;	       /* from CLASS_DUMP (Android, native image) */
	/* One line for people: "64-bit, compressed references, ...". */
	char text[160];
};

struct hprof_summary_options {
	size_t size; /* sizeof(struct hprof_summary_options) */
	enum hprof_sizes sizes;
	unsigned ref_width; /* bytes of a reference; 0: detect it */
	unsigned header;
	unsigned alignment;
	bool strict; /* as in struct hprof_reader_options */
	/*
	 * Keep what hprof_summary_threads, _properties and _loaders need. For
	 * a stream or compressed file this is a copy of the dump in an unlinked
	 * temporary file.
	 */
	bool objects;
	unsigned char reserved[6]; /* must be 0 */
	/* Called before that copy is made in FOLDER; may be NULL. */
	void (*copying)(void *user, const char *folder);
	void *copying_user;
};

/* The kind of a class. */
enum hprof_class_kind {
	HPROF_CLASS_PLAIN,
	HPROF_CLASS_OBJ_ARRAY,
	HPROF_CLASS_PRIM_ARRAY
};

/*
 * One class object of the dump, or one primitive array type for which the dump
 * has no class object.
 */
struct hprof_class_row {
	uint64_t class_id; /* 0: primitive array type without class object */
	const char *name;  /* "java.lang.String", "int[]"; UTF-8, unescaped */
	enum hprof_class_kind kind;
	uint64_t super_id;
	uint64_t loader_id; /* 0: boot */
	bool dumped;	    /* has a CLASS_DUMP */
	bool loaded;	    /* has a LOAD_CLASS */
	uint64_t instances;
	uint64_t shallow; /* bytes of all instances, by the convention */
	uint64_t largest; /* shallow bytes of the largest instance */
	uint64_t data;	  /* bytes of their values in the dump */
	bool measured;	  /* size from addresses, not from fields */
};

/*
 * The package of the class NAME, which is written as in class_rows: "java.util"
 * of "java.util.Map$Entry[]". An array has the package of its elements. Classes
 * without one are in "(primitive arrays)" or "(default package)". Writes at
 * most ROOM bytes to OUT including a NUL, and returns the length of the full
 * package name.
 */
HPROF_API size_t hprof_package_name(const char *name, char *out, size_t room);

/* Records of one tag. */
struct hprof_tag_row {
	uint16_t tag;
	uint64_t count;
	uint64_t bytes; /* with tag and record header; without sub-records */
};

/* A diagnostic that the summary keeps; it owns the text. */
struct hprof_kept_diagnostic {
	enum hprof_severity severity;
	uint32_t number; /* of the code, as in struct hprof_diagnostic */
	const char *code;
	uint64_t offset;
	const char *text;
	/*
	 * The number of diagnostics with this code, set in the first row of the
	 * code, since only the first few of each are kept.
	 */
	uint64_t count;
};

struct hprof_summary {
	struct hprof_header header;
	struct hprof_reader_info input; /* strings owned by the summary */
	struct hprof_size_convention convention;

	uint64_t objects; /* instances + arrays + class objects */
	uint64_t instances;
	uint64_t obj_arrays;
	uint64_t prim_arrays;
	uint64_t classes; /* CLASS_DUMPs */
	uint64_t strings; /* UTF8 records */
	uint64_t threads; /* THREAD_OBJ roots, or START_THREADs if none */
	uint64_t roots;
	uint64_t shallow; /* of all objects */
	uint64_t data;
	uint64_t descents; /* objects with a lower id than their predecessor */

	size_t class_count;
	struct hprof_class_row *class_rows; /* by bytes, then name, id */
	size_t tag_count;
	struct hprof_tag_row *tag_rows; /* sub-records last, by tag */
	size_t diagnostic_count;
	struct hprof_kept_diagnostic *diagnostics; /* by offset */
	uint64_t errors, warnings, notes;

	struct hprof_summary_impl *impl;
};

/*
 * Reads the dump INPUT. A damaged dump is not a failure: the summary counts
 * what could be read, and its member errors is not 0. *RET_SUMMARY is owned by
 * the caller; free it with hprof_summary_free. The phase of the progress is
 * "summary", in bytes of the file. If the input's no_copy is set, the option
 * objects makes no copy.
 */
HPROF_API enum hprof_status
hprof_summary_read(const struct hprof_input *input,
		   const struct hprof_summary_options *options,
		   struct hprof_summary **ret_summary,
		   struct hprof_error *ret_error);

/*
 * Recomputes all shallow sizes by the convention of another dump, so that the
 * two can be compared. The order of class_rows does not change. LIKE must be
 * neither declared nor HPROF_SIZES_DATA, and SUMMARY must not belong to a heap.
 */
HPROF_API enum hprof_status
hprof_summary_resize(struct hprof_summary *summary,
		     const struct hprof_size_convention *like,
		     struct hprof_error *ret_error);

HPROF_API void hprof_summary_free(struct hprof_summary *summary);

/* One frame of a stack. Names are UTF-8, unescaped; NULL if not known. */
struct hprof_stack_frame {
	const char *class_name;
	const char *method;
	const char *signature;
	const char *source;
	int32_t line;
};

struct hprof_thread_row {
	uint64_t object_id; /* 0 if the dump has no object for it */
	uint32_t thread_serial;
	uint32_t trace_serial;
	const char *name;	/* UTF-8, unescaped; NULL if not known */
	const char *class_name; /* of the thread object; NULL if not known */
	bool has_details;	/* daemon, priority and status are known */
	bool daemon;
	int32_t priority;
	uint32_t status; /* JVMTI thread state bits */
	uint64_t tid;
	size_t frame_count;
	struct hprof_stack_frame *frames; /* innermost first */
};

struct hprof_thread_table {
	size_t count;
	struct hprof_thread_row *rows; /* by thread serial */
	void *impl;
};

/*
 * The threads of the dump with names and stacks. Names and states need the
 * objects: either the dump is a plain file, or the option "objects" was set.
 * *RET_TABLE is owned by the caller; free it with hprof_thread_table_free. Its
 * texts belong to the table.
 */
HPROF_API enum hprof_status
hprof_summary_threads(const struct hprof_summary *summary,
		      struct hprof_thread_table **ret_table,
		      struct hprof_error *ret_error);
HPROF_API void hprof_thread_table_free(struct hprof_thread_table *table);

struct hprof_property {
	const char *key;   /* UTF-8, unescaped */
	const char *value; /* NULL if it is not a String, or not known */
};

struct hprof_property_table {
	size_t count;
	struct hprof_property *rows; /* by key */
	void *impl;
};

/*
 * The system properties (System.getProperties) of the dumped JVM. Needs the
 * objects, as above. *RET_TABLE is owned by the caller; free it with
 * hprof_property_table_free.
 */
HPROF_API enum hprof_status
hprof_summary_properties(const struct hprof_summary *summary,
			 struct hprof_property_table **ret_table,
			 struct hprof_error *ret_error);
HPROF_API void hprof_property_table_free(struct hprof_property_table *table);

/*
 * Profiles that the hprof agents of JDK 8 and earlier recorded. A section is
 * one ALLOC_SITES, CPU_SAMPLES, HEAP_SUMMARY or CONTROL_SETTINGS record; its
 * rows are the sites or samples. Members that this kind of record does not have
 * are 0.
 */
struct hprof_profile_row {
	const char *class_name; /* ALLOC_SITES; NULL: not known */
	uint32_t trace_serial;
	uint32_t thread_serial; /* that the trace names, or 0 */
	uint64_t samples;	/* CPU_SAMPLES */
	uint64_t live_bytes, live_instances;
	uint64_t allocated_bytes, allocated_instances;
	size_t frame_count;
	struct hprof_stack_frame *frames; /* innermost first */
};

struct hprof_profile_section {
	uint16_t tag;
	uint64_t offset;
	uint32_t time_us; /* since the header's time */
	uint32_t flags;	  /* as in hprof/record.h */
	uint16_t depth;	  /* CONTROL_SETTINGS */
	double cutoff;	  /* ALLOC_SITES, 0 to 1; negative if not known */
	uint64_t live_bytes, live_instances;
	uint64_t allocated_bytes, allocated_instances;
	uint64_t samples; /* CPU_SAMPLES: of all rows */
	size_t row_count;
	struct hprof_profile_row *rows; /* in the order of the record */
};

struct hprof_profile_table {
	size_t count;
	struct hprof_profile_section *sections; /* in file order */
	void *impl;
};

/*
 * All profiles in the dump; needs no objects. *RET_TABLE is owned by the
 * caller; free it with hprof_profile_table_free.
 */
HPROF_API enum hprof_status
hprof_summary_profile(const struct hprof_summary *summary,
		      struct hprof_profile_table **ret_table,
		      struct hprof_error *ret_error);
HPROF_API void hprof_profile_table_free(struct hprof_profile_table *table);

/* A class loader object; id 0 is the boot loader, its name "<boot>". */
struct hprof_loader_row {
	uint64_t loader_id;
	const char *class_name; /* of the loader object; NULL if not known */
	const char *name;	/* ClassLoader.name, or NULL */
};

struct hprof_loader_table {
	size_t count;
	struct hprof_loader_row *rows; /* by id */
	void *impl;
};

/*
 * The defining loaders of all classes. Needs the objects, as above. *RET_TABLE
 * is owned by the caller; free it with hprof_loader_table_free.
 */
HPROF_API enum hprof_status
hprof_summary_loaders(const struct hprof_summary *summary,
		      struct hprof_loader_table **ret_table,
		      struct hprof_error *ret_error);
HPROF_API void hprof_loader_table_free(struct hprof_loader_table *table);

/*
 * Memory outside of the heap, as the classes that manage it have counted it:
 * what java.lang.management.BufferPoolMXBean says, and what netty allocates
 * besides.
 */
enum hprof_outside_kind {
	HPROF_OUTSIDE_DIRECT, /* ByteBuffer.allocateDirect */
	HPROF_OUTSIDE_MAPPED, /* FileChannel.map */
	HPROF_OUTSIDE_NETTY,  /* netty's own; buffers are not counted */
	HPROF_OUTSIDE_KINDS
};

struct hprof_outside_sum {
	uint64_t buffers; /* 0: not counted */
	uint64_t bytes;
};

struct hprof_outside_table {
	struct hprof_outside_sum kinds[HPROF_OUTSIDE_KINDS];
	uint64_t bytes; /* of all kinds */
	void *impl;
};

/*
 * Reads some classes and the few objects with their counters again. Needs the
 * objects, as above. HPROF_E_UNSUPPORTED also if these objects may be anywhere
 * in the dump, so that it would take long to find them. *RET_TABLE is owned by
 * the caller; free it with hprof_outside_table_free.
 */
HPROF_API enum hprof_status
hprof_summary_outside(const struct hprof_summary *summary,
		      struct hprof_outside_table **ret_table,
		      struct hprof_error *ret_error);
HPROF_API void hprof_outside_table_free(struct hprof_outside_table *table);

#ifdef __cplusplus
}
#endif

#endif

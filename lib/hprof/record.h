/* SPDX-License-Identifier: MIT */
/*
 * hprof/record.h - the codec: decodes and encodes single records of the HPROF
 * format.
 *
 * Nothing here does I/O, allocates memory or keeps state, so every function
 * may be called from any thread at any time. hprof(5) and the JDK's "HPROF
 * binary format" name the records; lib/codec/records.def lists their fields.
 *
 * Integers in the format are big-endian. An "id" has the width that the file
 * header states (1, 2, 4 or 8 bytes here) and is unsigned.
 */
#ifndef HPROF_RECORD_H
#define HPROF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hprof/error.h>
#include <hprof/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The tag of a top-level record is the byte in the file. Tags of heap
 * sub-records are a separate name space in the file; here they are 0x100 + the
 * byte.
 */
#define HPROF_SUB 0x100

enum hprof_tag {
	HPROF_UTF8 = 0x01,
	HPROF_LOAD_CLASS = 0x02,
	HPROF_UNLOAD_CLASS = 0x03,
	HPROF_FRAME = 0x04,
	HPROF_TRACE = 0x05,
	HPROF_ALLOC_SITES = 0x06,
	HPROF_HEAP_SUMMARY = 0x07,
	HPROF_START_THREAD = 0x0A,
	HPROF_END_THREAD = 0x0B,
	HPROF_HEAP_DUMP = 0x0C,
	HPROF_CPU_SAMPLES = 0x0D,
	HPROF_CONTROL_SETTINGS = 0x0E,
	HPROF_HEAP_DUMP_SEGMENT = 0x1C,
	HPROF_HEAP_DUMP_END = 0x2C,

	HPROF_ROOT_JNI_GLOBAL = HPROF_SUB + 0x01,
	HPROF_ROOT_JNI_LOCAL = HPROF_SUB + 0x02,
	HPROF_ROOT_JAVA_FRAME = HPROF_SUB + 0x03,
	HPROF_ROOT_NATIVE_STACK = HPROF_SUB + 0x04,
	HPROF_ROOT_STICKY_CLASS = HPROF_SUB + 0x05,
	HPROF_ROOT_THREAD_BLOCK = HPROF_SUB + 0x06,
	HPROF_ROOT_MONITOR_USED = HPROF_SUB + 0x07,
	HPROF_ROOT_THREAD_OBJ = HPROF_SUB + 0x08,
	HPROF_CLASS_DUMP = HPROF_SUB + 0x20,
	HPROF_INSTANCE_DUMP = HPROF_SUB + 0x21,
	HPROF_OBJ_ARRAY_DUMP = HPROF_SUB + 0x22,
	HPROF_PRIM_ARRAY_DUMP = HPROF_SUB + 0x23,
	HPROF_ROOT_INTERNED_STRING = HPROF_SUB + 0x89,
	HPROF_ROOT_FINALIZING = HPROF_SUB + 0x8A,
	HPROF_ROOT_DEBUGGER = HPROF_SUB + 0x8B,
	HPROF_ROOT_REFERENCE_CLEANUP = HPROF_SUB + 0x8C,
	HPROF_ROOT_VM_INTERNAL = HPROF_SUB + 0x8D,
	HPROF_ROOT_JNI_MONITOR = HPROF_SUB + 0x8E,
	HPROF_ROOT_UNREACHABLE = HPROF_SUB + 0x90,
	HPROF_PRIM_ARRAY_NODATA_DUMP = HPROF_SUB + 0xC3,
	HPROF_HEAP_DUMP_INFO = HPROF_SUB + 0xFE,
	HPROF_ROOT_UNKNOWN = HPROF_SUB + 0xFF
};

/* Type codes of values (JVM newarray operands, and 2 for references). */
enum hprof_type {
	HPROF_TYPE_OBJECT = 2,
	HPROF_TYPE_BOOLEAN = 4,
	HPROF_TYPE_CHAR = 5,
	HPROF_TYPE_FLOAT = 6,
	HPROF_TYPE_DOUBLE = 7,
	HPROF_TYPE_BYTE = 8,
	HPROF_TYPE_SHORT = 9,
	HPROF_TYPE_INT = 10,
	HPROF_TYPE_LONG = 11
};

/* The size of a value of TYPE in bytes; 0 if TYPE is not a type code. */
HPROF_API unsigned hprof_type_size(unsigned type, unsigned id_size);

/* "int", "object" ...; NULL if TYPE is not a type code. */
HPROF_API const char *hprof_type_name(unsigned type);

/* The header of a dump. */
#define HPROF_VERSION_MAX 32
struct hprof_header {
	char version[HPROF_VERSION_MAX]; /* "JAVA PROFILE 1.0.2", with NUL */
	uint32_t id_size;
	uint64_t time_ms; /* since 1970-01-01 00:00 UTC */
};

/*
 * Decodes a file header. HPROF_E_TRUNCATED: more bytes are needed;
 * HPROF_E_FORMAT: this is not an HPROF header. id_size is passed on as it
 * stands in the file; check it with hprof_id_size_valid.
 */
HPROF_API enum hprof_status hprof_header_decode(const void *bytes, size_t size,
						struct hprof_header *ret_header,
						size_t *ret_used);

/* Encodes a file header; HPROF_E_LIMIT if ROOM is too small. */
HPROF_API enum hprof_status
hprof_header_encode(const struct hprof_header *header, void *bytes, size_t room,
		    size_t *ret_used);

/* True for the widths that the codec supports: 1, 2, 4, 8. */
HPROF_API bool hprof_id_size_valid(uint64_t id_size);

/*
 * A run of bytes inside the decoded buffer, as in the file (big-endian). data
 * is NULL if the reader has not loaded a long body; read it with
 * hprof_reader_body.
 */
struct hprof_bytes {
	const uint8_t *data;
	uint64_t size;
};

struct hprof_utf8 {
	uint64_t string_id;
	struct hprof_bytes text; /* modified UTF-8, or UTF-8; not terminated */
};

struct hprof_load_class {
	uint32_t class_serial;
	uint64_t class_id;
	uint32_t trace_serial;
	uint64_t name_id;
};

struct hprof_unload_class {
	uint32_t class_serial;
};

struct hprof_frame {
	uint64_t frame_id;
	uint64_t method_id;    /* string: name */
	uint64_t signature_id; /* string */
	uint64_t source_id;    /* string: file name */
	uint32_t class_serial;
	int32_t line; /* > 0; 0 none, -1 unknown, -2 compiled, -3 native */
};

struct hprof_trace {
	uint32_t trace_serial;
	uint32_t thread_serial;
	uint32_t frame_count;
	struct hprof_bytes frames; /* ids, innermost first */
};

struct hprof_alloc_sites {
	uint16_t flags; /* 1 incremental, 2 sorted by allocation, 4 GC forced */
	uint32_t cutoff; /* bits of an IEEE single */
	uint32_t live_bytes;
	uint32_t live_instances;
	uint64_t allocated_bytes;
	uint64_t allocated_instances;
	uint32_t site_count;
	struct hprof_bytes sites; /* struct hprof_alloc_site, encoded */
};

struct hprof_alloc_site {
	uint8_t array_kind; /* 0: no array; else the type code of elements */
	uint32_t class_serial;
	uint32_t trace_serial;
	uint32_t live_bytes;
	uint32_t live_instances;
	uint32_t allocated_bytes;
	uint32_t allocated_instances;
};

struct hprof_heap_summary {
	uint32_t live_bytes;
	uint32_t live_instances;
	uint64_t allocated_bytes;
	uint64_t allocated_instances;
};

struct hprof_start_thread {
	uint32_t thread_serial;
	uint64_t thread_id; /* object */
	uint32_t trace_serial;
	uint64_t name_id;
	uint64_t group_id;  /* string: name of the group */
	uint64_t parent_id; /* string: name of the group's parent */
};

struct hprof_end_thread {
	uint32_t thread_serial;
};

/* HEAP_DUMP and HEAP_DUMP_SEGMENT; the body consists of sub-records. */
struct hprof_heap_dump {
	struct hprof_bytes body;
};

struct hprof_cpu_samples {
	uint32_t total;
	uint32_t sample_count;
	struct hprof_bytes samples; /* struct hprof_cpu_sample, encoded */
};

struct hprof_cpu_sample {
	uint32_t samples;
	uint32_t trace_serial;
};

struct hprof_control_settings {
	uint32_t flags; /* 1 allocation traces, 2 CPU sampling */
	uint16_t depth; /* maximum number of frames per trace */
};

/* A root of any kind; members that the kind does not have are 0. */
struct hprof_root {
	uint64_t object_id;
	uint64_t ref_id;	/* JNI_GLOBAL: the reference */
	uint32_t thread_serial; /* of a thread's roots */
	uint32_t trace_serial;	/* THREAD_OBJ */
	int32_t frame;		/* from the top of the stack; -1: no frame */
};

/* Its three lists are read with struct hprof_class_cursor. */
struct hprof_class_dump {
	uint64_t class_id;
	uint32_t trace_serial;
	uint64_t super_id;
	uint64_t loader_id;
	uint64_t signers_id;
	uint64_t domain_id;
	uint64_t reserved1;
	uint64_t reserved2;
	uint32_t instance_size; /* meaning depends on the writer */
	uint16_t constant_count;
	uint16_t static_count;
	uint16_t field_count;
	struct hprof_bytes constants;
	struct hprof_bytes statics;
	struct hprof_bytes fields;
};

struct hprof_instance_dump {
	uint64_t object_id;
	uint32_t trace_serial;
	uint64_t class_id;
	uint32_t data_size;
	struct hprof_bytes data; /* own fields, then those of the super ... */
};

struct hprof_obj_array_dump {
	uint64_t object_id;
	uint32_t trace_serial;
	uint32_t count;
	uint64_t class_id;
	struct hprof_bytes elements; /* ids */
};

struct hprof_prim_array_dump {
	uint64_t object_id;
	uint32_t trace_serial;
	uint32_t count;
	uint8_t type;
	struct hprof_bytes elements; /* empty in PRIM_ARRAY_NODATA_DUMP */
};

struct hprof_heap_dump_info {
	uint32_t heap;
	uint64_t name_id;
};

/* A record whose tag is not known. */
struct hprof_unknown {
	struct hprof_bytes body;
};

struct hprof_record {
	uint16_t tag;	  /* enum hprof_tag, or an unknown one */
	uint8_t id_size;  /* of the ids inside hprof_bytes */
	uint32_t time_us; /* top-level: microseconds since the header's time */
	uint32_t length;  /* top-level: body length as written in the file */
	uint64_t offset;  /* set by the reader: of the tag byte, uncompressed */
	/* Top-level: bytes of the body behind the last field; usually empty. */
	struct hprof_bytes rest;
	union {
		struct hprof_utf8 utf8;
		struct hprof_load_class load_class;
		struct hprof_unload_class unload_class;
		struct hprof_frame frame;
		struct hprof_trace trace;
		struct hprof_alloc_sites alloc_sites;
		struct hprof_heap_summary heap_summary;
		struct hprof_start_thread start_thread;
		struct hprof_end_thread end_thread;
		struct hprof_heap_dump heap_dump;
		struct hprof_cpu_samples cpu_samples;
		struct hprof_control_settings control_settings;
		struct hprof_root root;
		struct hprof_class_dump class_dump;
		struct hprof_instance_dump instance_dump;
		struct hprof_obj_array_dump obj_array_dump;
		struct hprof_prim_array_dump prim_array_dump;
		struct hprof_heap_dump_info heap_dump_info;
		struct hprof_unknown unknown;
	} u;
};

/* The size of the header of a top-level record: tag, time, length. */
#define HPROF_RECORD_HEADER 9

/*
 * Decodes one top-level record, header and body. Pointers in RET_RECORD
 * point into BYTES. The body of HEAP_DUMP and HEAP_DUMP_SEGMENT is passed
 * on undecoded; so is that of an unknown tag, in u.unknown.
 *
 * HPROF_E_TRUNCATED: SIZE bytes are not the whole record.
 * HPROF_E_CORRUPT: the length in the file is too small for the fields, or
 *   a count does not fit the length; time_us, length and tag are set and the
 *   whole body is in u.unknown. *RET_USED is also set, so that the caller can
 *   continue behind the record.
 * HPROF_E_USAGE: ID_SIZE is not 1, 2, 4 or 8.
 */
HPROF_API enum hprof_status hprof_record_decode(const void *bytes, size_t size,
						unsigned id_size,
						struct hprof_record *ret_record,
						size_t *ret_used);

/*
 * Decodes one heap sub-record, tag and body.
 *
 * HPROF_E_TRUNCATED: SIZE bytes are not the whole sub-record.
 * HPROF_E_UNSUPPORTED: the tag is unknown, and so is the size.
 * HPROF_E_CORRUPT: a type code is invalid, so that the size is unknown.
 * HPROF_E_USAGE: ID_SIZE is not 1, 2, 4 or 8.
 */
HPROF_API enum hprof_status hprof_sub_decode(const void *bytes, size_t size,
					     unsigned id_size,
					     struct hprof_record *ret_record,
					     size_t *ret_used);

/*
 * Encodes RECORD (either kind) to BYTES. The lengths and counts in the
 * record's header are taken from the members; record->length is ignored.
 *
 * HPROF_E_LIMIT: ROOM is too small. HPROF_E_USAGE: the record is inconsistent
 * (an unknown sub-record tag; a count that disagrees with its bytes; an id
 * that does not fit ID_SIZE; bytes that are not loaded; a body of 4 GiB or
 * more; ids inside bytes of another width).
 */
HPROF_API enum hprof_status
hprof_record_encode(const struct hprof_record *record, unsigned id_size,
		    void *bytes, size_t room, size_t *ret_used);

/* The size of the encoded record; its bytes need not be loaded. */
HPROF_API enum hprof_status hprof_record_size(const struct hprof_record *record,
					      unsigned id_size,
					      uint64_t *ret_size);

/* The id at INDEX in a run of ids; 0 beyond its end. */
HPROF_API uint64_t hprof_id_at(struct hprof_bytes ids, unsigned id_size,
			       uint64_t index);

/* Elements of ALLOC_SITES and CPU_SAMPLES; HPROF_END beyond the last. */
HPROF_API enum hprof_status hprof_alloc_site_at(struct hprof_bytes sites,
						uint64_t index,
						struct hprof_alloc_site *ret);
HPROF_API enum hprof_status hprof_cpu_sample_at(struct hprof_bytes samples,
						uint64_t index,
						struct hprof_cpu_sample *ret);

/*
 * Iterates over a list of a CLASS_DUMP. Initialize it with
 * hprof_class_constants/_statics/_fields; each call of next gives one entry,
 * and HPROF_END behind the last one. The bits of a value are in the low end of
 * a uint64_t in host order (an int is not sign-extended).
 */
struct hprof_class_cursor {
	struct hprof_bytes left;
	uint32_t count;
	uint8_t id_size;
	uint8_t kind;
};

struct hprof_class_entry {
	uint64_t name_id; /* statics and fields */
	uint16_t index;	  /* constants: index in the constant pool */
	uint8_t type;
	uint64_t value; /* constants and statics */
};

HPROF_API struct hprof_class_cursor
hprof_class_constants(const struct hprof_record *class_dump);
HPROF_API struct hprof_class_cursor
hprof_class_statics(const struct hprof_record *class_dump);
HPROF_API struct hprof_class_cursor
hprof_class_fields(const struct hprof_record *class_dump);
HPROF_API enum hprof_status hprof_class_next(struct hprof_class_cursor *cursor,
					     struct hprof_class_entry *ret);

/* ---- description ------------------------------------------------------- */

enum hprof_field_kind {
	HPROF_KIND_ID,	   /* uint64_t */
	HPROF_KIND_U1,	   /* uint8_t */
	HPROF_KIND_U2,	   /* uint16_t */
	HPROF_KIND_U4,	   /* uint32_t */
	HPROF_KIND_I4,	   /* int32_t */
	HPROF_KIND_U8,	   /* uint64_t */
	HPROF_KIND_TYPE,   /* uint8_t, a type code */
	HPROF_KIND_COUNT,  /* uint32_t, the element count of a later field */
	HPROF_KIND_REST,   /* struct hprof_bytes to the end of the record */
	HPROF_KIND_BYTES,  /* struct hprof_bytes, a count of bytes */
	HPROF_KIND_IDS,	   /* struct hprof_bytes, a count of ids */
	HPROF_KIND_VALUES, /* struct hprof_bytes, a count of values of a type */
	HPROF_KIND_LIST,   /* struct hprof_bytes, a count of groups */
	HPROF_KIND_CLASS   /* the three lists of CLASS_DUMP */
};

/* What a field refers to or means. */
enum hprof_role {
	HPROF_ROLE_NONE,       /* a number, plain data */
	HPROF_ROLE_STRING_DEF, /* defines a string id */
	HPROF_ROLE_STRING,     /* refers to a string */
	HPROF_ROLE_CLASS_DEF,  /* defines a class object */
	HPROF_ROLE_CLASS,      /* refers to a class object */
	HPROF_ROLE_OBJECT_DEF, /* defines an object */
	HPROF_ROLE_OBJECT,     /* refers to an object */
	HPROF_ROLE_FRAME_DEF,  /* defines a frame id */
	HPROF_ROLE_FRAME,      /* refers to frames */
	HPROF_ROLE_JNI_REF,    /* a JNI reference */
	HPROF_ROLE_CLASS_SERIAL_DEF,
	HPROF_ROLE_CLASS_SERIAL,
	HPROF_ROLE_TRACE_SERIAL_DEF,
	HPROF_ROLE_TRACE_SERIAL,
	HPROF_ROLE_THREAD_SERIAL_DEF,
	HPROF_ROLE_THREAD_SERIAL,
	HPROF_ROLE_FLAGS,    /* shown in hexadecimal */
	HPROF_ROLE_RESERVED, /* 0 from nearly every writer */
	HPROF_ROLE_TEXT,     /* bytes that are text */
	HPROF_ROLE_DATA	     /* bytes that are field values or sub-records */
};

enum hprof_dialect {
	HPROF_DIALECT_STANDARD, /* since 1.0.1 */
	HPROF_DIALECT_SEGMENTS, /* 1.0.2 and later */
	HPROF_DIALECT_ANDROID	/* 1.0.3 */
};

struct hprof_record_info;

struct hprof_field_info {
	const char *name;
	enum hprof_field_kind kind;
	enum hprof_role role;
	size_t offset;			       /* in struct hprof_record */
	const struct hprof_record_info *group; /* of HPROF_KIND_LIST, or NULL */
};

struct hprof_record_info {
	uint16_t tag;
	const char *name; /* "UTF8", "ROOT_JNI_GLOBAL" */
	enum hprof_dialect dialect;
	unsigned field_count;
	const struct hprof_field_info *fields; /* in file order */
};

/* The description of TAG (enum hprof_tag); NULL if unknown; static. */
HPROF_API const struct hprof_record_info *hprof_record_describe(unsigned tag);

/* Every known record by index 0, 1, ...; NULL behind the last one. */
HPROF_API const struct hprof_record_info *hprof_record_list(unsigned index);

/* "UTF8" ...; "unknown" if TAG is not known. */
HPROF_API const char *hprof_tag_name(unsigned tag);

/* True if TAG is a heap sub-record that names a GC root. */
HPROF_API bool hprof_tag_is_root(unsigned tag);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hprof/names.h - names and classes of a dump while it is read, for programs
 * that read records one by one, for example from a pipe. For whole dumps,
 * struct hprof_summary and struct hprof_heap provide the same.
 *
 * Memory grows with the names and classes of a dump, not with its objects, and
 * stays within limits if the dump is damaged or hostile.
 *
 * Threads: a struct hprof_names may be used by one thread at a time, even for
 * queries, since text is decoded on first use. Whatever a function returns is
 * owned by the struct hprof_names and lives as long as it. Texts and layouts do
 * not change; hprof_names_learn may change the members of a class.
 */
#ifndef HPROF_NAMES_H
#define HPROF_NAMES_H

#include <hprof/error.h>
#include <hprof/record.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hprof_names;

/*
 * Creates an empty object. The caller frees *RET_NAMES with hprof_names_free.
 * RET_ERROR may be NULL.
 */
HPROF_API enum hprof_status hprof_names_new(struct hprof_names **ret_names,
					    struct hprof_error *ret_error);
/* NULL is fine. */
HPROF_API void hprof_names_free(struct hprof_names *names);

/*
 * Learns from UTF8, LOAD_CLASS, FRAME and CLASS_DUMP; other records change
 * nothing. Everything is copied; RECORD still belongs to the caller. If several
 * records have the same id, the first UTF8 and LOAD_CLASS count, but the last
 * FRAME and CLASS_DUMP. A text that the reader has not loaded (of megabytes) is
 * ignored, and its body can still be read.
 *
 * HPROF_E_NOMEM: something is missing, maybe also in an earlier result; all
 * further calls return the same. HPROF_E_USAGE: an argument is NULL.
 */
HPROF_API enum hprof_status
hprof_names_learn(struct hprof_names *names, const struct hprof_record *record);

/* HPROF_OK, or HPROF_E_NOMEM once memory has run out. */
HPROF_API enum hprof_status hprof_names_status(const struct hprof_names *names);

/*
 * The text of a string as hprof_text_decode gives it, NUL-terminated. *RET_SIZE
 * is its size without the NUL; RET_SIZE may be NULL. Returns NULL if the string
 * is not known (yet), or STRING_ID is 0.
 */
HPROF_API const char *hprof_names_string(struct hprof_names *names,
					 uint64_t string_id, size_t *ret_size);

/* A class that a LOAD_CLASS or CLASS_DUMP has named so far. */
struct hprof_named_class {
	uint64_t class_id;
	uint64_t super_id; /* 0: no superclass, or not known */
	size_t number;	   /* 0, 1, 2 ... in the order of first occurrence */
	const char *name; /* as hprof_class_name_decode has it; NULL: unknown */
	size_t name_size; /* bytes */
	uint32_t serial;  /* of its first LOAD_CLASS; 0: none */
	bool dumped;	  /* it had a CLASS_DUMP */
};

/*
 * NULL: no record has named the class. Of a superclass maybe only the id is
 * known.
 */
HPROF_API const struct hprof_named_class *
hprof_names_class(struct hprof_names *names, uint64_t class_id);
HPROF_API const struct hprof_named_class *
hprof_names_class_by_serial(struct hprof_names *names, uint32_t class_serial);

/* NULL: it is not known (yet). */
HPROF_API const struct hprof_frame *
hprof_names_frame(const struct hprof_names *names, uint64_t frame_id);

/* A field of an instance. */
struct hprof_named_field {
	uint64_t name_id;
	const char *name; /* UTF-8; NULL: unknown when the layout was made */
	size_t name_size; /* bytes */
	const struct hprof_named_class *declared_by;
	uint64_t offset; /* bytes, in the data of INSTANCE_DUMP */
	uint8_t type;	 /* enum hprof_type */
};

/*
 * The layout of an instance of CLASS_OF, which is from NAMES: its own fields,
 * then those of its superclass, and so on. Returns false, and no layout, if a
 * CLASS_DUMP is missing (as yet), if superclasses form a cycle, if there are
 * more fields than any class can have, or if layouts of too many classes were
 * requested.
 *
 * *RET_FIELDS is not NULL even if *RET_COUNT is 0. Its address is the same each
 * time until a class is dumped again, which makes a new layout at another
 * address.
 */
HPROF_API bool hprof_names_layout(struct hprof_names *names,
				  const struct hprof_named_class *class_of,
				  const struct hprof_named_field **ret_fields,
				  size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * hprof/names.h - names and classes while a dump streams by: for programs that
 * read records one by one, from a pipe as well. struct hprof_summary and
 * struct hprof_heap have the same of a whole dump.
 *
 * Memory grows with the names and classes of a dump, not with its objects, and
 * stays within limits if the dump is damaged or hostile.
 *
 * Threads: one struct hprof_names, one thread at a time; questions decode text
 * when it is first asked for. Whatever a function returns is owned by the
 * struct hprof_names and lives as long; texts and layouts do not change, the
 * members of a class do by hprof_names_learn.
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
 * Nothing is known at first. The caller frees *RET_NAMES with hprof_names_free.
 * RET_ERROR may be NULL.
 */
HPROF_API enum hprof_status hprof_names_new(struct hprof_names **ret_names,
					    struct hprof_error *ret_error);
/* NULL is fine. */
HPROF_API void hprof_names_free(struct hprof_names *names);

/*
 * Learns what UTF8, LOAD_CLASS, FRAME and CLASS_DUMP say; other records change
 * nothing. All is copied, RECORD is the caller's. Of several texts with one
 * string id the first counts, and of several LOAD_CLASSes of a class; of frames
 * and CLASS_DUMPs the last. A text that the reader has not loaded (of
 * megabytes) is not learnt, its body still can be read.
 *
 * HPROF_E_NOMEM, from then on always: something is missing, also in an answer
 * before. HPROF_E_USAGE: an argument is NULL.
 */
HPROF_API enum hprof_status
hprof_names_learn(struct hprof_names *names, const struct hprof_record *record);

/* HPROF_OK, or HPROF_E_NOMEM once memory has been lacking. */
HPROF_API enum hprof_status hprof_names_status(const struct hprof_names *names);

/*
 * The text of a string as hprof_text_decode gives it, with a NUL behind;
 * *RET_SIZE (RET_SIZE may be NULL): its bytes without that. NULL: it is not
 * known (yet), or STRING_ID is 0.
 */
HPROF_API const char *hprof_names_string(struct hprof_names *names,
					 uint64_t string_id, size_t *ret_size);

/* A class that a LOAD_CLASS or CLASS_DUMP has named so far. */
struct hprof_named_class {
	uint64_t class_id;
	uint64_t super_id; /* 0: none, or not known */
	size_t number;	   /* 0, 1, 2 ... in the order in which they were met */
	const char *name; /* as hprof_class_name_decode has it; NULL: unknown */
	size_t name_size; /* bytes */
	uint32_t serial;  /* of its first LOAD_CLASS; 0: none */
	bool dumped;	  /* it had a CLASS_DUMP */
};

/* NULL: nothing has named it. A superclass may be there by its id alone. */
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
 * What an instance of CLASS_OF, which is from NAMES, holds: its own fields,
 * then those of its superclass, and so on. False, and nothing is returned: a
 * CLASS_DUMP is missing (as yet), superclasses lead back to one of them, there
 * are more fields than any class has, or layouts of too many classes were asked
 * for.
 *
 * *RET_FIELDS is not NULL even if *RET_COUNT is 0. It is the same each time
 * until a class is dumped again; then there is a new one, elsewhere.
 */
HPROF_API bool hprof_names_layout(struct hprof_names *names,
				  const struct hprof_named_class *class_of,
				  const struct hprof_named_field **ret_fields,
				  size_t *ret_count);

#ifdef __cplusplus
}
#endif

#endif

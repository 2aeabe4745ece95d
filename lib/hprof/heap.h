/* SPDX-License-Identifier: MIT */
/*
 * hprof/heap.h - the objects of a dump, one by one and at random.
 *
 * A heap numbers the objects of a dump densely from 0: instances, arrays and
 * class objects alike. Neighbours in number are neighbours in the file. The
 * numbers do not depend on the number of threads. No object is kept in
 * memory: a cursor reads it from the file when it is asked for. A stream or
 * compressed file is first copied to an unlinked temporary file, unless it
 * can be read at random as it is.
 *
 * Threads: a heap is read-only. Any number of threads may call the functions
 * that take a const heap at the same time; what a heap finds out only when it
 * is first asked for, it finds out once, and others wait. hprof_heap_resize and
 * hprof_heap_close need the heap for themselves. A cursor belongs to one thread
 * at a time; each thread makes its own.
 *
 * A heap, index or cursor that is NULL, and a ret_ argument that is NULL where
 * nothing else is said, are HPROF_E_USAGE; functions without a status return
 * what they return for something that is not there.
 */
#ifndef HPROF_HEAP_H
#define HPROF_HEAP_H

#include <hprof/error.h>
#include <hprof/input.h>
#include <hprof/record.h>
#include <hprof/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No object: a null or dangling reference, the end of a walk. */
#define HPROF_NO_OBJECT UINT64_MAX

struct hprof_heap_options {
	size_t size; /* sizeof(struct hprof_heap_options) */
	/* As in struct hprof_summary_options. */
	enum hprof_sizes sizes;
	unsigned ref_width;
	unsigned header;
	unsigned alignment;
	bool strict;
	unsigned char reserved[7]; /* must be 0 */
	void (*copying)(void *user, const char *folder);
	void *copying_user;
};

struct hprof_heap;

/*
 * Opens INPUT. A damaged dump is no failure: what was read is there, and the
 * summary's errors > 0. More objects than the library can number are
 * HPROF_E_LIMIT; what cannot be read at random is HPROF_E_UNSUPPORTED with the
 * input's no_copy. *RET_HEAP is owned by the caller, free it with
 * hprof_heap_close. Phases of the progress are "summary" and "index".
 */
HPROF_API enum hprof_status
hprof_heap_open(const struct hprof_input *input,
		const struct hprof_heap_options *options,
		struct hprof_heap **ret_heap, struct hprof_error *ret_error);
HPROF_API void hprof_heap_close(struct hprof_heap *heap);

/* What hprof_summary_read says of the same dump; lives as long as the heap. */
HPROF_API const struct hprof_summary *
hprof_heap_summary(const struct hprof_heap *heap);

/*
 * As hprof_summary_resize. Before graphs are built, which have sizes of their
 * own, and while nothing else uses the heap.
 */
HPROF_API enum hprof_status
hprof_heap_resize(struct hprof_heap *heap,
		  const struct hprof_size_convention *like,
		  struct hprof_error *ret_error);

/* How many objects there are. Of objects with one id, the last counts. */
HPROF_API uint64_t hprof_heap_count(const struct hprof_heap *heap);

/* The number of the object with that id, or HPROF_NO_OBJECT. */
HPROF_API uint64_t hprof_heap_find(const struct hprof_heap *heap, uint64_t id);

/* ---- classes ------------------------------------------------------------- */

/*
 * Rows of the summary's class_rows are what classes are called by: the row
 * of a class id, or SIZE_MAX.
 */
HPROF_API size_t hprof_heap_class(const struct hprof_heap *heap,
				  uint64_t class_id);

/* The row of the first class called NAME at or behind row FROM; SIZE_MAX. */
HPROF_API size_t hprof_heap_class_named(const struct hprof_heap *heap,
					const char *name, size_t from);

/* True if the class of ROW is that of ANCESTOR, or a subclass of it. */
HPROF_API bool hprof_heap_class_is(const struct hprof_heap *heap, size_t row,
				   size_t ancestor);

/* A field as a class declares it. Names are UTF-8, raw. */
struct hprof_field {
	const char *name;
	size_t class_row; /* that declares it */
	unsigned type;	  /* HPROF_TYPE_OBJECT, HPROF_TYPE_INT ... */
	bool is_static;
	uint32_t offset; /* in the data of an instance */
	uint64_t value;	 /* raw bits, not sign-extended; references are ids.
			      Of statics, and of what a cursor reads; else 0 */
};

/*
 * The instance fields that a class itself declares; the offset is that from
 * the first of them. *RET_FIELDS lives as long as the heap. Returns how many.
 */
HPROF_API size_t hprof_heap_own_fields(const struct hprof_heap *heap,
				       size_t row,
				       const struct hprof_field **ret_fields);

/*
 * The layout of a class: instance fields of the class itself, then of its
 * superclasses, as they follow each other in INSTANCE_DUMP. *RET_FIELDS lives
 * as long as the heap, and grows with the chain of superclasses. False: its
 * CLASS_DUMP or one of a superclass is not in the dump; then the fields that
 * are known are there.
 */
HPROF_API bool hprof_heap_layout(const struct hprof_heap *heap, size_t row,
				 const struct hprof_field **ret_fields,
				 size_t *ret_count);

/*
 * Which objects are instances or arrays of which class, so that a program
 * that wants those of one class does not have to look at all. Built by one
 * pass over the dump, in the threads of the heap; takes 4 bytes an object,
 * while it is built 8. It is read-only and may be used from several threads;
 * the heap must outlive it.
 */
struct hprof_class_index;

/* *RET_INDEX is owned by the caller; free it with hprof_class_index_free. */
HPROF_API enum hprof_status
hprof_class_index_build(const struct hprof_heap *heap,
			struct hprof_class_index **ret_index,
			struct hprof_error *ret_error);
/* Freeing NULL does nothing. */
HPROF_API void hprof_class_index_free(struct hprof_class_index *index);

/*
 * How many instances or arrays the class of ROW has; SUBCLASSES: with those of
 * all its subclasses. 0 if there is no such row. Class objects do not count:
 * hprof_heap_find has them by the class_id of their row.
 */
HPROF_API uint64_t hprof_class_index_count(
	const struct hprof_class_index *index, size_t row, bool subclasses);

/*
 * The number of the Ith of these objects, at once; HPROF_NO_OBJECT behind the
 * last one. The objects of one class ascend; classes follow one another.
 */
HPROF_API uint64_t
hprof_class_index_object(const struct hprof_class_index *index, size_t row,
			 bool subclasses, uint64_t i);

/* ---- roots --------------------------------------------------------------- */

struct hprof_heap_root {
	uint16_t tag;	 /* HPROF_ROOT_JNI_GLOBAL ... */
	uint64_t object; /* HPROF_NO_OBJECT: not in the dump */
	uint64_t object_id;
	uint32_t thread_serial; /* 0: none */
	uint32_t trace_serial;	/* of THREAD_OBJ */
	int32_t frame;		/* depth in the thread's trace, or -1 */
	uint64_t jni_ref;
};

HPROF_API size_t hprof_heap_root_count(const struct hprof_heap *heap);
/* In file order; lives as long as the heap. */
HPROF_API const struct hprof_heap_root *
hprof_heap_roots(const struct hprof_heap *heap);

/* ---- objects ------------------------------------------------------------- */

enum hprof_object_kind {
	HPROF_OBJECT_INSTANCE,
	HPROF_OBJECT_OBJ_ARRAY,
	HPROF_OBJECT_PRIM_ARRAY,
	HPROF_OBJECT_CLASS
};

struct hprof_object {
	uint64_t index;
	uint64_t id;
	enum hprof_object_kind kind;
	unsigned type;	  /* of the elements of an array */
	size_t class_row; /* of an instance or array: its class. Of a class
			     object: the class that it is. SIZE_MAX: unknown */
	uint64_t length;  /* elements of an array */
	uint64_t data;	  /* bytes of values in the dump */
	uint64_t shallow; /* by the summary's convention */
	uint64_t offset;  /* of the sub-record in the uncompressed dump */
	uint32_t trace_serial;
};

struct hprof_cursor;

HPROF_API enum hprof_status hprof_cursor_new(const struct hprof_heap *heap,
					     struct hprof_cursor **ret_cursor,
					     struct hprof_error *ret_error);
HPROF_API void hprof_cursor_free(struct hprof_cursor *cursor);

/* Why the last call failed. Lives as long as the cursor. */
HPROF_API const struct hprof_error *
hprof_cursor_error(const struct hprof_cursor *cursor);

/*
 * Goes to object INDEX, which the calls below are about, and forgets the
 * objects that hprof_cursor_back would return to. HPROF_E_USAGE: there is
 * none; HPROF_E_SYS, HPROF_E_NOMEM, HPROF_E_CORRUPT (the file changed).
 */
HPROF_API enum hprof_status hprof_cursor_seek(struct hprof_cursor *cursor,
					      uint64_t index,
					      struct hprof_object *ret_object);

/*
 * Goes to the object with ID, for example the value of a field, and remembers
 * the object it comes from. HPROF_END: the id is 0 or not in the dump; then,
 * and after a failure, the cursor stays where it is. As many steps as there is
 * memory for, some 200 bytes each.
 */
HPROF_API enum hprof_status
hprof_cursor_follow(struct hprof_cursor *cursor, uint64_t id,
		    struct hprof_object *ret_object);

/*
 * Returns to the object that the last hprof_cursor_follow, of those not undone
 * yet, came from; reads nothing. HPROF_END: there is none. RET_OBJECT may be
 * NULL.
 */
HPROF_API enum hprof_status hprof_cursor_back(struct hprof_cursor *cursor,
					      struct hprof_object *ret_object);

/*
 * Field number I: of an instance as in hprof_heap_layout, of a class object
 * its statics in file order. HPROF_END behind the last one, and from the
 * first one that the object's data does not reach.
 */
HPROF_API enum hprof_status hprof_cursor_field(struct hprof_cursor *cursor,
					       size_t i,
					       struct hprof_field *ret_field);

/*
 * The field NAME; of several (shadowed) that of the class called CLASS_NAME,
 * or with NULL the first. HPROF_END: there is none.
 */
HPROF_API enum hprof_status
hprof_cursor_field_named(struct hprof_cursor *cursor, const char *class_name,
			 const char *name, struct hprof_field *ret_field);

/*
 * Elements FIRST and up to COUNT of an array as raw bits; *RET_COUNT is 0
 * behind its end.
 */
HPROF_API enum hprof_status hprof_cursor_elements(struct hprof_cursor *cursor,
						  uint64_t first, size_t count,
						  uint64_t *ret_values,
						  size_t *ret_count);

/*
 * The text of a java.lang.String (any layout of it) or char[], UTF-8 without
 * NUL, of at most MOST characters (0: all); borrowed until the next call of
 * the cursor. *RET_LENGTH (may be NULL) is its whole length in UTF-16 units.
 * The cursor stays where it is. HPROF_END: the object is neither, or its
 * characters are not in the dump.
 */
HPROF_API enum hprof_status hprof_cursor_text(struct hprof_cursor *cursor,
					      size_t most,
					      const char **ret_text,
					      uint64_t *ret_length);

/*
 * Raw bits of a value of TYPE, as fields and elements have them, as a number.
 * Integers keep their sign, a boolean is 0 or 1, a char its UTF-16 unit, a
 * reference its id. Floating-point numbers become integers as in Java: cut
 * towards 0, NaN is 0, what is out of range becomes the limit.
 */
HPROF_API int64_t hprof_value_int64(unsigned type, uint64_t bits);
HPROF_API double hprof_value_double(unsigned type, uint64_t bits);

enum hprof_value_kind {
	HPROF_VALUE_NULL, /* a reference that is null */
	HPROF_VALUE_BOOLEAN,
	HPROF_VALUE_CHAR,
	HPROF_VALUE_INTEGER, /* byte, short, int, long */
	HPROF_VALUE_REAL,    /* float, double */
	HPROF_VALUE_STRING,  /* a java.lang.String whose text is in the dump */
	HPROF_VALUE_OBJECT   /* any other reference */
};

/* Allocated by the caller; members that the kind does not have are 0. */
struct hprof_value {
	enum hprof_value_kind kind;
	unsigned type;	      /* as declared; of a box what is in it */
	int64_t integer;      /* of numbers: hprof_value_int64 */
	double real;	      /* of numbers: hprof_value_double */
	uint64_t object_id;   /* of references, boxes and strings, too */
	uint64_t object;      /* its number; HPROF_NO_OBJECT: not in the dump */
	const char *text;     /* of strings: as hprof_cursor_text, borrowed */
	uint64_t text_length; /* of the whole, in UTF-16 units */
	uint64_t boxed;	      /* 1: a java.lang.Integer or the like, opened */
};

/*
 * The value of TYPE with these raw BITS, of a field, static or element: a
 * java.lang.Integer, Boolean and so on becomes the number in it, a
 * java.lang.String its first MOST characters (0: all). The cursor stays where
 * it is. HPROF_E_USAGE: TYPE is none.
 */
HPROF_API enum hprof_status hprof_cursor_value(struct hprof_cursor *cursor,
					       unsigned type, uint64_t bits,
					       size_t most,
					       struct hprof_value *ret_value);

/*
 * References of the object, with what they come from, in file order: of a
 * class object also those of its CLASS_DUMP.
 */
enum hprof_edge_kind {
	HPROF_EDGE_FIELD,
	HPROF_EDGE_ELEMENT,
	HPROF_EDGE_STATIC,
	HPROF_EDGE_CLASS, /* of an instance or array to its class */
	HPROF_EDGE_SUPER,
	HPROF_EDGE_LOADER,
	HPROF_EDGE_SIGNERS,
	HPROF_EDGE_DOMAIN,   /* protection domain */
	HPROF_EDGE_CONSTANT, /* constant pool */
	HPROF_EDGE_REFERENT  /* Reference.referent: weak, see hprof/graph.h */
};

struct hprof_edge {
	enum hprof_edge_kind kind;
	uint64_t from;
	uint64_t to;	  /* HPROF_NO_OBJECT: dangling */
	uint64_t to_id;	  /* never 0 */
	const char *name; /* of the field or static; else NULL */
	uint64_t number;  /* of the element, field or constant */
};

/* Reference number I (nulls are not counted); HPROF_END behind the last. */
HPROF_API enum hprof_status hprof_cursor_edge(struct hprof_cursor *cursor,
					      uint64_t i,
					      struct hprof_edge *ret_edge);

#ifdef __cplusplus
}
#endif

#endif

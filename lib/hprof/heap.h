/* SPDX-License-Identifier: MIT */
/*
 * hprof/heap.h - random access to the objects of a dump.
 *
 * A heap numbers the objects of a dump densely from 0: instances, arrays and
 * class objects alike. Objects with adjacent numbers are adjacent in the file.
 * The numbers do not depend on the number of threads. No object is kept in
 * memory: a cursor reads it from the file on demand. A stream or compressed
 * file is first copied to an unlinked temporary file, unless it can be read at
 * random as it is.
 *
 * Threads: a heap is read-only. Any number of threads may call the functions
 * that take a const heap at the same time; what is computed on first use is
 * computed once, while other threads wait. While hprof_heap_resize or
 * hprof_heap_close runs, nothing else may use the heap. A cursor belongs to one
 * thread at a time; each thread makes its own.
 *
 * A heap, index or cursor that is NULL, and a ret_ argument that is NULL, are
 * HPROF_E_USAGE unless the function allows NULL. Functions without a status
 * then return what they return for something that does not exist.
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
	/*
	 * A folder, which must exist and should be accessible to its owner
	 * alone. In it the heap and the graphs built from it are kept, so that
	 * the next process that opens the same dump with the same folder need
	 * not read all of it again: see hprof_heap(3). NULL: nothing is kept.
	 * Nothing fails because of the folder, and no answer depends on it.
	 */
	const char *cache;
};

struct hprof_heap;

/*
 * Opens INPUT. A damaged dump is not a failure: the heap has what could be
 * read, and the summary's errors > 0. HPROF_E_LIMIT: there are more objects
 * than the library can number. HPROF_E_UNSUPPORTED: the input cannot be read at
 * random, and its no_copy is set. *RET_HEAP is owned by the caller; free it
 * with hprof_heap_close. Phases of the progress are "summary" and "index".
 */
HPROF_API enum hprof_status
hprof_heap_open(const struct hprof_input *input,
		const struct hprof_heap_options *options,
		struct hprof_heap **ret_heap, struct hprof_error *ret_error);
HPROF_API void hprof_heap_close(struct hprof_heap *heap);

/*
 * Why a file of the heap, of its graphs or of their paths could not be written
 * to the folder of option cache: errno of the first failure, 0 if there was
 * none. What could not be written is not there, and nothing else is missing.
 */
HPROF_API int hprof_heap_cache_failure(const struct hprof_heap *heap);

/* The same summary as by hprof_summary_read; lives as long as the heap. */
HPROF_API const struct hprof_summary *
hprof_heap_summary(const struct hprof_heap *heap);

/*
 * Like hprof_summary_resize. Must be called before graphs are built, since they
 * keep their own copy of sizes, and while nothing else uses the heap.
 */
HPROF_API enum hprof_status
hprof_heap_resize(struct hprof_heap *heap,
		  const struct hprof_size_convention *like,
		  struct hprof_error *ret_error);

/* The number of objects. Of objects with the same id, the last counts. */
HPROF_API uint64_t hprof_heap_count(const struct hprof_heap *heap);

/* The number of the object with that id, or HPROF_NO_OBJECT. */
HPROF_API uint64_t hprof_heap_find(const struct hprof_heap *heap, uint64_t id);

/* ---- classes ------------------------------------------------------------- */

/*
 * Classes are identified by their row in the summary's class_rows. This gives
 * the row of a class id, or SIZE_MAX.
 */
HPROF_API size_t hprof_heap_class(const struct hprof_heap *heap,
				  uint64_t class_id);

/*
 * The first row at or behind row FROM whose class is called NAME, or SIZE_MAX.
 */
HPROF_API size_t hprof_heap_class_named(const struct hprof_heap *heap,
					const char *name, size_t from);

/* True if the class of ROW is the class of row ANCESTOR or a subclass of it. */
HPROF_API bool hprof_heap_class_is(const struct hprof_heap *heap, size_t row,
				   size_t ancestor);

/* A field as a class declares it. Names are UTF-8, unescaped. */
struct hprof_field {
	const char *name;
	size_t class_row; /* of the class that declares it */
	unsigned type;	  /* HPROF_TYPE_OBJECT, HPROF_TYPE_INT ... */
	bool is_static;
	uint32_t offset; /* in the data of an instance */
	uint64_t value;	 /* raw bits, not sign-extended; references are ids.
			      Of statics, and of what a cursor reads; else 0 */
};

/*
 * The instance fields that a class itself declares, with offsets from the first
 * of them. *RET_FIELDS lives as long as the heap. Returns their number.
 */
HPROF_API size_t hprof_heap_own_fields(const struct hprof_heap *heap,
				       size_t row,
				       const struct hprof_field **ret_fields);

/*
 * The layout of a class: the instance fields of the class itself, then those of
 * its superclasses, in the order of INSTANCE_DUMP. *RET_FIELDS lives as long as
 * the heap; its size depends on the number of superclasses. Returns false if
 * the CLASS_DUMP of the class or of a superclass is not in the dump; the known
 * fields are returned even then.
 */
HPROF_API bool hprof_heap_layout(const struct hprof_heap *heap, size_t row,
				 const struct hprof_field **ret_fields,
				 size_t *ret_count);

/*
 * An index of the instances and arrays of each class, so that a program that
 * wants the objects of one class need not look at all objects. It is built in
 * one pass over the dump, in the threads of the heap, and takes 4 bytes per
 * object (8 while it is built). It is read-only and may be used from several
 * threads; the heap must outlive it.
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
 * The number of instances or arrays of the class of ROW, with SUBCLASSES
 * including those of all its subclasses; 0 if there is no such row. Class
 * objects do not count: hprof_heap_find gives the one of a row by its class_id.
 */
HPROF_API uint64_t hprof_class_index_count(
	const struct hprof_class_index *index, size_t row, bool subclasses);

/*
 * The number of the Ith of these objects, in constant time; HPROF_NO_OBJECT
 * behind the last one. Objects are grouped by class and ascend within a class.
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
	uint64_t shallow; /* bytes, by the summary's convention */
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
 * Moves to object INDEX, to which the functions below refer, and forgets the
 * objects that hprof_cursor_back would return to. HPROF_E_USAGE: there is no
 * such object; HPROF_E_SYS, HPROF_E_NOMEM, HPROF_E_CORRUPT (the file changed).
 */
HPROF_API enum hprof_status hprof_cursor_seek(struct hprof_cursor *cursor,
					      uint64_t index,
					      struct hprof_object *ret_object);

/*
 * Moves to the object with ID, for example the value of a field, and remembers
 * the previous object. HPROF_END: the id is 0 or not in the dump; then, and
 * after a failure, the cursor does not move. The number of steps is limited
 * only by memory, at about 200 bytes each.
 */
HPROF_API enum hprof_status
hprof_cursor_follow(struct hprof_cursor *cursor, uint64_t id,
		    struct hprof_object *ret_object);

/*
 * Undoes the last hprof_cursor_follow that has not been undone yet: moves back
 * to the previous object, without reading. HPROF_END: there is no such step.
 * RET_OBJECT may be NULL.
 */
HPROF_API enum hprof_status hprof_cursor_back(struct hprof_cursor *cursor,
					      struct hprof_object *ret_object);

/*
 * Field number I: for an instance as in hprof_heap_layout, for a class object
 * its statics in file order. HPROF_END behind the last one, and from the first
 * field on that lies beyond the end of the object's data.
 */
HPROF_API enum hprof_status hprof_cursor_field(struct hprof_cursor *cursor,
					       size_t i,
					       struct hprof_field *ret_field);

/*
 * The field NAME. Of several (shadowed fields) the one declared by the class
 * CLASS_NAME, or the first if that is NULL. HPROF_END: there is no such field.
 */
HPROF_API enum hprof_status
hprof_cursor_field_named(struct hprof_cursor *cursor, const char *class_name,
			 const char *name, struct hprof_field *ret_field);

/*
 * Up to COUNT elements of an array from index FIRST on, as raw bits; *RET_COUNT
 * is 0 behind the end of the array.
 */
HPROF_API enum hprof_status hprof_cursor_elements(struct hprof_cursor *cursor,
						  uint64_t first, size_t count,
						  uint64_t *ret_values,
						  size_t *ret_count);

/*
 * The text of a java.lang.String (of any JDK), a StringBuilder, StringBuffer or
 * char[] as UTF-8 without NUL, at most MOST characters (0: all); borrowed until
 * the next call on the cursor.
 * *RET_LENGTH (may be NULL) is its full length in UTF-16 units. The cursor does
 * not move. HPROF_END: the object is neither, or its characters are not in the
 * dump.
 */
HPROF_API enum hprof_status hprof_cursor_text(struct hprof_cursor *cursor,
					      size_t most,
					      const char **ret_text,
					      uint64_t *ret_length);

/*
 * Converts the raw bits of a value of TYPE, from a field or element, to a
 * number. Integers keep their sign, a boolean is 0 or 1, a char its UTF-16
 * unit, a reference its id. Floating-point numbers are converted as in Java
 * (JLS 5.1.3): rounded towards 0, NaN to 0, values out of range to the limit.
 */
HPROF_API int64_t hprof_value_int64(unsigned type, uint64_t bits);
HPROF_API double hprof_value_double(unsigned type, uint64_t bits);

enum hprof_value_kind {
	HPROF_VALUE_NULL, /* a null reference */
	HPROF_VALUE_BOOLEAN,
	HPROF_VALUE_CHAR,
	HPROF_VALUE_INTEGER, /* byte, short, int, long */
	HPROF_VALUE_REAL,    /* float, double */
	HPROF_VALUE_STRING,  /* a java.lang.String, StringBuilder or -Buffer
				whose text is in the dump */
	HPROF_VALUE_OBJECT   /* any other reference */
};

/* Allocated by the caller; members that the kind does not have are 0. */
struct hprof_value {
	enum hprof_value_kind kind;
	unsigned type;	      /* as declared; of a box, that of its content */
	int64_t integer;      /* of numbers: hprof_value_int64 */
	double real;	      /* of numbers: hprof_value_double */
	uint64_t object_id;   /* of references, including boxes and strings */
	uint64_t object;      /* its number; HPROF_NO_OBJECT: not in the dump */
	const char *text;     /* of strings: as hprof_cursor_text, borrowed */
	uint64_t text_length; /* of the full text, in UTF-16 units */
	uint64_t boxed;	      /* 1: unboxed from a java.lang.Integer or so */
};

/*
 * Interprets the raw BITS of a field, static or element of TYPE. A reference to
 * a java.lang.Integer, Boolean and so on gives the number in it, one to a
 * java.lang.String or StringBuilder its first MOST characters (0: all). The
 * cursor does not move. HPROF_E_USAGE: TYPE is not a type code.
 */
HPROF_API enum hprof_status hprof_cursor_value(struct hprof_cursor *cursor,
					       unsigned type, uint64_t bits,
					       size_t most,
					       struct hprof_value *ret_value);

/*
 * The references of an object and their origins, in file order. Those of a
 * class object include the references of its CLASS_DUMP.
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

/* Reference number I, not counting nulls; HPROF_END behind the last one. */
HPROF_API enum hprof_status hprof_cursor_edge(struct hprof_cursor *cursor,
					      uint64_t i,
					      struct hprof_edge *ret_edge);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * describe.h - objects, references and roots in words, escaped for a terminal.
 *
 * A function returns a string that the caller frees with free, unless its
 * comment says that it is a constant.
 */
#ifndef TOOLS_DESCRIBE_H
#define TOOLS_DESCRIBE_H

#include <hprof.h>

/* In text, longer names are cut. JSON and CSV have the whole name. */
#define DESCRIBE_NAME_LIMIT 500

/*
 * "java.util.HashMap@0x7f0010", "byte[1024]@0x7f0010", "class com.Foo@0x7f";
 * "(none)" for none.
 */
char *describe_object(const struct hprof_object_info *info);

/* The same without the identifier: "byte[1024]", without LENGTH "byte[]". */
char *describe_class(const struct hprof_object_info *info, bool length);

/* "class NAME" if IS_CLASS, else NAME; NULL: "(unknown class)". */
char *describe_kind(const char *class_name, bool is_class);

/* ".table", "static CACHE", "[12]", "<class loader>". */
char *describe_edge(enum hprof_edge_kind edge, const char *field,
		    uint64_t number, bool numbered);

/* The same of a Reference's referent: ".referent (soft)". */
char *describe_reference(const char *field, enum hprof_strength strength);

/* The same of a step of a path. */
char *describe_step(const struct hprof_path_step *step, bool numbered);

/* How instances of a class hold their referents; unknown: it has none. */
enum hprof_strength describe_referent_strength(const struct hprof_heap *heap,
					       size_t class_row);

/*
 * "thread "main" #1, local of com.Foo.run(Foo.java:12)", "sticky class", "JNI
 * global"; "system class" of what is a root although the dump does not say so.
 */
char *describe_root(const struct hprof_path_root *root);

/*
 * The name of a thread, with at most MOST characters; (no name) for NULL and "", as
 * virtual threads mostly have it. The second in quotes if it is one.
 */
char *describe_thread_name(const char *name, size_t most);
char *describe_thread_quoted(const char *name, size_t most);

/* "thread "main" #1". */
char *describe_root_thread(const struct hprof_path_root *root);

/* "com.Foo.run(Foo.java:12)" */
char *describe_frame(const struct hprof_stack_frame *frame);

/* Formats a string like printf. The caller escapes the arguments. */
char *describe_format(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* "1 object", "1,024 objects" */
char *describe_count(uint64_t count, const char *one, const char *many);

/* A change from BEFORE to AFTER: "+1 object", "-1,024 objects", "0 objects" */
char *describe_change(uint64_t before, uint64_t after, const char *one,
		      const char *many);

/* For JSON: "field", "element" ... A constant. */
const char *describe_edge_word(enum hprof_edge_kind edge);

/* "strongly reachable", "garbage" ... A constant. */
const char *describe_strength(enum hprof_strength strength);

/* For JSON: "instance", "object_array" ... A constant. */
const char *describe_kind_word(enum hprof_object_kind kind);

#endif

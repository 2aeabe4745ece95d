/*
 * check_readers.c - what single readers refuse or misread in dumps that are
 * otherwise fine. Each rule cites the chapter of hprof(5) that says so.
 */
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "mem.h"
#include "reader.h"

static void say(struct hp_check *c, enum hprof_severity severity,
		const char *code, uint64_t offset, const char *text)
{
	hp_diaglist_say(&c->diagnostics, severity, code, offset, "%s", text);
}

static bool first(const struct hp_check *c, unsigned tag)
{
	return !c->tags_seen[tag];
}

static bool is_android(unsigned tag)
{
	const struct hprof_record_info *info = hprof_record_describe(tag);

	return info && info->dialect == HPROF_DIALECT_ANDROID;
}

/* ---- the JDK's readers --------------------------------------------------- */

static void jdk_record(struct hp_check *c, const struct hprof_record *r)
{
	bool old = strcmp(hprof_reader_header(c->reader)->version,
			  "JAVA PROFILE 1.0.1") == 0;

	if (is_android(r->tag) && first(c, r->tag))
		say(c, HPROF_ERROR, "jdk-android", r->offset,
		    "the JDK's readers do not know Android's sub-records");
	if ((r->tag == HPROF_HEAP_DUMP_SEGMENT ||
	     r->tag == HPROF_HEAP_DUMP_END) &&
	    old && first(c, r->tag))
		say(c, HPROF_ERROR, "jdk-segments", r->offset,
		    "the JDK's readers refuse segments in version 1.0.1");
	if ((r->tag == HPROF_ROOT_JNI_LOCAL ||
	     r->tag == HPROF_ROOT_JAVA_FRAME) &&
	    r->u.root.thread_serial &&
	    !hp_idmap_get(&c->threads, r->u.root.thread_serial))
		say(c, HPROF_ERROR, "jdk-thread-order", r->offset,
		    "the JDK's readers want a thread's THREAD_OBJ before its "
		    "roots");
	if ((r->tag == HPROF_LOAD_CLASS || r->tag == HPROF_UTF8) &&
	    c->saw_object)
		say(c, HPROF_WARNING, "jdk-name-order", r->offset,
		    "the JDK's readers want names before the objects");
	if (r->tag == HPROF_CLASS_DUMP && c->saw_object)
		say(c, HPROF_WARNING, "jdk-class-order", r->offset,
		    "the JDK's test library wants all classes before the "
		    "objects");
}

static void jdk_end(struct hp_check *c, const struct hprof_reader_info *info)
{
	if (strcmp(hprof_reader_header(c->reader)->version,
		   "JAVA PROFILE 1.0.3") == 0)
		say(c, HPROF_ERROR, "jdk-version", 0,
		    "the JDK's readers refuse version 1.0.3");
	if (info->dump_count > 1)
		say(c, HPROF_WARNING, "jdk-several-dumps", 0,
		    "the JDK's test library stops behind the first dump");
}

/* ---- Memory Analyzer ----------------------------------------------------- */

static void mat_record(struct hp_check *c, const struct hprof_record *r)
{
	if (is_android(r->tag) && first(c, r->tag))
		say(c, HPROF_ERROR, "mat-android", r->offset,
		    "Memory Analyzer does not know Android's sub-records");
	if (r->tag < HPROF_SUB && !hprof_record_describe(r->tag))
		say(c, HPROF_ERROR, "mat-unknown-record", r->offset,
		    "Memory Analyzer stops at an unknown record, unless told "
		    "otherwise");
}

static bool has_class(const struct hp_check *c, const char *name)
{
	for (size_t i = 0; i < c->class_count; i++) {
		const struct hp_kclass *k = c->all[i];
		char *text = k->dumped ? hp_symbols_class_name(&c->symbols,
							       k->class_id) :
					 NULL;
		bool same = text && strcmp(text, name) == 0;
		hp_free(text);
		if (same)
			return true;
	}
	return false;
}

/* Classes that Memory Analyzer and VisualVM look up by name. */
static void want_classes(struct hp_check *c, const char *code,
			 const char *reader)
{
	static const char *const core[] = { "java.lang.Object",
					    "java.lang.Class",
					    "java.lang.String",
					    "java.lang.ClassLoader" };
	char name[32];

	if (!c->saw_object)
		return;
	for (size_t i = 0; i < sizeof core / sizeof *core; i++)
		if (!has_class(c, core[i]))
			hp_diaglist_say(&c->diagnostics, HPROF_WARNING, code,
					0, "%s looks for %s, which has no "
					   "CLASS_DUMP",
					reader, core[i]);
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		if (!(c->prim_arrays_seen >> type & 1))
			continue;
		strcpy(name, hprof_type_name(type));
		strcat(name, "[]");
		if (!has_class(c, name))
			hp_diaglist_say(&c->diagnostics, HPROF_WARNING, code,
					0, "%s looks for %s, which has no "
					   "CLASS_DUMP",
					reader, name);
	}
}

static void mat_end(struct hp_check *c)
{
	if (strcmp(hprof_reader_header(c->reader)->version,
		   "JAVA PROFILE 1.0.3") == 0)
		say(c, HPROF_ERROR, "mat-version", 0,
		    "Memory Analyzer refuses version 1.0.3");
	want_classes(c, "mat-class", "Memory Analyzer");
}

/* ---- VisualVM ------------------------------------------------------------ */

static void visualvm_segment(struct hp_check *c, const struct hprof_record *r)
{
	if (r->length == 0)
		say(c, HPROF_ERROR, "visualvm-empty", r->offset,
		    "VisualVM refuses a heap record of length 0");
	if (r->tag == HPROF_HEAP_DUMP_SEGMENT && c->heap_end_of_last &&
	    c->heap_end_of_last != r->offset)
		say(c, HPROF_ERROR, "visualvm-gap", r->offset,
		    "VisualVM wants the segments of a dump side by side");
	c->heap_end_of_last = r->offset + HPROF_RECORD_HEADER + r->length;
}

static void visualvm_record(struct hp_check *c, const struct hprof_record *r)
{
	if (r->tag == HPROF_HEAP_DUMP || r->tag == HPROF_HEAP_DUMP_SEGMENT)
		visualvm_segment(c, r);
	if (r->tag == HPROF_HEAP_DUMP_END)
		c->heap_end_of_last = 0;
	if (r->tag == HPROF_ROOT_JNI_MONITOR && first(c, r->tag))
		say(c, HPROF_ERROR, "visualvm-jni-monitor", r->offset,
		    "VisualVM misreads ROOT_JNI_MONITOR and loses its way");
	if (r->tag == HPROF_PRIM_ARRAY_NODATA_DUMP && first(c, r->tag))
		say(c, HPROF_ERROR, "visualvm-nodata", r->offset,
		    "VisualVM refuses PRIM_ARRAY_NODATA_DUMP");
}

static void visualvm_end(struct hp_check *c)
{
	if (c->tags_seen[HPROF_HEAP_DUMP_SEGMENT] &&
	    !c->tags_seen[HPROF_HEAP_DUMP_END])
		say(c, HPROF_ERROR, "visualvm-no-end", 0,
		    "VisualVM refuses segments without HEAP_DUMP_END");
	want_classes(c, "visualvm-class", "VisualVM");
}

/* ---- all ----------------------------------------------------------------- */

void hp_check_readers_record(struct hp_check *c, const struct hprof_record *r)
{
	unsigned readers = c->options->readers;

	if (readers & HPROF_FOR_JDK)
		jdk_record(c, r);
	if (readers & HPROF_FOR_MAT)
		mat_record(c, r);
	if (readers & HPROF_FOR_VISUALVM)
		visualvm_record(c, r);
	if (r->tag == HPROF_INSTANCE_DUMP || r->tag == HPROF_OBJ_ARRAY_DUMP ||
	    r->tag == HPROF_PRIM_ARRAY_DUMP)
		c->saw_object = true;
}

void hp_check_readers_end(struct hp_check *c,
			  const struct hprof_reader_info *info)
{
	unsigned readers = c->options->readers;

	if (readers & HPROF_FOR_JDK)
		jdk_end(c, info);
	if (readers & HPROF_FOR_MAT)
		mat_end(c);
	if (readers & HPROF_FOR_VISUALVM)
		visualvm_end(c);
}

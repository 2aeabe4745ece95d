/* SPDX-License-Identifier: MIT */
/*
 * check_readers.c - what other programs refuse or misread in dumps that are
 * otherwise fine. hprof(5) describes the same rules.
 */
#include <inttypes.h>
#include <string.h>

#include "check/check.h"
#include "base/error.h"
#include "stream/reader.h"

static void say(struct hp_check *c, enum hprof_severity severity,
		enum hp_diag_code code, uint64_t offset, const char *text)
{
	hp_diag_list_say(&c->diagnostics, severity, code, offset, "%s", text);
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

static bool is_unknown(unsigned tag)
{
	return tag < HPROF_SUB && !hprof_record_describe(tag);
}

/* "1.0.2" */
static bool is_version(const struct hp_check *c, const char *number)
{
	static const char prefix[] = "JAVA PROFILE ";
	const char *version = hprof_reader_header(c->reader)->version;
	size_t size = strlen(prefix);

	return strncmp(version, prefix, size) == 0 &&
	       strcmp(version + size, number) == 0;
}

/* ---- the JDK's readers --------------------------------------------------- */

/* True for roots that refer to a thread. */
static bool is_of_thread(unsigned tag)
{
	return tag == HPROF_ROOT_JNI_LOCAL || tag == HPROF_ROOT_JAVA_FRAME ||
	       tag == HPROF_ROOT_NATIVE_STACK || tag == HPROF_ROOT_THREAD_BLOCK;
}

static void jdk_record(struct hp_check *c, const struct hprof_record *r)
{
	if (is_android(r->tag) && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_JDK_ANDROID, r->offset,
		    "the JDK's readers refuse Android's sub-records");
	if (r->tag == HPROF_HEAP_DUMP_SEGMENT && is_version(c, "1.0.1") &&
	    first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_JDK_SEGMENTS, r->offset,
		    "the JDK's readers pass over segments in version 1.0.1");
	if (is_of_thread(r->tag) &&
	    !hp_u64_map_get(&c->threads, r->u.root.thread_serial))
		hp_diag_list_say(&c->diagnostics, HPROF_ERROR,
				 HP_DIAG_JDK_THREAD_ORDER, r->offset,
				 "the JDK's readers refuse a root of thread "
				 "%" PRIu32
				 ", whose THREAD_OBJ is not before it",
				 r->u.root.thread_serial);
	if (r->tag == HPROF_CLASS_DUMP &&
	    !hp_known_classes_loaded(&c->symbols.classes,
				     r->u.class_dump.class_id))
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_JDK_NAME_ORDER, r->offset,
				 "the JDK's readers want the LOAD_CLASS of "
				 "class 0x%" PRIx64 " before its CLASS_DUMP",
				 r->u.class_dump.class_id);
}

static void jdk_pending(struct hp_check *c, const struct hp_pending *p,
			bool known)
{
	if (p->kind == HP_PENDING_STRING && known)
		hp_diag_list_say(&c->diagnostics, HPROF_WARNING,
				 HP_DIAG_JDK_NAME_ORDER, p->offset,
				 "the JDK's readers want string 0x%" PRIx64
				 " before its use",
				 p->id);
	else if (p->kind == HP_PENDING_FRAME)
		hp_diag_list_say(&c->diagnostics, HPROF_ERROR,
				 HP_DIAG_JDK_FRAME_ORDER, p->offset,
				 "the JDK's readers refuse a trace whose frame "
				 "0x%" PRIx64 " is not before it",
				 p->id);
}

static void jdk_classes(struct hp_check *c)
{
	for (size_t i = 0; i < c->class_count; i++)
		if (c->all[i]->early)
			hp_diag_list_say(
				&c->diagnostics, HPROF_ERROR,
				HP_DIAG_JDK_CLASS_ORDER,
				c->all[i]->unlaid_offset,
				"the JDK's test library refuses an instance "
				"of class %s, whose CLASS_DUMP is not before "
				"it",
				hp_check_class_text(c, c->all[i]->link.known.id)
					.text);
}

static void jdk_end(struct hp_check *c, const struct hprof_reader_info *info)
{
	if (!is_version(c, "1.0.1") && !is_version(c, "1.0.2"))
		say(c, HPROF_ERROR, HP_DIAG_JDK_VERSION, 0,
		    "the JDK's readers refuse this version");
	if (info->dump_count > 1)
		say(c, HPROF_WARNING, HP_DIAG_JDK_SEVERAL_DUMPS, HP_NO_OFFSET,
		    "the JDK's readers take the first dump, unless told "
		    "otherwise");
	jdk_classes(c);
}

/* ---- Memory Analyzer ----------------------------------------------------- */

static void mat_record(struct hp_check *c, const struct hprof_record *r)
{
	if (is_android(r->tag) && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_MAT_ANDROID, r->offset,
		    "Memory Analyzer refuses Android's sub-records");
	if (is_unknown(r->tag) && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_MAT_UNKNOWN_RECORD, r->offset,
		    "Memory Analyzer stops at an unknown record, unless told "
		    "otherwise");
}

static void mat_end(struct hp_check *c)
{
	if (!is_version(c, "1.0.1") && !is_version(c, "1.0.2"))
		say(c, HPROF_ERROR, HP_DIAG_MAT_VERSION, 0,
		    "Memory Analyzer refuses this version");
}

/* ---- VisualVM ------------------------------------------------------------ */

static void visualvm_segment(struct hp_check *c, const struct hprof_record *r)
{
	if (c->heap_end_of_last && c->heap_end_of_last != r->offset)
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_GAP, r->offset,
		    "VisualVM wants the segments of a dump side by side");
	c->heap_end_of_last = r->offset + HPROF_RECORD_HEADER + r->length;
	c->saw_segment = true;
	c->saw_end = false;
}

static void visualvm_record(struct hp_check *c, const struct hprof_record *r)
{
	if (r->tag < HPROF_SUB && r->length == 0 &&
	    r->tag != HPROF_HEAP_DUMP_END && !is_version(c, "1.0.3"))
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_EMPTY, r->offset,
		    "VisualVM refuses a record of length 0");
	if (is_unknown(r->tag) && r->tag >= 0x80 && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_UNKNOWN_RECORD, r->offset,
		    "VisualVM refuses a record with a tag above 0x7f");
	if (r->tag == HPROF_HEAP_DUMP_SEGMENT)
		visualvm_segment(c, r);
	if (r->tag == HPROF_HEAP_DUMP_END) {
		c->heap_end_of_last = 0;
		c->saw_end = true;
	}
	if (r->tag == HPROF_ROOT_JNI_MONITOR && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_JNI_MONITOR, r->offset,
		    "VisualVM misreads ROOT_JNI_MONITOR and loses its way");
	if (r->tag == HPROF_PRIM_ARRAY_NODATA_DUMP && first(c, r->tag))
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_NODATA, r->offset,
		    "VisualVM refuses PRIM_ARRAY_NODATA_DUMP");
}

static void visualvm_end(struct hp_check *c)
{
	if (!is_version(c, "1.0.1") && !is_version(c, "1.0.2") &&
	    !is_version(c, "1.0.3"))
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_VERSION, 0,
		    "VisualVM refuses this version");
	if (c->saw_segment && !c->saw_end)
		say(c, HPROF_ERROR, HP_DIAG_VISUALVM_NO_END, HP_NO_OFFSET,
		    "VisualVM refuses segments without HEAP_DUMP_END");
}

/* ---- classes that are looked up by name ---------------------------------- */

static const char *const core_classes[] = { "java.lang.Object",
					    "java.lang.Class",
					    "java.lang.String",
					    "java.lang.ClassLoader" };
enum { CORE = sizeof core_classes / sizeof *core_classes };

/* Arrays of a primitive type have bit CORE + type code. */
static uint32_t bit_of_name(const char *name, size_t size)
{
	for (unsigned i = 0; i < CORE; i++)
		if (size == strlen(core_classes[i]) &&
		    memcmp(name, core_classes[i], size) == 0)
			return 1U << i;
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		const char *element = hprof_type_name(type);
		if (size == strlen(element) + 2 &&
		    memcmp(name, element, size - 2) == 0 &&
		    memcmp(name + size - 2, "[]", 2) == 0)
			return 1U << (CORE + type);
	}
	return 0;
}

static uint32_t classes_there(const struct hp_check *c)
{
	enum { MOST = 32 }; /* none of these names is longer */
	uint32_t there = 0;
	char text[MOST];

	for (size_t i = 0; i < c->class_count; i++) {
		const struct hp_class_link *link = &c->all[i]->link;
		const struct hp_string *name =
			link->dumped ? hp_name_table_raw_class_name(
					       &c->symbols, link->known.id)
				     : NULL;
		if (!name || name->size > MOST)
			continue;
		size_t size = hprof_class_name_decode(name->bytes, name->size,
						      text, sizeof text);
		if (size <= sizeof text)
			there |= bit_of_name(text, size);
	}
	return there;
}

static void say_class(struct hp_check *c, enum hprof_severity severity,
		      enum hp_diag_code code, const char *name,
		      const char *suffix)
{
	hp_diag_list_say(&c->diagnostics, severity, code, HP_NO_OFFSET,
			 "class %s%s is looked up by name and has no "
			 "CLASS_DUMP",
			 name, suffix);
}

static void want_classes(struct hp_check *c)
{
	unsigned readers = c->options->readers;
	uint32_t there = classes_there(c);

	for (unsigned i = 0; i < CORE; i++) {
		if (there >> i & 1)
			continue;
		if (readers & HPROF_FOR_MAT)
			say_class(c, HPROF_WARNING, HP_DIAG_MAT_CLASS,
				  core_classes[i], "");
		if (readers & HPROF_FOR_VISUALVM)
			say_class(c, HPROF_WARNING, HP_DIAG_VISUALVM_CLASS,
				  core_classes[i], "");
	}
	for (unsigned type = HPROF_TYPE_BOOLEAN; type <= HPROF_TYPE_LONG;
	     type++) {
		if (!(c->prim_arrays_seen >> type & 1) ||
		    there >> (CORE + type) & 1)
			continue;
		if (readers & HPROF_FOR_MAT)
			say_class(c, HPROF_WARNING, HP_DIAG_MAT_CLASS,
				  hprof_type_name(type), "[]");
		if (readers & HPROF_FOR_VISUALVM) /* it requires the class */
			say_class(c, HPROF_ERROR, HP_DIAG_VISUALVM_CLASS,
				  hprof_type_name(type), "[]");
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Other programs believe lengths that our reader corrects (Q1, Q2). */
static void check_lengths(struct hp_check *c)
{
	const struct hp_diag_list *list = &c->diagnostics;
	unsigned readers = c->options->readers;

	for (size_t i = 0, count = list->count; i < count; i++) {
		uint64_t offset = list->items[i].offset;
		uint32_t code = list->items[i].number;
		bool zero = code == HP_DIAG_LENGTH_ZERO;
		if (!zero && code != HP_DIAG_LENGTH_WRAPPED)
			continue;
		if (readers & HPROF_FOR_JDK)
			say(c, HPROF_ERROR, HP_DIAG_JDK_LENGTH, offset,
			    "the JDK's readers believe this length");
		if (readers & HPROF_FOR_MAT && zero)
			say(c, HPROF_ERROR, HP_DIAG_MAT_LENGTH, offset,
			    "Memory Analyzer believes this length, unless "
			    "told otherwise");
	}
}

void hp_check_readers_record(struct hp_check *c, const struct hprof_record *r)
{
	unsigned readers = c->options->readers;

	if (readers & HPROF_FOR_JDK)
		jdk_record(c, r);
	if (readers & HPROF_FOR_MAT)
		mat_record(c, r);
	if (readers & HPROF_FOR_VISUALVM)
		visualvm_record(c, r);
}

void hp_check_readers_pending(struct hp_check *c, const struct hp_pending *p,
			      bool known)
{
	if (c->options->readers & HPROF_FOR_JDK)
		jdk_pending(c, p, known);
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
	if (readers)
		check_lengths(c);
	if (readers && c->saw_object)
		want_classes(c);
}

/* SPDX-License-Identifier: MIT */
/*
 * shallow_sizes.c - the shallow size of each object: the bytes that it takes in
 * the layout of the dumped JVM, or by the convention that the caller requested.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "layout/shallow_sizes.h"
#include "layout/hotspot_layout.h"
#include "layout/instance_sizes.h"
#include "layout/object_layout.h"
#include "base/error.h"
#include "base/mem.h"

static void apply_overrides(struct hp_object_layout *l,
			    const struct hprof_summary_options *o)
{
	if (o->header) {
		l->header = o->header;
		l->array_header = o->header + 4;
	}
	if (o->ref_width)
		l->ref = o->ref_width;
	if (o->alignment)
		l->alignment = o->alignment;
}

/* ---- sizes --------------------------------------------------------------- */

/*
 * Sets the sizes of stack chunks, which differ by instance. After the fields in
 * the dump the JVM injects a reference, an address, an int and two bytes.
 */
static void size_chunks(const struct hp_class_table *c, struct hp_class *row,
			const struct hp_object_layout *l, uint64_t end)
{
	uint64_t head =
		hp_align_up(end + l->ref + c->word + 4 + 2, l->alignment);
	uint64_t largest;
	uint64_t total = hp_hotspot_chunks(
		&c->tally->chunks, row->info->chunk_size_at, head, l, &largest);

	if (total) {
		row->shallow = total;
		row->largest = largest;
		row->chunk_head = head;
	}
}

static void add_arrays(struct hp_class *row, const struct hp_object_layout *l)
{
	const struct hp_slot *slot = row->arrays;
	bool prims = slot->kind == HPROF_CLASS_PRIM_ARRAY;
	unsigned width = prims ? hprof_type_size(slot->type, l->ref) : l->ref;
	uint64_t payload = prims ? slot->largest : slot->largest * width;
	uint64_t largest = hp_align_up(
		hp_object_layout_elements(l, width) + payload, l->alignment);

	row->shallow += hp_object_layout_arrays(slot, l, width);
	if (largest > row->largest)
		row->largest = largest;
}

static void size_rows(struct hp_class_table *c,
		      const struct hp_object_layout *l,
		      const struct hprof_size_convention *convention,
		      const uint64_t *ends)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[i];
		uint64_t size = row->instance;
		row->shallow = row->largest = row->instance = 0;
		row->chunk_head = 0;
		if (row->arrays)
			add_arrays(row, l);
		if (!row->instances)
			continue;
		if (!hp_class_table_complete(c, (uint32_t)i))
			size = hp_align_up(l->header + row->instances->largest,
					   l->alignment);
		else if (convention->declared)
			size = row->info->instance_size;
		row->instance = size;
		row->shallow += size * row->instances->count;
		if (size > row->largest)
			row->largest = size;
		if (convention->sizes == HPROF_SIZES_JVM && row->complete &&
		    row->class_id && row->class_id == c->tally->chunks.class_id)
			size_chunks(c, row, l, ends[i]);
	}
}

static void size_by_data(struct hp_class_table *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[i];
		const struct hp_slot *a = row->arrays, *n = row->instances;
		unsigned width =
			a && a->kind == HPROF_CLASS_OBJ_ARRAY ? c->id_size : 1;
		row->instance = 0;
		row->shallow = (a ? a->data * width : 0) + (n ? n->data : 0);
		row->largest = a ? a->largest * width : 0;
		if (n && n->largest > row->largest)
			row->largest = n->largest;
	}
}

/* Sets data_size: the bytes of values in an instance, without any padding. */
static void size_data(struct hp_class_table *c, uint64_t *ends)
{
	struct hp_object_layout l = { c->id_size, 0, 0, 1, HP_FILLED };

	hp_object_layout_place(c, &l, ends);
	for (size_t i = 0; i < c->count; i++)
		c->rows[i].data_size = ends[i];
}

/*
 * The bytes of the static fields of a class object. The JVM excludes from the
 * size those that it stores elsewhere; Memory Analyzer counts all that are in
 * the dump. In all versions references come first, and nothing fills the gap
 * before a long.
 */
static uint64_t static_bytes(const struct hp_class_table *c,
			     const struct hp_class_info *info,
			     const struct hprof_size_convention *v)
{
	const bool jvm = v->sizes == HPROF_SIZES_JVM;
	uint64_t apart =
		info->statics_apart + (info->lock_apart && !c->modules);
	uint64_t count = info->statics_refs - (jvm ? apart : 0);
	uint64_t refs = count * v->ref_width;

	if (jvm && info->statics_wide)
		refs = hp_align_up(refs, 8);
	return refs + info->statics_data -
	       (uint64_t)info->statics_refs * c->id_size;
}

uint64_t hp_sizes_mirror(const struct hp_class_table *c,
			 const struct hp_class_info *info,
			 const struct hprof_size_convention *v)
{
	uint64_t base = 0;

	/* Class objects are counted as instances of java.lang.Class. */
	if (c->java_lang_class == HP_NO_CLASS)
		return 0;
	if (v->sizes == HPROF_SIZES_DATA)
		return info->statics_data;
	/* Static fields begin at a multiple of 8. */
	if (v->sizes == HPROF_SIZES_JVM)
		base = hp_align_up(c->java_lang_class_size, 8);
	return hp_align_up(base + static_bytes(c, info, v), v->alignment);
}

uint64_t hp_sizes_array(const struct hprof_size_convention *v, unsigned id_size,
			bool prims, unsigned type, uint64_t length)
{
	const struct hp_object_layout l = { .array_header = v->array_header };
	unsigned width = hprof_type_size(type, v->ref_width);
	uint64_t payload =
		length * (prims ? hprof_type_size(type, id_size) : width);

	if (v->sizes == HPROF_SIZES_DATA)
		return length * hprof_type_size(type, id_size);
	return hp_align_up(hp_object_layout_elements(&l, width) + payload,
			   v->alignment);
}

/* ---- the convention ------------------------------------------------------ */

static void describe_convention(const struct hp_class_table *c,
				struct hprof_size_convention *v)
{
	const char *how = v->measured ? "measured" : "assumed";

	if (v->sizes == HPROF_SIZES_DATA) {
		snprintf(v->text, sizeof v->text,
			 "bytes of values in the dump, without headers");
		return;
	}
	if (v->declared) {
		snprintf(v->text, sizeof v->text,
			 "as the dump declares them for each class");
		return;
	}
	snprintf(v->text, sizeof v->text,
		 "%s%u-bit JVM, %u-byte references%s, %u-byte headers%s, "
		 "%u-byte alignment (%s)",
		 v->sizes == HPROF_SIZES_MAT ? "as Memory Analyzer counts: "
					     : "",
		 8 * c->word, v->ref_width,
		 c->word == 8 && v->ref_width == 4 ? " (compressed)" : "",
		 v->header, c->word == 8 && v->header == 8 ? " (compact)" : "",
		 v->alignment, how);
}

static bool sizes_are_declared(const struct hp_class_table *c)
{
	const struct hp_class *object;

	if (c->java_lang_object == HP_NO_CLASS)
		return false;
	object = &c->rows[c->java_lang_object];
	return object->info && object->info->instance_size > 0;
}

/*
 * Memory Analyzer takes an id and a reference as the header of an object and
 * lets no field fill a gap.
 */
static void use_mat_rules(const struct hp_class_table *c,
			  struct hp_object_layout *l)
{
	l->header = c->id_size + l->ref;
	l->array_header = (unsigned)hp_align_up(l->header + 4, l->ref);
	l->packing = HP_MAT_LEVELS;
}

static enum hprof_status assign_sizes(struct hp_class_table *c,
				      const struct hp_object_layout *l,
				      const struct hprof_size_convention *v,
				      uint64_t *ends)
{
	const bool by_layout = v->sizes == HPROF_SIZES_JVM && !v->declared;

	hp_object_layout_place(c, l, ends);
	for (size_t i = 0; i < c->count; i++) {
		c->rows[i].measured = false;
		c->rows[i].instance = hp_align_up(ends[i], l->alignment);
	}
	if (by_layout)
		HP_TRY(hp_instance_sizes(c, l, v->measured, ends));
	/*
	 * The class objects of primitive types are dumped as instances, without
	 * statics.
	 */
	if (c->java_lang_class != HP_NO_CLASS)
		c->java_lang_class_size =
			by_layout ? c->rows[c->java_lang_class].instance
				  : ends[c->java_lang_class];
	if (v->sizes == HPROF_SIZES_DATA)
		size_by_data(c);
	else
		size_rows(c, l, v, ends);
	return HPROF_OK;
}

enum hprof_status hp_sizes_assign(struct hp_class_table *c,
				  const struct hprof_summary_options *options,
				  struct hprof_size_convention *v)
{
	struct hp_object_layout l = { 0 };
	uint64_t *ends = hp_calloc(c->count + 1, sizeof *ends);

	if (!ends)
		return HPROF_E_NOMEM;
	memset(v, 0, sizeof *v);
	v->sizes = options->sizes;
	size_data(c, ends);
	v->declared = sizes_are_declared(c) && v->sizes == HPROF_SIZES_JVM;
	v->measured = !v->declared && hp_object_layout_find(c, &l, ends);
	if (!v->measured)
		l = hp_object_layout_assume(c);
	apply_overrides(&l, options);
	c->word = hp_object_layout_word(c, &l);
	if (v->sizes == HPROF_SIZES_MAT)
		use_mat_rules(c, &l);
	v->ref_width = l.ref;
	v->header = l.header;
	v->array_header = l.array_header;
	v->alignment = l.alignment;
	v->fill_gaps = l.packing == HP_FILLED;
	describe_convention(c, v);
	enum hprof_status status = assign_sizes(c, &l, v, ends);
	hp_free(ends);
	return status;
}

/* Replaces "(measured)" at the end of the text by "(for all dumps)". */
static void describe_shared_convention(const struct hprof_size_convention *like,
				       struct hprof_size_convention *v)
{
	const char *how = strrchr(like->text, '(');
	size_t length = how ? (size_t)(how - like->text) : strlen(like->text);

	snprintf(v->text, sizeof v->text, "%.*s%s", (int)length, like->text,
		 how ? "(for all dumps)" : "");
}

enum hprof_status hp_sizes_like(struct hp_class_table *c,
				const struct hprof_size_convention *like,
				struct hprof_size_convention *v)
{
	struct hp_object_layout l = { like->ref_width, like->header,
				      like->array_header, like->alignment,
				      like->fill_gaps ? HP_FILLED : HP_LEVELS };
	uint64_t *ends = hp_calloc(c->count + 1, sizeof *ends);

	if (!ends)
		return HPROF_E_NOMEM;
	if (like->sizes == HPROF_SIZES_MAT)
		l.packing = HP_MAT_LEVELS;
	c->word = hp_object_layout_word(c, &l);
	*v = *like;
	v->measured = v->declared = false;
	describe_shared_convention(like, v);
	enum hprof_status status = assign_sizes(c, &l, v, ends);
	hp_free(ends);
	return status;
}

/*
 * sizes.c - shallow sizes: which convention the JVM followed, and what each
 * object takes by it.
 *
 * The dump does not say how wide references and headers were. Where ids are
 * addresses, distances between objects tell: every plausible convention
 * predicts a size for each class and a start of the elements for each kind
 * of array; it is right where the smallest measured distance equals its
 * prediction, and impossible where the distance is smaller. See hprof(5),
 * quirks Q40 to Q43.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "classes.h"
#include "hotspot.h"
#include "mem.h"

/*
 * How objects are laid out. Fields of a subclass fill gaps of its supers
 * (JDK 15 and later), or each level starts behind the one before, by the rule
 * of the JVM or by Memory Analyzer's, which only aligns levels.
 */
struct layout {
	unsigned ref, header, array_header, alignment;
	enum { FILLED, LEVELS, MAT_LEVELS } packing;
};

/* Evidence of less than this proves nothing. */
enum { ENOUGH_CLASSES = 3, ENOUGH_OBJECTS = 1000, MANY_ARRAYS = 100 };

static uint64_t align_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* What HotSpot can be told to do, the usual before the rare. */
static const struct layout layouts_8[] = {
	{ 4, 12, 16, 8, FILLED },	 { 4, 12, 16, 8, LEVELS },
	{ 4, 8, 12, 8, FILLED },	 { 8, 12, 16, 8, FILLED },
	{ 8, 12, 16, 8, LEVELS }, { 8, 16, 20, 8, FILLED },
	{ 8, 16, 24, 8, FILLED },	 { 8, 16, 24, 8, LEVELS },
	{ 8, 8, 12, 8, FILLED },	 { 4, 16, 20, 8, FILLED },
	{ 4, 16, 24, 8, FILLED },	 { 4, 16, 24, 8, LEVELS },
};

static const struct layout layouts_4[] = {
	{ 4, 8, 12, 8, FILLED },
	{ 4, 8, 12, 8, LEVELS },
};

/* ---- what a layout predicts ---------------------------------------------- */

static uint64_t own_fields(const struct hp_class_info *info, unsigned ref)
{
	const struct hp_fields *f = &info->fields;

	return (uint64_t)f->refs * ref + f->n1 + 2 * (uint64_t)f->n2 +
	       4 * (uint64_t)f->n4 + 8 * (uint64_t)f->n8;
}

/*
 * Before JDK 15: each level of the hierarchy starts at a multiple of the
 * reference width, and its 8-byte fields at a multiple of 8, unless smaller
 * ones of the same level fill what is between.
 */
static uint64_t start_of_level(const struct hp_class_info *info,
			       const struct layout *l, uint64_t end)
{
	const struct hp_fields *f = &info->fields;
	uint64_t small = (uint64_t)f->n1 + 2 * f->n2 + 4 * (uint64_t)f->n4;

	if (l->ref == 4)
		small += 4 * (uint64_t)f->refs;
	end = align_up(end, l->ref);
	if (l->packing == MAT_LEVELS)
		return end;
	uint64_t gap = f->n8 ? align_up(end, 8) - end : 0;
	return end + (gap > small ? gap - small : 0);
}

/*
 * Where the fields of each class end; since JDK 15 later levels fill all
 * gaps. ENDS has an entry for each class.
 */
static void place_fields(const struct hp_classes *c, const struct layout *l,
			 uint64_t *ends)
{
	for (size_t i = 0; i < c->count; i++) {
		uint32_t at = c->order[i];
		const struct hp_class *row = &c->rows[at];
		uint64_t end = row->super == HP_NO_CLASS ? l->header :
							   ends[row->super];
		if (row->info) {
			uint64_t own = own_fields(row->info, l->ref);
			if (l->packing != FILLED && own)
				end = start_of_level(row->info, l, end);
			end += own;
		}
		ends[at] = end;
	}
}

/* Where the elements of an array begin. */
static unsigned elements_start(const struct layout *l, unsigned width)
{
	return width == 8 ? (unsigned)align_up(l->array_header, 8) :
			    l->array_header;
}

/* All arrays of a slot: header and elements of WIDTH bytes, each aligned. */
static uint64_t array_bytes(const struct hp_slot *slot, const struct layout *l,
			    unsigned width)
{
	uint64_t start = elements_start(l, width), total = 0;
	bool prims = slot->kind == HPROF_CLASS_PRIM_ARRAY;
	unsigned residues = prims ? HP_PRIM_RESIDUES : HP_ARRAY_RESIDUES;
	unsigned step = prims ? 1 : width;
	uint64_t payload = prims ? slot->data : slot->data * width;

	/*
	 * 256 is a multiple of the alignment, so only the payload modulo 256
	 * decides how much padding there is.
	 */
	total = payload;
	for (unsigned i = 0; i < residues; i++) {
		uint64_t part = (uint64_t)i * step % 256;
		total += slot->residues[i] *
			 (align_up(start + part, l->alignment) - part);
	}
	return total;
}

/* ---- which layout fits --------------------------------------------------- */

/* Objects whose size is not that of their class. */
static bool varies(const struct hp_class *row)
{
	return strcmp(row->name, "java.lang.Class") == 0 ||
	       strcmp(row->name, "jdk.internal.vm.StackChunk") == 0;
}

static void judge(int64_t weight, uint64_t predicted, int64_t measured,
		  int64_t *score)
{
	if (measured == HP_NO_SLACK)
		return;
	if (measured == (int64_t)predicted)
		*score += weight;
	else if (measured < (int64_t)predicted)
		*score -= 4 * weight;
}

static int64_t judge_arrays(const struct hp_classes *c,
			    const struct layout *l)
{
	const struct hp_tally *t = c->tally;
	int64_t score = 0, slack = HP_NO_SLACK;
	uint64_t count = 0;

	for (unsigned type = 4; type < 12; type++)
		if (t->prims[type].count >= MANY_ARRAYS)
			judge(ENOUGH_CLASSES,
			      elements_start(l, hprof_type_size(type, 0)),
			      t->prims[type].slack, &score);
	for (size_t i = 0; i < t->slot_count; i++) {
		const struct hp_slot *slot = t->slots[i];
		if (slot->kind == HPROF_CLASS_PLAIN)
			continue;
		count += slot->count;
		if (slot->slack < slack)
			slack = slot->slack;
	}
	if (count >= MANY_ARRAYS)
		judge(4 * ENOUGH_CLASSES, elements_start(l, l->ref),
		      l->ref == 4 ? slack : t->slack8, &score);
	return score;
}

static int64_t judge_layout(const struct hp_classes *c, const struct layout *l,
			    uint64_t *ends)
{
	int64_t score = judge_arrays(c, l);

	place_fields(c, l, ends);
	for (size_t i = 0; i < c->count; i++) {
		const struct hp_class *row = &c->rows[i];
		if (row->instances && hp_classes_complete(c, (uint32_t)i) &&
		    !varies(row))
			judge(1, align_up(ends[i], l->alignment),
			      row->instances->slack, &score);
	}
	return score;
}

/* The alignment of objects, by their ids; 0: ids are no addresses. */
static unsigned alignment_of(const struct hp_tally *t)
{
	uint64_t bits = t->cursor.bits;
	uint64_t count = 0;

	for (unsigned i = 0; i < t->mirror_count; i++)
		bits |= t->mirrors[i];
	if (bits == 0 || (bits & 7))
		return 0;
	for (size_t i = 0; i < t->slot_count; i++)
		count += t->slots[i]->count;
	if (count < ENOUGH_OBJECTS)
		return 8;
	uint64_t lowest = bits & -bits;
	return lowest > 256 ? 256 : (unsigned)lowest;
}

/* The best of the layouts; false: nothing is measured. */
static bool find_layout(const struct hp_classes *c, struct layout *ret,
			uint64_t *ends)
{
	unsigned alignment = alignment_of(c->tally);
	const struct layout *list = c->id_size == 8 ? layouts_8 : layouts_4;
	size_t count = c->id_size == 8 ?
			       sizeof layouts_8 / sizeof *layouts_8 :
			       sizeof layouts_4 / sizeof *layouts_4;
	int64_t best = ENOUGH_CLASSES - 1;
	bool found = false;

	for (size_t i = 0; alignment && i < count; i++) {
		struct layout l = list[i];
		l.alignment = alignment;
		int64_t score = judge_layout(c, &l, ends);
		if (score > best) {
			best = score;
			*ret = l;
			found = true;
		}
	}
	return found;
}

/* Without measurements: by the age of the JVM, as far as classes show. */
static struct layout assumed_layout(const struct hp_classes *c)
{
	struct layout l = c->id_size == 8 ? layouts_8[0] : layouts_4[0];

	l.packing = LEVELS;
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->rows[i].name, "java.lang.Record") == 0)
			l.packing = FILLED;
	return l;
}

static void force(struct layout *l, const struct hprof_summary_options *o)
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
 * The measured size of a class, if it can be one. It is larger than predicted
 * where the JVM adds fields of its own or sets fields apart, both in known
 * classes; elsewhere a larger distance may just be a dead object behind, so
 * it takes several instances in address order to believe it.
 */
static uint64_t believed_size(const struct hp_classes *c, uint32_t i,
			      uint64_t end, const struct layout *l)
{
	const unsigned alignment = l->alignment;
	enum { PADDING = 256, SEVERAL = 4 };
	const uint64_t injected = align_up(24, alignment);
	const struct hp_slot *slot = c->rows[i].instances;
	bool in_order = c->tally->descents * 16 < slot->count;
	const uint64_t predicted = align_up(end, alignment);
	/* Out of order a distance is easily too large, or not known. */
	const uint64_t otherwise =
		in_order ? predicted :
			   align_up(end + hp_hotspot_injected(c, i, l->ref),
				    alignment);

	if (slot->slack == HP_NO_SLACK || slot->slack < 0 ||
	    slot->slack <= (int64_t)predicted || slot->slack % 8 != 0)
		return otherwise;
	uint64_t more = (uint64_t)slot->slack - predicted;
	unsigned habits = hp_hotspot_habits(c, i);
	if (habits & HP_CONTENDED && more + alignment >= PADDING &&
	    more <= PADDING + injected)
		return (uint64_t)slot->slack;
	if (more > injected)
		return otherwise;
	if (in_order && (habits & HP_INJECTED || slot->count >= SEVERAL))
		return (uint64_t)slot->slack;
	if (habits & HP_INJECTED && (uint64_t)slot->slack < otherwise)
		return (uint64_t)slot->slack;
	return otherwise;
}

/*
 * The head of a stack chunk: after the fields in the dump the JVM adds a
 * reference, an address, an int and two bytes.
 */
static void size_chunks(const struct hp_classes *c, struct hp_class *row,
			const struct layout *l, uint64_t end)
{
	unsigned word = c->id_size;
	uint64_t head = align_up(end + l->ref + word + 4 + 2, l->alignment);
	uint64_t largest;
	uint64_t total = hp_hotspot_chunks(&c->tally->chunks,
					   row->info->chunk_size_at, head,
					   l->ref == 4, &largest);

	if (total) {
		row->shallow = total;
		row->largest = largest;
		row->chunk_head = head;
	}
}

static void add_arrays(struct hp_class *row, const struct layout *l)
{
	const struct hp_slot *slot = row->arrays;
	bool prims = slot->kind == HPROF_CLASS_PRIM_ARRAY;
	unsigned width = prims ? hprof_type_size(slot->type, l->ref) : l->ref;
	uint64_t payload = prims ? slot->largest : slot->largest * width;
	uint64_t largest = align_up(elements_start(l, width) + payload,
				    l->alignment);

	row->shallow += array_bytes(slot, l, width);
	if (largest > row->largest)
		row->largest = largest;
}

static void size_rows(struct hp_classes *c, const struct layout *l,
		      const struct hprof_size_convention *convention,
		      const uint64_t *ends)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[i];
		uint64_t size = align_up(ends[i], l->alignment);
		row->shallow = row->largest = row->instance = 0;
		row->chunk_head = 0;
		if (row->arrays)
			add_arrays(row, l);
		if (!row->instances)
			continue;
		if (!hp_classes_complete(c, (uint32_t)i))
			size = align_up(l->header + row->instances->largest,
					l->alignment);
		else if (convention->declared)
			size = row->info->instance_size;
		else if (convention->sizes == HPROF_SIZES_JVM &&
			 convention->measured) {
			uint64_t believed = believed_size(c, (uint32_t)i, ends[i],
							  l);
			row->measured = believed == (uint64_t)row->instances
							    ->slack;
			size = believed;
		}
		row->instance = size;
		row->shallow += size * row->instances->count;
		if (size > row->largest)
			row->largest = size;
		if (convention->sizes == HPROF_SIZES_JVM && row->complete &&
		    row->class_id && row->class_id == c->tally->chunks.class_id)
			size_chunks(c, row, l, ends[i]);
	}
}

static void size_by_data(struct hp_classes *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct hp_class *row = &c->rows[i];
		const struct hp_slot *a = row->arrays, *n = row->instances;
		unsigned width = a && a->kind == HPROF_CLASS_OBJ_ARRAY ?
					 c->id_size :
					 1;
		row->shallow = (a ? a->data * width : 0) + (n ? n->data : 0);
		row->largest = a ? a->largest * width : 0;
		if (n && n->largest > row->largest)
			row->largest = n->largest;
	}
}

/* Bytes of values that an instance of each class should have. */
static void size_data(struct hp_classes *c, uint64_t *ends)
{
	struct layout l = { c->id_size, 0, 0, 1, FILLED };

	place_fields(c, &l, ends);
	for (size_t i = 0; i < c->count; i++)
		c->rows[i].data_size = ends[i];
}

uint64_t hp_sizes_mirror(const struct hp_classes *c,
			 const struct hp_class_info *info,
			 const struct hprof_size_convention *v)
{
	uint64_t statics = info->statics_data;
	uint64_t base = 0;

	/* They are counted as its instances. */
	if (c->java_lang_class == HP_NO_CLASS)
		return 0;
	if (v->sizes == HPROF_SIZES_DATA)
		return statics;
	statics -= (uint64_t)info->statics_refs * c->id_size;
	statics += (uint64_t)info->statics_refs * v->ref_width;
	if (v->sizes == HPROF_SIZES_JVM) {
		/* Primitive classes are mirrors without statics. */
		const struct hp_class *row = &c->rows[c->java_lang_class];
		base = c->java_lang_class_size;
		if (row->instances && row->instances->slack > (int64_t)base &&
		    row->instances->slack < (int64_t)base + 64)
			base = (uint64_t)row->instances->slack;
	}
	return align_up(base + statics, v->alignment);
}

uint64_t hp_sizes_array(const struct hprof_size_convention *v,
			unsigned id_size, bool prims, unsigned type,
			uint64_t length)
{
	const struct layout l = { .array_header = v->array_header };
	unsigned width = hprof_type_size(type, v->ref_width);
	uint64_t payload = length * (prims ? hprof_type_size(type, id_size) :
					     width);

	if (v->sizes == HPROF_SIZES_DATA)
		return length * hprof_type_size(type, id_size);
	return align_up(elements_start(&l, width) + payload, v->alignment);
}

/* ---- the convention ------------------------------------------------------ */

static void describe(const struct hp_classes *c,
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
		 v->sizes == HPROF_SIZES_MAT ? "as Memory Analyzer counts: " :
					       "",
		 8 * c->id_size, v->ref_width,
		 c->id_size == 8 && v->ref_width == 4 ? " (compressed)" : "",
		 v->header,
		 c->id_size == 8 && v->header == 8 ? " (compact)" : "",
		 v->alignment, how);
}

static bool sizes_are_declared(const struct hp_classes *c)
{
	const struct hp_class *object;

	if (c->java_lang_object == HP_NO_CLASS)
		return false;
	object = &c->rows[c->java_lang_object];
	return object->info && object->info->instance_size > 0;
}

/* Memory Analyzer: an id and a reference for a header, no gaps filled. */
static void as_mat(const struct hp_classes *c, struct layout *l)
{
	l->header = c->id_size + l->ref;
	l->array_header = (unsigned)align_up(l->header + 4, l->ref);
	l->packing = MAT_LEVELS;
}

static void apply(struct hp_classes *c, const struct layout *l,
		  const struct hprof_size_convention *v, uint64_t *ends)
{
	place_fields(c, l, ends);
	if (c->java_lang_class != HP_NO_CLASS)
		c->java_lang_class_size = ends[c->java_lang_class];
	if (v->sizes == HPROF_SIZES_DATA)
		size_by_data(c);
	else
		size_rows(c, l, v, ends);
}

int hp_sizes_assign(struct hp_classes *c,
		    const struct hprof_summary_options *options,
		    struct hprof_size_convention *v)
{
	struct layout l = { 0 };
	uint64_t *ends = hp_calloc(c->count + 1, sizeof *ends);

	if (!ends)
		return -1;
	memset(v, 0, sizeof *v);
	v->sizes = options->sizes;
	size_data(c, ends);
	v->declared = sizes_are_declared(c) && v->sizes == HPROF_SIZES_JVM;
	v->measured = !v->declared && find_layout(c, &l, ends);
	if (!v->measured)
		l = assumed_layout(c);
	force(&l, options);
	if (v->sizes == HPROF_SIZES_MAT)
		as_mat(c, &l);
	v->ref_width = l.ref;
	v->header = l.header;
	v->array_header = l.array_header;
	v->alignment = l.alignment;
	v->fill_gaps = l.packing == FILLED;
	describe(c, v);
	apply(c, &l, v, ends);
	hp_free(ends);
	return 0;
}

/* "..., 8-byte alignment (measured)" becomes "... (as the other dumps)". */
static void describe_like(const struct hprof_size_convention *like,
			  struct hprof_size_convention *v)
{
	const char *how = strrchr(like->text, '(');
	size_t length = how ? (size_t)(how - like->text) : strlen(like->text);

	snprintf(v->text, sizeof v->text, "%.*s%s", (int)length, like->text,
		 how ? "(for all dumps)" : "");
}

int hp_sizes_like(struct hp_classes *c,
		  const struct hprof_size_convention *like,
		  struct hprof_size_convention *v)
{
	struct layout l = { like->ref_width, like->header, like->array_header,
			    like->alignment,
			    like->fill_gaps ? FILLED : LEVELS };
	uint64_t *ends = hp_calloc(c->count + 1, sizeof *ends);

	if (!ends)
		return -1;
	if (like->sizes == HPROF_SIZES_MAT)
		l.packing = MAT_LEVELS;
	*v = *like;
	v->measured = v->declared = false;
	describe_like(like, v);
	apply(c, &l, v, ends);
	hp_free(ends);
	return 0;
}

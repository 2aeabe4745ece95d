/* SPDX-License-Identifier: MIT */
/*
 * transform_values.c - rewrites the contents of objects and classes:
 * identifiers of another width, and values that are blanked.
 *
 * Long bodies are processed in pieces. Instances and classes, which have a
 * layout, are changed as a whole.
 */
#include <assert.h>
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/wire.h"

struct values {
	uint8_t *changed; /* new contents of the current record */
	size_t room;
};

static bool wanted(const struct hp_cv_plan *plan)
{
	return plan->values;
}

/* The size that SIZE bytes may grow to. */
static size_t grown(const struct hp_convert *c, size_t size)
{
	unsigned from = c->plan->from, to = c->plan->to;

	return size * (to > from ? to / from : 1) + 16;
}

/* ---- identifiers --------------------------------------------------------- */

/* Converts COUNT ids from P to OUT. */
static enum hprof_status change_ids(struct hp_convert *c, const uint8_t *p,
				    size_t count, uint8_t *out, uint64_t offset)
{
	unsigned from = c->plan->from, to = c->plan->to;

	for (size_t i = 0; i < count; i++, p += from, out += to) {
		uint64_t id = hp_get_id(p, from);
		if (to < from)
			HP_TRY(hp_cv_fits(c, id, offset));
		hp_put_id(out, to, id);
	}
	return HPROF_OK;
}

/* ---- long bodies --------------------------------------------------------- */

/* Writes BODY, which is ids, as the body of the record that was begun. */
static enum hprof_status put_ids(struct hp_convert *c, struct values *v,
				 struct hprof_bytes body, uint64_t offset)
{
	uint8_t *piece = c->output.piece;
	size_t n;

	while (body.size > 0) {
		n = hp_cv_next_bytes(c, &body, piece, HP_PIECE / 2);
		n /= c->plan->from;
		assert(n * c->plan->to <= v->room);
		HP_TRY(change_ids(c, piece, n, v->changed, offset));
		HP_TRY(hp_cv_body(c, v->changed, n * c->plan->to));
	}
	return HPROF_OK;
}

/* Zeros for BODY, whose elements have FROM bytes, and TO in the result. */
static enum hprof_status put_zeros(struct hp_convert *c,
				   struct hprof_bytes body, unsigned from,
				   unsigned to)
{
	const uint64_t all = body.size / from * to;

	/* Most arrays are short. */
	memset(c->output.piece, 0, all < HP_PIECE ? (size_t)all : HP_PIECE);
	while (body.size > 0) {
		size_t n = hp_cv_pass_bytes(c, &body, HP_PIECE / 2);
		assert(n / from * to <= HP_PIECE);
		HP_TRY(hp_cv_body(c, c->output.piece, n / from * to));
	}
	return HPROF_OK;
}

/*
 * Writes a record with zeros for its long field FIELD, whose elements have FROM
 * bytes, and TO in the result.
 */
static enum hprof_status emit_zeros(struct hp_convert *c,
				    struct hprof_record *r,
				    struct hprof_bytes *field, unsigned from,
				    unsigned to)
{
	struct hprof_bytes body = *field;
	bool body_due;

	*field = (struct hprof_bytes){ NULL, body.size / from * to };
	r->id_size = (uint8_t)c->plan->to;
	HP_TRY(hp_cv_emit_head(c, r, &body_due));
	if (!body_due)
		return HPROF_OK;
	HP_TRY(put_zeros(c, body, from, to));
	return hp_cv_body_end(c, r);
}

/* Writes a record whose long field FIELD is COUNT ids. */
static enum hprof_status emit_ids(struct hp_convert *c, struct values *v,
				  struct hprof_record *r,
				  struct hprof_bytes *field, uint64_t count)
{
	struct hprof_bytes body = *field;
	bool body_due;

	if (c->plan->from == c->plan->to)
		return hp_cv_emit(c, r);
	if (!hp_cv_make_room(&v->changed, &v->room, HP_PIECE * 8))
		return hp_no_memory(c->error);
	*field = (struct hprof_bytes){ NULL, count * c->plan->to };
	r->id_size = (uint8_t)c->plan->to;
	r->rest = (struct hprof_bytes){ 0 };
	HP_TRY(hp_cv_emit_head(c, r, &body_due));
	if (!body_due)
		return HPROF_OK;
	HP_TRY(put_ids(c, v, body, r->offset));
	return hp_cv_body_end(c, r);
}

static enum hprof_status change_trace(struct hp_convert *c, struct values *v,
				      struct hprof_record *r)
{
	return emit_ids(c, v, r, &r->u.trace.frames, r->u.trace.frame_count);
}

static enum hprof_status change_objects(struct hp_convert *c, struct values *v,
					struct hprof_record *r)
{
	struct hprof_obj_array_dump *array = &r->u.obj_array_dump;

	if (!hp_cv_blanks_array(c, r))
		return emit_ids(c, v, r, &array->elements, array->count);
	array->class_id = 0;
	return emit_zeros(c, r, &array->elements, c->plan->from, c->plan->to);
}

static enum hprof_status change_array(struct hp_convert *c, struct values *v,
				      struct hprof_record *r)
{
	struct hprof_prim_array_dump *array = &r->u.prim_array_dump;
	struct hprof_bytes *elements = &array->elements;
	bool blank = hp_cv_blanks_array(c, r);
	/*
	 * The format has no such array. It is one of ids, or of text if a bit
	 * of its type is wrong.
	 */
	bool has_ids = array->type == HPROF_TYPE_OBJECT;

	if (blank)
		return emit_zeros(c, r, elements, has_ids ? c->plan->from : 1,
				  has_ids ? c->plan->to : 1);
	return has_ids ? emit_ids(c, v, r, elements, array->count)
		       : hp_cv_emit(c, r);
}

/* ---- instances ----------------------------------------------------------- */

struct change {
	const uint8_t *p;
	size_t left;
	uint8_t *out;
	uint64_t offset;
};

static enum hprof_status change_field(struct hp_convert *c, struct change *x,
				      const struct hp_cv_class *k,
				      const struct hp_cv_field *field)
{
	unsigned width = hprof_type_size(field->type, c->plan->from);
	unsigned wide = hprof_type_size(field->type, c->plan->to);

	if (field->blank) {
		memset(x->out, 0, wide);
	} else if (field->type == HPROF_TYPE_OBJECT) {
		HP_TRY(change_ids(c, x->p, 1, x->out, x->offset));
		if (k->is_reference &&
		    hp_cv_clears(c, hp_get_id(x->p, c->plan->from)))
			memset(x->out, 0, wide);
	} else {
		memcpy(x->out, x->p, wide);
	}
	x->p += width;
	x->out += wide;
	x->left -= width;
	return HPROF_OK;
}

/*
 * In a damaged dump a class is believed only if its fields take exactly the
 * bytes of the instance. Otherwise there may be text where it has a reference.
 */
static bool is_sure(struct hp_convert *c, struct hp_cv_class *k, size_t size)
{
	uint64_t all = k ? hp_cv_data_size(c, k, c->plan->from) : 0;

	return all == 0 || all == size;
}

/*
 * Changes all fields that the instance has. *RET_KNOWN is false if a class was
 * missing.
 */
static enum hprof_status change_fields(struct hp_convert *c, struct change *x,
				       uint64_t class_id, bool *ret_known)
{
	struct hp_cv_class *k =
		class_id ? hp_cv_class(c, class_id, false) : NULL;

	*ret_known = k || class_id == 0 || x->left == 0;
	if (c->plan->options.redact && !is_sure(c, k, x->left))
		return HPROF_OK;
	for (; k && x->left > 0; k = hp_cv_next_level(c, k)) {
		*ret_known = k->link.dumped;
		if (!k->link.dumped)
			return HPROF_OK;
		hp_cv_know_fields(c, k);
		for (uint32_t i = 0; i < k->link.field_count; i++) {
			if (hprof_type_size(k->fields[i].type, c->plan->from) >
			    x->left)
				return HPROF_OK;
			HP_TRY(change_field(c, x, k, &k->fields[i]));
		}
	}
	return HPROF_OK;
}

/* Changes the bytes that belong to no field of any class. */
static void change_rest(struct hp_convert *c, struct change *x)
{
	if (c->plan->options.redact || c->plan->options.omit)
		memset(x->out, 0, x->left);
	else if (x->left)
		memcpy(x->out, x->p, x->left);
	x->out += x->left;
}

static enum hprof_status lose_large(struct hp_convert *c,
				    const struct hprof_record *r)
{
	hp_cv_lose(c, r->offset,
		   "the object has more than 16 MiB of fields, which no class "
		   "has: it is left out");
	return HPROF_OK;
}

/*
 * The class may come later. But what was written to a pipe cannot be corrected.
 */
static enum hprof_status lose_classless(struct hp_convert *c,
					const struct hprof_record *r)
{
	if (!c->looked)
		return hp_cv_fail(c, HPROF_E_UNSUPPORTED, r->offset,
				  "the class of an object, or a superclass of "
				  "it, comes later or never: this needs a "
				  "file, not a pipe");
	hp_cv_lose(c, r->offset,
		   "the class of the object is not in the dump, so where its "
		   "references lie is not known: it is left out");
	return HPROF_OK;
}

static enum hprof_status change_instance(struct hp_convert *c, struct values *v,
					 struct hprof_record *r)
{
	struct hprof_instance_dump *dump = &r->u.instance_dump;
	struct change x = { .offset = r->offset };
	bool loaded, known;

	HP_TRY(hp_cv_load(c, &dump->data, &loaded));
	if (!loaded)
		return lose_large(c, r);
	x.p = dump->data.data;
	x.left = (size_t)dump->data.size;
	if (!hp_cv_make_room(&v->changed, &v->room, grown(c, x.left)))
		return hp_no_memory(c->error);
	x.out = v->changed;
	HP_TRY(change_fields(c, &x, dump->class_id, &known));
	if (!known && (!c->looked || c->plan->from != c->plan->to))
		return lose_classless(c, r);
	change_rest(c, &x);
	assert((size_t)(x.out - v->changed) <= v->room);
	dump->data.data = v->changed;
	dump->data.size = (uint64_t)(x.out - v->changed);
	dump->data_size = (uint32_t)dump->data.size;
	r->id_size = (uint8_t)c->plan->to;
	return hp_cv_emit(c, r);
}

/* ---- classes ------------------------------------------------------------- */

enum list { CONSTANTS, STATICS, FIELDS };

/* Writes one entry to *OUT, and moves *OUT to its end. */
static enum hprof_status
change_entry(struct hp_convert *c, const struct hprof_record *r, enum list list,
	     const struct hprof_class_entry *entry, uint8_t **out)
{
	uint64_t value = entry->value;
	unsigned width = hprof_type_size(entry->type, c->plan->to);

	if (list == CONSTANTS) {
		hp_put16(*out, entry->index);
		*out += 2;
	} else {
		HP_TRY(hp_cv_fits(c, entry->name_id, r->offset));
		hp_put_id(*out, c->plan->to, entry->name_id);
		*out += c->plan->to;
	}
	*(*out)++ = entry->type;
	if (list == FIELDS)
		return HPROF_OK;
	if (entry->type == HPROF_TYPE_OBJECT)
		HP_TRY(hp_cv_fits(c, value, r->offset));
	else if (hp_cv_blanks_static(c, r->u.class_dump.class_id,
				     list == STATICS
					     ? entry
					     : &(struct hprof_class_entry){
						       .type = entry->type }))
		value = 0;
	hp_put_id(*out, width, value);
	*out += width;
	return HPROF_OK;
}

static enum hprof_status change_list(struct hp_convert *c,
				     const struct hprof_record *r,
				     enum list list,
				     struct hprof_class_cursor cursor,
				     struct hprof_bytes *field, uint8_t **out)
{
	struct hprof_class_entry entry;
	uint8_t *start = *out;

	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		HP_TRY(change_entry(c, r, list, &entry, out));
	*field = (struct hprof_bytes){ start, (uint64_t)(*out - start) };
	return HPROF_OK;
}

/*
 * Changes the size only if it is the sum of the fields. Otherwise it is the
 * size in the JVM.
 */
static uint32_t change_size(struct hp_convert *c,
			    const struct hprof_class_dump *dump)
{
	struct hp_cv_class *k = hp_cv_class(c, dump->class_id, false);
	uint64_t old;

	if (!k || c->plan->from == c->plan->to || c->model.real_sizes)
		return dump->instance_size;
	old = hp_cv_data_size(c, k, c->plan->from);
	if (old == 0 || old != dump->instance_size)
		return dump->instance_size;
	return (uint32_t)hp_cv_data_size(c, k, c->plan->to);
}

static enum hprof_status change_class(struct hp_convert *c, struct values *v,
				      struct hprof_record *r)
{
	struct hprof_class_dump *dump = &r->u.class_dump;
	size_t size = (size_t)(dump->constants.size + dump->statics.size +
			       dump->fields.size);
	struct hprof_record old = *r;
	uint8_t *out;

	if (!hp_cv_make_room(&v->changed, &v->room, grown(c, size)))
		return hp_no_memory(c->error);
	out = v->changed;
	dump->instance_size = change_size(c, dump);
	HP_TRY(change_list(c, &old, CONSTANTS, hprof_class_constants(&old),
			   &dump->constants, &out));
	HP_TRY(change_list(c, &old, STATICS, hprof_class_statics(&old),
			   &dump->statics, &out));
	HP_TRY(change_list(c, &old, FIELDS, hprof_class_fields(&old),
			   &dump->fields, &out));
	assert((size_t)(out - v->changed) <= v->room);
	r->id_size = (uint8_t)c->plan->to;
	return hp_cv_emit(c, r);
}

/* ---- the transform ------------------------------------------------------- */

static enum hprof_status record(struct hp_convert *c, void *state,
				struct hprof_record *r, bool *ret_gone)
{
	struct values *v = state;

	*ret_gone = true; /* written here */
	switch (r->tag) {
	case HPROF_TRACE:
		return change_trace(c, v, r);
	case HPROF_CLASS_DUMP:
		return change_class(c, v, r);
	case HPROF_INSTANCE_DUMP:
		return change_instance(c, v, r);
	case HPROF_OBJ_ARRAY_DUMP:
		return change_objects(c, v, r);
	case HPROF_PRIM_ARRAY_DUMP:
		return change_array(c, v, r);
	default:
		*ret_gone = false;
		return HPROF_OK;
	}
}

static void done(struct hp_convert *c, void *state)
{
	const struct values *v = state;

	(void)c;
	hp_free(v->changed);
}

const struct hp_transform hp_transform_values = {
	.name = "values",
	.state_size = sizeof(struct values),
	.wanted = wanted,
	.record = record,
	.done = done,
};

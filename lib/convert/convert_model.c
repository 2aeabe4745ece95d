/* SPDX-License-Identifier: MIT */
/*
 * convert_model.c - the names and classes of a dump, as far as a conversion
 * needs them: which strings are names, of what, and how instances are laid out.
 */
#include <string.h>

#include "convert/convert.h"
#include "base/error.h"
#include "base/mem.h"

enum hprof_status hp_cv_model_init(struct hp_convert *c)
{
	struct hp_cv_model *m = &c->model;

	m->last_string = &m->first_string;
	m->ready = true;
	if (hp_string_table_init(&m->strings, sizeof(struct hp_cv_string),
				 UINT32_MAX) != 0 ||
	    hp_known_classes_init(&m->classes, sizeof(struct hp_cv_class), 1) !=
		    0)
		return hp_no_memory(c->error);
	hp_class_chains_init(&m->chains, &m->classes);
	return HPROF_OK;
}

void hp_cv_model_done(struct hp_convert *c)
{
	if (!c->model.ready)
		return;
	hp_string_table_done(&c->model.strings);
	hp_known_classes_done(&c->model.classes);
	hp_arena_done(&c->model.arena);
}

static void *take(struct hp_cv_model *m, size_t size)
{
	void *p = hp_arena_take(&m->arena, size);

	if (p)
		memset(p, 0, size);
	else
		m->no_memory = true;
	return p;
}

/* ---- what there is ------------------------------------------------------- */

struct hp_cv_string *hp_cv_string(struct hp_convert *c, uint64_t id, bool make)
{
	struct hp_cv_model *m = &c->model;
	struct hp_cv_string *s = hp_string_table_get(&m->strings, id);

	if (s || !make)
		return s;
	s = hp_string_table_add(&m->strings, id);
	if (!s) {
		m->no_memory = true;
		return NULL;
	}
	s->id = id;
	*m->last_string = s;
	m->last_string = &s->next;
	return s;
}

struct hp_cv_class *hp_cv_class(struct hp_convert *c, uint64_t id, bool make)
{
	struct hp_cv_model *m = &c->model;
	struct hp_cv_class *k = make ? hp_known_classes_add(&m->classes, id)
				     : hp_known_classes_get(&m->classes, id);

	m->no_memory = m->no_memory || (make && !k);
	return k;
}

static struct hp_cv_class *class_of(struct hp_class_link *link)
{
	return (struct hp_cv_class *)link; /* its first member */
}

struct hp_cv_class *hp_cv_first_class(const struct hp_convert *c)
{
	return c->model.classes.first;
}

struct hp_cv_class *hp_cv_next_class(const struct hp_cv_class *k)
{
	return k->link.known.next;
}

void hp_cv_class_name(struct hp_convert *c, const struct hp_cv_class *k,
		      char *out, size_t room)
{
	const struct hp_cv_string *s =
		hp_cv_string(c, k->link.known.name_id, false);
	size_t size = 0;

	/*
	 * Text shrinks to two thirds at most, so a longer name cannot fit. Many
	 * classes may share it, and none pays for it.
	 */
	if (s && s->string.bytes && s->string.size <= 2 * room &&
	    !(c->plan->options.redact && hp_cv_is_doubtful(s)))
		size = hprof_class_name_decode(s->string.bytes, s->string.size,
					       out, room);
	out[size < room ? size : 0] = '\0';
}

/* ---- what records say ---------------------------------------------------- */

static void use(struct hp_convert *c, uint64_t id, unsigned use)
{
	struct hp_cv_string *s = id ? hp_cv_string(c, id, true) : NULL;

	if (s)
		s->uses |= (uint16_t)use;
}

static void learn_utf8(struct hp_convert *c, const struct hprof_utf8 *utf8)
{
	struct hp_cv_string *s = hp_cv_string(c, utf8->string_id, true);

	if (!s)
		return;
	switch (hp_string_table_take(&c->model.strings, utf8, NULL)) {
	case HP_STRING_UNREAD: /* too long for a name */
	case HP_STRING_CLASH:
		s->unsure = true;
		break;
	case HP_STRING_NO_MEMORY:
		c->model.no_memory = true;
		break;
	default:
		break;
	}
}

static void learn_load(struct hp_convert *c,
		       const struct hprof_load_class *load)
{
	struct hp_cv_class *k = hp_known_classes_load(&c->model.classes, load);

	if (!k) {
		c->model.no_memory = true;
		return;
	}
	/* In a single pass each one is valid for what follows it. */
	k->link.known.name_id = load->name_id;
	k->link.known.serial = load->class_serial;
	k->judged = false;
	use(c, load->name_id, HP_CV_CLASS);
}

static void learn_frame(struct hp_convert *c, const struct hprof_frame *frame)
{
	use(c, frame->method_id, HP_CV_METHOD);
	use(c, frame->signature_id, HP_CV_SIGNATURE);
	use(c, frame->source_id, HP_CV_SOURCE);
}

/*
 * java.lang.Object has no fields. If its instance_size is not 0, sizes are
 * those in the VM (Q40).
 */
static void learn_root(struct hp_convert *c, const struct hp_cv_class *k)
{
	char name[32];

	hp_cv_class_name(c, k, name, sizeof name);
	if (strcmp(name, "java.lang.Object") == 0)
		c->model.real_sizes = true;
}

static void learn_fields(struct hp_convert *c, struct hp_cv_class *k,
			 const struct hprof_record *r)
{
	struct hprof_class_cursor cursor = hprof_class_fields(r);
	struct hprof_class_entry entry;
	uint32_t n = 0;

	while (n < r->u.class_dump.field_count &&
	       hprof_class_next(&cursor, &entry) == HPROF_OK) {
		k->fields[n].name_id = entry.name_id;
		k->fields[n++].type = entry.type;
		use(c, entry.name_id, HP_CV_FIELD);
	}
}

static void learn_class(struct hp_convert *c, const struct hprof_record *r)
{
	const struct hprof_class_dump *dump = &r->u.class_dump;
	struct hp_cv_class *k = hp_cv_class(c, dump->class_id, true);
	struct hp_cv_class *super =
		dump->super_id ? hp_cv_class(c, dump->super_id, true) : NULL;
	struct hprof_class_cursor cursor = hprof_class_statics(r);
	struct hprof_class_entry entry;
	struct hp_cv_field *fields;
	enum hprof_status taken;

	if (super)
		super->used = true;
	while (hprof_class_next(&cursor, &entry) == HPROF_OK)
		use(c, entry.name_id, HP_CV_FIELD);
	/*
	 * Of several CLASS_DUMPs the last one counts; in a single pass it comes
	 * too late.
	 */
	if (!k || (k->link.dumped && !c->plan->options.repair))
		return;
	fields = take(&c->model,
		      sizeof *fields * ((size_t)dump->field_count + 1));
	if (!fields)
		return;
	taken = hp_class_chains_dump(&c->model.chains, &k->link, r,
				     c->plan->from);
	if (taken == HPROF_E_NOMEM)
		c->model.no_memory = true;
	if (taken != HPROF_OK)
		return;
	k->record = c->input.count;
	k->fields = fields;
	learn_fields(c, k, r);
	if (dump->super_id == 0 && dump->instance_size > 0)
		learn_root(c, k);
}

/* An object whose class may have no CLASS_DUMP. */
static void learn_object(struct hp_convert *c, uint64_t class_id,
			 uint32_t data_size)
{
	struct hp_cv_class *k =
		class_id ? hp_cv_class(c, class_id, true) : NULL;

	if (!k)
		return;
	k->used = true;
	if (k->data_size < data_size)
		k->data_size = data_size;
}

enum hprof_status hp_cv_learn(struct hp_convert *c,
			      const struct hprof_record *r)
{
	switch (r->tag) {
	case HPROF_UTF8:
		learn_utf8(c, &r->u.utf8);
		break;
	case HPROF_LOAD_CLASS:
		learn_load(c, &r->u.load_class);
		break;
	case HPROF_FRAME:
		learn_frame(c, &r->u.frame);
		break;
	case HPROF_START_THREAD:
		use(c, r->u.start_thread.name_id, HP_CV_THREAD);
		use(c, r->u.start_thread.group_id, HP_CV_THREAD);
		use(c, r->u.start_thread.parent_id, HP_CV_THREAD);
		break;
	case HPROF_CLASS_DUMP:
		learn_class(c, r);
		break;
	case HPROF_HEAP_DUMP_INFO:
		use(c, r->u.heap_dump_info.name_id, HP_CV_HEAP);
		break;
	case HPROF_INSTANCE_DUMP:
		if (c->plan->options.repair)
			learn_object(c, r->u.instance_dump.class_id,
				     r->u.instance_dump.data_size);
		break;
	case HPROF_OBJ_ARRAY_DUMP:
		if (c->plan->options.repair)
			learn_object(c, r->u.obj_array_dump.class_id, 0);
		break;
	}
	return c->model.no_memory ? hp_no_memory(c->error) : HPROF_OK;
}

/* ---- superclasses -------------------------------------------------------- */

uint64_t hp_cv_data_size(struct hp_convert *c, struct hp_cv_class *k,
			 unsigned id_size)
{
	struct hp_field_sum sum;

	if (hp_class_chain_sum(&c->model.chains, &k->link, &sum) !=
	    HP_CHAIN_WHOLE)
		return 0;
	return sum.bytes + sum.refs * id_size;
}

bool hp_cv_in_ring(struct hp_convert *c, struct hp_cv_class *k)
{
	struct hp_field_sum sum;

	return hp_class_chain_sum(&c->model.chains, &k->link, &sum) ==
	       HP_CHAIN_RING;
}

struct hp_cv_class *hp_cv_next_level(struct hp_convert *c,
				     struct hp_cv_class *k)
{
	return class_of(hp_class_chain_level(&c->model.chains, &k->link));
}

static bool is_named_reference(struct hp_convert *c,
			       const struct hp_cv_class *k)
{
	char name[32];

	hp_cv_class_name(c, k, name, sizeof name);
	return strcmp(name, "java.lang.ref.Reference") == 0;
}

/*
 * The result is stored in every class on the way, so that none is visited
 * again.
 */
bool hp_cv_is_reference(struct hp_convert *c, struct hp_cv_class *k)
{
	uint64_t walk = hp_class_walk_begin(&c->model.chains);
	struct hp_cv_class *at = k;
	bool is_one = false;

	while (at && !at->sought && hp_class_walk_enters(walk, &at->link)) {
		is_one = is_named_reference(c, at);
		if (is_one)
			break;
		at = class_of(at->link.super);
	}
	is_one = is_one || (at && at->sought && at->is_reference);
	for (; k && !k->sought; k = k == at ? NULL : class_of(k->link.super)) {
		k->sought = true;
		k->is_reference = is_one;
	}
	return is_one;
}

/* SPDX-License-Identifier: MIT */
/*
 * check_scan.c - the hot loop of hprof_check over whole, ordinary objects.
 *
 * In the first pass nearly all objects are new, are of a known class that has
 * another instance of the same size, and refer to ids in a cached block. For
 * these it needs registers and one bit each. Null is recorded like any other
 * id, since a branch on null references would be unpredictable. The last pass,
 * where most references turn out not to dangle, works in the same way.
 * Everything else takes the slow path in check_pass.c.
 */
#include "check/check.h"
#include "stream/reader.h"
#include "base/wire.h"
#include "codec/object_head.h"

/* A local variable that does not escape, so its members are in registers. */
struct scan {
	struct hp_check *check;
	struct hp_id_run run;
	uint64_t trace; /* trace serial of the previous object */
	uint64_t objects, references;
	unsigned tags;	/* seen; bit 0 is HPROF_INSTANCE_DUMP */
	unsigned types; /* of primitive arrays seen; a bit for each type code */
};

/* ---- ids ----------------------------------------------------------------- */

static inline __attribute__((always_inline)) void
define(struct scan *s, uint64_t id, uint64_t at, const enum hp_check_phase pass)
{
	if (pass != HP_PASS_ALL)
		return;
	if (hp_id_marks_define_next(&s->check->ids, &s->run, id))
		s->objects++;
	else /* reports what is wrong */
		hp_check_define(s->check, id, at);
}

static inline __attribute__((always_inline)) void
refer(struct scan *s, uint64_t id, uint64_t at, const char *what,
      uint64_t class_id, const enum hp_check_phase pass)
{
	if (pass == HP_PASS_ALL) {
		s->references += id != 0;
		hp_id_marks_refer(&s->check->ids, id);
	} else if (!hp_id_marks_is_defined(&s->check->ids, id)) {
		hp_check_refer(s->check, id, at, what, class_id);
	}
}

static inline __attribute__((always_inline)) void
note_trace(struct scan *s, uint32_t serial, uint64_t at,
	   const enum hp_check_phase pass)
{
	if (pass != HP_PASS_ALL || serial == s->trace)
		return;
	s->trace = serial;
	hp_check_want_trace(s->check, serial, at);
}

/* ---- objects ------------------------------------------------------------- */

/* Checks what is behind the fixed fields of an instance. */
static inline __attribute__((always_inline)) void
take_fields(struct scan *s, uint64_t at, uint64_t class_id, const uint8_t *data,
	    uint32_t size, const unsigned z, const enum hp_check_phase pass)
{
	const struct hp_kclass *k =
		hp_known_classes_get(&s->check->symbols.classes, class_id);

	if (pass == HP_PASS_LATE || !k ||
	    k->common_size != (uint64_t)size + 1) {
		hp_check_instance(s->check, at, class_id, data, size);
		return;
	}
	const uint32_t *ref = k->refs, *end = ref + k->ref_count;
	for (; ref < end; ref++)
		refer(s, hp_get_id(data + *ref, z), at, "an instance", class_id,
		      pass);
}

/* Likewise for an array of references. */
static inline __attribute__((always_inline)) void
take_elements(struct scan *s, uint64_t at, uint64_t class_id, const uint8_t *p,
	      uint32_t n, const unsigned z, const enum hp_check_phase pass)
{
	const struct hp_kclass *k =
		hp_known_classes_get(&s->check->symbols.classes, class_id);
	const uint8_t *end = p + (size_t)n * z;

	if (pass == HP_PASS_LATE || !k || !k->has_arrays) {
		hp_check_obj_array(s->check, at, class_id, p, n);
		return;
	}
	if (pass == HP_PASS_LOCATE) /* else done with its first array */
		refer(s, class_id, at, "an array", 0, pass);
	for (; p < end; p += z)
		refer(s, hp_get_id(p, z), at, "an array", class_id, pass);
}

/*
 * Checks the object at P, which is at offset AT in the file. ROOM bytes of it
 * are available, more than the longest head. Returns its size; 0 if it is not
 * whole or not ordinary.
 */
static inline __attribute__((always_inline)) uint64_t
take_object(struct scan *s, const uint8_t *p, size_t room, uint64_t at,
	    const unsigned z, const enum hp_check_phase pass)
{
	const unsigned tag = HPROF_SUB + p[0];
	struct hp_object_head head;

	if (tag == HPROF_INSTANCE_DUMP) {
		if (!hp_instance_head_read(p, room, z, &head))
			return 0;
		define(s, head.id, at, pass);
		take_fields(s, at, head.class_id, p + head.size_of_head,
			    head.count, z, pass);
	} else if (tag == HPROF_PRIM_ARRAY_DUMP) {
		if (!hp_prim_array_head_read(p, room, z, &head))
			return 0;
		define(s, head.id, at, pass);
		s->types |= 1U << head.type;
	} else if (tag == HPROF_OBJ_ARRAY_DUMP) {
		if (!hp_obj_array_head_read(p, room, z, &head))
			return 0;
		define(s, head.id, at, pass);
		take_elements(s, at, head.class_id, p + head.size_of_head,
			      head.count, z, pass);
	} else {
		return 0;
	}
	note_trace(s, head.trace_serial, at, pass);
	s->tags |= 1U << (tag - HPROF_INSTANCE_DUMP);
	return head.size_of_head + head.size;
}

/* ---- many objects -------------------------------------------------------- */

/* Stores what was seen where the slow path stores it. */
static void finish(struct hp_check *c, const struct scan *s)
{
	c->known_trace = s->trace;
	c->objects += s->objects;
	c->references += s->references;
	hp_id_marks_allow(&c->ids, s->objects);
	c->prim_arrays_seen |= s->types;
	for (unsigned bit = 0; s->tags >> bit; bit++)
		c->tags_seen[HPROF_INSTANCE_DUMP + bit] |= s->tags >> bit & 1;
}

static inline __attribute__((always_inline)) size_t
scan(struct hp_check *c, const uint8_t *start, size_t size, uint64_t offset,
     const unsigned z, const enum hp_check_phase pass)
{
	const uint8_t *p = start, *end = start + size;
	struct scan s = { .check = c,
			  .run = { HP_NO_BASE, NULL },
			  .trace = c->known_trace };
	uint64_t used;

	while (hp_room(p, end) >= HP_HEAD_LONGEST(z)) {
		used = take_object(&s, p, hp_room(p, end),
				   offset + (size_t)(p - start), z, pass);
		if (!used)
			break;
		p += used;
	}
	finish(c, &s);
	return (size_t)(p - start);
}

static inline __attribute__((always_inline)) size_t
scan_pass(struct hp_check *c, const uint8_t *p, size_t size, uint64_t offset,
	  const unsigned z)
{
	switch (c->pass) {
	case HP_PASS_ALL:
		return scan(c, p, size, offset, z, HP_PASS_ALL);
	case HP_PASS_LATE:
		return scan(c, p, size, offset, z, HP_PASS_LATE);
	default:
		return scan(c, p, size, offset, z, HP_PASS_LOCATE);
	}
}

size_t hp_check_scan(struct hp_check *c, const uint8_t *p, size_t size,
		     uint64_t offset)
{
	return c->id_size == 8 ? scan_pass(c, p, size, offset, 8)
			       : scan_pass(c, p, size, offset, 4);
}

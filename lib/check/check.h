/* SPDX-License-Identifier: MIT */
/*
 * check.h - the internals of hprof_check, shared by the check*.c files.
 */
#ifndef HP_CHECK_H
#define HP_CHECK_H

#include "base/diag_list.h"
#include "hprof/check.h"
#include "base/id_marks.h"
#include "model/class_chain.h"
#include "model/name_table.h"

/* A class as described by its CLASS_DUMP, and the layout of its instances. */
struct hp_kclass {
	struct hp_class_link link; /* first: see class_chain.h */
	uint64_t offset;	   /* of the CLASS_DUMP */
	bool listed; /* in hp_check.all; false: only named as a superclass */
	bool laid_out;
	bool partial; /* the layout ends before a superclass that is missing */
	bool has_instances, has_arrays;
	bool early; /* some instance came before the CLASS_DUMP */
	uint64_t first_instance, first_array; /* offsets */
	uint32_t *ref_at; /* offsets of the own references in the own data */
	size_t tried;	  /* classes known when the layout failed; 0: never */
	/* Superclasses included, once these are known; see hp_check_layout. */
	uint64_t size;
	uint32_t *refs; /* offsets of ref_count references in an instance */
	uint32_t ref_count;
	/*
	 * For check_scan.c: size + 1 once the layout is final and an instance
	 * was found after that; until then 0.
	 */
	uint64_t common_size;
	uint64_t bad_size, bad_offset; /* instances of another size */
	/*
	 * The number of instances before the layout was known, the offset of
	 * the first one, and that of the first instance after them.
	 */
	uint64_t unlaid, unlaid_offset, laid_offset;
};

/* Something that is used before it is defined; checked again at the end. */
enum hp_pending_kind {
	HP_PENDING_STRING,
	HP_PENDING_FRAME,
	HP_PENDING_TRACE,
	HP_PENDING_CLASS,	 /* a CLASS_DUMP */
	HP_PENDING_CLASS_SERIAL, /* a LOAD_CLASS */
	HP_PENDING_THREAD,
	HP_PENDING_STACK, /* thread and frame of roots */
	HP_PENDING_KINDS
};

struct hp_pending {
	enum hp_pending_kind kind;
	int32_t frame; /* HP_PENDING_STACK: the outermost, at frame_offset */
	uint64_t frame_offset;
	uint64_t id;
	uint64_t offset; /* of the first use */
};

struct hp_check {
	struct hprof_reader *reader;
	const struct hprof_input *input;
	bool repeatable; /* the input can be read again */
	const struct hprof_check_options *options;
	unsigned id_size;
	struct hp_diag_list diagnostics;
	struct hp_name_table symbols; /* classes: struct hp_kclass */
	struct hp_id_marks ids;
	struct hp_class_chains chains;
	struct hp_kclass **all; /* the listed ones */
	size_t class_count, class_room;
	size_t dumped_count;
	uint64_t stray_instances; /* of unknown classes beyond the limit */
	/*
	 * A limit against hostile chains of superclasses: how many more levels
	 * and offsets of references all layouts together may have.
	 */
	uint64_t places_left;
	struct hp_u64_map threads; /* serial, of THREAD_OBJ -> trace + 1 */
	struct hp_u64_map started; /* serial, of START_THREAD -> 1 */
	struct hp_pending *pending;
	size_t pending_count, pending_room;
	struct hp_u64_map pended[HP_PENDING_KINDS]; /* index by id */
	uint64_t pending_lost; /* uses beyond the limit, not kept */
	uint64_t known_trace;  /* the serial that was found last */
	uint64_t objects, references;
	/*
	 * The purpose of a pass. The first records definitions and references;
	 * a second one records references of instances that came before their
	 * layout was known; the last locates dangling references.
	 */
	enum hp_check_phase { HP_PASS_ALL, HP_PASS_LATE, HP_PASS_LOCATE } pass;
	unsigned located;
	/* For the option readers (--for). */
	uint64_t tags_seen[2 * HPROF_SUB]; /* first offset + 1 */
	uint64_t heap_end_of_last;	   /* end of the last segment */
	bool saw_object, saw_segment, saw_end;
	uint64_t prim_arrays_seen; /* a bit for each type */
	bool no_memory;
};

/* "shop.Item (0x1040)", escaped and cut to fit into any message. */
struct hp_class_text {
	char text[256];
};
struct hp_class_text hp_check_class_text(const struct hp_check *c,
					 uint64_t class_id);

/*
 * check_pass.c: processes everything that the reader returns; HP_PASS_LOCATE
 * stops once it has found enough.
 */
enum hprof_status hp_check_pass(struct hp_check *c);
/* Defines an object, which must be new in a correct dump. */
void hp_check_define(struct hp_check *c, uint64_t id, uint64_t offset);
/*
 * Checks the rest of an instance. DATA may be NULL: the body is not loaded.
 * Returns the class if its references are to be followed (now).
 */
struct hp_kclass *hp_check_instance(struct hp_check *c, uint64_t offset,
				    uint64_t class_id, const uint8_t *data,
				    uint32_t size);
/* Checks the rest of an array of objects. */
void hp_check_obj_array(struct hp_check *c, uint64_t offset, uint64_t class_id,
			const uint8_t *elements, uint32_t count);
/* In the last pass: ID, which is not in the dump, is referred to at OFFSET. */
void hp_check_locate(struct hp_check *c, uint64_t id, uint64_t offset,
		     const char *what, uint64_t class_id);

/* Processes a reference from WHAT (of the class CLASS_ID, if not 0). */
static inline void hp_check_refer(struct hp_check *c, uint64_t id,
				  uint64_t offset, const char *what,
				  uint64_t class_id)
{
	if (id == 0)
		return;
	if (c->pass == HP_PASS_LOCATE) {
		if (!hp_id_marks_is_defined(&c->ids, id))
			hp_check_locate(c, id, offset, what, class_id);
		return;
	}
	c->references++;
	hp_id_marks_refer(&c->ids, id);
}

/*
 * check_scan.c: processes whole, ordinary objects at the beginning of SIZE
 * bytes at OFFSET of the file; returns how many bytes they take.
 */
size_t hp_check_scan(struct hp_check *c, const uint8_t *p, size_t size,
		     uint64_t offset);

/* check_class.c */
/*
 * The class, created if necessary; NULL: out of memory, or too many classes
 * without CLASS_DUMP.
 */
struct hp_kclass *hp_check_class(struct hp_check *c, uint64_t class_id);
void hp_check_class_dump(struct hp_check *c, const struct hprof_record *r);
/* Lays out K with its superclasses, if not done yet; false if it cannot. */
bool hp_check_layout(struct hp_check *c, struct hp_kclass *k);

/* check_names.c: records that define names, and what is pending at the end. */
void hp_check_record(struct hp_check *c, const struct hprof_record *r);
void hp_check_root(struct hp_check *c, const struct hprof_record *r);
void hp_check_want_string(struct hp_check *c, uint64_t id, uint64_t offset);
void hp_check_want_trace(struct hp_check *c, uint32_t serial, uint64_t offset);
void hp_check_want_class(struct hp_check *c, uint64_t id, uint64_t offset);
void hp_check_names_end(struct hp_check *c);

/* check_readers.c: the rules of other programs that read dumps. */
void hp_check_readers_record(struct hp_check *c, const struct hprof_record *r);
/* Something at OFFSET was used before it was defined. */
void hp_check_readers_pending(struct hp_check *c, const struct hp_pending *p,
			      bool known);
void hp_check_readers_end(struct hp_check *c,
			  const struct hprof_reader_info *info);

#endif

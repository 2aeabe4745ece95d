/*
 * check.h - the inside of hprof_check: shared by the check*.c files.
 */
#ifndef HP_CHECK_H
#define HP_CHECK_H

#include "diaglist.h"
#include "hprof/check.h"
#include "idset.h"
#include "symbols.h"

/* A class as its CLASS_DUMP tells, and what its instances must look like. */
struct hp_kclass {
	uint64_t class_id, super_id;
	uint64_t offset; /* of the CLASS_DUMP */
	bool dumped;
	bool name_looked_at;
	bool has_instances;
	uint64_t first_offset; /* of the instances */
	uint32_t own_size;  /* bytes of own fields */
	uint32_t own_refs;  /* their references ... */
	uint32_t *ref_at;   /* ... at these places of the own data */
	uint32_t instance_size;
	/* With supers, once these are known; see hp_check_layout. */
	bool laid_out;
	size_t tried; /* classes known when the layout failed; 0 never */
	size_t walk;  /* that passed here, see check_names.c */
	uint64_t size;
	uint32_t *refs; /* places in an instance, REF_COUNT */
	uint32_t ref_count;
	uint64_t bad_size, bad_offset; /* instances of another size */
	uint64_t unlaid, unlaid_offset; /* came before the layout was known */
};

/* Something that is named before it is defined, looked at again at the end. */
enum hp_pending_kind {
	HP_PENDING_STRING,
	HP_PENDING_FRAME,
	HP_PENDING_TRACE,
	HP_PENDING_CLASS,	 /* a CLASS_DUMP */
	HP_PENDING_CLASS_SERIAL, /* a LOAD_CLASS */
	HP_PENDING_THREAD,
	HP_PENDING_STACK /* thread and frame of a root */
};

struct hp_pending {
	enum hp_pending_kind kind;
	int32_t frame;
	uint64_t id;
	uint64_t offset;
};

struct hp_check {
	struct hprof_reader *reader;
	const struct hprof_check_options *options;
	unsigned id_size;
	struct hp_diaglist diagnostics;
	struct hp_symbols symbols;
	struct hp_idset ids;
	struct hp_idmap classes; /* class id -> struct hp_kclass */
	struct hp_kclass **all;
	size_t class_count, class_room;
	size_t dumped_count;
	uint64_t steps_left; /* up super chains, against hostile ones */
	struct hp_idmap threads; /* serial -> trace serial + 1 */
	struct hp_pending *pending;
	size_t pending_count, pending_room;
	uint64_t known_trace; /* serial that was found last */
	uint64_t objects, references;
	/*
	 * What a pass is for. The first defines and refers; a second refers
	 * for instances that came before their layout; the last looks for
	 * what is referred to and not defined.
	 */
	enum { HP_PASS_ALL, HP_PASS_LATE, HP_PASS_LOCATE } pass;
	uint64_t located;
	/* For --for. */
	uint64_t tags_seen[2 * HPROF_SUB]; /* first offset + 1 */
	uint64_t heap_end_of_last; /* where the last segment ended */
	bool saw_object, saw_frame_root;
	bool no_memory;
	/* Borrowed by name checks. */
	uint64_t prim_arrays_seen; /* a bit for each type */
};

/* check_pass.c: everything that READER yields. */
enum hprof_status hp_check_pass(struct hp_check *c);

/* check_class.c */
struct hp_kclass *hp_check_class(struct hp_check *c, uint64_t class_id);
void hp_check_class_dump(struct hp_check *c, const struct hprof_record *r);
/* True if K's layout with all supers is known. */
bool hp_check_layout(struct hp_check *c, struct hp_kclass *k);

/* check_names.c: records that name things, and what is left at the end. */
void hp_check_record(struct hp_check *c, const struct hprof_record *r);
void hp_check_root(struct hp_check *c, const struct hprof_record *r);
void hp_check_pend(struct hp_check *c, enum hp_pending_kind kind, uint64_t id,
		   uint64_t offset, int32_t frame);
void hp_check_names_end(struct hp_check *c);

/* check_readers.c: the rules of single readers. */
void hp_check_readers_record(struct hp_check *c, const struct hprof_record *r);
void hp_check_readers_end(struct hp_check *c,
			  const struct hprof_reader_info *info);

/* Reports one reference to an id that is not in the dump. */
void hp_check_dangling(struct hp_check *c, uint64_t id, uint64_t offset);

#endif

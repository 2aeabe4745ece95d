/* SPDX-License-Identifier: MIT */
/*
 * convert.h - what the parts of a conversion share.
 *
 * convert.c	      passes over the input, and in which order
 * convert_copy.c     a pass: from the reader to the writer
 * convert_record.c   a record of one dump as one of the other
 * convert_values.c   what is inside of objects: identifiers, blanked values
 * convert_model.c    names and classes of the input
 * convert_names.c, convert_obfuscate.c, convert_redact.c, convert_reachable.c,
 * convert_repair.c, convert_part_files.c	what single options do
 */
#ifndef HP_CONVERT_H
#define HP_CONVERT_H

#include <stdio.h>

#include "base/diag_codes.h"
#include "hprof/convert.h"
#include "hprof/graph.h"
#include "hprof/output.h"
#include "base/u64_map.h"
#include "base/id_marks.h"
#include "base/string_map.h"
#include "model/class_chain.h"

#define HP_PIECE ((size_t)256 << 10)

/* ---- names and classes ---------------------------------------------------- */

/* What a string is used as; or-ed. */
enum hp_cv_use {
	HP_CV_CLASS = 1,
	HP_CV_METHOD = 2,
	HP_CV_SIGNATURE = 4,
	HP_CV_SOURCE = 8,
	HP_CV_FIELD = 16,
	HP_CV_HEAP = 32,     /* of Android */
	HP_CV_PLATFORM = 64, /* of a class of the JDK: never renamed */
	HP_CV_THREAD = 128,  /* the name of a thread: content, no name */
};

struct hp_cv_string {
	uint64_t id;
	const uint8_t *text; /* NULL: not met yet */
	uint32_t size;
	uint16_t uses;
	bool unsure; /* it came with several texts, or too long a one */
	bool written;
	struct hp_cv_string *next; /* in the order in which they were met */
};

struct hp_cv_field {
	uint64_t name_id;
	uint8_t type;
	bool blank; /* once the class is judged */
	bool keep;  /* what it refers to is not blanked */
};

struct hp_cv_class {
	struct hp_class_link link; /* first: see class_chain.h */
	uint64_t name_id;
	uint32_t serial;
	uint32_t data_size; /* of an instance, where there was no CLASS_DUMP */
	struct hp_cv_field *fields; /* own ones, link.field_count */
	uint64_t record;    /* its CLASS_DUMP, as a number in the pass */
	bool loaded;
	bool used; /* has instances or arrays, or subclasses */
	bool judged;
	bool is_string, is_reference;
	bool sought; /* is_reference is known */
};

struct hp_cv_model {
	struct hp_arena arena;
	struct hp_u64_map strings, serials;
	struct hp_class_chains classes; /* of struct hp_cv_class */
	struct hp_cv_string *first_string, **last_string;
	bool ready, no_memory;
	bool real_sizes; /* classes say the size in the VM, as Android's do */
};

/* ---- the conversion ------------------------------------------------------- */

/* Which records a pass is about. */
enum hp_cv_select {
	HP_CV_TOP = 1,
	HP_CV_CLASSES = 2,
	HP_CV_THREADS = 4, /* THREAD_OBJ */
	HP_CV_ROOTS = 8,
	HP_CV_OBJECTS = 16,
	HP_CV_FRAMES = 32, /* HEAP_DUMP, HEAP_DUMP_SEGMENT and _END */
	HP_CV_NAMES = 64,  /* UTF8 */
	HP_CV_TRACES = 128,
	HP_CV_ALL = 255
};

enum hp_cv_pass {
	HP_CV_WRITE,
	HP_CV_COUNT, /* only the bytes of sub-records */
	HP_CV_LOOK,  /* names and layouts */
	HP_CV_MARK,  /* what keep lists refer to */
	HP_CV_MARK_TEXT
};

/* What a repair knows of the input. */
struct hp_cv_repair {
	struct hp_u64_map frames, threads; /* that are there */
	struct hp_u64_map
		last; /* of objects that come again: which one is it */
	struct hp_id_marks
		ids;	     /* referred to: all there are; defined: written */
	unsigned types;	     /* of primitive arrays, bits */
	unsigned found, found_types; /* classes that are looked up by name */
	uint64_t object_id;	     /* of java.lang.Object */
	uint64_t field_name;	     /* of fields that are made up */
	uint64_t next_id;
	uint32_t next_serial;
	uint8_t *frame_ids; /* HP_PIECE bytes */
	/* What was left out, and roots that are of no thread any more. */
	uint64_t again, nameless, no_frames, no_traces, unknown, roots;
	bool ready, no_memory;
};

struct hp_cv_part_file;

struct hp_convert {
	struct hprof_input input; /* taken */
	int copy_fd;		  /* that of the input's copy, or -1 */
	const char *out;	  /* NULL: fd */
	int fd;
	struct hprof_writer_options output;
	struct hprof_convert_options options;
	struct hprof_reader *reader;
	bool fresh; /* opened and not read from: a pipe can be opened once */
	struct hprof_writer *writer;
	struct hprof_convert_result result;
	struct hprof_error *error;
	uint8_t *piece; /* HP_PIECE bytes */

	/* diagnostics */
	uint64_t seen;	/* in this pass */
	uint64_t told;	/* that the caller has got */
	uint64_t count; /* records in this pass */
	uint64_t joined; /* diagnostics about parts that are joined */
	bool exact;	 /* this pass is for the same bytes */
	bool stray;	 /* which there cannot be: records follow stray bytes */

	/* what is to be done */
	enum hp_cv_pass pass;
	unsigned select;
	unsigned from, to; /* widths of identifiers */
	bool repair;
	bool plain;	   /* nothing is changed */
	bool standard;	   /* no Android */
	bool values;	   /* insides of objects change */
	bool names;	   /* the model is needed */
	bool looked;	   /* it is complete */
	bool ordered;	   /* heap records come in an order of our own */

	struct hp_cv_model model;
	uint64_t heap_bytes; /* HP_CV_COUNT */
	uint32_t heap;	     /* of Android: that of the objects to come */
	struct hp_cv_class *string_class;
	struct hp_id_marks kept; /* arrays and strings that are not blanked */
	bool keeps;
	struct hprof_heap *live_heap;
	struct hprof_graph *live;
	struct hp_string_map renamed;
	struct hprof_output *map; /* that is written */
	struct hp_cv_repair mend;
	unsigned first_part, part_count;
	bool parts_sought, parts_all; /* all that there are are joined */
	struct hp_cv_part_file *part; /* that is read; NULL: the file itself */
	bool marked; /* the result says that it is redacted */
	uint64_t lost; /* objects that cannot be converted */

	uint8_t *in, *changed; /* values of a record */
	size_t in_room, changed_room;
};

/* Fails with a text about the input. */
enum hprof_status hp_cv_fail(struct hp_convert *c, enum hprof_status status,
			     uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A diagnostic of our own. */
void hp_cv_say(struct hp_convert *c, enum hprof_severity severity,
	       enum hp_diag_code code, uint64_t offset, const char *text);

/* ---- convert_copy.c ------------------------------------------------------- */

enum hprof_status hp_cv_open_reader(struct hp_convert *c, bool exact);
/* ALOUD: it is written; else only tried. */
enum hprof_status hp_cv_open_writer(struct hp_convert *c, bool exact,
				    bool aloud);
/* All records as they are; the writer is not finished. */
enum hprof_status hp_cv_copy(struct hp_convert *c);
/* A pass over the input from its start, about the records SELECT names. */
enum hprof_status hp_cv_pass(struct hp_convert *c, enum hp_cv_pass pass,
			     unsigned select);
enum hprof_status hp_cv_finish(struct hp_convert *c);
enum hprof_status hp_cv_writer_failed(struct hp_convert *c);

/* ---- convert_record.c ----------------------------------------------------- */

/* A record of the input, in a pass that writes or counts. */
enum hprof_status hp_cv_record(struct hp_convert *c, struct hprof_record *r);
/* R goes out, with what c->reader has of its body. */
enum hprof_status hp_cv_emit(struct hp_convert *c, struct hprof_record *r);
/* The same, the body by hp_cv_body. */
enum hprof_status hp_cv_emit_head(struct hp_convert *c,
				  const struct hprof_record *r);
enum hprof_status hp_cv_body(struct hp_convert *c, const void *bytes,
			     size_t size);
/* HPROF_E_LIMIT if ID does not fit. */
enum hprof_status hp_cv_fits(struct hp_convert *c, uint64_t id,
			     uint64_t offset);

/* ---- convert_values.c ----------------------------------------------------- */

/* INSTANCE_DUMP, OBJ_ARRAY_DUMP, PRIM_ARRAY_DUMP, TRACE, CLASS_DUMP. */
enum hprof_status hp_cv_instance(struct hp_convert *c, struct hprof_record *r);
enum hprof_status hp_cv_array(struct hp_convert *c, struct hprof_record *r);
enum hprof_status hp_cv_trace(struct hp_convert *c, struct hprof_record *r);
enum hprof_status hp_cv_class_dump(struct hp_convert *c,
				   struct hprof_record *r);
/* The data of an instance into c->in; HPROF_END if it is too much. */
enum hprof_status hp_cv_load(struct hp_convert *c, struct hprof_bytes *bytes);

/* ---- convert_model.c ------------------------------------------------------ */

enum hprof_status hp_cv_model_init(struct hp_convert *c);
void hp_cv_model_done(struct hp_convert *c);
/* What the record says of names and classes. */
enum hprof_status hp_cv_learn(struct hp_convert *c,
			      const struct hprof_record *r);
/* NULL: not met, or with MAKE no memory. */
struct hp_cv_string *hp_cv_string(struct hp_convert *c, uint64_t id, bool make);
struct hp_cv_class *hp_cv_class(struct hp_convert *c, uint64_t id, bool make);
/* Of a class with CLASS_DUMP: its fields are judged. */
void hp_cv_know_fields(struct hp_convert *c, struct hp_cv_class *k);
/* The name as Java says it, cut to ROOM; "" if it is not known. */
void hp_cv_class_name(struct hp_convert *c, const struct hp_cv_class *k,
		      char *out, size_t room);
bool hp_cv_text_is(const struct hp_cv_string *s, const char *text);

/* Bytes of values in an instance of K, by the width of ids; 0: not known. */
uint64_t hp_cv_data_size(struct hp_convert *c, struct hp_cv_class *k,
			 unsigned id_size);
/* Do the superclasses of K lead back to one of them? */
bool hp_cv_in_ring(struct hp_convert *c, struct hp_cv_class *k);
/* As hp_class_chain_level. */
struct hp_cv_class *hp_cv_next_level(struct hp_convert *c,
				     struct hp_cv_class *k);
/* Is K java.lang.ref.Reference, or below it? All names are known. */
bool hp_cv_is_reference(struct hp_convert *c, struct hp_cv_class *k);

/* K and the classes met before and behind it: for (k = first; k; k = next). */
struct hp_cv_class *hp_cv_first_class(const struct hp_convert *c);
struct hp_cv_class *hp_cv_next_class(const struct hp_cv_class *k);

/* ---- convert_names.c: what UTF8 becomes ----------------------------------- */

/* Is that not the name that it is used as? */
bool hp_cv_is_doubtful(const struct hp_cv_string *s);
enum hprof_status hp_cv_utf8(struct hp_convert *c, struct hprof_record *r);
/* The strings that R refers to go out before it, if they were held back. */
enum hprof_status hp_cv_need_names(struct hp_convert *c,
				   const struct hprof_record *r);

/* ---- convert_obfuscate.c -------------------------------------------------- */

void hp_cv_learn_platform(struct hp_convert *c, const struct hprof_record *r);
/* Names for all that was learnt; the map to or from its file. */
enum hprof_status hp_cv_make_names(struct hp_convert *c);
enum hprof_status hp_cv_open_map(struct hp_convert *c);
enum hprof_status hp_cv_finish_with_map(struct hp_convert *c);
enum hprof_status hp_cv_read_map(struct hp_convert *c);
/* TEXT becomes the one that stands for it, if there is one. */
void hp_cv_rename(const struct hp_convert *c, struct hprof_bytes *text);

/* ---- convert_redact.c ----------------------------------------------------- */

/* Whether fields of K are blanked or kept; its names are known. */
void hp_cv_judge(struct hp_convert *c, struct hp_cv_class *k);
bool hp_cv_blank_array(struct hp_convert *c, const struct hprof_record *r);
bool hp_cv_blank_static(struct hp_convert *c, uint64_t class_id,
			const struct hprof_class_entry *entry);
/* The passes HP_CV_MARK and HP_CV_MARK_TEXT. */
enum hprof_status hp_cv_mark(struct hp_convert *c, struct hprof_record *r);
/* A string that says what was blanked. */
enum hprof_status hp_cv_say_redacted(struct hp_convert *c);

/* ---- convert_reachable.c ----------------------------------------------- */

enum hprof_status hp_cv_find_reachable(struct hp_convert *c);
bool hp_cv_is_live(const struct hp_convert *c, uint64_t id);
/* A reference that has to go, since its object does. */
bool hp_cv_is_dropped(const struct hp_convert *c, uint64_t id);

/* ---- convert_repair.c ----------------------------------------------------- */

enum hprof_status hp_cv_repair_init(struct hp_convert *c);
void hp_cv_repair_done(struct hp_convert *c);
/* Objects are written from the first one on; no id is made up any more. */
enum hprof_status hp_cv_repair_again(struct hp_convert *c);
/* In the pass before. */
enum hprof_status hp_cv_repair_look(struct hp_convert *c,
				    const struct hprof_record *r);
/* What is missing: behind the names, and behind the classes of the input. */
enum hprof_status hp_cv_repair_names(struct hp_convert *c);
enum hprof_status hp_cv_repair_classes(struct hp_convert *c);
/* What was left out or changed, once all is written. */
void hp_cv_repair_tell(struct hp_convert *c);
/* Changes R; false: it is to go. */
bool hp_cv_repair_record(struct hp_convert *c, struct hprof_record *r);

/* ---- convert_part_files.c ----------------------------------------------- */

/*
 * Behind the last record of the file, where the reader has seen parts: those
 * that are to be read behind it. Whether these are all.
 */
bool hp_cv_find_part_files(struct hp_convert *c);
/* In place of the file, or the part before. */
enum hprof_status
hp_cv_open_part_file(struct hp_convert *c, unsigned number,
		     const struct hprof_reader_options *options);
void hp_cv_close_part_file(struct hp_convert *c);

#endif

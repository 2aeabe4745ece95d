/* SPDX-License-Identifier: MIT */
/*
 * convert.h - what the files of a conversion share.
 *
 * A conversion has a plan, which does not change once it is made, an input, an
 * output, and a list of transforms. Each transform is a file that implements
 * one option or two. convert.c has the table of all transforms; other files
 * reach them only through the functions of struct hp_transform. A file calls
 * only those below it in this list:
 *
 * convert.c		   the table of transforms; passes, and in which order
 * transform_*.c	   what single options do; none knows another
 * convert_record.c	   one record through the transforms
 * convert_exact.c	   the same bytes again
 * convert_output.c	   the writer, records with their bodies
 * convert_input.c	   the reader and its diagnostics, passes, bodies
 * convert_part_files.c	   parts of an unfinished dump beside its file
 * convert_plan.c	   what the options come to
 * convert_model.c	   names and classes of the input
 * plausible_name.c	   whether a string can be the name that it is used as
 * convert_report.c	   errors and diagnostics
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
#include "model/string_table.h"

#define HP_PIECE ((size_t)256 << 10)

/* ---- names and classes --------------------------------------------------- */

/* What a string is used as; or-ed. */
enum hp_cv_use {
	HP_CV_CLASS = 1,
	HP_CV_METHOD = 2,
	HP_CV_SIGNATURE = 4,
	HP_CV_SOURCE = 8,
	HP_CV_FIELD = 16,
	HP_CV_HEAP = 32,     /* the name of an Android heap */
	HP_CV_PLATFORM = 64, /* of a class of the platform: never renamed */
	HP_CV_THREAD = 128,  /* the name of a thread, which is content */
};

struct hp_cv_string {
	struct hp_string string; /* first: see string_table.h */
	uint64_t id;
	uint16_t uses;
	bool unsure; /* it had several texts, or one that is too long */
	bool written;
	struct hp_cv_string *next; /* in the order of the input */
};

struct hp_cv_field {
	uint64_t name_id;
	uint8_t type;
	bool blank; /* valid when the class is judged */
	bool keep;  /* what it refers to is not blanked */
};

struct hp_cv_class {
	struct hp_class_link link; /* first: see class_chain.h */
	uint32_t data_size; /* of an instance, if there was no CLASS_DUMP */
	/* declared by the class; link.field_count */
	struct hp_cv_field *fields;
	uint64_t record; /* index of its CLASS_DUMP in a pass */
	bool used;	 /* has instances or arrays, or subclasses */
	bool judged;
	bool is_string, is_reference;
	bool sought; /* is_reference is valid */
};

struct hp_cv_model {
	struct hp_arena arena;
	struct hp_string_table strings;	 /* of struct hp_cv_string */
	struct hp_known_classes classes; /* of struct hp_cv_class */
	struct hp_class_chains chains;
	struct hp_cv_string *first_string, **last_string;
	bool ready, no_memory;
	/* instance_size is the size in the VM, as on Android */
	bool real_sizes;
};

/* ---- the plan ------------------------------------------------------------ */

/*
 * The options, and what follows from them. It is const once convert.c has made
 * it.
 */
struct hp_cv_plan {
	struct hprof_input input;    /* as given, or a copy of it */
	struct hprof_writer *writer; /* of the caller; NULL: out */
	const char *out;	     /* NULL: fd */
	int fd;
	int copy_fd;	   /* of the copy of the input, or -1 */
	unsigned from, to; /* widths of identifiers */
	struct hprof_writer_options output;
	struct hprof_convert_options options;
	bool again;    /* the input can be read again */
	bool same;     /* nothing is changed */
	bool standard; /* the result has none of Android's records */
	bool ordered;  /* heap records are written in a new order */
	bool names;    /* the model is needed */
	bool values;   /* the contents of objects change */
};

/* ---- both ends ----------------------------------------------------------- */

struct hp_cv_part_file;

struct hp_cv_input {
	struct hprof_reader *reader;
	bool fresh;   /* nothing was read: a pipe can be opened only once */
	bool exact;   /* this pass makes an exact copy */
	bool damaged; /* an error was met, in this pass or an earlier one */
	bool stray; /* no exact copy is possible: records follow stray bytes */
	uint64_t count;	 /* records read in this pass */
	uint64_t seen;	 /* diagnostics of this pass */
	uint64_t told;	 /* diagnostics that the caller has received */
	uint64_t joined; /* diagnostics about part files that are joined */
	/* Part files; see convert_part_files.c. */
	unsigned first_part, part_count;
	bool parts_sought, parts_all; /* all existing parts are joined */
	/* the one that is read; NULL: the file itself */
	struct hp_cv_part_file *part;
	/* Where the file, and each part, ended in the first pass; 0: unknown */
	uint64_t *ends;
	size_t end_room;
	uint8_t *body; /* the body that was loaded */
	size_t body_room;
};

struct hp_cv_output {
	struct hprof_writer *writer; /* that of the plan, or owned */
	bool counting;	     /* nothing is written, heap_bytes is computed */
	uint64_t heap_bytes; /* size of all sub-records */
	uint64_t lost;	     /* records that could not be converted */
	uint8_t *piece;	     /* a buffer of HP_PIECE bytes */
};

/* ---- transforms ---------------------------------------------------------- */

/* Which records a pass writes; or-ed. */
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

struct hp_convert;

/*
 * One transform. Any function but "wanted" may be NULL. STATE is memory of the
 * transform, zeroed at the start. Functions are called for the transforms that
 * are wanted, in the order of the table in convert.c.
 */
struct hp_transform {
	const char *name;
	size_t state_size;
	bool (*wanted)(const struct hp_cv_plan *plan);

	/* Called before the first pass: opens files, allocates. */
	enum hprof_status (*begin)(struct hp_convert *c, void *state);
	/* Gets each record in a pass before those that write. */
	enum hprof_status (*learn)(struct hp_convert *c, void *state,
				   const struct hprof_record *r);
	/* Called after that pass; may make passes of its own. */
	enum hprof_status (*learnt)(struct hp_convert *c, void *state);

	/* Changes the header before it is written. */
	void (*header)(struct hp_convert *c, void *state,
		       struct hprof_header *header);
	/*
	 * Called before and after a pass that writes (or counts) the records of
	 * SELECT.
	 */
	enum hprof_status (*before)(struct hp_convert *c, void *state,
				    unsigned select);
	enum hprof_status (*after)(struct hp_convert *c, void *state,
				   unsigned select);
	/* Asked for every record in such a pass: does it stay in the dump? */
	bool (*keeps)(struct hp_convert *c, void *state,
		      const struct hprof_record *r);
	/*
	 * Changes a record that stays and is selected. With *RET_GONE it is
	 * neither passed to later transforms nor written; this transform may
	 * have written it.
	 */
	enum hprof_status (*record)(struct hp_convert *c, void *state,
				    struct hprof_record *r, bool *ret_gone);

	/* What happens to contents. transform_values.c asks these. */
	void (*judge)(struct hp_convert *c, void *state,
		      struct hp_cv_class *k); /* see hp_cv_know_fields */
	bool (*blanks_array)(struct hp_convert *c, void *state,
			     const struct hprof_record *r);
	bool (*blanks_static)(struct hp_convert *c, void *state,
			      uint64_t class_id,
			      const struct hprof_class_entry *entry);
	/* Is a weak reference to object ID cleared? */
	bool (*clears)(struct hp_convert *c, void *state, uint64_t id);

	/*
	 * Called when all records are written, before the output is finished.
	 */
	enum hprof_status (*end)(struct hp_convert *c, void *state);
	/* Called if the output could not be finished after that. */
	void (*withdraw)(struct hp_convert *c, void *state);
	/* Frees what STATE owns, however far the conversion came. */
	void (*done)(struct hp_convert *c, void *state);
};

enum { HP_TRANSFORMS = 10 }; /* in the table */

/* A transform that is wanted. */
struct hp_cv_step {
	const struct hp_transform *transform;
	void *state;
};

/*
 * The transforms that are wanted, and which of them are called for each record.
 */
struct hp_cv_steps {
	struct hp_cv_step all[HP_TRANSFORMS];
	size_t count;
	/* Pointers into ALL, ended by NULL. */
	const struct hp_cv_step *keep[HP_TRANSFORMS + 1];
	const struct hp_cv_step *record[HP_TRANSFORMS + 1];
};

/* The rows of the table. Each is in the file of its name. */
extern const struct hp_transform hp_transform_zygote, hp_transform_reachable,
	hp_transform_version, hp_transform_repair, hp_transform_redact,
	hp_transform_level, hp_transform_names, hp_transform_values,
	hp_transform_deobfuscate, hp_transform_obfuscate;

/* ---- the conversion ------------------------------------------------------ */

struct hp_convert {
	const struct hp_cv_plan *plan;
	struct hp_cv_input input;
	struct hp_cv_output output;
	struct hp_cv_steps steps;
	struct hp_cv_model model;
	/* from texts to those that are written instead */
	struct hp_string_map renamed;
	unsigned select; /* enum hp_cv_select of this pass */
	bool looked;	 /* the model is complete */
	struct hprof_convert_result result;
	struct hprof_error *error;
};

/* ---- convert_report.c ---------------------------------------------------- */

/* Fails with a message about the input. */
enum hprof_status hp_cv_fail(struct hp_convert *c, enum hprof_status status,
			     uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Passes a diagnostic of the conversion itself to the caller. */
void hp_cv_say(struct hp_convert *c, enum hprof_severity severity,
	       enum hp_diag_code code, uint64_t offset, const char *text);

/* ---- plausible_name.c ---------------------------------------------------- */

/* True if the string cannot be the name that it is used as. */
bool hp_cv_is_doubtful(const struct hp_cv_string *s);

/* ---- convert_model.c ----------------------------------------------------- */

enum hprof_status hp_cv_model_init(struct hp_convert *c);
void hp_cv_model_done(struct hp_convert *c);
/* Learns what the record says about names and classes. */
enum hprof_status hp_cv_learn(struct hp_convert *c,
			      const struct hprof_record *r);
/*
 * Returns NULL if the string or class is not known; with MAKE it is created,
 * and NULL means that there is no memory.
 */
struct hp_cv_string *hp_cv_string(struct hp_convert *c, uint64_t id, bool make);
struct hp_cv_class *hp_cv_class(struct hp_convert *c, uint64_t id, bool make);
/*
 * The name in the form of the Java language, cut to ROOM; "" if it is not
 * known.
 */
void hp_cv_class_name(struct hp_convert *c, const struct hp_cv_class *k,
		      char *out, size_t room);

/*
 * Bytes of field values in an instance of K with identifiers of that width; 0
 * if not known.
 */
uint64_t hp_cv_data_size(struct hp_convert *c, struct hp_cv_class *k,
			 unsigned id_size);
/* Do the superclasses of K lead back to one of them? */
bool hp_cv_in_ring(struct hp_convert *c, struct hp_cv_class *k);
/* As hp_class_chain_level. */
struct hp_cv_class *hp_cv_next_level(struct hp_convert *c,
				     struct hp_cv_class *k);
/* Is K java.lang.ref.Reference or a subclass of it? All names must be known. */
bool hp_cv_is_reference(struct hp_convert *c, struct hp_cv_class *k);

/*
 * To visit all classes in the order of the input: for (k = first; k; k = next).
 */
struct hp_cv_class *hp_cv_first_class(const struct hp_convert *c);
struct hp_cv_class *hp_cv_next_class(const struct hp_cv_class *k);

/* ---- convert_plan.c ------------------------------------------------------ */

/*
 * Takes the arguments; HPROF_E_USAGE if they are wrong. PLAN keeps pointers to
 * them.
 */
enum hprof_status hp_cv_plan_take(struct hp_cv_plan *plan,
				  const struct hprof_input *input,
				  const char *out, int fd,
				  const struct hprof_writer_options *output,
				  const struct hprof_convert_options *options,
				  struct hprof_error *error);
/*
 * Refuses an output that would overwrite the dump. Copies an input that cannot
 * be read again, unless that would leave secrets on the disk.
 */
enum hprof_status hp_cv_plan_files(struct hp_cv_plan *plan,
				   struct hprof_error *error);
/* Derives what follows from the options for the dump that READER has opened. */
enum hprof_status hp_cv_plan_make(struct hp_cv_plan *plan,
				  struct hprof_reader *reader,
				  struct hprof_error *error);
/*
 * HPROF_E_UNSUPPORTED if the plan needs several passes and the input is a pipe.
 */
enum hprof_status hp_cv_plan_check_passes(const struct hp_cv_plan *plan,
					  struct hprof_error *error);

/* ---- convert_part_files.c ------------------------------------------------ */

/*
 * Called after the last record of the file if the reader has seen part files.
 * Finds those that have to be read after it. True if none is missing.
 */
bool hp_cv_find_part_files(struct hp_convert *c);
/* Opens a part file in place of the file or the previous part. */
enum hprof_status
hp_cv_open_part_file(struct hp_convert *c, unsigned number,
		     const struct hprof_reader_options *options);
void hp_cv_close_part_file(struct hp_convert *c);

/* ---- convert_input.c ----------------------------------------------------- */

/* Opens the input at its start. */
enum hprof_status hp_cv_open_reader(struct hp_convert *c, bool exact);
void hp_cv_input_done(struct hp_convert *c);

typedef enum hprof_status hp_cv_visit_fn(struct hp_convert *c, void *user,
					 struct hprof_record *r);
/* Visits the records from the reader's position to the end. */
enum hprof_status hp_cv_read_all(struct hp_convert *c, hp_cv_visit_fn *visit,
				 void *user);
/*
 * True if nothing is known yet of where the input ends, although that can be
 * found by reading it.
 */
bool hp_cv_must_measure(const struct hp_convert *c);
/* One pass over the input from its start, with the parts that are joined. */
enum hprof_status hp_cv_pass(struct hp_convert *c, hp_cv_visit_fn *visit,
			     void *user);

/* HEAP_DUMP, HEAP_DUMP_SEGMENT or HEAP_DUMP_END. */
bool hp_cv_is_frame(unsigned tag);
/* INSTANCE_DUMP or an array. */
bool hp_cv_is_object(unsigned tag);
/*
 * Copies the next SIZE bytes of BODY, or as many as it has, to OUT. If the file
 * is truncated, zeros stand for what BODY lacks, if that is at most
 * HP_ZEROS_MOST; otherwise BODY ends there, and its size becomes 0.
 */
size_t hp_cv_next_bytes(struct hp_convert *c, struct hprof_bytes *body,
			uint8_t *out, size_t size);
/*
 * The same without the bytes, which are not even read where it is known that
 * they are there.
 */
size_t hp_cv_pass_bytes(struct hp_convert *c, struct hprof_bytes *body,
			size_t size);
/*
 * Loads all of BODY, which is valid until the next call. *RET_LOADED is false
 * if it is longer than any object can be.
 */
enum hprof_status hp_cv_load(struct hp_convert *c, struct hprof_bytes *body,
			     bool *ret_loaded);
/* Makes BUFFER at least SIZE bytes long. False if there is no memory. */
bool hp_cv_make_room(uint8_t **buffer, size_t *room, size_t size);

/* ---- convert_output.c ---------------------------------------------------- */

/* Without ALOUD nothing is written: the writer only checks the records. */
enum hprof_status hp_cv_open_writer(struct hp_convert *c, bool exact,
				    bool aloud);
enum hprof_status hp_cv_finish(struct hp_convert *c);
enum hprof_status hp_cv_writer_failed(struct hp_convert *c);
/* Writes or counts R with its body, of which the reader may have the rest. */
enum hprof_status hp_cv_emit(struct hp_convert *c, struct hprof_record *r);
/*
 * The same without the body. With *RET_BODY_DUE, it has to follow by
 * hp_cv_body. Otherwise R was only counted, or is lost because it does not fit.
 */
enum hprof_status hp_cv_emit_head(struct hp_convert *c,
				  const struct hprof_record *r,
				  bool *ret_body_due);
enum hprof_status hp_cv_body(struct hp_convert *c, const void *bytes,
			     size_t size);
/* To be called when R's body has no more bytes: it may be cut. */
enum hprof_status hp_cv_body_end(struct hp_convert *c,
				 const struct hprof_record *r);
/* HPROF_E_LIMIT if ID does not fit the width of the result. */
enum hprof_status hp_cv_fits(struct hp_convert *c, uint64_t id,
			     uint64_t offset);
/* Reports a record that cannot be converted, and why. */
void hp_cv_lose(struct hp_convert *c, uint64_t offset, const char *why);

/* ---- convert_exact.c ----------------------------------------------------- */

/*
 * Copies all bytes. *RET_DONE is false if the dump is too damaged for that.
 * Nothing has been written then. ALOUD as in hp_cv_open_writer.
 */
enum hprof_status hp_cv_copy_exact(struct hp_convert *c, bool aloud,
				   bool *ret_done);

/* ---- convert_record.c ---------------------------------------------------- */

/* For hp_cv_pass: learns from a record before anything is written. */
enum hprof_status hp_cv_look(struct hp_convert *c, void *user,
			     struct hprof_record *r);
/* For hp_cv_pass: writes or counts a record. */
enum hprof_status hp_cv_record(struct hp_convert *c, void *user,
			       struct hprof_record *r);
/* Lets the transforms judge the fields of K, a class with CLASS_DUMP. */
void hp_cv_know_fields(struct hp_convert *c, struct hp_cv_class *k);
/* Ask the transforms; see struct hp_transform. */
bool hp_cv_blanks_array(struct hp_convert *c, const struct hprof_record *r);
bool hp_cv_blanks_static(struct hp_convert *c, uint64_t class_id,
			 const struct hprof_class_entry *entry);
bool hp_cv_clears(struct hp_convert *c, uint64_t id);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * convert.h - what the parts of a conversion share.
 *
 * A conversion has a plan, which does not change once it is made, an input, an
 * output, and a list of transforms. Each transform is a file that knows one
 * option or two; convert.c has the table of all, and the others reach them only
 * through the functions of struct hp_transform. From top to bottom, each file
 * calls only those below it:
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
	HP_CV_HEAP = 32,     /* of Android */
	HP_CV_PLATFORM = 64, /* of a class of the JDK: never renamed */
	HP_CV_THREAD = 128,  /* the name of a thread: content, no name */
};

struct hp_cv_string {
	struct hp_string string; /* first: see string_table.h */
	uint64_t id;
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
	uint32_t data_size; /* of an instance, where there was no CLASS_DUMP */
	struct hp_cv_field *fields; /* own ones, link.field_count */
	uint64_t record; /* its CLASS_DUMP, as a number in the pass */
	bool used;	 /* has instances or arrays, or subclasses */
	bool judged;
	bool is_string, is_reference;
	bool sought; /* is_reference is known */
};

struct hp_cv_model {
	struct hp_arena arena;
	struct hp_string_table strings;	 /* of struct hp_cv_string */
	struct hp_known_classes classes; /* of struct hp_cv_class */
	struct hp_class_chains chains;
	struct hp_cv_string *first_string, **last_string;
	bool ready, no_memory;
	bool real_sizes; /* classes say the size in the VM, as Android's do */
};

/* ---- the plan ------------------------------------------------------------ */

/* What is asked, and what follows from it; const once convert.c has made it. */
struct hp_cv_plan {
	struct hprof_input input; /* taken, or its copy */
	const char *out;	  /* NULL: fd */
	int fd;
	int copy_fd;	   /* that of the input's copy, or -1 */
	unsigned from, to; /* widths of identifiers */
	struct hprof_writer_options output;
	struct hprof_convert_options options;
	bool again;    /* the input can be read again */
	bool same;     /* nothing is changed */
	bool standard; /* the result has no records of Android's */
	bool ordered;  /* heap records come in an order of our own */
	bool names;    /* the model is needed */
	bool values;   /* contents of objects change */
};

/* ---- both ends ----------------------------------------------------------- */

struct hp_cv_part_file;

struct hp_cv_input {
	struct hprof_reader *reader;
	bool fresh; /* opened and not read from: a pipe can be opened once */
	bool exact; /* this pass is for the same bytes */
	bool damaged; /* an error was met, in this pass or an earlier one */
	bool stray; /* which there cannot be: records follow stray bytes */
	uint64_t count;	 /* records in this pass */
	uint64_t seen;	 /* diagnostics in this pass */
	uint64_t told;	 /* diagnostics that the caller has got */
	uint64_t joined; /* diagnostics about parts that are joined */
	/* Part files; see convert_part_files.c. */
	unsigned first_part, part_count;
	bool parts_sought, parts_all; /* all that there are are joined */
	struct hp_cv_part_file *part; /* that is read; NULL: the file itself */
	uint8_t *body;		      /* that was loaded */
	size_t body_room;
};

struct hp_cv_output {
	struct hprof_writer *writer;
	bool counting;	     /* nothing is written, heap_bytes is found */
	uint64_t heap_bytes; /* of sub-records */
	uint64_t lost;	     /* records that could not be converted */
	uint8_t *piece;	     /* HP_PIECE bytes on their way out */
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
 * One transform. Any function but "wanted" may be NULL. STATE is the
 * transform's own memory, zeroed at the start. Functions are called for the
 * transforms that are wanted, in the order of the table in convert.c.
 */
struct hp_transform {
	const char *name;
	size_t state_size;
	bool (*wanted)(const struct hp_cv_plan *plan);

	/* Before the first pass: opens files, allocates. */
	enum hprof_status (*begin)(struct hp_convert *c, void *state);
	/* Each record of the pass that comes before all that write. */
	enum hprof_status (*learn)(struct hp_convert *c, void *state,
				   const struct hprof_record *r);
	/* After that pass; may make passes of its own. */
	enum hprof_status (*learnt)(struct hp_convert *c, void *state);

	/* Changes the header before it is written. */
	void (*header)(struct hp_convert *c, void *state,
		       struct hprof_header *header);
	/* Before and after a pass that writes (or counts) records of SELECT. */
	enum hprof_status (*before)(struct hp_convert *c, void *state,
				    unsigned select);
	enum hprof_status (*after)(struct hp_convert *c, void *state,
				   unsigned select);
	/* Of every record in such a pass: does it stay in the dump? */
	bool (*keeps)(struct hp_convert *c, void *state,
		      const struct hprof_record *r);
	/*
	 * Changes a record that stays and is selected. *RET_GONE: no later
	 * transform gets it, and it is not written; this one may have written
	 * it.
	 */
	enum hprof_status (*record)(struct hp_convert *c, void *state,
				    struct hprof_record *r, bool *ret_gone);

	/* What happens to contents; transform_values.c asks for it. */
	void (*judge)(struct hp_convert *c, void *state,
		      struct hp_cv_class *k); /* see hp_cv_know_fields */
	bool (*blanks_array)(struct hp_convert *c, void *state,
			     const struct hprof_record *r);
	bool (*blanks_static)(struct hp_convert *c, void *state,
			      uint64_t class_id,
			      const struct hprof_class_entry *entry);
	/* Is a weak reference to object ID cleared? */
	bool (*clears)(struct hp_convert *c, void *state, uint64_t id);

	/* All records are written, the dump's file is not finished yet. */
	enum hprof_status (*end)(struct hp_convert *c, void *state);
	/* The dump could not be finished after that. */
	void (*withdraw)(struct hp_convert *c, void *state);
	/* Frees what STATE holds, however far the conversion came. */
	void (*done)(struct hp_convert *c, void *state);
};

enum { HP_TRANSFORMS = 9 }; /* in the table */

/* A transform that is wanted. */
struct hp_cv_step {
	const struct hp_transform *transform;
	void *state;
};

/* The transforms that are wanted, and which of them see each record. */
struct hp_cv_steps {
	struct hp_cv_step all[HP_TRANSFORMS];
	size_t count;
	/* Into ALL; NULL is behind the last one. */
	const struct hp_cv_step *keep[HP_TRANSFORMS + 1];
	const struct hp_cv_step *record[HP_TRANSFORMS + 1];
};

/* The table's rows, each in the file of its name. */
extern const struct hp_transform hp_transform_zygote, hp_transform_reachable,
	hp_transform_version, hp_transform_repair, hp_transform_redact,
	hp_transform_names, hp_transform_values, hp_transform_deobfuscate,
	hp_transform_obfuscate;

/* ---- the conversion ------------------------------------------------------ */

struct hp_convert {
	const struct hp_cv_plan *plan;
	struct hp_cv_input input;
	struct hp_cv_output output;
	struct hp_cv_steps steps;
	struct hp_cv_model model;
	struct hp_string_map renamed; /* texts, and what is written for them */
	unsigned select;	      /* enum hp_cv_select: of this pass */
	bool looked;		      /* the model is complete */
	struct hprof_convert_result result;
	struct hprof_error *error;
};

/* ---- convert_report.c ---------------------------------------------------- */

/* Fails with a text about the input. */
enum hprof_status hp_cv_fail(struct hp_convert *c, enum hprof_status status,
			     uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Hands a diagnostic of the conversion's own to the caller. */
void hp_cv_say(struct hp_convert *c, enum hprof_severity severity,
	       enum hp_diag_code code, uint64_t offset, const char *text);

/* ---- plausible_name.c ---------------------------------------------------- */

/* Whether the string cannot be the name that it is used as. */
bool hp_cv_is_doubtful(const struct hp_cv_string *s);

/* ---- convert_model.c ----------------------------------------------------- */

enum hprof_status hp_cv_model_init(struct hp_convert *c);
void hp_cv_model_done(struct hp_convert *c);
/* What the record says of names and classes. */
enum hprof_status hp_cv_learn(struct hp_convert *c,
			      const struct hprof_record *r);
/* NULL: not met, or with MAKE no memory. */
struct hp_cv_string *hp_cv_string(struct hp_convert *c, uint64_t id, bool make);
struct hp_cv_class *hp_cv_class(struct hp_convert *c, uint64_t id, bool make);
/* The name as Java says it, cut to ROOM; "" if it is not known. */
void hp_cv_class_name(struct hp_convert *c, const struct hp_cv_class *k,
		      char *out, size_t room);

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

/* ---- convert_plan.c ------------------------------------------------------ */

/*
 * Takes the arguments; HPROF_E_USAGE if they make no sense. PLAN points into
 * them.
 */
enum hprof_status hp_cv_plan_take(struct hp_cv_plan *plan,
				  const struct hprof_input *input,
				  const char *out, int fd,
				  const struct hprof_writer_options *output,
				  const struct hprof_convert_options *options,
				  struct hprof_error *error);
/*
 * Refuses files that would write over the dump. Copies an input that cannot be
 * read again, unless that would leave secrets on the disk.
 */
enum hprof_status hp_cv_plan_files(struct hp_cv_plan *plan,
				   struct hprof_error *error);
/* What follows from the options for the dump that READER has opened. */
enum hprof_status hp_cv_plan_make(struct hp_cv_plan *plan,
				  struct hprof_reader *reader,
				  struct hprof_error *error);
/* HPROF_E_UNSUPPORTED if that needs several passes and the input is a pipe. */
enum hprof_status hp_cv_plan_check_passes(const struct hp_cv_plan *plan,
					  struct hprof_error *error);

/* ---- convert_part_files.c ------------------------------------------------ */

/*
 * After the last record of the file, where the reader has seen parts: finds
 * those that are to be read after it. Whether these are all.
 */
bool hp_cv_find_part_files(struct hp_convert *c);
/* In place of the file, or the part before. */
enum hprof_status
hp_cv_open_part_file(struct hp_convert *c, unsigned number,
		     const struct hprof_reader_options *options);
void hp_cv_close_part_file(struct hp_convert *c);

/* ---- convert_input.c ----------------------------------------------------- */

/* At the start of the input. */
enum hprof_status hp_cv_open_reader(struct hp_convert *c, bool exact);
void hp_cv_input_done(struct hp_convert *c);

typedef enum hprof_status hp_cv_visit_fn(struct hp_convert *c, void *user,
					 struct hprof_record *r);
/* From the reader's place to its end. */
enum hprof_status hp_cv_read_all(struct hp_convert *c, hp_cv_visit_fn *visit,
				 void *user);
/* One pass over the input from its start, with the parts that are joined. */
enum hprof_status hp_cv_pass(struct hp_convert *c, hp_cv_visit_fn *visit,
			     void *user);

/* HEAP_DUMP, HEAP_DUMP_SEGMENT or HEAP_DUMP_END. */
bool hp_cv_is_frame(unsigned tag);
/* INSTANCE_DUMP or an array. */
bool hp_cv_is_object(unsigned tag);
/*
 * The next SIZE bytes of BODY, or as many as it has, to OUT; zeros stand for
 * what a cut file lacks.
 */
size_t hp_cv_next_bytes(struct hp_convert *c, struct hprof_bytes *body,
			uint8_t *out, size_t size);
/*
 * Loads all of BODY, which stays valid until the next call. HPROF_END: that is
 * more than any object has.
 */
enum hprof_status hp_cv_load(struct hp_convert *c, struct hprof_bytes *body);
/* BUFFER holds at least SIZE bytes afterwards; false without memory. */
bool hp_cv_make_room(uint8_t **buffer, size_t *room, size_t size);

/* ---- convert_output.c ---------------------------------------------------- */

/* ALOUD: it is written; else only tried. */
enum hprof_status hp_cv_open_writer(struct hp_convert *c, bool exact,
				    bool aloud);
enum hprof_status hp_cv_finish(struct hp_convert *c);
enum hprof_status hp_cv_writer_failed(struct hp_convert *c);
/* Writes or counts R, with what the reader has of its body. */
enum hprof_status hp_cv_emit(struct hp_convert *c, struct hprof_record *r);
/*
 * The same without the body. *RET_BODY_DUE: it has to follow by hp_cv_body. It
 * does not where R is only counted, or is lost because it does not fit.
 */
enum hprof_status hp_cv_emit_head(struct hp_convert *c,
				  const struct hprof_record *r,
				  bool *ret_body_due);
enum hprof_status hp_cv_body(struct hp_convert *c, const void *bytes,
			     size_t size);
/* HPROF_E_LIMIT if ID does not fit the width of the result. */
enum hprof_status hp_cv_fits(struct hp_convert *c, uint64_t id,
			     uint64_t offset);
/* A record that cannot be converted, and why. */
void hp_cv_lose(struct hp_convert *c, uint64_t offset, const char *why);

/* ---- convert_exact.c ----------------------------------------------------- */

/*
 * The same bytes. *RET_DONE is false if the dump is too damaged for that;
 * nothing has been written then. ALOUD as above.
 */
enum hprof_status hp_cv_copy_exact(struct hp_convert *c, bool aloud,
				   bool *ret_done);

/* ---- convert_record.c ---------------------------------------------------- */

/* For hp_cv_pass: a record in the pass that only looks. */
enum hprof_status hp_cv_look(struct hp_convert *c, void *user,
			     struct hprof_record *r);
/* For hp_cv_pass: a record in a pass that writes or counts. */
enum hprof_status hp_cv_record(struct hp_convert *c, void *user,
			       struct hprof_record *r);
/* Transforms have judged the fields of K, a class with CLASS_DUMP. */
void hp_cv_know_fields(struct hp_convert *c, struct hp_cv_class *k);
/* What the transforms say; see struct hp_transform. */
bool hp_cv_blanks_array(struct hp_convert *c, const struct hprof_record *r);
bool hp_cv_blanks_static(struct hp_convert *c, uint64_t class_id,
			 const struct hprof_class_entry *entry);
bool hp_cv_clears(struct hp_convert *c, uint64_t id);

#endif

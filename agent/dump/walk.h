/* SPDX-License-Identifier: MIT */
/*
 * walk.h - the heap callbacks, which turn what JVMTI reports into records.
 *
 * An object is identified by its tag, see object_ids.h. The JVM reports an
 * object in one go, its class first: that opens a record, whose body is
 * collected in a buffer of fixed size, and the next object closes it. Long
 * arrays pass through the buffer piece by piece. So the agent keeps nothing per
 * object, and callbacks allocate no memory.
 */
#ifndef AG_WALK_H
#define AG_WALK_H

#include <jvmti.h>

#include "agent/dump/class_table.h"
#include "agent/dump/threads.h"

enum {
	AG_WINDOW = 512 << 10, /* bytes of an array in the buffer */
	AG_MIRRORS = 64 << 10  /* mirrors of classes that are not loaded */
};

/* The passes, which differ in what is followed and in what is written. */
enum ag_pass {
	AG_CLASSES, /* from the roots to the classes, no further */
	AG_OBJECTS, /* from the roots: everything */
	AG_REST	    /* from objects with AG_TAG_LEFT: those without a record */
};

/*
 * Something that cannot be written yet: a reference of a constant pool, or a
 * field of an instance whose class has no layout.
 */
enum ag_note_kind { AG_CONSTANT, AG_PARKED, AG_PARKED_FIELD, AG_PARKED_STATIC };
struct ag_note {
	uint64_t value;	 /* AG_PARKED: the id of the class */
	uint32_t object; /* its place; AG_PARKED_STATIC: that of the class */
	uint32_t index;	 /* JVMTI's; not for AG_PARKED */
	uint8_t kind;	 /* enum ag_note_kind */
	uint8_t type;	 /* of the value */
};

/* The record that is open. */
enum ag_open_kind {
	AG_NOTHING,
	AG_OPEN_INSTANCE,
	AG_OPEN_OBJECTS, /* an array of objects */
	AG_OPEN_VALUES,	 /* a primitive array, before its values */
	AG_OPEN_PARKED	 /* its fields go to the notes */
};

struct ag_held;	 /* held_objects.h */
struct ag_fork;	 /* agent/fork/child.h */
struct ag_scout; /* scout.h */

struct ag_walk {
	struct hprof_writer *writer;
	struct ag_classes *classes;
	struct ag_stacks *stacks;
	unsigned id_size;
	unsigned level; /* of the contents, as in dump.h */
	enum ag_pass pass;
	struct ag_held *held; /* NULL: only classes are held */

	enum ag_open_kind open;
	uint64_t open_tag;
	uint64_t open_class; /* id */
	struct ag_class *open_layout;
	bool head_written;    /* of an array that is written in pieces */
	uint64_t count;	      /* elements to be written */
	uint64_t window_from; /* the first element in the buffer */
	uint64_t window_end;
	uint8_t *body;
	size_t room;

	struct ag_note *notes;
	uint32_t note_count, note_room;

	/* Instances of java.lang.Class whose class is not in the table. */
	uint64_t *mirrors; /* ids */
	uint32_t mirror_count;

	uint32_t announced; /* the thread of the last ROOT_THREAD_OBJ */

	/*
	 * A pass with FORK_DUE is walked by a process that its first callback
	 * forks; here it ends at once. Objects met and not yet visited are
	 * counted: at the end there are none. Nor are there before the first
	 * one, so whether any has been VISITED is noted.
	 */
	struct ag_fork *fork;
	bool fork_due;
	struct ag_scout *scout; /* NULL: the pass AG_CLASSES was here */
	bool scout_unfit;	/* nothing was forked: there can be no scout */
	uint64_t seen; /* a sum of all that classes refer to, with a scout */
	uint32_t first_place; /* of the pass */
	uint64_t unvisited;
	bool visited;

	uint64_t objects;
	uint64_t pause_ns;	  /* in the JVM's walks */
	uint64_t cut_arrays;	  /* longer than a record can be */
	uint64_t lost;		  /* values without a place in a body */
	uint64_t bare_objects;	  /* whose class has no layout */
	uint64_t changed_statics; /* since the pass AG_CLASSES */
	uint64_t stack_locals;	  /* roots that are variables of frames */
	enum hprof_status status; /* the first failure; it ends the walk */
	const char *why;
};

/* Allocates room for the largest body in CLASSES; false without memory. */
bool ag_walk_init(struct ag_walk *walk, struct hprof_writer *writer,
		  struct ag_classes *classes, struct ag_stacks *stacks);
void ag_walk_done(struct ag_walk *walk);

/*
 * The callbacks for a dump with all values, to be given to the JVM with the walk
 * as user data.
 */
extern const jvmtiHeapCallbacks ag_walk_callbacks;

/* Is a value of TYPE part of a dump of this level? */
static inline bool ag_walk_has(const struct ag_walk *walk, uint8_t type)
{
	return walk->level >= (type == HPROF_TYPE_OBJECT ? 1 : 2);
}

/*
 * Makes one call of FollowReferences, from the roots, and closes the last
 * record. Returns HPROF_OK, or why the walk ended.
 */
enum hprof_status ag_walk_run(struct ag_walk *walk, jvmtiEnv *jvmti,
			      enum ag_pass pass);

/* The current time in ns, for pause_ns. */
uint64_t ag_walk_now(void);

/* Remembers the first failure; WHY is a constant. */
void ag_walk_fail(struct ag_walk *walk, enum hprof_status status,
		  const char *why);

/* Puts a record; a failure is remembered. */
bool ag_walk_put(struct ag_walk *walk, const struct hprof_record *record);

/* A tag for an object that has a fresh one; 0 if there are no more ids. */
uint64_t ag_walk_new_tag(struct ag_walk *walk, uint64_t tag, jlong size,
			 jint length);

/* Adds a note; if there is no room, counts it as lost and returns false. */
bool ag_walk_note(struct ag_walk *walk, struct ag_note note);

/* ---- object_writer.c --------------------------------------------------- */

/* Begins the record of the object with TAG, whose class has CLASS_TAG. */
void ag_record_open(struct ag_walk *walk, uint64_t tag, uint64_t class_tag);

/*
 * Add a field, an element, or all values of the object with TAG. INDEX is the
 * one that JVMTI reports.
 */
void ag_record_field(struct ag_walk *walk, uint64_t tag, jint index,
		     uint8_t type, uint64_t value);
void ag_record_element(struct ag_walk *walk, uint64_t tag, jint index,
		       uint64_t id);
void ag_record_values(struct ag_walk *walk, uint64_t tag, uint8_t type,
		      const void *elements, jint count);

/* Writes the record that is open, if there is one. */
void ag_record_close(struct ag_walk *walk);

/* Puts one value into a body at P. VALUE holds its bits. */
void ag_put_value(uint8_t *p, uint8_t type, uint64_t value, unsigned id_size);

/* The bits of a primitive value. */
uint64_t ag_value_bits(jvalue value, uint8_t type);

/* Writes an INSTANCE_DUMP with the body of SIZE bytes. */
bool ag_walk_put_instance(struct ag_walk *walk, uint64_t id, uint64_t class_id,
			  const uint8_t *body, uint32_t size);

/* ---- walk_class.c, roots.c ----------------------------------------------- */

/* Handles a reference from the class with TAG. INDEX is JVMTI's. */
void ag_walk_class_reference(struct ag_walk *walk, jvmtiHeapReferenceKind kind,
			     const jvmtiHeapReferenceInfo *info, uint64_t tag,
			     uint64_t id);
void ag_walk_static(struct ag_walk *walk, uint64_t tag, jint index,
		    uint8_t type, uint64_t value);

void ag_walk_root(struct ag_walk *walk, jvmtiHeapReferenceKind kind,
		  const jvmtiHeapReferenceInfo *info, uint64_t tag);

#endif

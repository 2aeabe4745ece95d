/* SPDX-License-Identifier: MIT */
/*
 * fake_jvmti.h - a heap without a JVM: classes, objects and roots made by a
 * test, and those functions of JVMTI and JNI that the agent's walk calls.
 * References are reported in HotSpot's order.
 */
#ifndef FAKE_JVMTI_H
#define FAKE_JVMTI_H

#include <jvmti.h>
#include <stdbool.h>

struct fake_class;

/* A jobject, also a local reference, is a pointer to one of these. */
struct fake_object {
	struct fake_class *class; /* NULL: a class, that is, its mirror */
	jlong tag;
	jint length;	      /* -1: not an array */
	jlong size;	      /* 0: 16 bytes */
	jvalue *slots;	      /* fields from java.lang.Object down; elements */
	const void *elements; /* of a primitive array, as the JVM has them */
	bool visited, dead;
	struct fake_object *next; /* of all */
};

struct fake_field {
	const char *name, *signature;
	bool is_static;
	bool is_kept_back; /* listed, and neither numbered nor reported */
	jvalue value;	   /* static */
};

enum { FAKE_FIELDS = 16, FAKE_CONSTANTS = 4, FAKE_INTERFACES = 4 };

struct fake_class {
	struct fake_object mirror; /* a jclass is a pointer to it */
	const char *signature;
	struct fake_class *super, *interfaces[FAKE_INTERFACES];
	struct fake_field fields[FAKE_FIELDS];
	int field_count;
	bool is_interface, is_unlinked, is_hidden; /* not listed at first */
	bool is_unloaded;			   /* never listed */
	struct fake_object *loader, *domain, *signers;
	struct fake_object *constants[FAKE_CONSTANTS];
	struct fake_class *next;
};

struct fake_root {
	jvmtiHeapReferenceKind kind;
	jvmtiHeapReferenceInfo info;
	struct fake_object *object;
};

struct fake_jvm {
	const struct jvmtiInterface_1_ *jvmti; /* &jvm->jvmti is the jvmtiEnv */
	const struct JNINativeInterface_ *jni; /* &jvm->jni the JNIEnv */
	struct fake_class *classes, **last_class;
	struct fake_object *objects;
	struct fake_root roots[16];
	int root_count;
	struct fake_class *object, *class, *string, *object_array;
	/* By global references; local ones may not be reported. */
	struct fake_object *held[4096];
	int held_count;
	int fail_in; /* calls of JVMTI until one fails; 0: none */
	int calls;
	int version;	      /* of the JVM; 0: 17 */
	bool heap_is_full;    /* nothing may ask for memory in it */
	bool collects_tagged; /* before it lists objects by tag */
	/* Replaces FollowReferences. */
	jvmtiError (*follow)(struct fake_jvm *jvm,
			     const jvmtiHeapCallbacks *callbacks, void *user);
	void *blocks[4096]; /* freed at the end */
	int block_count;
};

/* A JVM with java.lang.Object, Class, String, Object[] and int[] only. */
struct fake_jvm *fake_jvm_new(void);
void fake_jvm_free(struct fake_jvm *jvm);

/* A class. Add its fields before any instance of it or of a subclass. */
struct fake_class *fake_class(struct fake_jvm *jvm, const char *signature,
			      struct fake_class *super);
struct fake_field *fake_field(struct fake_class *class, const char *name,
			      const char *signature, bool is_static);

struct fake_object *fake_new(struct fake_jvm *jvm, struct fake_class *class);
struct fake_object *fake_array(struct fake_jvm *jvm, struct fake_class *class,
			       jint length);
/* ELEMENTS is not copied. */
struct fake_object *fake_values(struct fake_jvm *jvm, struct fake_class *class,
				jint length, const void *elements);

/* The slot of field NAME in an instance; fields of its class come first. */
jvalue *fake_slot(struct fake_object *object, const char *name);

/* The slot of the first field that CLASS declares. */
int fake_first_slot(const struct fake_class *class);

extern const struct jvmtiInterface_1_ fake_jvmti_functions;
extern const struct JNINativeInterface_ fake_jni_functions;

struct fake_root *fake_root(struct fake_jvm *jvm, jvmtiHeapReferenceKind kind,
			    struct fake_object *object);

#endif

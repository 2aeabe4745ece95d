/* SPDX-License-Identifier: MIT */
/*
 * session.h - one profile of a JVM: its collectors, which count, and what they
 * share: a JVMTI environment, classes, traces and threads.
 *
 * The life of a session, for each load of the agent whose options ask for one:
 *
 *	s = ag_session_new(vm, options);
 *	ag_session_add(s, collector);	   any number, before ag_session_load
 *	ag_session_load(s);		   in Agent_OnLoad, or on attaching
 *	ag_session_begin(s, jni);	   in VMInit, or on attaching
 *	ag_session_report(s, jni, ...);	   any number of times
 *	ag_session_stop(s, jni, true);	   in VMDeath, after the last report,
 *					   or with false: the JVM goes on
 *
 * It is never freed once it was loaded: a thread may be in a callback that uses
 * it until the very end of the process.
 */
#ifndef AG_SESSION_H
#define AG_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>

#include <jvmti.h>

#include "agent/common/options.h"
#include "agent/profile/class_list.h"
#include "agent/profile/profile.h"
#include "agent/profile/thread_table.h"
#include "agent/profile/trace_table.h"

struct ag_session;
struct ag_collector;

/* Parts of a report, or-ed. */
enum ag_section {
	AG_SECTION_SITES = 1,
	AG_SECTION_SAMPLES = 2,
	AG_SECTION_SUMMARY = 4 /* of the heap; by the collector of sites */
};

/* What a front end may change while a collector counts. */
enum ag_control {
	AG_CONTROL_ON, /* after: */
	AG_CONTROL_OFF,
	AG_CONTROL_THREAD_ON, /* the thread with serial VALUE, after: */
	AG_CONTROL_THREAD_OFF,
	AG_CONTROL_DEPTH /* VALUE: most frames of a trace from now on */
};

struct ag_site_changes; /* agent/profile/site_changes.h */

/* What a report is asked for. */
struct ag_report_options {
	unsigned sections; /* 0: all, with settings */
	bool incremental;  /* only sites that have changed since SENT */
	struct ag_site_changes *sent; /* NULL: nobody asks */
	double cutoff;
	bool by_allocation; /* the order of sites; else by live bytes */
	bool collect;	    /* collect garbage before objects are counted */
	/*
	 * For a dump whose objects carry the traces of their allocation: the
	 * profile has the sites' marks, see sites.h.
	 */
	bool lend;
};

/*
 * A collector. Any function may be NULL. All but the events are called by one
 * thread at a time. A failure is a message (ag_log); the JVM goes on.
 */
struct ag_collector_ops {
	enum ag_section section; /* of a report that it makes; 0: another */
	/*
	 * In the OnLoad phase, or live if the agent is loaded late (the phase
	 * says which): adds capabilities to session->jvmti, or to environments
	 * of its own, and sets its callbacks in session->callbacks. Not those of
	 * threads, and of VMInit, VMDeath and DataDumpRequest, which come by the
	 * functions below. The callbacks are given to the JVM afterwards, so an
	 * event is enabled later. False: the collector is left out, and logged
	 * why.
	 */
	bool (*load)(struct ag_collector *collector,
		     struct ag_session *session);
	/*
	 * The callbacks are set; events may be enabled from here on. For what
	 * must begin before VMInit; the phase is that of load.
	 */
	void (*loaded)(struct ag_collector *collector,
		       struct ag_session *session);
	/* The JVM is initialized: VMInit, or loaded late. */
	void (*begin)(struct ag_collector *collector,
		      struct ag_session *session, JNIEnv *jni);
	/*
	 * Events, in the thread itself: by any thread at any time after load,
	 * perhaps before begin. Platform threads only.
	 */
	void (*thread_start)(struct ag_collector *collector,
			     struct ag_session *session, JNIEnv *jni,
			     jthread thread);
	void (*thread_end)(struct ag_collector *collector,
			   struct ag_session *session, JNIEnv *jni,
			   jthread thread);
	/* Adds what it has counted to RET; other threads may be counting. */
	void (*report)(struct ag_collector *collector,
		       struct ag_session *session, JNIEnv *jni,
		       const struct ag_report_options *options,
		       struct ag_profile *ret);
	/* See enum ag_control. False if it cannot. */
	bool (*control)(struct ag_collector *collector,
			struct ag_session *session, enum ag_control control,
			unsigned value);
	/* Begins to count anew. */
	void (*clear)(struct ag_collector *collector,
		      struct ag_session *session);
	/*
	 * Counts no more: disables its events. Unless the JVM ends, it also
	 * gives back what the JVM has for one collector at a time, and memory.
	 */
	void (*stop)(struct ag_collector *collector, struct ag_session *session,
		     JNIEnv *jni, bool vm_ends);
};

/* The head of each collector's own struct. */
struct ag_collector {
	const struct ag_collector_ops *ops;
	struct ag_collector *next; /* of the session */
};

struct ag_session {
	JavaVM *vm;
	jvmtiEnv *jvmti; /* may tag: its tags are the class list's */
	const struct ag_options *options;
	struct ag_class_list *classes;
	struct ag_traces *traces;
	struct ag_threads *threads;
	jvmtiEventCallbacks callbacks; /* until they are given to the JVM */
	struct ag_collector *collectors;
	bool late; /* loaded into a running JVM */
	/*
	 * Set before the last report: the JVM may have stopped its collector, and
	 * whoever asks for a collection then may wait for ever (ZGC).
	 */
	atomic_bool vm_ends;
};

/* OPTIONS must outlive it. NULL, with a message logged, on failure. */
struct ag_session *ag_session_new(JavaVM *vm, const struct ag_options *options);

/* For a session that was not loaded; NULL is fine. It frees no collectors. */
void ag_session_free(struct ag_session *session);

/* Collectors are called in the order in which they were added. */
void ag_session_add(struct ag_session *session, struct ag_collector *collector);

/* False, with a message logged, if no collector is left. */
bool ag_session_load(struct ag_session *session, bool late);
void ag_session_begin(struct ag_session *session, JNIEnv *jni);
void ag_session_stop(struct ag_session *session, JNIEnv *jni, bool vm_ends);

/* Is there a collector for these sections of a report? */
bool ag_session_makes(const struct ag_session *session, unsigned sections);

/* Of collectors that make that section; 0: all. False if there is none. */
bool ag_session_clear(struct ag_session *session, unsigned sections);
bool ag_session_control(struct ag_session *session, unsigned sections,
			enum ag_control control, unsigned value);

/*
 * Asks the collectors of those sections. RET is freed by ag_profile_done. One
 * report is made at a time; the others wait.
 */
void ag_session_report(struct ag_session *session, JNIEnv *jni,
		       const struct ag_report_options *options,
		       struct ag_profile *ret);

/* Enables or disables an event in the session's environment, for all threads. */
bool ag_session_enable(struct ag_session *session, jvmtiEvent event, bool on);

/* The session of an environment: for callbacks. */
struct ag_session *ag_session_of(jvmtiEnv *jvmti);

/* The serial for the traces of a thread: 0 unless option thread is y. */
uint32_t ag_session_thread(const struct ag_session *session, jthread thread);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * text_monitors.h - lines about monitors as threads wait for them, and the
 * section MONITOR DUMP.
 */
#ifndef TEXT_TEXT_MONITORS_H
#define TEXT_TEXT_MONITORS_H

#include "text/text_writer.h"

/*
 * What threads do. MONITOR is the name of the monitor's class; NULL in WAIT and
 * WAITED if the thread sleeps. Thread 0 is not known.
 */
void text_put_wait(struct text_writer *w, const char *monitor,
		   int64_t timeout_ms, uint32_t thread);
void text_put_waited(struct text_writer *w, const char *monitor,
		     int64_t waited_ms, uint32_t thread);
void text_put_exit(struct text_writer *w, const char *monitor, uint32_t thread);

struct text_monitor_thread {
	uint32_t serial, trace_serial;
	uint32_t state; /* bits of JVMTI's GetThreadState */
};

struct text_monitor {
	const char *name; /* of its class in JNI's form, Ljava/lang/Object; */
	uint32_t owner;	  /* thread; 0: nobody */
	uint32_t entry_count;
	size_t entering_count, waiting_count;
	const uint32_t *entering, *waiting; /* threads */
};

/* The section in order: its begin, all threads, all monitors, its end. */
void text_put_monitor_dump_begin(struct text_writer *w);
void text_put_monitor_thread(struct text_writer *w,
			     const struct text_monitor_thread *thread);
void text_put_monitor(struct text_writer *w, const struct text_monitor *m);
void text_put_monitor_dump_end(struct text_writer *w);

#endif

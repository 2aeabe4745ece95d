/* SPDX-License-Identifier: MIT */
/*
 * text_monitors.c - see text_monitors.h.
 */
#include "text/text_monitors.h"

/* ---- what threads do ----------------------------------------------------- */

static void put_thread(struct text_writer *w, uint32_t thread)
{
	if (thread)
		text_put(w, ", thread %u\n", (uint64_t)thread);
	else
		text_put(w, ", thread <unknown thread>\n");
}

void text_put_wait(struct text_writer *w, const char *monitor,
		   int64_t timeout_ms, uint32_t thread)
{
	if (monitor)
		text_put(w, "WAIT: MONITOR %s, timeout=%d", monitor,
			 timeout_ms);
	else
		text_put(w, "SLEEP: timeout=%d", timeout_ms);
	put_thread(w, thread);
}

void text_put_waited(struct text_writer *w, const char *monitor,
		     int64_t waited_ms, uint32_t thread)
{
	text_put(w, "WAITED: MONITOR %s, time_waited=%d",
		 monitor ? monitor : "<unknown>", waited_ms);
	put_thread(w, thread);
}

void text_put_exit(struct text_writer *w, const char *monitor, uint32_t thread)
{
	text_put(w, "EXIT: MONITOR %s", monitor);
	put_thread(w, thread);
}

/* ---- the dump ------------------------------------------------------------ */

/* As JVMTI numbers them; jvmti.h is the agent's alone. */
enum state {
	ALIVE = 0x1,
	TERMINATED = 0x2,
	RUNNABLE = 0x4,
	SLEEPING = 0x40,
	WAITING = 0x80,
	BLOCKED = 0x400,
	SUSPENDED = 0x100000,
	INTERRUPTED = 0x200000,
	IN_NATIVE = 0x400000
};

static const char *state_text(uint32_t state)
{
	if (!(state & ALIVE))
		return state & TERMINATED ? "ZO" : "NS";
	if (state & SLEEPING)
		return "SL";
	if (state & BLOCKED)
		return "MW";
	if (state & WAITING)
		return "CW";
	return state & RUNNABLE ? "R" : "UN";
}

void text_put_monitor_dump_begin(struct text_writer *w)
{
	text_put(w, "MONITOR DUMP BEGIN\n");
}

void text_put_monitor_thread(struct text_writer *w,
			     const struct text_monitor_thread *thread)
{
	const uint32_t state = thread->state;

	text_put(w, "    THREAD %u, trace %u, status: %s%s%s%s\n",
		 (uint64_t)thread->serial, (uint64_t)thread->trace_serial,
		 state & SUSPENDED ? "S|" : "",
		 state & INTERRUPTED ? "intr|" : "",
		 state & IN_NATIVE ? "native|" : "", state_text(state));
}

static void put_threads(struct text_writer *w, const char *what,
			const uint32_t *threads, size_t count)
{
	text_put(w, "\t%s:", what);
	for (size_t i = 0; i < count; i++)
		text_put(w, " thread %u,", (uint64_t)threads[i]);
	text_put(w, "\n");
}

void text_put_monitor(struct text_writer *w, const struct text_monitor *m)
{
	text_put(w, "    MONITOR %s", m->name ? m->name : "<unknown>");
	if (m->owner)
		text_put(w, "\n\towner: thread %u, entry count: %u\n",
			 (uint64_t)m->owner, (uint64_t)m->entry_count);
	else
		text_put(w, " unowned\n");
	put_threads(w, "waiting to enter", m->entering, m->entering_count);
	put_threads(w, "waiting to be notified", m->waiting, m->waiting_count);
}

void text_put_monitor_dump_end(struct text_writer *w)
{
	text_put(w, "MONITOR DUMP END\n");
}

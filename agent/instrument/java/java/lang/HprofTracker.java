/* SPDX-License-Identifier: MIT */
package java.lang;

import hprof.Native;

/*
 * What instrumented methods call: keeps a shadow stack for each thread and adds
 * up the processor time of its topmost frames.
 *
 * It is in java.lang, since every module reads java.base and every class loader
 * asks for java.* there, whatever else it hides from its classes. Nearly all of
 * the JDK calls it, so it may call nothing of the JDK but intrinsics, must not
 * throw, and does nothing until it is engaged. One instance belongs to one
 * thread at a time; the costs it has added up stay in it when a thread ends and
 * another one takes it over.
 *
 * The clock of a thread is its processor time. To ask for that takes longer
 * than most methods. So the clock goes on by System.nanoTime() while calls and
 * returns follow each other closely, and is set right by the processor's time
 * when they do not: a thread may have waited then.
 */
public final class HprofTracker {
	/* Waits that are shorter, in nanoseconds, are taken for work at first. */
	private static final long CLOSELY = 20_000;

	/* A frame on the shadow stack: method, clock at entry, time in callees. */
	private static final int FRAME = 3, ENTRY = 1, CALLEES = 2;
	private static final int MOST_FRAMES = 1 << 20;

	/* A row of costs: count, total, self; then thread and frames. */
	private static final int TOTAL = 1, SELF = 2, KEY = 3;

	/* Who belongs to whom. Immutable, so that it is read without a lock. */
	private static final class Slot {
		final Thread thread;
		final HprofTracker tracker;
		final Slot next;

		Slot(Thread thread, HprofTracker tracker, Slot next) {
			this.thread = thread;
			this.tracker = tracker;
			this.next = next;
		}
	}

	/* 0: not engaged. Another number: costs start anew. */
	private static int engaged;
	private static int stacksSince; /* the number from which stacks are valid */
	private static int depth;
	private static boolean byThread;
	private static Class<?> virtualThread; /* null before JDK 21 */

	/* By identityHashCode of the thread. Changes are made under the lock. */
	private static volatile Slot[] slots = new Slot[256];
	private static int threads;
	private static HprofTracker all, unused;

	private HprofTracker nextOfAll, nextUnused;
	private int epoch;
	private boolean isVirtual;
	private long thread; /* its serial, if traces are by thread */
	private long[] stack = new long[64 * FRAME];
	private int sp;
	private long clock, lastEvent;
	private long lastProcessor, clockThen;
	private long[] rows;
	private int nRows, room;

	private HprofTracker() {
	}

	/* ---- calls from everywhere --------------------------------------- */

	public static void enter(int method) {
		int now = engaged;
		if (now == 0)
			return;
		Thread thread = Thread.currentThread();
		HprofTracker t = find(thread);
		if (t == null || t.epoch != now) {
			t = begin(thread, t, now);
			if (t == null)
				return;
		}
		t.advance();
		t.push(method);
	}

	public static void exit(int method) {
		int now = engaged;
		if (now == 0)
			return;
		Thread thread = Thread.currentThread();
		HprofTracker t = find(thread);
		if (t == null || t.epoch != now) {
			t = begin(thread, t, now);
			if (t == null)
				return;
		}
		t.advance();
		int top = t.sp - FRAME;
		if (top < 0 || t.stack[top] != method)
			t.align(method);
		t.pop();
		if (t.sp == 0 && t.isVirtual)
			remove(thread);
	}

	/* An exception ends frames that could not tell. */
	public static void caught(int method) {
		int now = engaged;
		if (now == 0)
			return;
		HprofTracker t = find(Thread.currentThread());
		if (t == null || t.epoch != now)
			return;
		int top = t.sp - FRAME;
		if (top < 0 || t.stack[top] == method)
			return;
		t.advance();
		t.endAbove(method);
	}

	private static HprofTracker find(Thread thread) {
		Slot[] table = slots;
		int i = System.identityHashCode(thread) & table.length - 1;
		for (Slot s = table[i]; s != null; s = s.next)
			if (s.thread == thread)
				return s.tracker;
		return null;
	}

	/* ---- the clock ---------------------------------------------------- */

	private void advance() {
		long now = System.nanoTime();
		long gap = now - lastEvent;
		lastEvent = now;
		if (gap < CLOSELY && (sp == 0 || stack[sp - FRAME] >= 0))
			clock += gap;
		else
			correct(gap);
	}

	/*
	 * A method with a negative number is where a thread changes between
	 * being virtual and being its carrier: what follows did not happen in
	 * this thread.
	 */
	private void correct(long gap) {
		long now = Native.processorTime();
		long worked = now - lastProcessor - (clock - clockThen);
		boolean away = sp > 0 && stack[sp - FRAME] < 0;
		if (worked > gap)
			worked = gap;
		if (worked > 0 && !away)
			clock += worked;
		lastProcessor = now;
		clockThen = clock;
	}

	/* ---- the stack ----------------------------------------------------- */

	private void push(int method) {
		if (sp == stack.length && !growStack())
			return;
		long[] s = stack;
		int top = sp;
		s[top] = method;
		s[top + ENTRY] = clock;
		s[top + CALLEES] = 0;
		sp = top + FRAME;
	}

	private boolean growStack() {
		if (stack.length >= MOST_FRAMES * FRAME)
			return false;
		try {
			long[] grown = new long[stack.length * 2];
			copy(stack, 0, grown, 0, sp);
			stack = grown;
			return true;
		} catch (Throwable e) {
			return false;
		}
	}

	private static void copy(long[] from, int at, long[] to, int start, int n) {
		for (int i = 0; i < n; i++)
			to[start + i] = from[at + i];
	}

	/*
	 * Makes the method the topmost frame. Frames above it ended in a way
	 * that nobody told: they end now. If it is not there at all, it began
	 * before tracking did: it begins now.
	 */
	private void align(int method) {
		if (!endAbove(method))
			push(method);
	}

	/* False if the method is not on the stack. */
	private boolean endAbove(int method) {
		int at = sp - FRAME;
		while (at >= 0 && stack[at] != method)
			at -= FRAME;
		while (at >= 0 && sp - FRAME > at)
			pop();
		return at >= 0;
	}

	private void pop() {
		int top = sp - FRAME;
		if (top < 0)
			return; /* there was no memory for it */
		long total = clock - stack[top + ENTRY];
		add(total, total - stack[top + CALLEES]);
		sp = top;
		if (top > 0)
			stack[top - FRAME + CALLEES] += total;
	}

	/* ---- costs ---------------------------------------------------------- */

	private void add(long total, long self) {
		int row = row();
		if (row < 0)
			return;
		long[] r = rows;
		r[row + TOTAL] += total;
		r[row + SELF] += self;
		r[row]++;
	}

	/* The place of the row of the topmost frames; -1 without memory. */
	private int row() {
		long[] r = rows;
		int width = KEY + 1 + depth;
		int hash = 0;
		int last = sp - FRAME * depth;
		for (int at = sp - FRAME; at >= last && at >= 0; at -= FRAME)
			hash = hash * 31 + (int)stack[at];
		hash *= 0x9e3779b9;
		int i = hash >>> 7 & room - 1;
		while (r[i * width] != 0) {
			if (isAt(r, i * width + KEY))
				return i * width;
			i = i + 1 & room - 1;
		}
		return newRow(i, hash);
	}

	private boolean isAt(long[] r, int key) {
		if (r[key] != thread)
			return false;
		int at = sp - FRAME;
		for (int i = 1; i <= depth; i++, at -= FRAME)
			if (r[key + i] != (at < 0 ? 0 : stack[at]))
				return false;
		return true;
	}

	private int newRow(int i, int hash) {
		int width = KEY + 1 + depth;
		if (nRows * 4 >= room * 3) {
			if (!growRows())
				return -1;
			i = hash >>> 7 & room - 1;
			while (rows[i * width] != 0)
				i = i + 1 & room - 1;
		}
		nRows++;
		int at = sp - FRAME;
		rows[i * width + KEY] = thread;
		for (int k = 1; k <= depth; k++, at -= FRAME)
			rows[i * width + KEY + k] = at < 0 ? 0 : stack[at];
		return i * width;
	}

	private boolean growRows() {
		int width = KEY + 1 + depth;
		try {
			long[] grown = new long[room * 2 * width];
			for (int i = 0; i < room; i++) {
				if (rows[i * width] == 0)
					continue;
				int j = hashOf(i * width) >>> 7 & room * 2 - 1;
				while (grown[j * width] != 0)
					j = j + 1 & room * 2 - 1;
				copy(rows, i * width, grown, j * width, width);
			}
			rows = grown;
			room *= 2;
			return true;
		} catch (Throwable e) {
			return false;
		}
	}

	private int hashOf(int row) {
		int hash = 0;
		for (int i = 1; i <= depth; i++) {
			long method = rows[row + KEY + i];
			if (method == 0)
				break;
			hash = hash * 31 + (int)method;
		}
		return hash * 0x9e3779b9;
	}

	/* ---- threads -------------------------------------------------------- */

	/* Null if there is no memory. */
	private static HprofTracker begin(Thread thread, HprofTracker t, int epoch) {
		try {
			if (t == null)
				t = add(thread);
			t.start(epoch);
			return t;
		} catch (Throwable e) {
			return null;
		}
	}

	private static synchronized HprofTracker add(Thread thread) {
		HprofTracker t = unused;
		if (threads >= slots.length * 2)
			growSlots();
		Slot[] table = slots;
		int i = System.identityHashCode(thread) & table.length - 1;
		if (t == null)
			t = new HprofTracker();
		Slot slot = new Slot(thread, t, table[i]);
		if (t == unused) {
			unused = t.nextUnused;
		} else {
			t.nextOfAll = all;
			all = t;
		}
		t.isVirtual = thread.getClass() == virtualThread;
		t.thread = byThread ? Native.threadSerial() : 0;
		t.lastEvent = System.nanoTime();
		t.lastProcessor = Native.processorTime();
		t.clockThen = t.clock;
		t.sp = 0;
		table[i] = slot;
		slots = table;
		threads++;
		return t;
	}

	private static void growSlots() {
		Slot[] old = slots;
		Slot[] grown = new Slot[old.length * 4];
		for (int i = 0; i < old.length; i++)
			for (Slot s = old[i]; s != null; s = s.next) {
				int j = System.identityHashCode(s.thread) &
					grown.length - 1;
				grown[j] = new Slot(s.thread, s.tracker, grown[j]);
			}
		slots = grown;
	}

	private void start(int now) {
		if (rows == null || epoch != now) {
			rows = new long[128 * (KEY + 1 + depth)];
			room = 128;
			nRows = 0;
		}
		if (epoch < stacksSince)
			sp = 0;
		epoch = now;
	}

	/* The thread has ended, or has left all methods that are tracked. */
	private static synchronized void remove(Thread thread) {
		Slot[] table = slots;
		int i = System.identityHashCode(thread) & table.length - 1;
		Slot kept = null;
		HprofTracker t = null;
		try {
			for (Slot s = table[i]; s != null; s = s.next)
				if (s.thread == thread)
					t = s.tracker;
				else
					kept = new Slot(s.thread, s.tracker, kept);
		} catch (Throwable e) {
			return;
		}
		if (t == null)
			return;
		while (t.sp > 0)
			t.pop();
		table[i] = kept;
		slots = table;
		threads--;
		t.nextUnused = unused;
		unused = t;
	}

	/* ---- calls of the agent --------------------------------------------- */

	private static void engage(int frames, boolean withThread, Class<?> virtual) {
		depth = frames;
		byThread = withThread;
		virtualThread = virtual;
		stacksSince++;
		engaged = stacksSince;
	}

	private static void disengage() {
		stacksSince = engaged > stacksSince ? engaged : stacksSince;
		engaged = 0;
	}

	/* The current thread is about to end. */
	private static void endThread() {
		if (find(Thread.currentThread()) != null)
			remove(Thread.currentThread());
	}

	private static void clear() {
		if (engaged != 0)
			engaged++;
	}

	/*
	 * All rows, one after the other. Threads go on meanwhile: a row that
	 * one of them is making may be missing or have no frames yet.
	 */
	private static synchronized long[] collect() {
		int width = KEY + 1 + depth;
		int size = 0, n = 0;
		int now = engaged != 0 ? engaged : stacksSince;
		for (HprofTracker t = all; t != null; t = t.nextOfAll)
			if (t.epoch == now && t.rows != null)
				size += t.rows.length;
		long[] found = new long[size];
		for (HprofTracker t = all; t != null; t = t.nextOfAll) {
			long[] r = t.rows;
			if (t.epoch != now || r == null)
				continue;
			for (int i = 0; i < r.length && n < size; i += width)
				if (r[i] != 0) {
					copy(r, i, found, n, width);
					n += width;
				}
		}
		return found;
	}
}

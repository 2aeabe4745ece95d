// SPDX-License-Identifier: MIT
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;

/*
 * Tries libhprof-prof by an agent, prof_agent.c, whose path is the argument: hooks
 * come and go, and what the agent counts is what this program does. Prints what
 * is wrong, and at last "end".
 */
public class Hooked {
	static final int ENTRY = 1, EXIT = 2, BOTH = 3;

	static native int earlyHook();
	static native int hook(int env, String type, String method, String signature,
			int flags, boolean on);
	static native long entries(int hook);
	static native long exits(int hook);
	static native int codeSize(String method);
	static native long expectTop(String method);
	static native void watchCompiled(String method);
	static native long timesCompiled();
	static native void sample(int env, long interval, String method);
	static native long[] samples();
	static native Thread sampledThread();
	static native void tryErrors();
	static native void dispose();

	static void bad(String what) {
		System.out.println("BAD " + what);
	}

	// ---- what is hooked ------------------------------------------------------

	static int early(int x) {
		return x + 1;
	}

	static int plain(int x) {
		return x < 0 ? -x : x + 1;
	}

	static int throwing(int x) {
		if (x >= 0)
			throw new IllegalStateException();
		return x;
	}

	static int passing(int x) {
		try {
			return throwing(x);
		} finally {
			sum++;
		}
	}

	static int recursive(int x) {
		return x == 0 ? 0 : recursive(x - 1) + 1;
	}

	static synchronized int locked(int x) {
		return x;
	}

	static int together(int x) {
		return x;
	}

	static int busy(int x) {
		return x * 31 + 7;
	}

	/* The JVM is told not to make it a part of its callers. */
	static int worked(int x) {
		return x / 3;
	}

	static volatile int sum;

	static class Made {
		final long a;

		Made(long a) {
			this(a, 1.5);
		}

		Made(long a, double b) {
			if (a < 0)
				throw new IllegalArgumentException();
			this.a = a + (long) b;
		}
	}

	static class GlobOne {
		static void go(int x) { }
		static void gone(int x) { }
		static void go(long x) { }
	}

	static class GlobTwo {
		static void go(int x) { }
	}

	/* Is not loaded before its hook is set. */
	static class Later {
		static final int AT_FIRST = started(7);

		static int started(int x) {
			return x;
		}
	}

	interface Shape {
		default int area(int x) {
			return x;
		}
	}

	static class Square implements Shape { }

	// ---- helpers -------------------------------------------------------------

	static void expect(String what, int hook, long entries, long exits) {
		if (entries(hook) != entries || exits(hook) != exits)
			bad(what + ": " + entries(hook) + " entries, " + exits(hook)
					+ " exits instead of " + entries + ", " + exits);
	}

	static void call(IntUnaryOperator method, int times) {
		for (int i = 0; i < times; i++)
			try {
				sum += method.applyAsInt(i);
			} catch (IllegalStateException e) {
				sum++;
			}
	}

	// ---- tests ---------------------------------------------------------------

	static void testSimple() {
		call(Hooked::early, 100);
		expect("set while the agent was loaded", earlyHook(), 100, 100);
		int before = codeSize("plain");
		int h = hook(0, "Hooked", "plain", "(I)I", BOTH, true);
		if (codeSize("plain") <= before)
			bad("nothing was inserted");
		call(Hooked::plain, 1000);
		expect("plain", h, 1000, 1000);
		hook(0, "Hooked", "plain", "(I)I", ENTRY, false);
		call(Hooked::plain, 10);
		expect("exits alone", h, 1000, 1010);
		if (hook(0, "Hooked", "plain", "(I)I", EXIT, false) != h)
			bad("another id");
		call(Hooked::plain, 10);
		expect("off", h, 1000, 1010);
		if (codeSize("plain") != before)
			bad("a hook that is off has left " + codeSize("plain"));
		hook(0, "Hooked", "plain", "(I)I", ENTRY, true);
		call(Hooked::plain, 10);
		expect("entries alone", h, 1010, 1010);
		hook(0, "Hooked", "plain", "(I)I", BOTH, false);
	}

	static void testExits() {
		int t = hook(0, "Hooked", "throwing", "(I)I", BOTH, true);
		int p = hook(0, "Hooked", "passing", null, BOTH, true);
		int r = hook(0, "Hooked", "recursive", null, BOTH, true);
		int l = hook(0, "Hooked", "locked", null, BOTH, true);
		call(Hooked::throwing, 50);
		call(Hooked::passing, 30);
		expect("throwing", t, 80, 80);
		expect("passing", p, 30, 30);
		recursive(20);
		expect("recursive", r, 21, 21);
		call(Hooked::locked, 5);
		expect("locked", l, 5, 5);
	}

	static void testConstructors() {
		int outer = hook(0, "Hooked$Made", "<init>", "(J)V", BOTH, true);
		int inner = hook(0, "Hooked$Made", "<init>", "(JD)V", BOTH, true);
		for (int i = 0; i < 10; i++)
			sum += (int) new Made(i).a;
		expect("constructor", outer, 10, 10);
		expect("its other one", inner, 10, 10);
		try {
			sum += (int) new Made(-1, 1).a;
		} catch (IllegalArgumentException e) {
			sum++;
		}
		expect("constructor that fails", inner, 11, 11);
		int shape = hook(0, "Hooked$Shape", "area", null, BOTH, true);
		sum += new Square().area(1);
		expect("interface", shape, 1, 1);
	}

	static void testGlobs() {
		int h = hook(0, "Hooked$Glob*", "g?", "(I)*", BOTH, true);
		GlobOne.go(1);
		GlobOne.gone(1);
		GlobOne.go(1L);
		GlobTwo.go(1);
		expect("glob", h, 2, 2);
	}

	static void testClasses() {
		int later = hook(0, "Hooked$Later", "started", "(I)I", BOTH, true);
		sum += Later.AT_FIRST;
		expect("class that comes", later, 1, 1);
		int list = hook(0, "java.util.ArrayList", "trimToSize", "()V", BOTH,
				true);
		ArrayList<String> strings = new ArrayList<>();
		for (int i = 0; i < 7; i++)
			strings.trimToSize();
		expect("class of the JDK", list, 7, 7);
		int lazy = hook(0, "java/util/zip/Adler32", "reset", "()V", BOTH, true);
		new java.util.zip.Adler32().reset();
		expect("class of the JDK that comes", lazy, 1, 1);
	}

	static void testTogether() {
		int one = hook(0, "Hooked", "together", "(I)I", BOTH, true);
		int two = hook(0, "Hooked", "tog*", null, ENTRY, true);
		int other = hook(1, "Hooked", "together", "(I)I", BOTH, true);
		if (one == two || one == other)
			bad("one id of two hooks");
		call(Hooked::together, 9);
		expect("first of three", one, 9, 9);
		expect("second of three", two, 9, 0);
		expect("other environment", other, 9, 9);
		expectTop("together");
		call(Hooked::together, 20000);
		if (expectTop(null) != 0)
			bad("wrong threads or stacks in callbacks: " + expectTop(null));
		hook(0, "Hooked", "together", "(I)I", BOTH, false);
		hook(0, "Hooked", "tog*", null, BOTH, false);
		call(Hooked::together, 1);
		expect("other environment alone", other, 20010, 20010);
		expect("first, off", one, 20009, 20009);
	}

	/* The calls do not keep a method from being compiled. */
	static void testCompiled() {
		int h = hook(0, "Hooked", "worked", "(I)I", BOTH, true);
		long calls = 0;
		watchCompiled("worked");
		while (timesCompiled() == 0) {
			call(Hooked::worked, 10000);
			calls += 10000;
		}
		call(Hooked::worked, 100000);
		expect("compiled", h, calls + 100000, calls + 100000);
		hook(0, "Hooked", "worked", "(I)I", BOTH, false);
	}

	/* Hooks come and go while threads run. */
	static void testToggled(int times) throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		Thread[] threads = new Thread[4];
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				while (!stop.get())
					call(Hooked::busy, 1000);
			});
			threads[i].start();
		}
		int h = -1;
		for (int i = 0; i < times; i++) {
			h = hook(0, "Hooked", "busy", "(I)I", BOTH, true);
			long before = entries(h);
			while (entries(h) == before)
				Thread.onSpinWait();
			hook(0, "Hooked", "busy", "(I)I", BOTH, false);
		}
		stop.set(true);
		for (Thread t : threads)
			t.join();
		long entered = entries(h), left = exits(h);
		hook(0, "Hooked", "busy", "(I)I", BOTH, true);
		call(Hooked::busy, 1000);
		expect("after threads", h, entered + 1000, left + 1000);
	}

	static int spin(int ms) {
		long end = System.nanoTime() + ms * 1000000L;
		int x = 0;
		while (System.nanoTime() < end)
			for (int i = 0; i < 1000; i++)
				x += busy(i);
		return x;
	}

	static void testSamples() throws Exception {
		hook(0, "Hooked", "busy", "(I)I", BOTH, false);
		sample(0, 1000000, "spin");
		sample(1, 10000000, null);
		AtomicBoolean stop = new AtomicBoolean();
		Thread spinner = new Thread(() -> {
			while (!stop.get())
				sum += spin(10);
		});
		spinner.start();
		while (samples()[3] < 300)
			Thread.sleep(5);
		if (sampledThread() != spinner)
			bad("a sample of another thread: " + sampledThread());
		sample(0, 0, null);
		sample(1, 0, null);
		stop.set(true);
		long[] s = samples();
		if (s[3] < s[0] / 2)
			bad(s[0] + " samples, " + s[2] + " stacks, " + s[3]
					+ " with the method");
		if (s[1] == 0 || s[1] > s[0] / 4)
			bad(s[1] + " samples at ten times the interval of " + s[0]);
		spinner.join();
		sum += spin(100);
		if (samples()[0] != s[0] || samples()[1] != s[1])
			bad("samples after the end");
	}

	static void testEnd() {
		int before = codeSize("recursive");
		dispose();
		if (codeSize("recursive") >= before)
			bad("hooks of an environment that ended are there");
		call(Hooked::throwing, 5);
	}

	public static void main(String[] args) throws Exception {
		System.load(args[0]);
		int times = args.length > 1 ? Integer.parseInt(args[1]) : 10;
		tryErrors();
		testSimple();
		testExits();
		testConstructors();
		testGlobs();
		testClasses();
		testTogether();
		testCompiled();
		testToggled(times);
		testSamples();
		testEnd();
		System.out.println("end");
	}
}

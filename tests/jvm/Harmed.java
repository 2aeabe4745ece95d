// SPDX-License-Identifier: MIT
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntUnaryOperator;

/*
 * Is hard on libhprof-prof by an agent, harm_agent.c, whose path is the argument.
 * Prints what is wrong, and at last "end". With a second argument it only has hooks of
 * all methods of all classes.
 */
public class Harmed {
	static final int ENTRY = 1, EXIT = 2, BOTH = 3;
	static final int ONLY_COUNT = 0, TOGGLE = 1, CALL_JAVA = 2, DISPOSE = 3;

	static native int hook(int env, String type, String method, String signature,
			int flags, boolean on);
	static native long entries(int hook);
	static native long exits(int hook);
	static native void act(int what);
	static native void dispose(int env);
	static native int retransform(Class<?> type);
	static native int redefine(Class<?> type);
	static native int twice(int x);

	static void bad(String what) {
		System.out.println("BAD " + what);
	}

	static void expect(String what, int hook, long entries, long exits) {
		if (entries(hook) != entries || exits(hook) != exits)
			bad(what + ": " + entries(hook) + " entries, " + exits(hook)
					+ " exits instead of " + entries + ", " + exits);
	}

	static volatile int sum;

	// ---- what is hooked ------------------------------------------------------

	static int crowded(int x) {
		return x + 1;
	}

	static int again(int x) {
		return x + 2;
	}

	static int deep(int x) {
		return x == 0 ? 0 : deep(x - 1) + 1;
	}

	static int endless(int x) {
		return endless(x + 1) + 1;
	}

	static int worked(int x) {
		return x * 3;
	}

	/* Goes on until it is told to stop: the JVM compiles it while it runs. */
	static int looping(int x) {
		while (!stopped) {
			x = x * 31 + 7;
			turns++;
		}
		return x;
	}

	static volatile boolean stopped;
	static volatile long turns;

	static int outer(int x) {
		return middle(x) + 1;
	}

	static synchronized int middle(int x) {
		try {
			return inner(x) + 1;
		} finally {
			sum++;
		}
	}

	static int inner(int x) {
		synchronized (Harmed.class) {
			return failing(x) + 1;
		}
	}

	/* By throw, by the JVM, or not at all. */
	static int failing(int x) {
		if (x % 3 == 0)
			throw new IllegalStateException();
		return x % 3 == 1 ? x / (x - x) : x;
	}

	interface Kinds {
		default int one(int x) {
			return two(x) + three(x);
		}

		static int two(int x) {
			return x;
		}

		private int three(int x) {
			return x;
		}
	}

	public static class Dropped implements Runnable {
		static int runs;

		@Override
		public void run() {
			runs++;
		}
	}

	static class Loader extends ClassLoader {
		Class<?> define(byte[] bytes) {
			return defineClass(null, bytes, 0, bytes.length);
		}
	}

	static abstract class Shape {
		abstract int area(int x);
	}

	static class Square extends Shape {
		int area(int x) {
			return x * x;
		}
	}

	interface Named {
		int name(int x);
	}

	static class Redefined {
		static int go(int x) {
			return x;
		}
	}

	static class Started {
		static final int[] NUMBERS;
		static {
			int[] made = new int[3];
			for (int i = 0; i < made.length; i++)
				made[i] = i;
			NUMBERS = made;
		}
	}

	static class Fails {
		static final int N;
		static {
			if (sum >= 0)
				throw new IllegalStateException();
			N = 1;
		}
	}

	static IntUnaryOperator lambda() {
		return x -> x + 7;
	}

	// ---- tests ---------------------------------------------------------------

	static void testMany() {
		int[] hooks = new int[200];
		for (int i = 0; i < hooks.length; i++) {
			String stars = "*".repeat(i / 20);
			hooks[i] = hook(i % 2, "Harmed", stars + "crowd" + "?".repeat(i % 3)
					+ "*" + "*".repeat(i % 20), null, BOTH, true);
		}
		sum += crowded(1);
		int told = 0;
		boolean[] seen = new boolean[4096];
		for (int h : hooks) {
			if (!seen[h])
				told++;
			seen[h] = true;
			expect("one of " + hooks.length + " hooks", h, 1, 1);
		}
		if (told < 150)
			bad("only " + told + " hooks");
		for (int i = 0; i < hooks.length; i++)
			hook(i % 2, "Harmed", "*".repeat(i / 20) + "crowd" + "?".repeat(i % 3)
					+ "*" + "*".repeat(i % 20), null, BOTH, false);
		sum += crowded(1);
		expect("all off", hooks[0], 1, 1);
	}

	static void testKinds() {
		int n = hook(0, "Harmed", "twice", "(I)I", BOTH, true);
		sum += twice(2);
		expect("native", n, 0, 0);
		int s = hook(0, "Harmed$Shape", "area", "(I)I", BOTH, true);
		int q = hook(0, "Harmed$Square", "area", "(I)I", BOTH, true);
		int i = hook(0, "Harmed$Named", "name", "(I)I", BOTH, true);
		sum += new Square().area(3);
		Named named = x -> x;
		sum += named.name(1);
		expect("abstract", s, 0, 0);
		expect("what it is", q, 1, 1);
		expect("interface", i, 0, 0);
		int l = hook(0, "Harmed", "lambda$*", null, BOTH, true);
		sum += lambda().applyAsInt(1);
		expect("body of a lambda", l, 1, 1);
		int h = hook(0, "Harmed$$Lambda*", "*", null, BOTH, true);
		sum += lambda().applyAsInt(1);
		expect("hidden class", h, 0, 0);
		hook(0, "Harmed$$Lambda*", "*", null, BOTH, false);
		hook(0, "Harmed", "lambda$*", null, BOTH, false);
		int c = hook(0, "Harmed$Started", "<clinit>", "()V", BOTH, true);
		sum += Started.NUMBERS.length;
		expect("<clinit>", c, 1, 1);
		int f = hook(0, "Harmed$Fails", "<clinit>", "()V", BOTH, true);
		try {
			sum += Fails.N;
			bad("no error");
		} catch (ExceptionInInitializerError e) {
			expect("<clinit> that fails", f, 1, 1);
		}
	}

	/* An activation is told of as it began: its code stays what it was. */
	static void testRunning() throws Exception {
		for (int round = 0; round < 4; round++) {
			boolean begins = round % 2 == 0;
			int l = hook(0, "Harmed", "looping", null, BOTH, begins);
			long in = entries(l), out = exits(l);
			stopped = false;
			turns = 0;
			Thread[] thread = start(1, () -> sum += looping(1));
			while (turns < 200_000)
				Thread.onSpinWait();
			hook(0, "Harmed", "looping", null, BOTH, !begins);
			long then = turns;
			while (turns < then + 200_000)
				Thread.onSpinWait();
			stopped = true;
			thread[0].join();
			expect("loop while hooks change", l, in + (begins ? 1 : 0), out);
			hook(0, "Harmed", "looping", null, BOTH, true);
			sum += looping(1);
			expect("the next call", l, in + (begins ? 2 : 1), out + 1);
			hook(0, "Harmed", "looping", null, BOTH, false);
		}
	}

	static void testThrown() {
		String[] names = { "outer", "middle", "inner", "failing" };
		int[] hooks = new int[names.length];
		for (int i = 0; i < names.length; i++)
			hooks[i] = hook(0, "Harmed", names[i], "(I)I", BOTH, true);
		for (int i = 0; i < 20_000; i++)
			try {
				sum += outer(i);
			} catch (IllegalStateException | ArithmeticException e) {
				sum++;
			}
		for (int i = 0; i < names.length; i++) {
			expect("exception through " + names[i], hooks[i], 20_000, 20_000);
			hook(0, "Harmed", names[i], "(I)I", BOTH, false);
		}
		if (Thread.holdsLock(Harmed.class))
			bad("a monitor is still owned");
	}

	static void testInterface() {
		int k = hook(0, "Harmed$Kinds", "*", null, BOTH, true);
		sum += new Kinds() { }.one(1);
		expect("default, static and private methods", k, 3, 3);
	}

	/* A hook keeps no class alive. */
	static void testUnloaded() throws Exception {
		int h = hook(0, "Harmed$Dropped", "run", null, BOTH, true);
		List<WeakReference<Class<?>>> all = new ArrayList<>();
		byte[] bytes = Harmed.class.getResourceAsStream("Harmed$Dropped.class")
				.readAllBytes();
		for (int i = 0; i < 20; i++) {
			Class<?> type = new Loader().define(bytes);
			((Runnable) type.getDeclaredConstructor().newInstance()).run();
			all.add(new WeakReference<>(type));
			hook(1, "Harmed$Dropped", "run", null, BOTH, i % 2 == 0);
		}
		expect("classes that come and go", h, 20, 20);
		while (all.stream().filter(w -> w.get() != null).count() > 2)
			System.gc();
		hook(0, "Harmed$Dropped", "run", null, BOTH, false);
	}

	/* Another agent changes the class while hooks of two environments do. */
	static void testChanging() throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		Thread[] threads = start(3, () -> {
			while (!stop.get())
				sum += Redefined.go(sum);
		});
		Thread[] other = start(1, () -> {
			while (!stop.get())
				if (retransform(Redefined.class) != 0)
					bad("cannot be retransformed");
		});
		int r = -1, all = -1;
		for (int i = 0; i < 30; i++)
			for (boolean on : new boolean[] { true, false }) {
				r = hook(0, "Harmed$Redefined", "go", null, BOTH, on);
				all = hook(1, "Harmed$Redefined", "*", null, BOTH, on);
			}
		stop.set(true);
		for (Thread t : threads)
			t.join();
		other[0].join();
		long in = entries(r), out = exits(r), told = entries(all);
		hook(0, "Harmed$Redefined", "go", null, BOTH, true);
		sum += Redefined.go(1);
		expect("changed by two agents", r, in + 1, out + 1);
		hook(0, "Harmed$Redefined", "go", null, BOTH, false);
		sum += Redefined.go(1);
		expect("changed by two agents, off", r, in + 1, out + 1);
		if (entries(all) != told)
			bad("the hook of another environment is not off");
	}

	static void testLong() {
		int l = hook(0, "HarmedLong", "*", null, BOTH, true);
		try {
			Class<?> type = Class.forName("HarmedLong");
			for (String method : new String[] { "huge", "small" })
				sum += (Integer) type.getDeclaredMethod(method, int.class)
						.invoke(null, 1);
		} catch (ReflectiveOperationException e) {
			bad("HarmedLong: " + e);
		}
		expect("beside a method that is too long", l, 1, 1);
		hook(0, "HarmedLong", "*", null, BOTH, false);
	}

	static void testDeep() {
		int d = hook(0, "Harmed", "deep", null, BOTH, true);
		sum += deep(500);
		expect("recursion", d, 501, 501);
		int e = hook(0, "Harmed", "endless", null, BOTH, true);
		for (int i = 0; i < 3; i++)
			try {
				sum += endless(0);
			} catch (StackOverflowError full) {
				sum++;
			}
		// The stack may be full in the calls that tell, too.
		if (entries(e) < 1000 || Math.abs(entries(e) - exits(e)) > 100)
			bad("full stack: " + entries(e) + " entries, " + exits(e) + " exits");
		hook(0, "Harmed", "endless", null, BOTH, false);
		sum += deep(10);
		expect("after the stack was full", d, 512, 512);
	}

	static void testRedefined() {
		int r = hook(0, "Harmed$Redefined", "go", "(I)I", BOTH, true);
		sum += Redefined.go(1);
		expect("before", r, 1, 1);
		if (retransform(Redefined.class) != 0)
			bad("cannot be retransformed");
		sum += Redefined.go(1);
		expect("retransformed by another agent", r, 2, 2);
		if (redefine(Redefined.class) != 0)
			bad("cannot be redefined");
		sum += Redefined.go(1);
		expect("redefined by another agent", r, 3, 3);
		hook(0, "Harmed$Redefined", "go", "(I)I", BOTH, false);
		if (retransform(Redefined.class) != 0)
			bad("cannot be retransformed");
		sum += Redefined.go(1);
		expect("off", r, 3, 3);
	}

	static void testCallbacks() {
		int w = hook(0, "Harmed", "worked", null, BOTH, true);
		int a = hook(0, "Harmed", "again", null, BOTH, true);
		act(CALL_JAVA);
		sum += worked(1);
		act(ONLY_COUNT);
		expect("method", w, 1, 1);
		expect("hooked method that a callback calls", a, 1, 1);
		hook(0, "Harmed", "again", null, BOTH, false);
		act(TOGGLE);
		sum += worked(1);
		expect("a callback that changes hooks", w, 2, 2);
		hook(0, "Harmed", "worked", null, BOTH, false);
	}

	static Thread[] start(int count, Runnable work) {
		Thread[] threads = new Thread[count];
		for (int i = 0; i < count; i++) {
			threads[i] = new Thread(work);
			threads[i].start();
		}
		return threads;
	}

	static void testDisposed() throws Exception {
		AtomicBoolean stop = new AtomicBoolean();
		int one = hook(2, "Harmed", "worked", null, BOTH, true);
		int two = hook(3, "Harmed", "worked", null, BOTH, true);
		Thread[] threads = start(4, () -> {
			while (!stop.get())
				sum += worked(sum);
		});
		while (entries(one) < 100000 || entries(two) < 100000)
			Thread.onSpinWait();
		act(DISPOSE);
		long before = Math.min(entries(one), entries(two));
		while (Math.max(entries(one), entries(two)) < before + 100000)
			Thread.onSpinWait();
		dispose(entries(one) > entries(two) ? 2 : 3);
		stop.set(true);
		for (Thread t : threads)
			t.join();
		long last = entries(one) + entries(two);
		sum += worked(1);
		if (entries(one) + entries(two) != last)
			bad("callbacks of environments that ended");
	}

	// Virtual threads, where there are any, and all methods of java.lang.Thread.
	static void testVirtual() throws Exception {
		java.lang.reflect.Method begin;
		try {
			begin = Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException e) {
			return;
		}
		int t = hook(0, "java.lang.Thread", "*", null, BOTH, true);
		int f = hook(0, "java.util.concurrent.ForkJoin*", "*", null, BOTH, true);
		int w = hook(0, "Harmed", "worked", null, BOTH, true);
		long in = entries(w), out = exits(w);
		CountDownLatch done = new CountDownLatch(2000);
		for (int i = 0; i < 2000; i++)
			begin.invoke(null, (Runnable)() -> {
				for (int j = 0; j < 5; j++) {
					sum += worked(j);
					Thread.yield();
				}
				done.countDown();
			});
		done.await();
		expect("virtual threads", w, in + 10000, out + 10000);
		if (entries(t) == 0 || entries(f) == 0)
			bad("nothing of java.lang.Thread");
		hook(0, "java.lang.Thread", "*", null, BOTH, false);
		hook(0, "java.util.concurrent.ForkJoin*", "*", null, BOTH, false);
		hook(0, "Harmed", "worked", null, BOTH, false);
	}

	static void testFailures() {
		for (int i = 0; i < 100; i++)
			try {
				sum += i % 2 == 0 ? Integer.parseInt("x" + i)
						: Class.forName("No" + i).hashCode();
			} catch (NumberFormatException | ClassNotFoundException e) {
				sum++;
			}
	}

	// Each method of each class, while a program of many kinds runs.
	static void testEverything() throws Exception {
		int all = hook(0, "*", "*", null, BOTH, true);
		testFailures();
		testVirtual();
		java.util.stream.IntStream.range(0, 10000).parallel().mapToObj(
				Integer::toString).sorted().forEach(s -> sum += s.length());
		sum += String.format("%s %d %f", "a", 1, 2.0).length();
		sum += new java.math.BigInteger("123456789").pow(50).toString(7).length();
		hook(0, "*", "*", null, BOTH, false);
		// A call that is on its way is entered or left, not both.
		if (entries(all) < 10000 || Math.abs(entries(all) - exits(all)) > 1000)
			bad("everything: " + entries(all) + " entries, " + exits(all)
					+ " exits");
	}

	public static void main(String[] args) throws Exception {
		System.load(args[0]);
		if (args.length > 1) {
			testEverything();
			System.out.println("end");
			return;
		}
		testMany();
		testKinds();
		testInterface();
		testRunning();
		testThrown();
		testUnloaded();
		testLong();
		testDeep();
		testRedefined();
		testChanging();
		testCallbacks();
		testVirtual();
		testEverything();
		testDisposed();
		System.out.println("end");
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Calls.java - a JVM that counts its own calls, for cpu=times: prints a line
 * "NAME COUNT" for each method whose calls it knows, and "end". Each thread
 * counts for itself, and the JVM waits for all of them.
 *
 * With an argument it also prints how much processor time its methods took, by
 * its own clock: "ms NAME MS".
 */
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

public class Calls {
	static final TreeMap<String, Integer> known = new TreeMap<>();

	static synchronized void count(String name, int calls) {
		known.merge(name, calls, Integer::sum);
	}

	/* ---- what is called ---------------------------------------------- */

	static class Base {
		Base(boolean fail) {
			if (fail)
				throw new IllegalStateException();
		}
	}

	static class Derived extends Base {
		/* Fails before, in or after the superclass's constructor. */
		Derived(int how) {
			super(check(how));
			if (how == 3)
				throw new IllegalStateException();
		}

		static boolean check(int how) {
			if (how == 1)
				throw new IllegalStateException();
			return how == 2;
		}
	}

	static class Once {
		static int made;
		static {
			made = 1;
		}

		static int get() {
			return made;
		}
	}

	interface Shape {
		int area();

		default int twice() {
			return 2 * area();
		}
	}

	static class Square implements Shape {
		public int area() {
			return 4;
		}
	}

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static void fail() {
		throw new IllegalArgumentException();
	}

	static void passOn(int depth) {
		if (depth == 0)
			fail();
		passOn(depth - 1);
	}

	static int caughtInside(int n) {
		try {
			if (n % 2 == 0)
				fail();
			return 1;
		} catch (IllegalArgumentException e) {
			return 2;
		} finally {
			last();
		}
	}

	static void last() {
	}

	static int kind(String s) {
		switch (s) {
		case "one":
			return 1;
		case "two":
			return 2;
		default:
			return 0;
		}
	}

	static synchronized int guarded(long a, double b) {
		return (int)(a + b);
	}

	static int afterFailures(int n) {
		return n;
	}

	/* ---- who calls ---------------------------------------------------- */

	static void constructors(int times) {
		int caught = 0;

		for (int i = 0; i < times; i++)
			try {
				new Derived(i % 4);
			} catch (IllegalStateException e) {
				caught++;
				afterFailures(i);
			}
		if (caught != times - (times + 3) / 4)
			throw new AssertionError();
		count("Calls$Derived.<init>", times);
		count("Calls$Derived.check", times);
		count("Calls$Base.<init>", times - (times + 2) / 4);
		count("Calls.afterFailures", caught);
	}

	static void exceptions(int times) {
		int inside = 0;

		for (int i = 0; i < times; i++) {
			try {
				passOn(3);
			} catch (IllegalArgumentException e) {
				inside++;
			}
			inside += caughtInside(i);
		}
		if (inside < times)
			throw new AssertionError();
		count("Calls.passOn", 4 * times);
		count("Calls.caughtInside", times);
		count("Calls.last", times);
		count("Calls.fail", times + (times + 1) / 2);
	}

	static void plain(int times) {
		Shape square = new Square();
		Runnable lambda = () -> last();

		for (int i = 0; i < times; i++) {
			square.twice();
			kind(i % 3 == 0 ? "one" : i % 3 == 1 ? "two" : "three");
			guarded(i, 2.0);
			lambda.run();
			Once.get();
		}
		count("Calls$Square.<init>", 1);
		count("Calls$Shape.twice", times);
		count("Calls$Square.area", times);
		count("Calls.kind", times);
		count("Calls.guarded", times);
		count("Calls.lambda$plain$0", times);
		count("Calls.last", times);
		count("Calls$Once.get", times);
	}

	static void recursion(int n) {
		int calls = 1, before = 1, next;

		for (int i = 2; i <= n; i++) {
			next = calls + before + 1;
			before = calls;
			calls = next;
		}
		fib(n);
		count("Calls.fib", n < 2 ? 1 : calls);
	}

	static void all(int times) {
		constructors(times);
		exceptions(times);
		plain(times);
		recursion(20);
		count("Calls.all", 1);
		count("Calls.constructors", 1);
		count("Calls.exceptions", 1);
		count("Calls.plain", 1);
		count("Calls.recursion", 1);
	}

	/* A frame is lost here and there: the stack is used up. */
	static int deep(int n) {
		return 1 + deep(n + 1);
	}

	static void overflow() {
		try {
			deep(0);
		} catch (StackOverflowError e) {
			afterFailures(0);
		}
		count("Calls.overflow", 1);
		count("Calls.afterFailures", 1);
	}

	static void threads(int n) throws Exception {
		List<Thread> started = new ArrayList<>();

		for (int i = 0; i < n; i++) {
			Thread t = new Thread(() -> all(1000));
			t.start();
			started.add(t);
		}
		for (Thread t : started)
			t.join();
		count("Calls.lambda$threads$1", n);
	}

	static void yields(Object lock) {
		for (int i = 0; i < 10; i++) {
			Thread.yield();
			synchronized (lock) {
				last();
			}
			java.util.concurrent.locks.LockSupport.parkNanos(1000);
			last();
		}
		all(100);
		count("Calls.last", 20);
		count("Calls.yields", 1);
	}

	/* By reflection: they came with JDK 21. */
	static void virtualThreads(int n) throws Exception {
		List<Thread> started = new ArrayList<>();
		Object lock = new Object();
		java.lang.reflect.Method start;

		try {
			start = Thread.class.getMethod("startVirtualThread",
						       Runnable.class);
		} catch (NoSuchMethodException e) {
			return;
		}
		try {
			for (int i = 0; i < n; i++)
				started.add((Thread)start.invoke(
					null,
					(Runnable)() -> yields(lock)));
		} catch (java.lang.reflect.InvocationTargetException e) {
			return; /* a preview before 21 */
		}
		for (Thread t : started)
			t.join();
		count("Calls.lambda$virtualThreads$2", n);
	}

	/* ---- time --------------------------------------------------------- */

	static long processor() {
		return ManagementFactory.getThreadMXBean()
			       .getCurrentThreadCpuTime() /
			1000;
	}

	static double result;

	static void burn(long us) {
		long end = processor() + us;

		while (processor() < end)
			for (int i = 1; i < 10000; i++)
				result += Math.sqrt(i);
	}

	static void longOne() {
		burn(600_000);
	}

	static void shortOne() {
		burn(200_000);
	}

	static void waits() throws Exception {
		Thread.sleep(400);
	}

	static void time() throws Exception {
		long start = processor();

		longOne();
		long middle = processor();
		shortOne();
		long end = processor();
		waits();
		long last = processor();
		System.out.println("ms Calls.longOne " +
				   (middle - start) / 1000);
		System.out.println("ms Calls.shortOne " +
				   (end - middle) / 1000);
		System.out.println("ms Calls.waits " +
				   (last - end) / 1000);
	}

	public static void main(String[] args) throws Exception {
		all(1000);
		overflow();
		all(1);
		threads(4);
		virtualThreads(20);
		count("Calls$Once.<clinit>", 1);
		count("Calls.threads", 1);
		if (args.length > 0)
			time();
		known.forEach((name, n) -> System.out.println(name + " " + n));
		System.out.println("end");
	}
}

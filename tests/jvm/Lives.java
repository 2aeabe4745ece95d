// SPDX-License-Identifier: MIT
// Objects of known lives, and everything else that the memory events of
// libhprof-prof tell: the agent of memory_agent.c says what it was told.
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

public final class Lives {
	static final class Kept { long a, b; }
	static final class Short { long a; }
	static final class Lock { }
	public static final class Shown implements Runnable, Comparable<Shown> {
		static int counter;
		private final long value = 1;
		public void run()
		{
			counter++;
		}
		public int compareTo(Shown other)
		{
			return 0;
		}
	}
	static final class Loader extends ClassLoader {
		Loader()
		{
			super(null);
		}
		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException
		{
			try (var in = Lives.class.getResourceAsStream(name + ".class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			} catch (java.io.IOException e) {
				throw new ClassNotFoundException(name, e);
			}
		}
	}

	// The order of told() in memory_agent.c.
	static final int ALLOCATED = 0, BYTES = 1, DEEP = 2, WRONG = 3, STARTS = 4,
		FINISHES = 5, COLLECTIONS = 6, LOADED = 7, UNLOADED = 8, GLOBAL_MADE = 9,
		GLOBAL_DROPPED = 10, WEAK_MADE = 11, WEAK_DROPPED = 12,
		REFERENCE_FRAMES = 13, ENTER = 14, ENTERED = 15, WAIT = 16, WAITED = 17,
		WAITED_MS = 18, ENTERED_MS = 19, ALL_FREED = 20;

	static native void watch(Class<?> watched);
	static native long told(int what);
	static native long freed(int age);
	static native String shown();
	static native double[] site(String signature, String method);
	static native double[] collection();
	static native void references(Object object, int count);
	static native String pools();
	static native void enable(boolean on);
	static native void sample(int interval);
	static native void errors();

	static int failures;
	static Object sink;

	static void is(String what, double wanted, double got)
	{
		if (wanted == got)
			return;
		System.out.println(what + ": " + got + " instead of " + wanted);
		failures++;
	}

	static void yes(String what, boolean holds)
	{
		if (!holds)
			System.out.println(what);
		failures += holds ? 0 : 1;
	}

	static void await(String what, BooleanSupplier done) throws Exception
	{
		long end = System.nanoTime() + 120_000_000_000L;
		while (!done.getAsBoolean()) {
			if (System.nanoTime() > end) {
				yes("never: " + what, false);
				return;
			}
			Thread.sleep(5);
		}
	}

	// ---- allocation, release, survival

	static Kept makeKept()
	{
		return new Kept();
	}

	static Short makeShort()
	{
		return new Short();
	}

	// One collection, and an allocation after it, at which ends are told.
	static void collect()
	{
		System.gc();
		sink = new byte[16];
	}

	static final int[] LIVES = { 0, 1, 2, 3, 4, 8, 9 };
	static final int EACH = 100;

	// EACH objects live through LIVES[i] collections; as many stay.
	static void lives() throws Exception
	{
		List<List<Kept>> held = new ArrayList<>();
		int most = LIVES[LIVES.length - 1];
		List<Kept> stay = new ArrayList<>();

		collect();
		watch(Kept.class);
		for (int i = 0; i < LIVES.length; i++) {
			List<Kept> list = new ArrayList<>();
			for (int j = 0; j < EACH; j++)
				list.add(makeKept());
			held.add(list);
		}
		for (int j = 0; j < EACH; j++)
			stay.add(makeKept());
		for (int passed = 0; passed <= most; passed++) {
			for (int i = 0; i < LIVES.length; i++)
				if (LIVES[i] == passed)
					held.set(i, null);
			collect();
		}
		long made = told(ALLOCATED);
		is("allocated", EACH * (LIVES.length + 1), made);
		is("with their stack", made, told(DEEP));
		is("wrong facts", 0, told(WRONG));
		yes("bytes", told(BYTES) >= made * 16 && told(BYTES) <= made * 48);
		for (int age = 0; age <= most; age++) {
			int wanted = 0;
			for (int life : LIVES)
				wanted += life == age ? EACH : 0;
			is("freed at age " + age, wanted, freed(age));
		}
		survivors(stay);
		watch(null);
	}

	static void survivors(List<Kept> stay)
	{
		double[] site = site("LLives$Kept;", "makeKept");

		is("objects of the site", EACH * (LIVES.length + 1), site[0]);
		is("bytes of the site", told(BYTES), site[1]);
		is("live objects", stay.size(), site[2]);
		is("live bytes", told(BYTES) / (LIVES.length + 1.0), site[3]);
		for (int i = 0; i < 16; i++) {
			int wanted = LIVES[LIVES.length - 1] + 1 >= 1 << i ? EACH : 0;
			for (int life : LIVES)
				wanted += life >= 1 << i ? EACH : 0;
			is("survived " + (1 << i), wanted, site[4 + i]);
		}
	}

	// Estimates from one in 4 KiB.
	static void sampled() throws Exception
	{
		sample(4096);
		// The thread's buffer is from before.
		for (int i = 0; i < 200_000; i++)
			sink = new Object();
		watch(Short.class);
		for (int i = 0; i < 400_000; i++)
			sink = makeShort();
		double[] site = site("LLives$Short;", "makeShort");
		yes("sampled " + told(ALLOCATED),
			told(ALLOCATED) > 500 && told(ALLOCATED) < 20_000);
		yes("estimated " + site[0], site[0] > 320_000 && site[0] < 480_000);
		watch(null);
		sample(0);
	}

	// ---- collections and pools

	// Makes garbage of 20 MB, and waits until all collections were told of.
	static double[] collectGarbage() throws Exception
	{
		long starts = told(STARTS), finishes = told(FINISHES);
		List<byte[]> garbage = new ArrayList<>();

		for (int i = 0; i < 200; i++)
			garbage.add(new byte[100_000]);
		garbage = null;
		System.gc();
		yes("a collection starts", told(STARTS) > starts);
		await("it finishes", () -> told(FINISHES) > finishes &&
			told(COLLECTIONS) == told(STARTS));
		return collection();
	}

	static void collections() throws Exception
	{
		double[] c = collectGarbage();

		// Collections in a row share an event: one that has its own is waited for.
		for (int i = 0; i < 50 &&
			(c[0] < c[1] + 5_000_000 || c[3] < c[4] + 20); i++)
			c = collectGarbage();
		yes("bytes before " + c[0] + " after " + c[1] + " of " + c[2],
			c[0] >= c[1] + 5_000_000 && c[1] > 0 && c[2] >= c[1]);
		yes("objects before " + c[3] + " after " + c[4],
			c[3] >= c[4] + 20 && c[4] > 0);
		yes("duration " + c[5], c[5] > 0);
		String pools = pools();
		yes("pools " + pools, pools.contains("=heap;") &&
			pools.contains("Metaspace=other;"));
	}

	// ---- classes

	static void loadShown() throws Exception
	{
		Class<?> shown = new Loader().loadClass("Lives$Shown");
		shown.getDeclaredConstructor().newInstance();
	}

	static void classes() throws Exception
	{
		loadShown();
		is("classes loaded", 1, told(LOADED));
		String text = shown();
		yes("class " + text, text.startsWith("LLives$Shown; Lives.java 2 ") &&
			text.contains(" counter:I:8") && text.contains(" value:J:18") &&
			text.contains(" run()V:1:1") && text.contains(" <init>()V:1:"));
		await("the class is unloaded", () -> {
			System.gc();
			sink = new byte[16];
			return told(UNLOADED) == 1;
		});
	}

	// ---- references and monitors

	static void refs()
	{
		references(new Object(), 10);
		is("global references made", 10, told(GLOBAL_MADE));
		is("global references dropped", 10, told(GLOBAL_DROPPED));
		is("weak references made", 10, told(WEAK_MADE));
		is("weak references dropped", 9, told(WEAK_DROPPED));
		is("with their stack", 39, told(REFERENCE_FRAMES));
	}

	static void monitors() throws Exception
	{
		Lock lock = new Lock();
		Thread other = new Thread(() -> {
			synchronized (lock) {
				sink = lock;
			}
		});
		synchronized (lock) {
			other.start();
			await("a thread waits", () -> told(ENTER) == 1);
			Thread.sleep(20);
		}
		other.join();
		is("entered", 1, told(ENTERED));
		yes("waited to enter " + told(ENTERED_MS), told(ENTERED_MS) >= 20);
		synchronized (lock) {
			lock.wait(30);
		}
		is("wait", 1, told(WAIT));
		is("waited", 1, told(WAITED));
		yes("waited " + told(WAITED_MS), told(WAITED_MS) >= 29);
	}

	/* Virtual threads wait one in the other's time, and may change carriers. */
	static void virtualMonitors() throws Exception
	{
		Method start;
		try {
			start = Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException e) {
			return;
		}
		long waits = told(WAIT), waited = told(WAITED);
		Lock first = new Lock(), second = new Lock();
		AtomicBoolean ended = new AtomicBoolean();
		start.invoke(null, (Runnable) () -> waitOn(first, 0, ended));
		await("the first waits", () -> told(WAIT) == waits + 1);
		long since = System.nanoTime();
		start.invoke(null, (Runnable) () -> waitOn(second, 30, new AtomicBoolean(true)));
		await("the second has waited", () -> told(WAITED) == waited + 1);
		yes("the second " + told(WAITED_MS), told(WAITED_MS) >= 29);
		Thread.sleep(20);
		long least = (System.nanoTime() - since) / 1000000;
		synchronized (first) {
			ended.set(true);
			first.notifyAll();
		}
		await("the first has waited", () -> told(WAITED) == waited + 2);
		yes("the first " + told(WAITED_MS), told(WAITED_MS) >= least);
	}

	static void waitOn(Lock lock, long most, AtomicBoolean ended)
	{
		synchronized (lock) {
			try {
				do
					lock.wait(most);
				while (!ended.get());
			} catch (InterruptedException e) {
				System.out.println("FAILED: interrupted");
			}
		}
	}

	// ---- on and off

	static void off() throws Exception
	{
		enable(false);
		watch(Kept.class);
		long starts = told(STARTS), loaded = told(LOADED);
		for (int i = 0; i < 1000; i++)
			sink = makeKept();
		loadShown();
		references(new Object(), 1);
		System.gc();
		is("allocated while off", 0, told(ALLOCATED));
		is("collections while off", starts, told(STARTS));
		is("classes while off", loaded, told(LOADED));
		is("references while off", 10, told(GLOBAL_MADE));
		enable(true);
		for (int i = 0; i < 1000; i++)
			sink = makeKept();
		yes("allocated again " + told(ALLOCATED), told(ALLOCATED) > 0);
		watch(null);
	}

	public static void main(String[] args) throws Exception
	{
		System.load(args[0]);
		lives();
		collections();
		classes();
		refs();
		monitors();
		virtualMonitors();
		off();
		sampled();
		errors();
		System.out.println(failures == 0 ? "end" : "failures: " + failures);
	}
}

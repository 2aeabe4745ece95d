/* SPDX-License-Identifier: MIT */
/*
 * Leaking.java - a JVM that leaks in the way it is told, prints "ready" and
 * waits. Each way keeps some 20 MB that a program has no more use for.
 */
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

public class Leaking {
	static final int COUNT = 20_000, BYTES = 1_000;

	static class Session implements Runnable {
		final int number;
		final byte[] data = new byte[BYTES];

		Session(int number) {
			this.number = number;
		}

		public void run() {
		}
	}

	static class Registry {
		final Map<Integer, Session> byNumber = new HashMap<>();
	}

	interface Listener {
		void happened();
	}

	static class Button {
		final List<Listener> listeners = new ArrayList<>();
	}

	static class Window {
		final int[] pixels = new int[20_000];

		void open(Button button) {
			button.listeners.add(new Listener() {
				public void happened() {
					pixels[0]++;
				}
			});
		}
	}

	/* Loaded anew, each time it is asked for. */
	public static class Copied {
		static final byte[] TABLE = new byte[1_000_000];
	}

	static class Link {
		Link next;
		final byte[] data = new byte[BYTES];
	}

	static class Tree {
		final List<Tree> kids = new ArrayList<>();
		byte[] data;
	}

	static final Registry REGISTRY = new Registry();
	static final Button BUTTON = new Button();
	static final ThreadLocal<List<byte[]>> SCRATCH =
			ThreadLocal.withInitial(ArrayList::new);
	static final List<Object> KEPT = new ArrayList<>();
	static final Map<Integer, Session> INDEX = new ConcurrentHashMap<>();
	static final TreeMap<Integer, Session> SORTED = new TreeMap<>();
	static final ConcurrentLinkedQueue<Session> QUEUE =
			new ConcurrentLinkedQueue<>();
	static final ArrayDeque<Session> WAITING = new ArrayDeque<>();
	/* Tasks that its one thread, which never starts, does not take. */
	static final ThreadPoolExecutor TASKS = new ThreadPoolExecutor(0, 1, 1,
			TimeUnit.SECONDS, new LinkedBlockingQueue<>());
	static Link first;
	static Tree root;
	static byte[] buffer;
	/* What any program has: it must not be taken for a leak. */
	static final Map<Integer, String> NAMES = new HashMap<>();

	static void workers(CountDownLatch done) throws Exception {
		CountDownLatch filled = new CountDownLatch(12);

		for (int i = 0; i < 12; i++) {
			Thread worker = new Thread(() -> {
				for (int k = 0; k < 20; k++)
					SCRATCH.get().add(new byte[100_000]);
				filled.countDown();
				try {
					done.await();
				} catch (InterruptedException e) {
					return;
				}
			}, "worker-" + i);
			worker.setDaemon(true);
			worker.start();
		}
		filled.await();
	}

	/* A local variable of a thread that goes on and on. */
	static void collect(CountDownLatch done) throws Exception {
		CountDownLatch filled = new CountDownLatch(1);
		Thread collector = new Thread(() -> {
			List<Session> seen = new ArrayList<>();
			for (int i = 0; i < COUNT; i++)
				seen.add(new Session(i));
			filled.countDown();
			try {
				done.await();
			} catch (InterruptedException e) {
				return;
			}
			System.err.println(seen.size());
		}, "collector");
		collector.setDaemon(true);
		collector.start();
		filled.await();
	}

	/* Threads that wait for each other's end, and keep next to nothing. */
	static void poll(CountDownLatch done) throws Exception {
		CountDownLatch begun = new CountDownLatch(120);

		for (int i = 0; i < 120; i++) {
			Thread poller = new Thread(() -> {
				begun.countDown();
				try {
					done.await();
				} catch (InterruptedException e) {
					return;
				}
			}, "poller-" + i);
			poller.setDaemon(true);
			poller.start();
		}
		begun.await();
	}

	/* One of a few branches, some levels down, has nearly everything. */
	static Tree grow(int depth) {
		Tree tree = new Tree();

		for (int i = 0; i < 3; i++)
			tree.kids.add(new Tree());
		if (depth > 0) {
			tree.kids.add(grow(depth - 1));
			return tree;
		}
		for (int i = 3; i < 6_000; i++) {
			Tree leaf = new Tree();
			leaf.data = new byte[3 * BYTES];
			tree.kids.add(leaf);
		}
		return tree;
	}

	static void leak(String how, CountDownLatch done) throws Exception {
		switch (how) {
		case "none":
			break;
		case "map":
			for (int i = 0; i < COUNT; i++)
				REGISTRY.byNumber.put(i, new Session(i));
			break;
		case "tree":
			for (int i = 0; i < COUNT; i++)
				SORTED.put(i, new Session(i));
			break;
		case "queue":
			for (int i = 0; i < COUNT; i++)
				QUEUE.add(new Session(i));
			break;
		case "deque":
			for (int i = 0; i < COUNT; i++)
				WAITING.add(new Session(i));
			break;
		case "blocking":
			for (int i = 0; i < 6_000; i++)
				TASKS.getQueue().add(new Session(i));
			break;
		case "nested":
			root = grow(12);
			break;
		case "pollers":
			poll(done);
			break;
		case "chain":
			for (int i = 0; i < COUNT; i++) {
				Link link = new Link();
				link.next = first;
				first = link;
			}
			break;
		case "shared":
			for (int i = 0; i < COUNT; i++) {
				Session session = new Session(i);
				KEPT.add(session);
				INDEX.put(i, session);
			}
			break;
		case "listener":
			for (int i = 0; i < 250; i++)
				new Window().open(BUTTON);
			break;
		case "loader":
			for (int i = 0; i < 20; i++)
				KEPT.add(Class.forName("Leaking$Copied", true,
						new Again("Leaking$Copied"))
						.getDeclaredConstructor()
						.newInstance());
			break;
		case "buffer":
			buffer = new byte[20_000_000];
			break;
		case "threadlocal":
			workers(done);
			break;
		case "local":
			collect(done);
			break;
		default:
			Backlogs.leave(how);
		}
	}

	public static void main(String[] args) throws Exception {
		CountDownLatch done = new CountDownLatch(1);

		for (int i = 0; i < 2_000; i++)
			NAMES.put(i, "name " + i);
		for (String how : args)
			leak(how, done);
		System.out.println("ready");
		System.in.read();
	}
}

/* SPDX-License-Identifier: MIT */
/*
 * Growing.java - a JVM that leaks more each time it reads a line, in the way
 * it is told, and prints "grown" then. Between two lines it does nothing.
 */
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

public class Growing {
	static final int EACH = 4_000;

	/* Large in itself, so that it leads its table by class. */
	public static class Item {
		long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
	}

	static class Cache {
		final Map<String, Item> entries = new LinkedHashMap<>();
	}

	static class User {
		final Map<Integer, Item> history = new HashMap<>();
	}

	interface Listener {
		void happened();
	}

	static class Button {
		final List<Listener> listeners = new ArrayList<>();
	}

	static class Window extends Item implements Listener {
		public void happened() {
			a++;
		}
	}

	/* Loaded anew, each time it is asked for. */
	public static class Copied {
		static final Deque<Item> POOL = new ArrayDeque<>();

		public Copied() {
			for (int i = 0; i < 400; i++)
				POOL.add(new Item());
		}
	}

	static class Link extends Item {
		Link next;
	}

	static final Map<Integer, Item> MAP = new HashMap<>();
	static final List<Item> LIST = new ArrayList<>();
	static final Cache CACHE = new Cache();
	static final Button BUTTON = new Button();
	static final List<Object> PLUGINS = new ArrayList<>();
	static final ThreadLocal<List<Item>> SCRATCH =
			ThreadLocal.withInitial(ArrayList::new);
	static final LinkedBlockingQueue<CountDownLatch> WORK =
			new LinkedBlockingQueue<>();
	static final Map<String, User> USERS = new HashMap<>();
	static Link first;

	/* One thread that serves, and keeps something of each request. */
	static void serve() {
		Thread worker = new Thread(() -> {
			try {
				for (;;) {
					CountDownLatch done = WORK.take();
					for (int i = 0; i < EACH; i++)
						SCRATCH.get().add(new Item());
					done.countDown();
				}
			} catch (InterruptedException e) {
				return;
			}
		}, "worker");
		worker.setDaemon(true);
		worker.start();
	}

	static void grow(String how, List<Item> local) throws Exception {
		switch (how) {
		case "map":
			for (int i = 0; i < EACH; i++)
				MAP.put(MAP.size(), new Item());
			break;
		case "list":
			for (int i = 0; i < EACH; i++)
				LIST.add(new Item());
			break;
		case "cache":
			for (int i = 0; i < EACH; i++)
				CACHE.entries.put("key " + CACHE.entries.size(),
						new Item());
			break;
		case "listener":
			for (int i = 0; i < EACH; i++)
				BUTTON.listeners.add(new Window());
			break;
		case "chain":
			for (int i = 0; i < EACH; i++) {
				Link link = new Link();
				link.next = first;
				first = link;
			}
			break;
		case "threadlocal":
			CountDownLatch done = new CountDownLatch(1);
			WORK.add(done);
			done.await();
			break;
		case "loader":
			for (int i = 0; i < 10; i++)
				PLUGINS.add(Class.forName("Growing$Copied", true,
						new Again("Growing$Copied"))
						.getDeclaredConstructor()
						.newInstance());
			break;
		case "local":
			for (int i = 0; i < EACH; i++)
				local.add(new Item());
			break;
		case "nested":
			for (int i = USERS.size(); i < 10; i++)
				USERS.put("user " + i, new User());
			for (User user : USERS.values())
				for (int i = 0; i < EACH / 10; i++)
					user.history.put(user.history.size(),
							new Item());
			break;
		case "idle":
			break;
		default:
			throw new IllegalArgumentException(how);
		}
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(
				new InputStreamReader(System.in));
		List<Item> local = new ArrayList<>();

		serve();
		do {
			grow(args[0], local);
			System.out.println("grown");
		} while (in.readLine() != null);
		System.err.println(local.size());
	}
}

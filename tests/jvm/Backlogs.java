/* SPDX-License-Identifier: MIT */
/*
 * Backlogs.java - work of the JVM that is left undone in the way that it is
 * told; for Leaking.
 */
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

class Backlogs {
	/* The first one to be finalized hangs. */
	static class Slow {
		static final CountDownLatch BEGUN = new CountDownLatch(1);
		static final CountDownLatch NEVER = new CountDownLatch(1);
		final byte[] data = new byte[1_000];

		@Override
		@SuppressWarnings({ "deprecation", "removal" })
		protected void finalize() throws Throwable {
			BEGUN.countDown();
			NEVER.await();
		}
	}

	static class Ticket extends WeakReference<Object> {
		final byte[] data = new byte[100];

		Ticket(Object of) {
			super(of, QUEUE);
		}
	}

	/* Its Cleaner holds it. */
	static class Handle {
		final byte[] data = new byte[1_000];

		Handle() {
			CLEANER.register(this, this::close);
		}

		void close() {
			data[0]++;
		}
	}

	/* Its Cleaner does not. */
	static class Good {
		Good() {
			byte[] data = new byte[100];
			CLEANER.register(this, () -> data[0]++);
		}
	}

	static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
	static final List<Object> KEPT = new ArrayList<>();
	static final Cleaner CLEANER = Cleaner.create();

	static void finalizers() throws Exception {
		for (int i = 0; i < 500; i++)
			new Slow();
		while (Slow.BEGUN.getCount() > 0)
			System.gc();
	}

	static void queue(int count) {
		List<Ticket> tickets = new ArrayList<>();

		for (int i = 0; i < count; i++)
			tickets.add(new Ticket(new Object()));
		KEPT.add(tickets);
		for (Reference<?> ticket : tickets)
			while (!ticket.isEnqueued())
				System.gc();
	}

	static void tidy() {
		for (int i = 0; i < 300; i++)
			KEPT.add(new Good());
		for (int i = 0; i < 300; i++)
			KEPT.add(new Slow());
		for (int i = 0; i < 500; i++)
			KEPT.add(new SoftReference<>(new byte[1_000]));
		queue(300);
	}

	static void leave(String how) throws Exception {
		switch (how) {
		case "finalizers":
			finalizers();
			break;
		case "references":
			queue(1_500);
			break;
		case "cleaners":
			for (int i = 0; i < 300; i++)
				new Handle();
			break;
		case "soft":
			for (int i = 0; i < 100; i++)
				KEPT.add(new SoftReference<>(
						new byte[100_000]));
			break;
		case "tidy":
			tidy();
			break;
		default:
			throw new IllegalArgumentException(how);
		}
	}
}

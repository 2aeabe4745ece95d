/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for each other, and say themselves how long:
 *
 *   Contended platform|virtual
 *
 * At the end some are left as they wait, for a dump of monitors.
 */
public final class Contended {
    private static final int THREADS = 4;
    private static final int ROUNDS = 20;

    /** Locks by name, so that each one is a row of its own. */
    private static final class Long20 { }
    private static final class Short5 { }
    private static final class Signal { }
    private static final class Held { }

    private static final Object LONG = new Long20();
    private static final Object SHORT = new Short5();
    private static final ReentrantLock LOCK = new ReentrantLock();

    private interface Work {
        void run() throws Exception;
    }

    private static Thread thread(boolean virtual, Work work) throws Exception {
        Runnable runnable = () -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        if (!virtual) {
            return new Thread(runnable);
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        return (Thread) Class.forName("java.lang.Thread$Builder")
            .getMethod("unstarted", Runnable.class).invoke(builder, runnable);
    }

    private static void all(boolean virtual, Work work) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(thread(virtual, work));
        }
        for (Thread t : threads) {
            t.start();
        }
        for (Thread t : threads) {
            t.join();
        }
    }

    /** How long the threads waited to get in, in all. */
    private static long contend(boolean virtual, Object monitor, int heldMs) throws Exception {
        AtomicLong waited = new AtomicLong();
        all(virtual, () -> {
            for (int i = 0; i < ROUNDS; i++) {
                long begin = System.nanoTime();
                synchronized (monitor) {
                    waited.addAndGet(System.nanoTime() - begin);
                    Thread.sleep(heldMs);
                }
            }
        });
        return waited.get();
    }

    private static long contendLock(boolean virtual, int heldMs) throws Exception {
        AtomicLong waited = new AtomicLong();
        all(virtual, () -> {
            for (int i = 0; i < ROUNDS; i++) {
                long begin = System.nanoTime();
                LOCK.lock();
                try {
                    waited.addAndGet(System.nanoTime() - begin);
                    Thread.sleep(heldMs);
                } finally {
                    LOCK.unlock();
                }
            }
        });
        return waited.get();
    }

    private static Thread daemon(String name, Work work) throws Exception {
        Thread t = thread(false, work);
        t.setName(name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    private static void await(Thread thread, Thread.State state) throws Exception {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    /** One thread has a monitor twice, two want it, one waits to be notified. */
    private static void leaveWaiting() throws Exception {
        Object held = new Held();
        Object signal = new Signal();
        Thread owner = daemon("owner", () -> {
            synchronized (held) {
                synchronized (held) {
                    Thread.sleep(Long.MAX_VALUE);
                }
            }
        });
        await(owner, Thread.State.TIMED_WAITING);
        for (int i = 0; i < 2; i++) {
            await(daemon("enters " + i, () -> {
                synchronized (held) {
                    throw new IllegalStateException("got in");
                }
            }), Thread.State.BLOCKED);
        }
        await(daemon("waits", () -> {
            synchronized (signal) {
                signal.wait();
            }
        }), Thread.State.WAITING);
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = args[0].equals("virtual");
        System.out.println("Long20 " + contend(virtual, LONG, 20) / 1_000_000);
        System.out.println("Short5 " + contend(virtual, SHORT, 5) / 1_000_000);
        System.out.println("Lock " + contendLock(virtual, 10) / 1_000_000);
        Object signal = new Signal();
        synchronized (signal) {
            signal.wait(50);
        }
        leaveWaiting();
        System.exit(7);
    }
}

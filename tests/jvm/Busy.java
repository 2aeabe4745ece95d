/* SPDX-License-Identifier: MIT */
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A program that is never at rest while it is dumped: it allocates, loads
 * classes into loaders that it throws away, starts and ends threads, contends
 * for locks. Its work is a fixed number of rounds, and its result does not
 * depend on who comes first, so it prints one right line however often it is
 * interrupted. Then it goes on in the same way, until its standard input ends.
 *
 * <pre>java Busy ROUNDS</pre>
 */
public class Busy {
    private static final int WORKERS = 3;
    private static final AtomicLong sum = new AtomicLong();
    private static final Map<Long, Object> shared = new HashMap<>();
    private static volatile boolean ended;
    private static byte[] taskBytes;

    /** What a worker's throw-away loader loads: it computes with a state of its own. */
    public static class Task {
        private static long state = 1;
        private long[] values = new long[100];

        public static long run(long seed) {
            Task task = new Task();
            for (int i = 0; i < task.values.length; i++) {
                state = state * 6364136223846793005L + seed;
                task.values[i] = state >>> 7;
            }
            long result = 0;
            for (long value : task.values) {
                result = 31 * result + value;
            }
            return result;
        }
    }

    static final class Throwaway extends ClassLoader {
        Throwaway() {
            super(null);
        }

        Class<?> task() {
            return defineClass(Task.class.getName(), taskBytes, 0, taskBytes.length);
        }
    }

    /** A list with links both ways, checked as it is taken apart. */
    static final class Node {
        final long value;
        Node next;
        final Object[] payload;

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
            payload = new Object[] {next, "node " + value, new int[(int) (value & 63)]};
        }
    }

    private static long allocate(long seed) {
        Random random = new Random(seed);
        Node list = null;
        long result = 0;

        for (int i = 0; i < 2000; i++) {
            list = new Node(random.nextInt(1 << 20), list);
        }
        for (; list != null; list = list.next) {
            if (list.payload[0] != list.next || ((int[]) list.payload[2]).length
                != (list.value & 63) || !list.payload[1].equals("node " + list.value)) {
                throw new IllegalStateException("the heap is broken");
            }
            result = 31 * result + list.value;
        }
        return result;
    }

    private static long load(long seed) throws Exception {
        Method run = new Throwaway().task().getMethod("run", long.class);

        return (Long) run.invoke(null, seed);
    }

    /** Puts and takes in one monitor, so that nothing stays. */
    private static long contend(long seed) {
        Object mine = new Object();

        for (long i = 0; i < 200; i++) {
            synchronized (shared) {
                if (shared.put(seed * 1000 + i, mine) != null) {
                    throw new IllegalStateException("somebody else's key");
                }
            }
            synchronized (shared) {
                if (shared.remove(seed * 1000 + i) != mine) {
                    throw new IllegalStateException("a key is lost");
                }
            }
        }
        return seed;
    }

    private static long startThread(long seed) throws Exception {
        long[] result = new long[1];
        ThreadGroup group = new ThreadGroup("group of " + seed);
        Thread thread = new Thread(group, () -> result[0] = allocate(seed ^ 5),
            "short-lived " + seed);

        thread.start();
        thread.join();
        return result[0];
    }

    private static void work(int worker, int rounds) {
        try {
            for (int i = 0; i < rounds || !ended; i++) {
                long seed = worker * 1_000_003L + i;
                long result = allocate(seed) ^ load(seed) ^ contend(seed)
                    ^ startThread(seed);
                if (i < rounds) {
                    sum.addAndGet(result);
                }
            }
        } catch (Throwable e) {
            e.printStackTrace(System.out);
            System.exit(3);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        List<Thread> workers = new ArrayList<>();

        try (InputStream in = Busy.class.getResourceAsStream("Busy$Task.class")) {
            taskBytes = in.readAllBytes();
        }
        System.out.println("ready");
        for (int i = 0; i < WORKERS; i++) {
            int worker = i;
            workers.add(new Thread(() -> work(worker, rounds), "worker " + i));
            workers.get(i).start();
        }
        while (System.in.read() >= 0) {
            continue;
        }
        ended = true;
        for (Thread worker : workers) {
            worker.join();
        }
        System.out.println("sum " + Long.toHexString(sum.get()) + ", left "
            + shared.size());
    }
}

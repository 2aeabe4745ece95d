/* SPDX-License-Identifier: MIT */
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.zip.CRC32;

/**
 * A program that works while it is dumped again and again, see tests/soak.
 *
 * <pre>java Workload [THREADS]</pre>
 *
 * Its threads compute sums that are known, start and end threads, load and drop
 * classes, and make garbage and collections; THREADS more only wait. There are
 * 20,000 objects of a class of their own. It says ready; commands are lines:
 * "pause" stops all that, collects garbage and says paused; "go" says going. At
 * the end of its input it says "right" and how many rounds there were, or what
 * was wrong.
 */
public final class Workload {
    static final class Item {
        final int number;
        final Item before;

        Item(int number, Item before) {
            this.number = number;
            this.before = before;
        }
    }

    /** Loaded again and again, each time by another loader. */
    public static final class Dropped implements IntUnaryOperator {
        static int calls;
        final IntUnaryOperator inner = number -> number * 3 + ++calls;

        @Override
        public int applyAsInt(int number) {
            return inner.applyAsInt(number);
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(Workload.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    private interface Work {
        boolean isRight(int round) throws Exception;
    }

    private static final int ITEMS = 20_000;
    /** The sums of rounds 0 to 7, and so on. */
    private static final long[] SUMS = {
        1198808330L, 3963969425L, 2473649135L, 344517411L, 3653614849L, 2803498132L,
        3834131745L, 1949963448L
    };

    private static Item last;
    private static byte[] dropped;
    private static volatile boolean ended;
    private static volatile String wrong;
    private static final AtomicLong rounds = new AtomicLong();
    /** Who works holds it shared, a pause has it alone. */
    private static final java.util.concurrent.locks.ReadWriteLock pause =
        new java.util.concurrent.locks.ReentrantReadWriteLock(true);

    /** Strings that come and go in a map, then sorted. */
    static long sum(int seed) {
        long random = seed * 7919L + 17;
        Map<String, long[]> map = new HashMap<>();
        for (int i = 0; i < 4000; i++) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            String key = "key " + (random >>> 33) % 1500;
            long[] value = map.remove(key);
            if (value == null) {
                map.put(key, new long[] {i, random});
            } else if (value[0] % 3 == 0) {
                map.put(key, new long[] {value[0] + 1, value[1] ^ random});
            }
        }
        List<String> keys = new ArrayList<>(map.keySet());
        keys.sort(null);
        CRC32 crc = new CRC32();
        for (String key : keys) {
            crc.update((key + Arrays.toString(map.get(key))).getBytes());
        }
        return crc.getValue();
    }

    private static boolean changeThreads(int round) throws Exception {
        AtomicInteger sum = new AtomicInteger();
        Thread[] threads = new Thread[6];
        for (int i = 0; i < threads.length; i++) {
            final int number = i;
            threads[i] = new Thread(() -> sum.addAndGet(number), "brief " + round);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return sum.get() == 15;
    }

    private static boolean changeClasses(int round) throws Exception {
        Class<?> loaded = new Loader().define(dropped);
        IntUnaryOperator operator =
            (IntUnaryOperator) loaded.getDeclaredConstructor().newInstance();
        return loaded != Dropped.class && operator.applyAsInt(round) == round * 3 + 1
            && operator.applyAsInt(round) == round * 3 + 2;
    }

    private static boolean storm(int round) {
        int[][] pieces = new int[64][];
        for (int i = 0; i < 2000; i++) {
            int[] piece = new int[200 + i % 100];
            piece[i % 200] = i;
            pieces[i % pieces.length] = piece;
        }
        if (round % 40 == 0) {
            System.gc();
        }
        for (int i = 2000 - pieces.length; i < 2000; i++) {
            if (pieces[i % pieces.length][i % 200] != i) {
                return false;
            }
        }
        return true;
    }

    private static Thread begin(String name, int rest, Work work) {
        Thread thread = new Thread(() -> {
            for (int round = 0; !ended; round++) {
                pause.readLock().lock();
                try {
                    if (!work.isRight(round)) {
                        wrong = name + " " + round;
                    }
                } catch (Exception | Error e) {
                    wrong = name + ": " + e;
                } finally {
                    pause.readLock().unlock();
                }
                rounds.incrementAndGet();
                try {
                    Thread.sleep(rest);
                } catch (InterruptedException e) {
                    wrong = name + " was interrupted";
                }
            }
        }, name);
        thread.start();
        return thread;
    }

    private static byte[] read(String name) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = Workload.class.getResourceAsStream(name)) {
            byte[] some = new byte[4096];
            for (int n = in.read(some); n >= 0; n = in.read(some)) {
                all.write(some, 0, n);
            }
        }
        return all.toByteArray();
    }

    private static void obey() throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("pause")) {
                pause.writeLock().lock();
                System.gc();
                System.gc();
                System.out.println("paused");
            } else if (line.equals("go")) {
                pause.writeLock().unlock();
                System.out.println("going");
            }
        }
    }

    private static boolean hasItems() {
        int count = 0;
        for (Item item = last; item != null; item = item.before) {
            count += item.number == ITEMS - 1 - count ? 1 : 0;
        }
        return count == ITEMS;
    }

    private static void startWaiters(int count, CountDownLatch end) throws Exception {
        CountDownLatch started = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            new Thread(null, () -> {
                started.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    wrong = "a waiter was interrupted";
                }
            }, "waiter " + i, 128 << 10).start();
        }
        started.await();
    }

    public static void main(String[] arguments) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ITEMS; i++) {
            last = new Item(i, last);
        }
        dropped = read("Workload$Dropped.class");
        startWaiters(arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0, end);
        for (int i = 0; i < 2; i++) {
            threads.add(begin("sums", 1, round -> sum(round % 8) == SUMS[round % 8]));
        }
        threads.add(begin("threads", 3, Workload::changeThreads));
        threads.add(begin("classes", 20, Workload::changeClasses));
        threads.add(begin("storm", 10, Workload::storm));
        obey();
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        end.countDown();
        if (!hasItems()) {
            wrong = "items";
        }
        System.out.println(wrong != null ? "wrong: " + wrong : "right " + rounds);
        System.exit(wrong != null ? 1 : 0);
    }
}

/* SPDX-License-Identifier: MIT */
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What is hard on a profiler, for so many seconds: classes that are loaded,
 * compiled and unloaded, collections, exceptions through deep stacks, threads
 * that live briefly. Each round has a result that is known; exits with 7 if all
 * were right.
 *
 *   Churn SECONDS
 */
public final class Churn {
    private static final AtomicLong ROUNDS = new AtomicLong();
    private static volatile Throwable failure;
    private static volatile Object kept;

    /** Loads its own copy of the class below. */
    private static final class Loader extends ClassLoader {
        private final byte[] code;

        Loader(byte[] code) {
            super(null);
            this.code = code;
        }

        Class<?> define() {
            return defineClass("Churn$Unit", code, 0, code.length);
        }
    }

    /** Needs no other class of ours, so that any loader can define it. */
    public static final class Unit implements Runnable {
        private int n;

        private int down(int depth) {
            if (depth == 0) {
                throw new IllegalStateException();
            }
            return down(depth - 1) + 1;
        }

        @Override
        public void run() {
            long h = 0;
            for (int i = 0; i < 20_000; i++) {
                h = h * 31 + (h >>> 7 ^ i);
            }
            for (int i = 0; i < 50; i++) {
                try {
                    down(100);
                } catch (IllegalStateException e) {
                    n += e.getStackTrace().length >= 100 ? 1 : 0;
                }
            }
            if (n % 50 != 0 || h == 42) {
                throw new AssertionError("result " + n);
            }
        }
    }

    private interface Round {
        void run() throws Exception;
    }

    private static Thread repeat(long until, Round round) {
        Thread t = new Thread(() -> {
            try {
                while (System.nanoTime() < until) {
                    round.run();
                    ROUNDS.incrementAndGet();
                }
            } catch (Throwable e) {
                failure = e;
            }
        });
        t.start();
        return t;
    }

    private static void check(boolean right, String what) {
        if (!right) {
            throw new AssertionError(what);
        }
    }

    private static void allocate() {
        Map<String, int[]> map = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            map.put("key " + i, new int[i & 63]);
        }
        kept = map;
        long sum = map.values().stream().mapToLong(a -> a.length).sum();
        check(sum == 157_276, "sum " + sum);
    }

    private static void threads() throws Exception {
        AtomicLong sum = new AtomicLong();
        Thread[] all = new Thread[8];
        for (int i = 0; i < all.length; i++) {
            int number = i;
            all[i] = new Thread(() -> sum.addAndGet(number));
            all[i].start();
        }
        for (Thread t : all) {
            t.join();
        }
        check(sum.get() == 28, "threads " + sum);
    }

    public static void main(String[] args) throws Exception {
        long until = System.nanoTime() + (long) (Double.parseDouble(args[0]) * 1e9);
        byte[] code;
        try (InputStream in = Churn.class.getResourceAsStream("Churn$Unit.class")) {
            code = in.readAllBytes();
        }
        Thread[] all = {
            repeat(until, () -> ((Runnable) new Loader(code).define()
                .getDeclaredConstructor().newInstance()).run()),
            repeat(until, new Unit()::run),
            repeat(until, Churn::allocate),
            repeat(until, Churn::threads),
            repeat(until, () -> {
                System.gc();
                Thread.sleep(100);
            }),
        };
        for (Thread t : all) {
            t.join();
        }
        if (failure != null) {
            failure.printStackTrace();
            System.exit(1);
        }
        System.out.println("rounds " + ROUNDS);
        System.exit(7);
    }
}

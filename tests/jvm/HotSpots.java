/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Uses CPU time in three methods, about 60, 30 and 10 % of it, and says how much
 * each one took by the clock of its own thread:
 *
 *   HotSpots SECONDS [THREADS]
 *
 * They do the same work, so their shares are known by construction, too; the
 * clock knows what a busy machine did to them. Their loops count in long, so that
 * JVMs stop in them, and each call takes many milliseconds: the clock is a system
 * call, where threads lose their CPU sooner than elsewhere and so are found too
 * often.
 */
public final class HotSpots {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final int UNIT = 1_000_000;
    private static volatile long sink;

    private static long sixty(long h, int n) {
        for (long i = 0; i < n; i++) {
            h = h * 31 + (h >>> 7 ^ i);
        }
        return h;
    }

    private static long thirty(long h, int n) {
        for (long i = 0; i < n; i++) {
            h = h * 31 + (h >>> 7 ^ i);
        }
        return h;
    }

    private static long ten(long h, int n) {
        for (long i = 0; i < n; i++) {
            h = h * 31 + (h >>> 7 ^ i);
        }
        return h;
    }

    /** The time of each method, then of the whole thread. */
    private static long[] burn(double seconds) {
        long[] used = new long[4];
        long begin = CLOCK.getCurrentThreadCpuTime();
        long until = begin + (long) (seconds * 1e9);
        long h = 1;
        long t = begin;
        while (t < until) {
            h = sixty(h, 60 * UNIT);
            long t1 = CLOCK.getCurrentThreadCpuTime();
            h = thirty(h, 30 * UNIT);
            long t2 = CLOCK.getCurrentThreadCpuTime();
            h = ten(h, 10 * UNIT);
            long t3 = CLOCK.getCurrentThreadCpuTime();
            used[0] += t1 - t;
            used[1] += t2 - t1;
            used[2] += t3 - t2;
            t = t3;
        }
        sink = h;
        used[3] = t - begin;
        return used;
    }

    public static void main(String[] args) throws Exception {
        double seconds = Double.parseDouble(args[0]);
        int count = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        long[][] used = new long[count][];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int number = i;
            threads[i] = new Thread(() -> used[number] = burn(seconds), "burner " + i);
            threads[i].start();
        }
        long[] sum = new long[4];
        for (int i = 0; i < count; i++) {
            threads[i].join();
            for (int j = 0; j < sum.length; j++) {
                sum[j] += used[i][j];
            }
        }
        System.out.println("sixty " + sum[0] / 1000);
        System.out.println("thirty " + sum[1] / 1000);
        System.out.println("ten " + sum[2] / 1000);
        System.out.println("all " + sum[3] / 1000);
    }
}

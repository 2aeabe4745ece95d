/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * What the events of memory of libhprof-prof cost, for bench/events.
 *
 * <pre>java EventBench LIBRARY drop|keep|refs|wait COUNT</pre>
 *
 * Small objects, made below twelve frames, that are dropped at once, or kept while
 * 200,000 others are made; global references; and a monitor that two threads pass
 * to each other by wait and notify. Prints nanoseconds of the process' CPU time for
 * each, collections included, the median of five rounds after two to get warm.
 */
public final class EventBench {
    private static final class Small {
        private final long number;

        Small(long number) {
            this.number = number;
        }
    }

    private static final Object monitor = new Object();
    private static final Small[] kept = new Small[200_000];
    private static volatile Small last;
    private static boolean turn;

    static native void references(Object object, int count);

    private static void allocate(int count, boolean keep) {
        for (int i = 0; i < count; i++) {
            last = new Small(i);
            if (keep) {
                kept[i % kept.length] = last;
            }
        }
    }

    private static void pass(int count, boolean own) {
        try {
            synchronized (monitor) {
                for (int i = 0; i < count; i++) {
                    while (turn != own) {
                        monitor.wait();
                    }
                    turn = !own;
                    monitor.notify();
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void passBoth(int count) throws InterruptedException {
        Thread other = new Thread(() -> pass(count, true));
        other.start();
        pass(count, false);
        other.join();
    }

    private static void work(int depth, String what, int count)
        throws InterruptedException {
        if (depth > 0) {
            work(depth - 1, what, count);
        } else if (what.equals("refs")) {
            references(monitor, count);
        } else if (what.equals("wait")) {
            passBoth(count);
        } else {
            allocate(count, what.equals("keep"));
        }
    }

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        var clock = (com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean();
        int count = Integer.parseInt(args[2]);
        double[] rounds = new double[7];
        for (int i = 0; i < rounds.length; i++) {
            long start = clock.getProcessCpuTime();
            work(12, args[1], count);
            System.gc();
            rounds[i] = (double) (clock.getProcessCpuTime() - start) / count;
        }
        double[] measured = Arrays.copyOfRange(rounds, 2, rounds.length);
        Arrays.sort(measured);
        System.out.printf("%.0f%n", measured[measured.length / 2]);
    }
}

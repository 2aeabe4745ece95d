/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Known numbers of objects of classes that come and go: when a line comes, loads
 * COPIES copies of a class, lets each make EACH objects of its own, and forgets all
 * copies but the last. Waits until the JVM has unloaded most of them, says
 * "unloaded", and ends with its input, by 7.
 *
 *   Unloaded COPIES EACH
 */
public final class Unloaded {
    /** Loaded anew, each time it is asked for. */
    public static final class Unit {
        final long number;

        Unit(long number) {
            this.number = number;
        }

        public static Object[] make(int count) {
            Object[] all = new Object[count];
            for (int i = 0; i < count; i++) {
                all[i] = new Unit(i);
            }
            return all;
        }
    }

    private static Object kept;

    private static void load(int copies, int each) throws Exception {
        for (int i = 0; i < copies; i++) {
            kept = new Again("Unloaded$Unit").loadClass("Unloaded$Unit")
                .getMethod("make", int.class).invoke(null, each);
        }
    }

    private static long unloaded() {
        return ManagementFactory.getClassLoadingMXBean().getUnloadedClassCount();
    }

    public static void main(String[] args) throws Exception {
        int copies = Integer.parseInt(args[0]);
        int each = Integer.parseInt(args[1]);
        List<Throwable> failures = new ArrayList<>();
        System.out.println("ready");
        System.in.read();
        /* A new thread: all it allocates is seen, even if counting began late. */
        Thread worker = new Thread(() -> {
            try {
                load(copies, each);
            } catch (Exception e) {
                failures.add(e);
            }
        }, "worker");
        worker.start();
        worker.join();
        for (Throwable e : failures) {
            throw new IllegalStateException(e);
        }
        while (unloaded() < copies / 2) {
            System.gc();
        }
        System.out.println("unloaded");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(((Object[]) kept).length == each ? 7 : 1);
    }
}

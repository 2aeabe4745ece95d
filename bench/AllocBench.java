/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * What an allocation costs its thread, for bench/allocations: small objects that
 * escape, made below twelve frames.
 *
 * <pre>java AllocBench COUNT</pre>
 *
 * Prints nanoseconds of CPU time for each object, the median of five rounds of
 * COUNT objects, after two to get warm.
 */
public final class AllocBench {
    private static final class Small {
        private final long number;

        Small(long number) {
            this.number = number;
        }
    }

    private static volatile Small last;

    private static long below(int depth, int count) {
        if (depth > 0) {
            return below(depth - 1, count) + 1;
        }
        for (int i = 0; i < count; i++) {
            last = new Small(i);
        }
        return last.number;
    }

    public static void main(String[] args) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        int count = Integer.parseInt(args[0]);
        double[] rounds = new double[7];
        long sum = 0;
        for (int i = 0; i < rounds.length; i++) {
            long start = clock.getCurrentThreadCpuTime();
            sum += below(12, count);
            rounds[i] = (double) (clock.getCurrentThreadCpuTime() - start) / count;
        }
        double[] measured = Arrays.copyOfRange(rounds, 2, rounds.length);
        Arrays.sort(measured);
        System.out.printf("%.1f%n", measured[measured.length / 2]);
        System.exit(sum == 0 ? 1 : 0);
    }
}

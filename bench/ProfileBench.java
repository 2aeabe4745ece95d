/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * What a profile costs, for bench/profile: two threads that read words, count
 * them in maps, sort them, compute with trees of small objects, and take turns at
 * a monitor.
 *
 * <pre>java ProfileBench [ROUNDS]</pre>
 *
 * Prints the wall and the CPU time of the whole process, in milliseconds, of the
 * ROUNDS that follow as many to get warm. Without ROUNDS it only ends, which
 * tells what a start costs.
 */
public final class ProfileBench {
    /** An expression of numbers, sums and products. */
    private abstract static class Tree {
        abstract long value(long x);
    }

    private static final class Leaf extends Tree {
        private final long factor;

        Leaf(long factor) {
            this.factor = factor;
        }

        @Override
        long value(long x) {
            return factor * x + 1;
        }
    }

    private static final class Pair extends Tree {
        private final Tree left;
        private final Tree right;
        private final boolean isSum;

        Pair(Tree left, Tree right, boolean isSum) {
            this.left = left;
            this.right = right;
            this.isSum = isSum;
        }

        @Override
        long value(long x) {
            return isSum ? left.value(x) + right.value(x) : left.value(x) ^ right.value(x);
        }
    }

    private static Tree make(int depth, int seed) {
        return depth == 0 ? new Leaf(seed)
            : new Pair(make(depth - 1, seed * 3), make(depth - 1, seed + 7), seed % 2 == 0);
    }

    private static long countWords(int seed) {
        Map<String, Integer> counts = new HashMap<>();
        StringBuilder text = new StringBuilder();
        long random = seed;
        for (int i = 0; i < 20_000; i++) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            text.append("word").append((random >>> 40) % 997).append(' ');
        }
        for (String word : text.toString().split(" ")) {
            counts.merge(word, 1, Integer::sum);
        }
        List<String> words = new ArrayList<>(counts.keySet());
        words.sort((a, b) -> a.length() != b.length() ? a.length() - b.length() : a.compareTo(b));
        return new TreeMap<>(counts).firstEntry().getValue() + words.get(words.size() / 2).hashCode();
    }

    private static long evaluate(int seed) {
        Tree tree = make(12, seed);
        long sum = 0;
        for (int x = 0; x < 40; x++) {
            sum += tree.value(x);
        }
        return sum;
    }

    private static final Object turn = new Object();
    private static long total;

    private static void work(int rounds, int number) {
        for (int i = 0; i < rounds; i++) {
            long result = countWords(i * 2 + number) + evaluate(i);
            for (int k = 0; k < 2000; k++) {
                synchronized (turn) {
                    total += result + k;
                }
            }
        }
    }

    private static void runBoth(int rounds) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            final int number = i;
            new Thread(() -> {
                work(rounds, number);
                done.countDown();
            }, "worker " + i).start();
        }
        done.await();
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0) {
            return;
        }
        int rounds = Integer.parseInt(arguments[0]);
        runBoth(rounds);
        long wall = System.nanoTime();
        long cpu = cpu();
        runBoth(rounds);
        cpu = cpu() - cpu;
        wall = System.nanoTime() - wall;
        System.out.println(wall / 1_000_000 + " " + cpu / 1_000_000 + " " + total);
    }
}

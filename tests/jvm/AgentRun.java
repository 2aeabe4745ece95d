/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.List;

/**
 * A program for the agent to be loaded into. Says "ready", does what its
 * argument says until its standard input ends, says the result, and exits with
 * 7. Whatever the agent does, both stay the same.
 */
public final class AgentRun {
    private static volatile boolean ended;

    private static void waitForEnd() throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        ended = true;
    }

    /** Runs out of heap twice; each time the objects are dropped. */
    private static String exhaust() {
        int caught = 0;
        for (int i = 0; i < 2; i++) {
            List<byte[]> hoard = new ArrayList<>();
            try {
                while (true) {
                    hoard.add(new byte[100_000]);
                }
            } catch (OutOfMemoryError e) {
                hoard.clear();
                caught++;
            }
        }
        return "caught " + caught;
    }

    /** Fills the heap with small objects to the last byte, once. */
    private static String crowd() {
        Object[] chain = null;
        try {
            while (true) {
                Object[] next = new Object[500];
                next[0] = chain;
                chain = next;
                for (int i = 1; i < next.length; i++) {
                    next[i] = new int[2];
                }
            }
        } catch (OutOfMemoryError e) {
            chain = null;
            return "caught 1";
        }
    }

    /** An array larger than the JVM makes, with heap enough. */
    private static String tooLarge() {
        try {
            return "length " + new long[Integer.MAX_VALUE].length;
        } catch (OutOfMemoryError e) {
            return "caught 1";
        }
    }

    /** Threads begin and end, until the input does; each adds its own number. */
    private static String churn() throws Exception {
        final long[] sum = new long[1];
        long wanted = 0;
        for (int i = 0; !ended; i++) {
            final int number = i;
            Thread thread = new Thread(new ThreadGroup("group " + i % 7), () -> {
                synchronized (sum) {
                    sum[0] += number;
                }
            }, "churn " + i);
            thread.start();
            if (i % 3 != 0) {
                thread.join();
            }
            wanted += i;
            while (i % 3 == 0 && Thread.activeCount() > 50) {
                Thread.sleep(1);
            }
        }
        for (int i = 0; i < 60_000; i++) {
            synchronized (sum) {
                if (sum[0] == wanted) {
                    return "sum right";
                }
            }
            Thread.sleep(10);
        }
        return "sum " + sum[0] + " not " + wanted;
    }

    /** About SIZE MiB in small pieces. */
    private static Object fill(int size) {
        List<int[]> pieces = new ArrayList<>();
        for (int i = 0; i < size << 10; i++) {
            pieces.add(new int[252]);
        }
        return pieces;
    }

    /** A million small objects. */
    private static Object scatter() {
        Object[][] pieces = new Object[1000][1000];
        for (Object[] piece : pieces) {
            for (int i = 0; i < piece.length; i++) {
                piece[i] = new int[1];
            }
        }
        return pieces;
    }

    public static void main(String[] arguments) throws Exception {
        String what = arguments.length > 0 ? arguments[0] : "wait";
        String result = "done";
        Object kept = null;
        if (what.equals("churn")) {
            Thread reader = new Thread(() -> {
                try {
                    waitForEnd();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            reader.start();
            result = churn();
        } else {
            if (what.equals("exhaust")) {
                result = exhaust();
            } else if (what.equals("crowd")) {
                result = crowd();
            } else if (what.equals("large")) {
                result = tooLarge();
            } else if (what.equals("fill")) {
                kept = fill(32);
            } else if (what.equals("scatter")) {
                kept = scatter();
            }
            waitForEnd();
        }
        System.out.println(result);
        System.exit(kept == what ? 1 : 7);
    }
}

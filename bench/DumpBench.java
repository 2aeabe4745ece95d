/* SPDX-License-Identifier: MIT */
import java.util.HashMap;
import java.util.Map;

/**
 * A heap that stands still while it is dumped, for bench/dump.
 *
 * <pre>java DumpBench objects MILLIONS
 * java DumpBench arrays MILLIONS
 * java DumpBench references MILLIONS</pre>
 *
 * With a third argument, busy, a thread replaces objects of the map all the time;
 * for each line of input it says how many, and the longest it stood still, since
 * the line before: "OPERATIONS MICROSECONDS LONGEST_MICROSECONDS".
 *
 * Makes MILLIONS million small objects, five for each entry of a map; or large
 * arrays of primitives with that many megabytes; or large arrays of objects
 * with that many million elements. Prints "ready" and waits until its input
 * ends.
 */
public final class DumpBench {
    static final class Entry {
        final String name;
        final long number;
        final Entry before;
        final double weight;
        boolean seen;

        Entry(String name, long number, Entry before) {
            this.name = name;
            this.number = number;
            this.before = before;
            weight = number / 7.0;
        }
    }

    static final Map<Integer, Entry> ENTRIES = new HashMap<>();
    static Object[] arrays;

    private static void makeObjects(int count) {
        Entry before = null;

        for (int i = 0; i < count / 5; i++) {
            before = new Entry("entry " + i, i, i % 10 == 0 ? null : before);
            ENTRIES.put(i + 1000, before); /* no Integer of the cache */
        }
    }

    /** Half of them bytes, half longs. */
    private static void makeArrays(int megabytes) {
        arrays = new Object[megabytes];
        for (int i = 0; i < megabytes; i++) {
            if (i % 2 == 0) {
                arrays[i] = new byte[1_000_000];
                ((byte[]) arrays[i])[i] = 1;
            } else {
                arrays[i] = new long[125_000];
                ((long[]) arrays[i])[i] = i;
            }
        }
    }

    /** Every second element is a reference, to few objects. */
    private static void makeReferences(int millions) {
        arrays = new Object[millions];
        for (int i = 0; i < millions; i++) {
            Object[] elements = new Object[1_000_000];
            for (int k = 0; k < elements.length; k += 2) {
                elements[k] = arrays;
            }
            arrays[i] = elements;
        }
    }

    private static long operations;
    private static long longest;
    private static long since;

    /** Told what it has done, and begins to count anew. */
    private static synchronized String tell() {
        long now = System.nanoTime();
        String told = operations + " " + (now - since) / 1000 + " " + longest / 1000;

        operations = 0;
        longest = 0;
        since = now;
        return told;
    }

    private static synchronized void count(long nanoseconds) {
        operations++;
        longest = Math.max(longest, nanoseconds);
    }

    /** Replaces entries, in an order that touches all of the heap. */
    private static void replace() {
        int size = ENTRIES.size();
        long before = System.nanoTime();

        for (long i = 0; ; i++) {
            int number = (int) (i * 7919 % size);
            ENTRIES.put(number + 1000, new Entry("entry " + number, number, null));
            long now = System.nanoTime();
            count(now - before);
            before = now;
        }
    }

    public static void main(String[] arguments) throws Exception {
        int millions = Integer.parseInt(arguments[1]);

        if (arguments[0].equals("objects")) {
            makeObjects(millions * 1_000_000);
        } else if (arguments[0].equals("arrays")) {
            makeArrays(millions);
        } else {
            makeReferences(millions);
        }
        boolean busy = arguments.length > 2 && arguments[2].equals("busy");
        if (busy) {
            Thread thread = new Thread(DumpBench::replace);
            thread.setDaemon(true);
            tell();
            thread.start();
        }
        System.out.println("ready");
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (busy && c == '\n') {
                System.out.println(tell());
            }
        }
        System.out.println(ENTRIES.size() + (arrays == null ? 0 : arrays.length));
    }
}

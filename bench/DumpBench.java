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

    public static void main(String[] arguments) throws Exception {
        int millions = Integer.parseInt(arguments[1]);

        if (arguments[0].equals("objects")) {
            makeObjects(millions * 1_000_000);
        } else if (arguments[0].equals("arrays")) {
            makeArrays(millions);
        } else {
            makeReferences(millions);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.out.println(ENTRIES.size() + (arrays == null ? 0 : arrays.length));
    }
}

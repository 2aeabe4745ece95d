import java.util.HashMap;
import java.util.Map;

/**
 * A heap that stands still while it is dumped, for bench/dump.
 *
 * <pre>java DumpBench objects MILLIONS
 * java DumpBench arrays MILLIONS</pre>
 *
 * Small objects, five for each entry of a map, so many millions in all; or
 * large arrays, so many megabytes. Prints "ready" and waits until its input
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

    /** Bytes and longs; and references, which cost a dumper more, in one of ten. */
    private static void makeArrays(int megabytes) {
        arrays = new Object[megabytes];
        for (int i = 0; i < megabytes; i++) {
            if (i % 10 == 9) {
                Object[] references = new Object[250_000];
                for (int k = 0; k < references.length; k += 2) {
                    references[k] = arrays[i - 1];
                }
                arrays[i] = references;
            } else if (i % 2 == 0) {
                arrays[i] = new byte[1_000_000];
                ((byte[]) arrays[i])[i] = 1;
            } else {
                arrays[i] = new long[125_000];
                ((long[]) arrays[i])[i] = i;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int millions = Integer.parseInt(arguments[1]);

        if (arguments[0].equals("objects")) {
            makeObjects(millions * 1_000_000);
        } else {
            makeArrays(millions);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.out.println(ENTRIES.size() + (arrays == null ? 0 : arrays.length));
    }
}

/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What differs between two dumps: counted by a key, with the first example of each. */
final class Differences {
    /** What may differ in two dumps of one process: a key, and why. */
    private static final String[][] MAY_DIFFER = {
        {"value: java\\.lang\\.ref\\.SoftReference\\.(clock|timestamp)",
            "each full GC sets it"},
        {"static only in (ours|theirs): .*\\.<(resolved_references|init_lock)>",
            "no field of the class but the JVM's own; JVMTI does not tell of it"},
        {"static only in ours: .*\\.\\$class\\$.*",
            "a field of the java.lang.Class object; the JVM leaves them out"},
        {"(null on one side|field only in theirs): jdk\\.internal\\.reflect\\."
            + "(UnsafeStaticFieldAccessorImpl\\.base|ConstantPool\\.constantPoolOop)",
            "a field that JVMTI hides"},
        {"instance size: jdk\\.internal\\.reflect\\."
            + "(Unsafe(Qualified)?Static.*AccessorImpl|ConstantPool)",
            "it has a field that JVMTI hides"},
        {"class dumped only in ours",
            "not linked: the JVM writes only its name"},
    };

    private static final class Tally {
        long count;
        String example;
    }

    private final Map<String, Tally> found = new TreeMap<>();
    private final Map<String, Tally> permitted = new TreeMap<>();

    private static void tally(Map<String, Tally> table, String key, long count,
        String example) {
        Tally tally = table.computeIfAbsent(key, k -> new Tally());

        if (tally.count == 0) {
            tally.example = example;
        }
        tally.count += count;
    }

    static boolean mayDiffer(String field) {
        for (String[] rule : MAY_DIFFER) {
            if (("value: " + field).matches(rule[0])
                || ("null on one side: " + field).matches(rule[0])) {
                return true;
            }
        }
        return false;
    }

    void add(String key, String example) {
        for (String[] rule : MAY_DIFFER) {
            if (key.matches(rule[0])) {
                permit(key.replaceFirst(": .*", "") + ": " + rule[1], 1, key);
                return;
            }
        }
        tally(found, key, 1, example);
    }

    void permit(String reason, long count, String example) {
        tally(permitted, reason, count, example);
    }

    private static void print(String title, Map<String, Tally> table, int limit) {
        List<Map.Entry<String, Tally>> rows = new ArrayList<>(table.entrySet());
        long sum = 0;

        for (Tally tally : table.values()) {
            sum += tally.count;
        }
        System.out.println(title + ": " + sum);
        rows.sort((x, y) -> Long.compare(y.getValue().count, x.getValue().count));
        for (int i = 0; i < rows.size() && i < limit; i++) {
            Tally tally = rows.get(i).getValue();
            System.out.printf("  %8d  %s  [%s]%n", tally.count, rows.get(i).getKey(),
                tally.example);
        }
        if (rows.size() > limit) {
            System.out.println("  and " + (rows.size() - limit) + " rows more");
        }
    }

    /** Prints both tables; true if nothing was found. */
    boolean print(int limit) {
        print("may differ", permitted, limit);
        print("differences", found, limit);
        return found.isEmpty();
    }
}

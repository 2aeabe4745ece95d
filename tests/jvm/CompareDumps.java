/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares two dumps of one JVM that stood still: do they hold the same
 * objects with the same values and references, but for the ids?
 *
 * <pre>java CompareDumps [--live] [--exact] [--limit N] OURS THEIRS
 * java CompareDumps --show DUMP CLASS...</pre>
 *
 * THEIRS is a dump by the JVM itself. NaN equals NaN, since the JVM writes
 * only one of them (--exact: bit by bit). With --live ours holds only what can
 * be reached; theirs holds more, also after a GC. Prints how many objects made pairs,
 * the roots by kind, what may differ and why, and what differs, in tables of
 * N rows. Exit status 0 nothing differs, 1 something does, 2 trouble.
 *
 * With --show: the statics of the classes and the objects behind, see
 * ShowObjects.
 */
public final class CompareDumps {
    private static final Map<Integer, String> KINDS = Map.of(
        0xff, "unknown", 0x01, "JNI global", 0x02, "JNI local", 0x03, "Java frame",
        0x04, "native stack", 0x05, "sticky class", 0x06, "thread block",
        0x07, "monitor", 0x08, "thread object");

    /** So many objects may come and go between two dumps. */
    private static final int GARBAGE = 20;
    /**
     * Kinds of roots that must be in the other dump, too, if they are in ours,
     * or in theirs. JVMTI calls more classes system classes, and counts what
     * the JVM itself holds as "unknown", not as a JNI reference.
     */
    private static final Set<Integer> ONLY_OURS = Set.of(0x01, 0x03, 0x08);
    private static final Set<Integer> ONLY_THEIRS = Set.of(0x02, 0x03, 0x05, 0x08);

    private final HprofFile ours;
    private final HprofFile theirs;
    private final Differences differences = new Differences();
    private final PairedDumps pairs;
    private final boolean live;
    /** Virtual threads, unmounted, of which ours has no stack. */
    private final Set<Integer> stackless = new HashSet<>();
    /** Stacks of carriers in theirs with the frames of a virtual thread on top. */
    private final Map<Integer, Carried> carried = new HashMap<>();
    /** Before JDK 22 the JVM's own dumps know no virtual threads. */
    private final boolean virtualOnlyInOurs;

    private static final class Carried {
        final int virtual;
        final int frames;
        final int carrierFrom;

        Carried(int virtual, int frames, int carrierFrom) {
            this.virtual = virtual;
            this.frames = frames;
            this.carrierFrom = carrierFrom;
        }
    }

    private CompareDumps(HprofFile ours, HprofFile theirs, boolean exact, boolean live) {
        this.ours = ours;
        this.theirs = theirs;
        this.live = live;
        pairs = new PairedDumps(ours, theirs, exact, differences);
        virtualOnlyInOurs = hasVirtual(ours) && !hasVirtual(theirs);
    }

    private static boolean hasVirtual(HprofFile file) {
        return file.threads.values().stream()
            .anyMatch(thread -> isVirtual(file, file.find(thread.object)));
    }

    private static boolean isVirtual(HprofFile file, int object) {
        return object >= 0 && file.describe(object).equals("java.lang.VirtualThread");
    }

    // ---- what is in one dump only ---------------------------------------------------

    private void tellRest(HprofFile file, String side) {
        Reach open = new Reach(file, false);
        Reach hidden = new Reach(file, true);
        List<Integer> garbage = new ArrayList<>();

        for (int i = 0; i < file.count; i++) {
            if (pairs.mates(file)[i] >= 0) {
                continue;
            }
            String what = PairedDumps.name(file, i);
            if (file.at[i] < 0) {
                differences.add("class only in " + side + ", without a dump",
                    file.describe(i));
            } else if (file == ours && file.describe(i).equals("java.lang.Class")) {
                differences.permit("object only in ours: java.lang.Class of a class in the"
                    + " archive that is not loaded", 1, what);
            } else if (open.reached(i)) {
                differences.add("object only in " + side + ": " + file.describe(i), what);
            } else if (hidden.reached(i)) {
                differences.permit("object only in " + side
                    + ": reached only through <resolved_references>", 1, what);
            } else if (file == theirs && file.describe(i).equals("int[]")) {
                differences.permit("object only in theirs: an int[] that nothing holds;"
                    + " collectors fill gaps with such", 1, what);
            } else if (file == theirs && live) {
                differences.permit("object only in theirs: not reached from anything there;"
                    + " garbage of the archive, or held by the JVM itself", 1, what);
            } else {
                garbage.add(i);
            }
        }
        for (int i : garbage) {
            String what = PairedDumps.name(file, i);
            if (garbage.size() <= GARBAGE && !live) {
                differences.permit("object only in " + side + ": garbage of the time between"
                    + " the dumps", 1, what);
            } else {
                differences.add("object only in " + side + ", reached from nowhere: "
                    + file.describe(i), what);
            }
        }
    }

    // ---- roots ------------------------------------------------------------------------

    /** The roots of a kind, each with how many there are. */
    private Map<String, Integer> roots(HprofFile file, int kind) {
        Map<String, Integer> roots = new TreeMap<>();

        for (int i = 0; i < file.rootCount; i++) {
            if (file.rootKind[i] == kind && !(file == ours && isUnknownToTheirs(i))) {
                roots.merge(root(file, i), 1, Integer::sum);
            }
        }
        return roots;
    }

    private String root(HprofFile file, int i) {
        int object = file.find(file.rootId[i]);
        int x = object < 0 || file == ours ? object : pairs.mateOfTheirs[object];
        String text = file.describe(object) + (x < 0 ? "" : " #" + x);

        if (file.rootThread[i] == 0) {
            return text;
        }
        int thread = pairs.threadOf(file, file.rootThread[i]);
        int frame = stackless.contains(thread) ? -1 : file.rootFrame[i];
        Carried virtual = file == theirs ? carried.get(thread) : null;
        if (virtual != null && frame >= virtual.carrierFrom) {
            frame -= virtual.carrierFrom;
        } else if (virtual != null && frame >= 0 && frame < virtual.frames) {
            thread = virtual.virtual;
        }
        return text + " of " + (thread < 0 ? "no thread"
            : ours.text(ours.get(thread, "name")) + " #" + thread) + " frame " + frame;
    }

    /** Virtual threads as roots, and what the unmounted ones hold. */
    private boolean isUnknownToTheirs(int i) {
        int object = ours.find(ours.rootId[i]);
        int thread = ours.rootThread[i] == 0 ? -1 : pairs.threadOf(ours, ours.rootThread[i]);

        if (!virtualOnlyInOurs) {
            return false;
        }
        if (ours.rootKind[i] == 0x08 && isVirtual(ours, object)
            || isVirtual(ours, thread) && ours.rootFrame[i] == -1) {
            differences.permit("root only in ours: of a virtual thread, which the JVM leaves"
                + " out before 22", 1, ours.describe(object));
            return true;
        }
        return false;
    }

    private static int sum(Map<String, Integer> counts) {
        return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void compareRoots() {
        Set<Integer> kinds = new TreeSet<>();

        for (int i = 0; i < ours.rootCount; i++) {
            kinds.add(ours.rootKind[i]);
        }
        for (int i = 0; i < theirs.rootCount; i++) {
            kinds.add(theirs.rootKind[i]);
        }
        System.out.printf("roots %14s %8s %8s %8s %8s%n", "ours", "theirs", "in both",
            "only", "only");
        for (int kind : kinds) {
            Map<String, Integer> mine = roots(ours, kind);
            Map<String, Integer> other = roots(theirs, kind);
            Set<String> both = new HashSet<>(mine.keySet());
            both.retainAll(other.keySet());
            System.out.printf("  %-13s %4d %8d %8d %8d %8d%n", KINDS.get(kind), sum(mine),
                sum(other), both.size(), mine.size() - both.size(),
                other.size() - both.size());
            if (ONLY_OURS.contains(kind)) {
                tellRoots(KINDS.get(kind), "ours", mine, other);
            }
            if (ONLY_THEIRS.contains(kind)) {
                tellRoots(KINDS.get(kind), "theirs", other, mine);
            }
        }
    }

    private void tellRoots(String kind, String side, Map<String, Integer> roots,
        Map<String, Integer> other) {
        roots.forEach((root, count) -> {
            if (!other.containsKey(root)) {
                differences.add("root only in " + side + ": " + kind, root);
            }
        });
    }

    // ---- threads ------------------------------------------------------------------------

    private Map<Integer, List<String>> stacks(HprofFile file) {
        Map<Integer, List<String>> stacks = new HashMap<>();

        for (HprofFile.ThreadInfo thread : file.threads.values()) {
            int object = pairs.threadOf(file, thread.serial);
            HprofFile.Trace trace = file.traces.get(thread.trace);
            List<String> stack = new ArrayList<>();
            if (trace != null) {
                for (long frame : trace.frames) {
                    stack.add(String.valueOf(file.frames.get(frame)));
                }
            }
            if (object >= 0) {
                stacks.put(object, stack);
            }
        }
        return stacks;
    }

    private void compareStacks() {
        Map<Integer, List<String>> mine = stacks(ours);
        Map<Integer, List<String>> other = stacks(theirs);
        int frames = 0;

        for (Map.Entry<Integer, List<String>> entry : mine.entrySet()) {
            List<String> stack = other.get(entry.getKey());
            String name = ours.text(ours.get(entry.getKey(), "name"));
            frames += entry.getValue().size();
            if (stack != null && entry.getValue().isEmpty() && !stack.isEmpty()
                && ours.describe(entry.getKey()).equals("java.lang.VirtualThread")) {
                stackless.add(entry.getKey());
                differences.permit("stack of an unmounted virtual thread: JVMTI tells only"
                    + " what its frames hold", 1, name);
            } else if (stack != null && isCarried(entry.getKey(), entry.getValue(), stack,
                mine)) {
                differences.permit("stack of a carrier: before JDK 22 the JVM writes the"
                    + " virtual thread's frames there", 1, name);
            } else if (stack != null && !stack.equals(entry.getValue())) {
                differences.add("stack of a thread", name + " " + entry.getValue()
                    + ", not " + stack);
            }
        }
        System.out.println("stacks: " + mine.size() + " with " + frames + " frames, theirs "
            + other.size());
    }

    /** Theirs: the frames of a virtual thread, a few of entering it, those of the carrier. */
    private boolean isCarried(int thread, List<String> stack, List<String> theirStack,
        Map<Integer, List<String>> mine) {
        int from = theirStack.size() - stack.size();

        if (!virtualOnlyInOurs || from <= 0
            || !theirStack.subList(from, theirStack.size()).equals(stack)) {
            return false;
        }
        for (Map.Entry<Integer, List<String>> entry : mine.entrySet()) {
            int frames = entry.getValue().size();
            if (frames > 0 && frames <= from && isVirtual(ours, entry.getKey())
                && theirStack.subList(0, frames).equals(entry.getValue())) {
                carried.put(thread, new Carried(entry.getKey(), frames, from));
                return true;
            }
        }
        return false;
    }

    /** What a START_THREAD says must be in the thread object; that of a virtual has no group. */
    private void compareNames() {
        int count = 0;

        for (HprofFile.ThreadInfo thread : ours.threads.values()) {
            if (!thread.started) {
                continue;
            }
            count++;
            int object = ours.find(thread.object);
            if (object < 0) {
                differences.add("START_THREAD: no thread object", thread.startName);
                continue;
            }
            int holder = ours.get(object, "holder");
            int group = ours.get(ours.field(object, "holder") < 0 ? object : holder, "group");
            checkName("name", thread.startName, ours.get(object, "name"));
            if (group >= 0) {
                checkName("group", thread.startGroup, ours.get(group, "name"));
                checkName("parent group", thread.startParent,
                    ours.get(ours.get(group, "parent"), "name"));
            }
        }
        System.out.println("START_THREAD: " + count);
    }

    private void checkName(String what, String said, int string) {
        String text = string < 0 ? null : ours.text(string);

        if (!(said == null ? "" : said).equals(text == null ? "" : text)) {
            differences.add("START_THREAD: " + what, said + ", not " + text);
        }
    }

    // ---- java.lang.Class --------------------------------------------------------------------

    /** Where a field of the java.lang.Class object leads, or -1. */
    private int mirror(HprofFile.Klass klass, String name) {
        for (HprofFile.Field field : klass.statics) {
            if (field.name.equals("$class$" + name)) {
                return ours.find(ours.id(field.at));
            }
        }
        return -1;
    }

    /** The fields that ours has of java.lang.Class objects, as far as they are known. */
    private void checkMirrors() {
        int count = 0;

        for (HprofFile.Klass klass : ours.classes.values()) {
            for (HprofFile.Field field : klass.statics) {
                count += field.name.startsWith("$class$") ? 1 : 0;
            }
            int component = mirror(klass, "componentType");
            int loader = mirror(klass, "classLoader");
            int name = mirror(klass, "name");
            if (component >= 0 && ours.names.containsKey(ours.ids[component])
                && !(ours.names.get(ours.ids[component]) + "[]").equals(klass.name)) {
                differences.add("$class$componentType", klass.name + ", not "
                    + ours.describe(component));
            }
            if (loader >= 0 && klass.loader != ours.ids[loader]) {
                differences.add("$class$classLoader", klass.name);
            }
            if (name >= 0 && !isName(HprofFile.canonical(ours.text(name)), klass.name)) {
                differences.add("$class$name", ours.text(name) + ", not " + klass.name);
            }
        }
        System.out.println("fields of java.lang.Class objects: " + count);
    }

    /** Before JDK 15 only java.lang.Class knows the address of an anonymous class. */
    private static boolean isName(String said, String name) {
        return said.equals(name) || said.replaceFirst("\\+0x[0-9a-f]+$", "").equals(name);
    }

    // ---- all ----------------------------------------------------------------------------

    private boolean compare(int limit) {
        pairs.walk();
        int walked = ours.count - pairs.unpaired(ours);
        new PairByContent(pairs).pair();
        int paired = ours.count - pairs.unpaired(ours);
        System.out.printf("objects: ours %d, theirs %d, pairs by walking %d, by content %d;"
            + " %d values compared%n", ours.count, theirs.count, walked, paired - walked,
            pairs.compared);
        tellRest(ours, "ours");
        tellRest(theirs, "theirs");
        compareStacks();
        compareRoots();
        compareNames();
        checkMirrors();
        return differences.print(limit);
    }

    private static int run(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>();
        boolean exact = false;
        boolean live = false;
        int limit = 30;

        if (arguments.length > 2 && arguments[0].equals("--show")) {
            ShowObjects.show(new HprofFile(arguments[1]),
                List.of(arguments).subList(2, arguments.length));
            return 0;
        }
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--exact")) {
                exact = true;
            } else if (arguments[i].equals("--live")) {
                live = true;
            } else if (arguments[i].equals("--limit")) {
                limit = Integer.parseInt(arguments[++i]);
            } else {
                names.add(arguments[i]);
            }
        }
        if (names.size() != 2) {
            System.err.println("usage: java CompareDumps [--live] [--exact] [--limit N]"
                + " OURS THEIRS");
            return 2;
        }
        HprofFile ours = new HprofFile(names.get(0));
        HprofFile theirs = new HprofFile(names.get(1));
        return new CompareDumps(ours, theirs, exact, live).compare(limit) ? 0 : 1;
    }

    public static void main(String[] arguments) {
        int status = 2;

        try {
            status = run(arguments);
        } catch (Exception e) {
            e.printStackTrace();
        }
        System.out.flush();
        System.exit(status);
    }
}

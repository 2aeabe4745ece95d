/* SPDX-License-Identifier: MIT */
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The objects of two dumps in pairs. Both graphs are walked in step, from
 * what has a name of its own: classes by name and loader, threads by name,
 * objects that frames hold. Whatever a field, static, or element of one pair
 * leads to is a pair again, must be alike, and always the same one.
 */
final class PairedDumps {
    /** The fields of a pair of classes, those of all superclasses, too. */
    private static final class Plan {
        String[] names;
        int[] types;
        int[] inOurs;
        int[] inTheirs;
    }

    final HprofFile ours;
    final HprofFile theirs;
    final Differences differences;
    /** The mate of each object, or -1. */
    final int[] mateOfOurs;
    final int[] mateOfTheirs;
    /** How many values. */
    long compared;
    private final boolean exact;
    private int[] work = new int[1 << 12];
    private int workCount;
    private final Map<Integer, Plan> plans = new HashMap<>();

    PairedDumps(HprofFile ours, HprofFile theirs, boolean exact, Differences differences) {
        this.ours = ours;
        this.theirs = theirs;
        this.exact = exact;
        this.differences = differences;
        mateOfOurs = new int[ours.count];
        mateOfTheirs = new int[theirs.count];
        Arrays.fill(mateOfOurs, -1);
        Arrays.fill(mateOfTheirs, -1);
    }

    int[] mates(HprofFile file) {
        return file == ours ? mateOfOurs : mateOfTheirs;
    }

    int unpaired(HprofFile file) {
        int count = 0;

        for (int mate : mates(file)) {
            count += mate < 0 ? 1 : 0;
        }
        return count;
    }

    /** Pairs without looking further: among equals it does not matter who is whose. */
    void pairEqual(int x, int y) {
        mateOfOurs[x] = y;
        mateOfTheirs[y] = x;
    }

    // ---- pairs -------------------------------------------------------------------

    private void push(int object) {
        if (workCount == work.length) {
            work = Arrays.copyOf(work, 2 * workCount);
        }
        work[workCount++] = object;
    }

    /** Could they be the same object? */
    private boolean alike(int x, int y) {
        int kind = ours.kind(x);

        if (kind != theirs.kind(y)) {
            return false;
        }
        if (kind == HprofFile.PRIMITIVES || kind == HprofFile.OBJECTS) {
            if (ours.length(x) != theirs.length(y)
                || ours.elementType(x) != theirs.elementType(y)) {
                return false;
            }
        }
        if (kind == HprofFile.INSTANCE || kind == HprofFile.OBJECTS) {
            int type = ours.classOf(x);
            if (type >= 0 && mateOfOurs[type] >= 0) {
                return mateOfOurs[type] == theirs.classOf(y);
            }
        }
        return ours.describe(x).equals(theirs.describe(y));
    }

    void pair(int x, int y, String where) {
        if (mateOfOurs[x] == y) {
            return;
        }
        if (mateOfOurs[x] >= 0 || mateOfTheirs[y] >= 0) {
            differences.add("not one to one: " + where, ours.describe(x) + ", " + theirs.describe(y));
        } else if (!alike(x, y)) {
            differences.add("another object: " + where, name(ours, x) + ", not " + name(theirs, y));
        } else {
            mateOfOurs[x] = y;
            mateOfTheirs[y] = x;
            push(x);
        }
    }

    static String name(HprofFile file, int object) {
        boolean array = object >= 0 && file.kind(object) != HprofFile.CLASS
            && file.kind(object) != HprofFile.INSTANCE;
        return file.describe(object) + (array ? " of " + file.length(object) : "");
    }

    /** Two references that must mean the same. */
    private void follow(long idOfOurs, long idOfTheirs, String where) {
        if (idOfOurs == 0 && idOfTheirs == 0) {
            return;
        }
        int x = idOfOurs == 0 ? -1 : ours.find(idOfOurs);
        int y = idOfTheirs == 0 ? -1 : theirs.find(idOfTheirs);
        if (x >= 0 && y >= 0) {
            pair(x, y, where);
        } else if (idOfOurs == 0 || idOfTheirs == 0) {
            differences.add("null on one side: " + where, name(ours, x) + ", not " + name(theirs, y));
        } else if (y < 0 && x >= 0 && ours.describe(x).equals("java.lang.Class")) {
            differences.permit("theirs leads nowhere: to the java.lang.Class object of a"
                + " class in the archive that is not loaded", 1, where);
        } else if (x >= 0 || y >= 0) {
            differences.add((x < 0 ? "ours" : "theirs") + " leads nowhere: " + where,
                x < 0 ? theirs.describe(y) : ours.describe(x));
        }
    }

    private static boolean sameValue(int type, long x, long y, boolean exact) {
        if (x == y) {
            return true;
        }
        if (exact) {
            return false;
        }
        return type == HprofFile.FLOAT && Float.isNaN(Float.intBitsToFloat((int) x))
                && Float.isNaN(Float.intBitsToFloat((int) y))
            || type == HprofFile.DOUBLE && Double.isNaN(Double.longBitsToDouble(x))
                && Double.isNaN(Double.longBitsToDouble(y));
    }

    private void compareValue(int type, int x, int y, String where) {
        compared++;
        if (type == HprofFile.REFERENCE) {
            follow(ours.id(x), theirs.id(y), where);
            return;
        }
        long mine = ours.value(type, x);
        long other = theirs.value(type, y);
        if (!sameValue(type, mine, other, exact)) {
            differences.add("value: " + where, HprofFile.TYPES[type] + " "
                + Long.toHexString(mine) + ", not " + Long.toHexString(other));
        }
    }

    // ---- objects -----------------------------------------------------------------

    /** Compares the pairs that are not compared yet, and what they lead to. */
    void drain() {
        while (workCount > 0) {
            int x = work[--workCount];
            int y = mateOfOurs[x];
            switch (ours.kind(x)) {
            case HprofFile.CLASS:
                compareClasses(x, y);
                break;
            case HprofFile.INSTANCE:
                compareInstances(x, y);
                break;
            case HprofFile.OBJECTS:
                pair(ours.classOf(x), theirs.classOf(y), "(class of an array)");
                compareElements(x, y);
                break;
            default:
                comparePrimitives(x, y);
                break;
            }
        }
    }

    private void compareElements(int x, int y) {
        String where = ours.describe(x);

        for (int i = 0; i < ours.length(x); i++) {
            compareValue(HprofFile.REFERENCE, ours.data(x) + i * ours.width,
                theirs.data(y) + i * theirs.width, where);
        }
    }

    private void comparePrimitives(int x, int y) {
        int type = ours.elementType(x);
        int width = ours.widthOf(type);
        int length = ours.length(x) * width;

        compared += ours.length(x);
        if (ours.bytes.duplicate().position(ours.data(x)).limit(ours.data(x) + length)
            .equals(theirs.bytes.duplicate().position(theirs.data(y))
                .limit(theirs.data(y) + length))) {
            return;
        }
        for (int i = 0; i < length; i += width) {
            if (!sameValue(type, ours.value(type, ours.data(x) + i),
                theirs.value(type, theirs.data(y) + i), exact)) {
                differences.add("value: " + ours.describe(x), "element " + i / width + " of "
                    + ours.length(x));
                return;
            }
        }
    }

    private void compareInstances(int x, int y) {
        int type = ours.classOf(x);

        pair(type, theirs.classOf(y), "(class of an object)");
        Plan plan = plans.computeIfAbsent(type, this::makePlan);
        for (int i = 0; i < plan.names.length; i++) {
            compareValue(plan.types[i], ours.data(x) + plan.inOurs[i],
                theirs.data(y) + plan.inTheirs[i], plan.names[i]);
        }
    }

    private Plan makePlan(int type) {
        HprofFile.Klass mine = ours.classes.get(type);
        HprofFile.Klass other = theirs.classes.get(mateOfOurs[type]);
        Map<String, HprofFile.Field> fields = ours.layout(mine);
        Map<String, HprofFile.Field> otherFields = theirs.layout(other);
        Plan plan = new Plan();
        int i = 0;

        /* What is missing was told when the classes were compared. */
        fields.keySet().retainAll(otherFields.keySet());
        plan.names = new String[fields.size()];
        plan.types = new int[fields.size()];
        plan.inOurs = new int[fields.size()];
        plan.inTheirs = new int[fields.size()];
        for (Map.Entry<String, HprofFile.Field> entry : fields.entrySet()) {
            plan.names[i] = entry.getValue().name;
            plan.types[i] = entry.getValue().type;
            plan.inOurs[i] = entry.getValue().at;
            plan.inTheirs[i++] = otherFields.get(entry.getKey()).at;
        }
        return plan;
    }

    // ---- classes -----------------------------------------------------------------

    private void compareClasses(int x, int y) {
        HprofFile.Klass mine = ours.classes.get(x);
        HprofFile.Klass other = theirs.classes.get(y);

        if (mine == null || other == null) {
            if (mine != other) {
                differences.add("class dumped only in " + (mine == null ? "theirs" : "ours"),
                    ours.names.get(ours.ids[x]));
            }
            return;
        }
        follow(mine.superId, other.superId, "(superclass of " + mine.name + ")");
        follow(mine.loader, other.loader, "(loader of " + mine.name + ")");
        if (mine.loader != 0 && isBare(mine) && !isBare(other)) {
            differences.permit("class without fields: it is not linked, and JVMTI does not"
                + " tell them", 1, mine.name);
            return;
        }
        follow(mine.signers, other.signers, "(signers of " + mine.name + ")");
        follow(mine.domain, other.domain, "(protection domain of " + mine.name + ")");
        if (ours.width == theirs.width && mine.size != other.size) {
            differences.add("instance size: " + mine.name, mine.size + ", not " + other.size);
        }
        Map<String, HprofFile.Field> fields = byName(mine.fields);
        Map<String, HprofFile.Field> otherFields = byName(other.fields);
        onlyIn("field only in ours: ", mine.name, fields, otherFields);
        onlyIn("field only in theirs: ", mine.name, otherFields, fields);
        fields = byName(mine.statics);
        otherFields = byName(other.statics);
        onlyIn("static only in ours: ", mine.name, fields, otherFields);
        onlyIn("static only in theirs: ", mine.name, otherFields, fields);
        for (Map.Entry<String, HprofFile.Field> entry : fields.entrySet()) {
            HprofFile.Field field = otherFields.get(entry.getKey());
            if (field != null) {
                compareValue(field.type, entry.getValue().at, field.at,
                    mine.name + "." + field.name);
            }
        }
    }

    private static boolean isBare(HprofFile.Klass klass) {
        return klass.fields.isEmpty()
            && klass.statics.stream().allMatch(field -> field.name.matches("[<$].*"));
    }

    /** A class may have several fields of the same name and even type. */
    private static Map<String, HprofFile.Field> byName(List<HprofFile.Field> fields) {
        Map<String, HprofFile.Field> map = new TreeMap<>();

        for (HprofFile.Field field : fields) {
            String key = field.name + " " + field.type;
            while (map.containsKey(key)) {
                key += " again";
            }
            map.put(key, field);
        }
        return map;
    }

    private void onlyIn(String what, String type, Map<String, HprofFile.Field> fields,
        Map<String, HprofFile.Field> other) {
        for (Map.Entry<String, HprofFile.Field> entry : fields.entrySet()) {
            if (!other.containsKey(entry.getKey())) {
                differences.add(what + type + "." + entry.getValue().name,
                    "" + HprofFile.TYPES[entry.getValue().type]);
            }
        }
    }

    // ---- where the walk begins ------------------------------------------------------

    /** Puts -1 where a key comes twice. */
    private static void single(Map<String, Integer> map, String key, int object) {
        map.merge(key, object, (x, y) -> x.equals(y) ? x : -1);
    }

    private void pairSingles(Map<String, Integer> mine, Map<String, Integer> other,
        String where) {
        mine.forEach((key, x) -> {
            int y = other.getOrDefault(key, -1);
            if (x >= 0 && y >= 0 && mateOfOurs[x] < 0 && mateOfTheirs[y] < 0) {
                pair(x, y, where);
            }
        });
        drain();
    }

    /** The loader as a number of ours; -1 none yet, -2 the boot loader. */
    private int loader(HprofFile file, int type) {
        HprofFile.Klass klass = file.classes.get(type);

        if (klass == null) {
            return -1;
        }
        int loader = klass.loader == 0 ? -2 : file.find(klass.loader);
        return file == ours || loader < 0 ? loader : mateOfTheirs[loader];
    }

    private Map<String, Integer> classesByName(HprofFile file, boolean withLoader) {
        Map<String, Integer> map = new HashMap<>();

        file.names.forEach((id, name) -> {
            int type = file.find(id);
            int loader = withLoader ? loader(file, type) : 0;
            if (loader != -1) {
                single(map, name + " " + loader, type);
            }
        });
        return map;
    }

    static String threadName(HprofFile file, HprofFile.ThreadInfo thread) {
        return file.text(file.get(file.find(thread.object), "name"));
    }

    private Map<String, Integer> threadsByName(HprofFile file) {
        Map<String, Integer> map = new HashMap<>();

        for (HprofFile.ThreadInfo thread : file.threads.values()) {
            int object = file.find(thread.object);
            if (object >= 0) {
                single(map, threadName(file, thread), object);
            }
        }
        return map;
    }

    /** The thread object, as a number of ours, or -1. */
    int threadOf(HprofFile file, int serial) {
        HprofFile.ThreadInfo thread = file.threads.get(serial);
        int object = thread == null ? -1 : file.find(thread.object);
        return file == ours || object < 0 ? object : mateOfTheirs[object];
    }

    private Map<String, Integer> rootsByFrame(HprofFile file) {
        Map<String, Integer> map = new HashMap<>();

        for (int i = 0; i < file.rootCount; i++) {
            int thread = threadOf(file, file.rootThread[i]);
            int object = file.find(file.rootId[i]);
            if (thread >= 0 && object >= 0) {
                single(map, file.rootKind[i] + " " + thread + " " + file.rootFrame[i]
                    + name(file, object), object);
            }
        }
        return map;
    }

    /** Pairs all that can be reached. */
    void walk() {
        pairSingles(classesByName(ours, false), classesByName(theirs, false), "(class)");
        pairSingles(threadsByName(ours), threadsByName(theirs), "(thread)");
        pairSingles(rootsByFrame(ours), rootsByFrame(theirs), "(root)");
        pairSingles(classesByName(ours, true), classesByName(theirs, true), "(class)");
    }
}

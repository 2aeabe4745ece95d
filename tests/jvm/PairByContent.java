/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pairs what no walk reaches, like garbage, and what only the JVM itself
 * holds. Each object gets a number made from its class, its values, and the
 * numbers of the objects that it refers to, in several rounds, so that the
 * number tells of all within that many steps. Those that have a number for
 * themselves in both dumps are a pair.
 */
final class PairByContent {
    private static final int STEPS = 12;

    private final PairedDumps pairs;

    PairByContent(PairedDumps pairs) {
        this.pairs = pairs;
    }

    private static long mix(long hash, long value) {
        long h = (hash ^ value) * 0x9e3779b97f4a7c15L;
        return h ^ h >>> 32;
    }

    /** The numbers of all objects of one dump. */
    private final class Numbers {
        final HprofFile file;
        final int[] mates;
        long[] numbers;
        private final Map<Integer, boolean[]> moving = new HashMap<>();

        Numbers(HprofFile file) {
            this.file = file;
            mates = pairs.mates(file);
            numbers = new long[file.count];
        }

        /** A pair has a number that both know. */
        void start() {
            for (int i = 0; i < file.count; i++) {
                numbers[i] = mates[i] < 0 ? 0
                    : mix(1, file == pairs.ours ? i : mates[i]);
            }
        }

        /** Archived classes that are not loaded have an object in ours, and none in theirs. */
        long ofReference(long id) {
            int object = id == 0 ? -1 : file.find(id);
            boolean nowhere = object < 0 || mates[object] < 0
                && file.describe(object).equals("java.lang.Class");
            return id == 0 ? 5 : nowhere ? 7 : numbers[object];
        }

        long ofValue(int type, int place) {
            long value = type == HprofFile.REFERENCE ? file.id(place)
                : file.value(type, place);
            if (type == HprofFile.REFERENCE) {
                return ofReference(value);
            }
            boolean nan = type == HprofFile.FLOAT
                    && Float.isNaN(Float.intBitsToFloat((int) value))
                || type == HprofFile.DOUBLE && Double.isNaN(Double.longBitsToDouble(value));
            return nan ? 3 : value;
        }

        /** Which fields of a class may differ. */
        boolean[] moving(int type) {
            return moving.computeIfAbsent(type, t -> {
                HprofFile.Field[] fields = file.layout(t);
                boolean[] moves = new boolean[fields.length];
                for (int i = 0; i < fields.length; i++) {
                    moves[i] = Differences.mayDiffer(fields[i].name);
                }
                return moves;
            });
        }

        long of(int object) {
            long hash = mix(file.describe(object).hashCode(), file.kind(object));

            if (file.kind(object) == HprofFile.CLASS) {
                HprofFile.Klass klass = file.classes.get(object);
                return mix(hash, klass == null ? 0 : ofReference(klass.loader));
            }
            if (file.kind(object) == HprofFile.INSTANCE) {
                HprofFile.Field[] fields = file.layout(file.classOf(object));
                boolean[] moves = moving(file.classOf(object));
                for (int i = 0; i < fields.length; i++) {
                    hash = mix(hash, moves[i] ? 0
                        : ofValue(fields[i].type, file.data(object) + fields[i].at));
                }
                return hash;
            }
            int type = file.elementType(object);
            int width = file.widthOf(type);
            for (int i = 0; i < file.length(object); i++) {
                hash = mix(hash, ofValue(type, file.data(object) + i * width));
            }
            return mix(hash, file.length(object));
        }

        void make() {
            start();
            for (int step = 0; step < STEPS; step++) {
                long[] next = numbers.clone();
                for (int i = 0; i < file.count; i++) {
                    if (mates[i] < 0) {
                        next[i] = of(i);
                    }
                }
                numbers = next;
            }
        }

        Map<Long, List<Integer>> groups() {
            Map<Long, List<Integer>> groups = new HashMap<>();
            for (int i = 0; i < file.count; i++) {
                if (mates[i] < 0) {
                    groups.computeIfAbsent(numbers[i], n -> new ArrayList<>(1)).add(i);
                }
            }
            return groups;
        }
    }

    /** Pairs the objects that are alone with their number, and walks on from there. */
    private boolean pairSingles(Map<Long, List<Integer>> mine,
        Map<Long, List<Integer>> other) {
        boolean some = false;

        for (Map.Entry<Long, List<Integer>> entry : mine.entrySet()) {
            List<Integer> ys = other.getOrDefault(entry.getKey(), List.of());
            int x = entry.getValue().get(0);
            if (entry.getValue().size() == 1 && ys.size() == 1
                && pairs.mateOfOurs[x] < 0 && pairs.mateOfTheirs[ys.get(0)] < 0) {
                pairs.pair(x, ys.get(0), "(by content)");
                pairs.drain();
                some = true;
            }
        }
        return some;
    }

    /** Pairs those that have the same number as others, as many as there are. */
    private void pairEquals(Map<Long, List<Integer>> mine, Map<Long, List<Integer>> other) {
        mine.forEach((number, xs) -> {
            List<Integer> ys = other.getOrDefault(number, List.of());
            for (int i = 0; i < Math.min(xs.size(), ys.size()); i++) {
                pairs.pairEqual(xs.get(i), ys.get(i));
            }
        });
    }

    void pair() {
        Numbers mine = new Numbers(pairs.ours);
        Numbers other = new Numbers(pairs.theirs);
        boolean more = true;

        while (more) {
            mine.make();
            other.make();
            more = pairSingles(mine.groups(), other.groups());
        }
        pairEquals(mine.groups(), other.groups());
    }
}

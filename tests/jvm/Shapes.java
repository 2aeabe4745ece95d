/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A heap with fields of every width in hierarchies of several levels, so that
 * each rule of object layout shows in a size; and arrays of every type in
 * many lengths. Waits until its input ends.
 */
public class Shapes {
    static class Bytes { byte a; }
    static class BytesLong extends Bytes { long b; }
    static class BytesLongByte extends BytesLong { byte c; }
    static class Refs { Object a, b, c; }
    static class RefsShort extends Refs { short d; }
    static class RefsShortDouble extends RefsShort { double e; boolean f; }
    static class Ints { int a, b, c; }
    static class IntsRef extends Ints { Object d; }
    static class IntsRefLong extends IntsRef { long e; char f; }
    static class Empty { }
    static class EmptyByte extends Empty { byte a; }

    static final List<Object> kept = new ArrayList<>();
    static final Map<String, Object> maps = new HashMap<>();

    static void fill(int rounds) {
        for (int i = 0; i < rounds; i++) {
            kept.add(new Bytes());
            kept.add(new BytesLong());
            kept.add(new BytesLongByte());
            kept.add(new Refs());
            kept.add(new RefsShort());
            kept.add(new RefsShortDouble());
            kept.add(new Ints());
            kept.add(new IntsRef());
            kept.add(new IntsRefLong());
            kept.add(new Empty());
            kept.add(new EmptyByte());
            kept.add(new boolean[i % 37]);
            kept.add(new byte[i % 41]);
            kept.add(new char[i % 31]);
            kept.add(new short[i % 29]);
            kept.add(new int[i % 23]);
            kept.add(new float[i % 19]);
            kept.add(new long[i % 17]);
            kept.add(new double[i % 13]);
            kept.add(new Object[i % 43]);
            kept.add(new String[i % 11][i % 3]);
            kept.add("text " + i);
            kept.add((Runnable) () -> kept.clear());
        }
    }

    public static void main(String[] arguments) throws Exception {
        fill(Integer.parseInt(arguments[0]));
        maps.put("tree", new TreeMap<>(Map.of("a", 1, "b", 2)));
        maps.put("linked", new LinkedHashMap<>(Map.of("c", 3)));
        maps.put("concurrent", new ConcurrentHashMap<>(Map.of("d", 4)));
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
    }
}

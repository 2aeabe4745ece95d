// SPDX-License-Identifier: MIT
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints the allocation sites in a file, with a parser of its own: "METHOD CLASS
 * ALLOCATED LIVE", where METHOD is the innermost one called make...; the sites
 * of a method and class are added up, and the names of hidden classes are cut. With
 * the argument "objects", "METHOD CLASS COUNT" of the objects in the heap dump, by
 * the traces that they have.
 */
public class SiteCounts {
    static ByteBuffer in;
    static int idSize;
    static final Map<Long, String> strings = new HashMap<>();
    static final Map<Integer, String> classes = new HashMap<>();
    static final Map<Long, String> classesById = new HashMap<>();
    static final Map<Long, String> frames = new HashMap<>();
    static final Map<Integer, String> traces = new HashMap<>();
    static final Map<String, long[]> sites = new TreeMap<>();
    static final Map<String, long[]> objects = new TreeMap<>();
    static final List<Integer> heaps = new ArrayList<>();
    static int sitesAt = -1;

    static long id() {
        return idSize == 8 ? in.getLong() : in.getInt();
    }

    static void check(boolean fine, String what) {
        if (!fine)
            throw new IllegalStateException(what);
    }

    static String name(String type) {
        int at = type.indexOf("$$Lambda");
        return at < 0 ? type : type.substring(0, at + 8);
    }

    static void trace() {
        int serial = in.getInt();
        in.getInt();
        String method = null;
        for (int n = in.getInt(); n > 0; n--) {
            String frame = frames.get(id());
            check(frame != null, "a frame is missing");
            if (method == null && frame.startsWith("make"))
                method = frame;
        }
        check(!traces.containsKey(serial), "two traces with a serial");
        traces.put(serial, method == null ? "-" : method);
    }

    static void add(Map<String, long[]> to, int trace, String type, long a, long b) {
        String method = traces.get(trace);
        check(method != null, "trace " + trace + " is missing");
        check(type != null, "a class is missing");
        long[] sum = to.computeIfAbsent(method + " " + name(type), k -> new long[2]);
        sum[0] += a;
        sum[1] += b;
    }

    static void site() {
        int kind = in.get();
        String type = classes.get(in.getInt());
        int trace = in.getInt();
        in.getInt();
        long live = in.getInt() & 0xffffffffL;
        in.getInt();
        long allocated = in.getInt() & 0xffffffffL;
        check(type != null && (kind != 0) == type.startsWith("["), "array kind");
        check(kind < 4 || type.charAt(1) == "ZCFDBSIJ".charAt(kind - 4),
            "element type " + kind + " of " + type);
        add(sites, trace, type, allocated, live);
    }

    static void record(int tag, int length) {
        switch (tag) {
        case 0x01:
            long string = id();
            byte[] text = new byte[length - idSize];
            in.get(text);
            strings.put(string, new String(text, StandardCharsets.UTF_8));
            break;
        case 0x02:
            int serial = in.getInt();
            long type = id();
            in.getInt();
            classes.put(serial, strings.get(id()));
            classesById.put(type, classes.get(serial));
            break;
        case 0x04:
            frames.put(id(), strings.getOrDefault(id(), ""));
            break;
        case 0x05:
            trace();
            break;
        case 0x06:
            sitesAt = in.position();
            break;
        case 0x0c:
        case 0x1c:
            heaps.add(in.position());
            heaps.add(length);
            break;
        default:
        }
    }

    static void readSites() {
        check(sitesAt >= 0, "no allocation sites");
        in.position(sitesAt + 30);
        for (int n = in.getInt(); n > 0; n--)
            site();
    }

    // ---- objects -------------------------------------------------------------

    static int size(int type) {
        return type == 2 ? idSize : new int[] { 1, 2, 4, 8, 1, 2, 4, 8 }[type - 4];
    }

    static void skip(int n) {
        in.position(in.position() + n);
    }

    static void skipClass() {
        skip(idSize + 4 + 6 * idSize + 4);
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            skip(2);
            skip(size(in.get()));
        }
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            skip(idSize);
            skip(size(in.get()));
        }
        skip((in.getShort() & 0xffff) * (idSize + 1));
    }

    static void object(int tag) {
        skip(idSize);
        int trace = in.getInt();
        int n = tag == 0x21 ? 0 : in.getInt();
        String type;
        if (tag == 0x23) {
            int element = in.get();
            type = "[" + "ZCFDBSIJ".charAt(element - 4);
            skip(n * size(element));
        } else {
            type = classesById.get(id());
            n = tag == 0x21 ? in.getInt() : n * idSize;
            skip(n);
        }
        add(objects, trace, type, 1, 0);
    }

    static void sub(int tag) {
        switch (tag) {
        case 0x20: skipClass(); break;
        case 0x21:
        case 0x22:
        case 0x23: object(tag); break;
        case 0x01: skip(2 * idSize); break;
        case 0x02:
        case 0x03:
        case 0x08: skip(idSize + 8); break;
        case 0x04:
        case 0x06: skip(idSize + 4); break;
        default: skip(idSize);
        }
    }

    static void readObjects() {
        for (int i = 0; i < heaps.size(); i += 2) {
            in.position(heaps.get(i));
            while (in.position() < heaps.get(i) + heaps.get(i + 1))
                sub(in.get() & 0xff);
        }
    }

    public static void main(String[] args) throws IOException {
        in = ByteBuffer.wrap(Files.readAllBytes(Paths.get(args[0])));
        while (in.get() != 0)
            ;
        idSize = in.getInt();
        in.getLong();
        while (in.hasRemaining()) {
            int tag = in.get();
            in.getInt();
            int length = in.getInt(), end = in.position() + length;
            record(tag, length);
            in.position(end);
        }
        boolean ofHeap = args.length > 1;
        if (ofHeap)
            readObjects();
        else
            readSites();
        (ofHeap ? objects : sites).forEach((key, sum) ->
            System.out.println(key + " " + sum[0] + (ofHeap ? "" : " " + sum[1])));
    }
}

/* SPDX-License-Identifier: MIT */
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An HPROF file of at most 2 GiB, read in the plainest way, as a second
 * opinion on what our library writes: it shares nothing with it. The file
 * stays mapped; an object is a number, with its id and where its record is.
 * Classes are objects, too, also those that are only named by a LOAD_CLASS.
 * Throws at whatever is not right.
 */
final class HprofFile {
    static final int CLASS = 0x20;
    static final int INSTANCE = 0x21;
    static final int OBJECTS = 0x22;
    static final int PRIMITIVES = 0x23;
    static final int REFERENCE = 2;
    static final int FLOAT = 6;
    static final int DOUBLE = 7;
    static final String[] TYPES = {null, null, "Object", null, "boolean", "char", "float",
        "double", "byte", "short", "int", "long"};
    private static final int[] WIDTHS = {0, 0, 0, 0, 1, 2, 4, 8, 1, 2, 4, 8};

    /** A field; of an instance, where it is in the data; static, where its value is. */
    static final class Field {
        final String name;
        final int type;
        final int at;

        Field(String name, int type, int at) {
            this.name = name;
            this.type = type;
            this.at = at;
        }
    }

    /** What a CLASS_DUMP says. */
    static final class Klass {
        int object;
        String name;
        long superId;
        long loader;
        long signers;
        long domain;
        int size;
        /** Constant-pool entries: the name is the index. */
        final List<Field> constants = new ArrayList<>();
        final List<Field> statics = new ArrayList<>();
        /** Its own fields; and how many bytes they take. */
        final List<Field> fields = new ArrayList<>();
        int bytes;
    }

    static final class Frame {
        String method;
        String place;
        int line;

        @Override
        public String toString() {
            return method + " (" + place + ":" + line + ")";
        }
    }

    /** A thread, as ROOT_THREAD_OBJ and START_THREAD tell of it. */
    static final class ThreadInfo {
        int serial;
        int trace;
        long object;
        String startName;
        String startGroup;
        String startParent;
        boolean started;
        boolean rooted;
    }

    static final class Trace {
        int thread;
        long[] frames;
    }

    final String path;
    final ByteBuffer bytes;
    final int width;
    int count;
    long[] ids = new long[1 << 16];
    int[] at = new int[1 << 16];
    final Map<Long, String> strings = new HashMap<>(1 << 16);
    final Map<Long, String> names = new HashMap<>();
    final Map<Integer, Klass> classes = new HashMap<>();
    final Map<Integer, ThreadInfo> threads = new HashMap<>();
    final Map<Integer, Trace> traces = new HashMap<>();
    final Map<Long, Frame> frames = new HashMap<>();
    /** The roots: kind, object, thread serial, frame number, where in the file. */
    int rootCount;
    int[] rootKind = new int[1 << 10];
    long[] rootId = new long[1 << 10];
    int[] rootThread = new int[1 << 10];
    int[] rootFrame = new int[1 << 10];
    int[] rootAt = new int[1 << 10];
    boolean ended;
    private final Map<Integer, String> serials = new HashMap<>();
    private final Map<Integer, Field[]> layouts = new HashMap<>();
    private int[] table;

    HprofFile(String path) throws IOException {
        this.path = path;
        try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ)) {
            check(channel.size() <= Integer.MAX_VALUE, "larger than 2 GiB");
            bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
        int start = 0;
        while (bytes.get(start) != 0) {
            start++;
        }
        width = bytes.getInt(start + 1);
        check(width == 4 || width == 8, "identifiers of " + width + " bytes");
        readRecords(start + 13);
        addNamedClasses();
        makeTable();
    }

    private void check(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException(path + ": " + what);
        }
    }

    // ---- values ---------------------------------------------------------------

    int widthOf(int type) {
        return type == REFERENCE ? width : WIDTHS[type];
    }

    long id(int place) {
        return width == 8 ? bytes.getLong(place) : bytes.getInt(place) & 0xffffffffL;
    }

    /** The bits of a value, without sign; of a reference its id. */
    long value(int type, int place) {
        switch (widthOf(type)) {
        case 1:
            return bytes.get(place) & 0xff;
        case 2:
            return bytes.getShort(place) & 0xffff;
        case 4:
            return bytes.getInt(place) & 0xffffffffL;
        default:
            return bytes.getLong(place);
        }
    }

    private String string(long id) {
        return id == 0 ? null : strings.getOrDefault(id, "?" + Long.toHexString(id));
    }

    /** One form for all ways to write the name of a class. */
    static String canonical(String name) {
        int depth = 0;
        String base = name;

        while (base.startsWith("[")) {
            base = base.substring(1);
            depth++;
        }
        if (depth > 0 && base.endsWith(";")) {
            base = base.substring(1, base.length() - 1);
        } else if (depth > 0) {
            base = TYPES["ZCFDBSIJ".indexOf(base) + 4];
        }
        /* A hidden class has its address behind +, . or / */
        base = base.replace('/', '.').replaceFirst("[+.](0x[0-9a-f]+)$", "+$1");
        return base + "[]".repeat(depth);
    }

    // ---- records --------------------------------------------------------------

    private void readRecords(int start) {
        int place = start;

        while (place < bytes.limit()) {
            check(bytes.limit() - place >= 9, "a record is cut");
            int tag = bytes.get(place) & 0xff;
            int length = bytes.getInt(place + 5);
            int body = place + 9;
            check(length >= 0 && length <= bytes.limit() - body, "a record is cut");
            readRecord(tag, body, length);
            place = body + length;
        }
    }

    private void readRecord(int tag, int body, int length) {
        switch (tag) {
        case 0x01:
            byte[] text = new byte[length - width];
            bytes.duplicate().position(body + width).get(text);
            strings.put(id(body), decode(text));
            break;
        case 0x02:
            names.put(id(body + 4), canonical(string(id(body + 8 + width))));
            serials.put(bytes.getInt(body), names.get(id(body + 4)));
            break;
        case 0x04:
            readFrame(body);
            break;
        case 0x05:
            readTrace(body);
            break;
        case 0x0a:
            readThread(body);
            break;
        case 0x0c:
        case 0x1c:
            readSegment(body, body + length);
            break;
        case 0x2c:
            ended = true;
            break;
        default:
            break;
        }
    }

    /** Modified UTF-8; what is no such text comes as Latin-1. */
    private static String decode(byte[] text) {
        for (byte b : text) {
            if (b < 0) {
                return decodeModified(text);
            }
        }
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static String decodeModified(byte[] text) {
        StringBuilder out = new StringBuilder();

        for (int i = 0; i < text.length; i++) {
            int c = text[i] & 0xff;
            if (c >= 0xe0 && i + 2 < text.length) {
                c = (c & 15) << 12 | (text[i + 1] & 63) << 6 | text[i + 2] & 63;
                i += 2;
            } else if (c >= 0xc0 && i + 1 < text.length) {
                c = (c & 31) << 6 | text[i + 1] & 63;
                i++;
            }
            out.append((char) c);
        }
        return out.toString();
    }

    private void readFrame(int body) {
        Frame frame = new Frame();

        frame.method = string(id(body + width)) + string(id(body + 2 * width));
        frame.place = serials.getOrDefault(bytes.getInt(body + 4 * width), "?")
            + " " + string(id(body + 3 * width));
        frame.line = bytes.getInt(body + 4 * width + 4);
        frames.put(id(body), frame);
    }

    private void readTrace(int body) {
        Trace trace = new Trace();

        trace.thread = bytes.getInt(body + 4);
        trace.frames = new long[bytes.getInt(body + 8)];
        for (int i = 0; i < trace.frames.length; i++) {
            trace.frames[i] = id(body + 12 + i * width);
        }
        traces.put(bytes.getInt(body), trace);
    }

    private ThreadInfo thread(int serial) {
        ThreadInfo thread = threads.computeIfAbsent(serial, key -> new ThreadInfo());
        thread.serial = serial;
        return thread;
    }

    private void readThread(int body) {
        ThreadInfo thread = thread(bytes.getInt(body));

        thread.started = true;
        thread.object = id(body + 4);
        thread.startName = string(id(body + 8 + width));
        thread.startGroup = string(id(body + 8 + 2 * width));
        thread.startParent = string(id(body + 8 + 3 * width));
    }

    // ---- sub-records ------------------------------------------------------------

    private void readSegment(int start, int end) {
        int place = start;

        while (place < end) {
            place = readSub(bytes.get(place) & 0xff, place);
        }
        check(place == end, "a sub-record passes the end of its segment");
    }

    private int readSub(int tag, int place) {
        int w = width;

        switch (tag) {
        case CLASS:
            return readClass(place);
        case INSTANCE:
            addObject(id(place + 1), place);
            return place + 9 + 2 * w + bytes.getInt(place + 5 + 2 * w);
        case OBJECTS:
            addObject(id(place + 1), place);
            return place + 9 + 2 * w + bytes.getInt(place + 5 + w) * w;
        case PRIMITIVES:
            addObject(id(place + 1), place);
            return place + 10 + w
                + bytes.getInt(place + 5 + w) * WIDTHS[bytes.get(place + 9 + w)];
        case 0xff:
        case 0x05:
        case 0x07:
            addRoot(tag, place, 0, -1);
            return place + 1 + w;
        case 0x01:
            addRoot(tag, place, 0, -1);
            return place + 1 + 2 * w;
        case 0x02:
        case 0x03:
            addRoot(tag, place, bytes.getInt(place + 1 + w), bytes.getInt(place + 5 + w));
            return place + 9 + w;
        case 0x04:
        case 0x06:
            addRoot(tag, place, bytes.getInt(place + 1 + w), -1);
            return place + 5 + w;
        case 0x08:
            addRoot(tag, place, bytes.getInt(place + 1 + w), -1);
            ThreadInfo thread = thread(bytes.getInt(place + 1 + w));
            check(!thread.started || thread.object == id(place + 1),
                "START_THREAD and ROOT_THREAD_OBJ disagree on thread " + thread.serial);
            thread.object = id(place + 1);
            thread.trace = bytes.getInt(place + 5 + w);
            thread.rooted = true;
            return place + 9 + w;
        default:
            throw new IllegalStateException(path + ": sub-record " + tag + " at " + place);
        }
    }

    private void addRoot(int kind, int place, int thread, int frame) {
        if (rootCount == rootKind.length) {
            rootKind = Arrays.copyOf(rootKind, 2 * rootCount);
            rootId = Arrays.copyOf(rootId, 2 * rootCount);
            rootThread = Arrays.copyOf(rootThread, 2 * rootCount);
            rootFrame = Arrays.copyOf(rootFrame, 2 * rootCount);
            rootAt = Arrays.copyOf(rootAt, 2 * rootCount);
        }
        rootKind[rootCount] = kind;
        rootId[rootCount] = id(place + 1);
        rootThread[rootCount] = thread;
        rootAt[rootCount] = place;
        rootFrame[rootCount++] = frame;
    }

    private int addObject(long id, int place) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, count * 2);
            at = Arrays.copyOf(at, count * 2);
        }
        ids[count] = id;
        at[count] = place;
        return count++;
    }

    private int readClass(int start) {
        Klass klass = new Klass();
        int w = width;
        int place = start + 5 + w;

        klass.object = addObject(id(start + 1), start);
        klass.superId = id(place);
        klass.loader = id(place + w);
        klass.signers = id(place + 2 * w);
        klass.domain = id(place + 3 * w);
        place += 6 * w;
        klass.size = bytes.getInt(place);
        klass.name = names.get(id(start + 1));
        check(klass.name != null, "a class without LOAD_CLASS");
        classes.put(klass.object, klass);
        place += 4;
        int n = bytes.getShort(place) & 0xffff;
        for (place += 2; n > 0; n--) {
            int type = bytes.get(place + 2);
            String index = Integer.toString(bytes.getShort(place) & 0xffff);
            klass.constants.add(new Field(index, type, place + 3));
            place += 3 + widthOf(type);
        }
        n = bytes.getShort(place) & 0xffff;
        for (place += 2; n > 0; n--) {
            int type = bytes.get(place + w);
            klass.statics.add(new Field(string(id(place)), type, place + w + 1));
            place += w + 1 + widthOf(type);
        }
        n = bytes.getShort(place) & 0xffff;
        for (place += 2; n > 0; n--) {
            int type = bytes.get(place + w);
            klass.fields.add(new Field(string(id(place)), type, klass.bytes));
            klass.bytes += widthOf(type);
            place += w + 1;
        }
        return place;
    }

    // ---- objects --------------------------------------------------------------

    private void addNamedClasses() {
        Map<Long, Boolean> dumped = new HashMap<>();

        classes.values().forEach(klass -> dumped.put(ids[klass.object], true));
        for (Long id : names.keySet()) {
            if (!dumped.containsKey(id)) {
                addObject(id, -1);
            }
        }
    }

    private static int slot(long id) {
        return (int) ((id ^ id >>> 29) * 0x9e3779b97f4a7c15L >>> 33);
    }

    private void makeTable() {
        int size = Integer.highestOneBit(Math.max(count, 8)) * 4;

        table = new int[size];
        for (int i = 0; i < count; i++) {
            int slot = slot(ids[i]) & size - 1;
            while (table[slot] != 0) {
                check(ids[table[slot] - 1] != ids[i],
                    "object " + Long.toHexString(ids[i]) + " twice");
                slot = slot + 1 & size - 1;
            }
            table[slot] = i + 1;
        }
    }

    /** The object with the id, or -1. */
    int find(long id) {
        int slot = slot(id) & table.length - 1;

        while (table[slot] != 0) {
            if (ids[table[slot] - 1] == id) {
                return table[slot] - 1;
            }
            slot = slot + 1 & table.length - 1;
        }
        return -1;
    }

    /** CLASS, INSTANCE, OBJECTS or PRIMITIVES. */
    int kind(int object) {
        return at[object] < 0 ? CLASS : bytes.get(at[object]);
    }

    /** The class of an instance or array of objects, as an object. */
    int classOf(int object) {
        return find(id(at[object] + 5 + width + (kind(object) == OBJECTS ? 4 : 0)));
    }

    int length(int array) {
        return bytes.getInt(at[array] + 5 + width);
    }

    int elementType(int array) {
        return kind(array) == OBJECTS ? REFERENCE : bytes.get(at[array] + 9 + width);
    }

    /** Where the data of an instance or array begins. */
    int data(int object) {
        return at[object] + 9 + width + (kind(object) == PRIMITIVES ? 1 : width);
    }

    int dataLength(int instance) {
        return bytes.getInt(at[instance] + 5 + 2 * width);
    }

    /** What an object is called in a table. */
    String describe(int object) {
        if (object < 0) {
            return "nothing";
        }
        switch (kind(object)) {
        case CLASS:
            return "class " + names.get(ids[object]);
        case PRIMITIVES:
            return TYPES[elementType(object)] + "[]";
        default:
            int klass = classOf(object);
            return klass < 0 ? "(of no class)" : names.get(ids[klass]);
        }
    }

    Klass superOf(Klass klass) {
        return klass.superId == 0 ? null : classes.get(find(klass.superId));
    }

    /**
     * All fields of the instances of a class, those of superclasses, too, by
     * the name of the class, its own, and the type. Their names have the class.
     */
    Map<String, Field> layout(Klass of) {
        Map<String, Field> fields = new TreeMap<>();
        int start = 0;

        for (Klass k = of; k != null; k = superOf(k)) {
            for (Field field : k.fields) {
                String name = k.name + "." + field.name;
                fields.put(name + " " + field.type,
                    new Field(name, field.type, start + field.at));
            }
            start += k.bytes;
        }
        return fields;
    }

    /** The same as a list, made once for each class. */
    Field[] layout(int type) {
        return layouts.computeIfAbsent(type,
            t -> layout(classes.get(t)).values().toArray(new Field[0]));
    }

    /** The place of a field, or -1; the most derived one of that name. */
    int field(int instance, String name) {
        int place = data(instance);

        for (Klass k = classes.get(classOf(instance)); k != null; k = superOf(k)) {
            for (Field field : k.fields) {
                if (field.name.equals(name)) {
                    return place + field.at;
                }
            }
            place += k.bytes;
        }
        return -1;
    }

    /** The object that a field holds, or -1. */
    int get(int instance, String name) {
        int place = instance < 0 ? -1 : field(instance, name);
        return place < 0 ? -1 : find(id(place));
    }

    /** The text of a java.lang.String of JDK 9 and later, or null. */
    String text(int string) {
        int value = get(string, "value");

        if (value < 0) {
            return null;
        }
        boolean latin = bytes.get(field(string, "coder")) == 0;
        ByteBuffer part = bytes.duplicate().order(ByteOrder.nativeOrder());
        StringBuilder text = new StringBuilder();
        for (int i = 0; i + (latin ? 0 : 1) < length(value); i += latin ? 1 : 2) {
            text.append(latin ? (char) (part.get(data(value) + i) & 0xff)
                : part.getChar(data(value) + i));
        }
        return text.toString();
    }
}

/* SPDX-License-Identifier: MIT */
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A heap with one of everything that a dump can get wrong: fields and statics
 * of each type with extreme values, hierarchies with shadowed names and
 * constants from interfaces, arrays, strings, references, loaders, hidden
 * classes, threads of every sort in frames with locals.
 *
 * Prints the values of it, in the words of ShowObjects.java; then "ready", and
 * waits until its input ends. System properties: natives, a library with
 * EverythingNative.c; jar, a signed one with the class Signed.
 */
public class Everything {
    // ---- values of each type -----------------------------------------------------

    static class Statics {
        static boolean no;
        static boolean yes = true;
        static byte byteLeast = Byte.MIN_VALUE;
        static byte byteMost = Byte.MAX_VALUE;
        static char charMost = '\uffff';
        static char charSome = '\u0102';
        static short shortLeast = Short.MIN_VALUE;
        static short shortSome = 0x0102;
        static int intLeast = Integer.MIN_VALUE;
        static int intSome = 0x01020304;
        static long longLeast = Long.MIN_VALUE;
        static long longSome = 0x0102030405060708L;
        static float floatNan = Float.NaN;
        static float floatOddNan = Float.intBitsToFloat(0xffc12345);
        static float floatNegativeZero = -0.0f;
        static float floatLeast = Float.MIN_VALUE;
        static float floatInfinite = Float.NEGATIVE_INFINITY;
        static double doubleNan = Double.NaN;
        static double doubleOddNan = Double.longBitsToDouble(0xfff8123456789abcL);
        static double doubleNegativeZero = -0.0;
        static double doubleLeast = Double.MIN_VALUE;
        static double doubleMost = Double.MAX_VALUE;
        static final int CONSTANT = 4711;
        static final String TEXT = "constant";
        static Object nothing;
        static Object something = new Empty();
        static Class<?> primitiveClass = int.class;
        static Class<?> noClass = void.class;
        static Class<?> arrayClass = String[][].class;
        static Class<?> primitiveArrayClass = long[].class;
        static Class<?> ownClass = Statics.class;
        static Class<?> interfaceClass = Runnable.class;
    }

    static class Values {
        boolean no;
        boolean yes = true;
        byte byteLeast = Byte.MIN_VALUE;
        char charMost = '\uffff';
        short shortLeast = Short.MIN_VALUE;
        int intLeast = Integer.MIN_VALUE;
        int intMost = Integer.MAX_VALUE;
        long longLeast = Long.MIN_VALUE;
        long longMost = Long.MAX_VALUE;
        float floatOddNan = Float.intBitsToFloat(0x7fc54321);
        float floatNegativeZero = -0.0f;
        float floatMost = Float.MAX_VALUE;
        double doubleOddNan = Double.longBitsToDouble(0x7ffabcdef1234567L);
        double doubleNegativeZero = -0.0;
        double doubleLeast = -Double.MIN_VALUE;
        Object nothing;
        Object self = this;
        String text = "text";
    }

    static class Empty { }

    static class EmptyToo extends Empty { }

    // ---- hierarchies: where a field is depends on all of it ----------------------------

    interface Root {
        Object ROOT_OBJECT = new Empty();
        int ROOT_INT = Integer.parseInt("17");
    }

    interface Left extends Root {
        long LEFT = Long.parseLong("18");
    }

    interface Right extends Root {
        String RIGHT = "right".trim();
        Object RIGHT_TOO = new int[] {1};
    }

    static class Base implements Right {
        private int x = 1;
        private Object o = "base";
        static Object baseStatic = "static of base";
        private byte b = 1;
    }

    static class Middle<T> extends Base implements Left, Root {
        private long x = 2;
        private T o;
        static short middleStatic = 2;

        Middle(T o) {
            this.o = o;
        }
    }

    static class Leaf extends Middle<String> implements Right, Runnable, Comparable<Leaf> {
        private double x = 3;
        private int[] o = {3};
        static int leafStatic = 3;
        private char b = 3;

        Leaf() {
            super("middle");
        }

        @Override
        public void run() { }

        @Override
        public int compareTo(Leaf other) {
            return 0;
        }
    }

    abstract static class Bare extends Leaf { }

    static class Deep extends Bare implements Left {
        private boolean x = true;
        private float last = 4;
    }

    class Inner {
        int inner = 5;
    }

    enum Colour {
        RED, GREEN { int shade = 2; }, BLUE;
        int wave = ordinal() * 100;
    }

    static class Hierarchies {
        static Root root = new Root() { };
        static Base base = new Base();
        static Middle<Object> middle = new Middle<>(new Empty());
        static Leaf leaf = new Leaf();
        static Deep deep = new Deep();
        static Inner inner = new Everything().new Inner();
        static Colour[] colours = Colour.values();
        static Empty empty = new EmptyToo();
        static Values values = new Values();
    }

    // ---- arrays and strings ------------------------------------------------------------

    static class Arrays {
        static boolean[] booleans = {true, false, true};
        static byte[] bytes = {Byte.MIN_VALUE, -1, 0, 1, Byte.MAX_VALUE};
        static char[] chars = {0, 'a', '\u00e4', '\u20ac', '\ud83d', '\uffff'};
        static short[] shorts = {Short.MIN_VALUE, -1, 0, 0x0102};
        static int[] ints = {Integer.MIN_VALUE, -1, 0, 0x01020304};
        static long[] longs = {Long.MIN_VALUE, -1, 0, 0x0102030405060708L};
        static float[] floats = {Float.intBitsToFloat(0xffc00001), -0.0f, 1};
        static double[] doubles = {Double.longBitsToDouble(0xfff8000000000001L), -0.0, 1};
        static Object[] none = {new boolean[0], new byte[0], new char[0], new short[0],
            new int[0], new long[0], new float[0], new double[0], new Object[0],
            new String[0][0]};
        static Object[] nulls = new Object[7];
        static Object[] trailing = {null, new Empty(), null, "x", null, null};
        static Object[] itself = new Object[2];
        static int[][][] deep = {{{1, 2}, {}}, null, {{3}, null}};
        static long[][] rows = new long[3][2];
        static Object[][] mixed = {new String[] {"a", null}, new Integer[] {1}, new Root[1]};
        static Runnable[] interfaces = {new Leaf(), null};
        static Object[] manyObjects = new Object[250_001];
        static byte[] manyBytes = new byte[1_500_001];
        static short[] manyShorts = new short[700_003];
        static int[] manyInts = new int[400_001];
        static long[] manyLongs = new long[300_007];
        static double[] manyDoubles = new double[150_000];

        static {
            itself[1] = itself;
            for (int i = 0; i < manyLongs.length; i++) {
                manyLongs[i] = i * 0x9e3779b97f4a7c15L;
                manyInts[i % manyInts.length] = i * 0x9e3779b9;
                manyShorts[i * 2] = (short) i;
                manyBytes[i * 3] = (byte) i;
                manyDoubles[i % manyDoubles.length] = i / 3.0;
            }
            for (int i = 0; i < manyObjects.length - 5; i += 3) {
                manyObjects[i] = manyObjects;
            }
        }
    }

    static class Strings {
        static String empty = "";
        static String latin = "gr\u00fc\u00df dich";
        static String wide = "\u65e5\u672c\u8a9e and \u20ac";
        static String pair = "\ud83d\ude00 face";
        static String lone = "lone \ud83d half";
        static String nul = "a\0b";
        static String built = new StringBuilder("bu").append("ilt").toString();
        static Object[] boxes = {true, 'x', 1.5f, -0.0, (byte) -1, (short) -2, -3, -4L};
        static String \u00fcn\u00efc\u00f6d\u00e9\u4e2d = "name of a field";
    }

    // ---- references ----------------------------------------------------------------------

    static class Weak extends WeakReference<Object> {
        int extra = 6;
        Object held = "held by a reference";

        Weak(Object referent, ReferenceQueue<Object> queue) {
            super(referent, queue);
        }
    }

    static class References {
        static Empty kept = new EmptyToo();
        static ReferenceQueue<Object> queue = new ReferenceQueue<>();
        static Weak weak = new Weak(kept, queue);
        static SoftReference<Object> soft = new SoftReference<>(kept, queue);
        static PhantomReference<Object> phantom = new PhantomReference<>(kept, queue);
        static Map<Object, Object> weakMap = new WeakHashMap<>(Map.of("k", "v"));
        static ThreadLocal<Object> local = ThreadLocal.withInitial(Empty::new);
        static Map<String, Object> maps = new TreeMap<>(Map.of("hash", new HashMap<>(Map.of(1, 2)),
            "linked", new LinkedHashMap<>(Map.of(3, 4)),
            "concurrent", new ConcurrentHashMap<>(Map.of(5, 6))));
        static Object global;
        static Object weakGlobal;
    }

    // ---- loaders and classes made at run time -----------------------------------------------

    /** Comes once from the application's loader, and once from each Loader. */
    static class Twin {
        static int number = 7;
        static Object object = new int[] {7};
        int own = number;
    }

    static class Loader extends ClassLoader {
        Object nameOfIt;

        Loader(String name) {
            super(name, Everything.class.getClassLoader());
            nameOfIt = name;
        }

        Class<?> twin(int number) throws Exception {
            String name = Twin.class.getName();
            byte[] bytes = bytesOf(name);
            Class<?> twin = defineClass(name, bytes, 0, bytes.length);
            Field field = twin.getDeclaredField("number");
            field.setAccessible(true);
            field.setInt(null, number);
            return twin;
        }
    }

    static byte[] bytesOf(String name) throws Exception {
        try (InputStream in = Everything.class.getClassLoader()
            .getResourceAsStream(name + ".class")) {
            return in.readAllBytes();
        }
    }

    static Object make(Class<?> type) throws Exception {
        java.lang.reflect.Constructor<?> constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    static class Hidden {
        int hiddenField = 8;
        static Object hiddenStatic = "static of a hidden class";
    }

    static class Loaded {
        static Object[] twins = new Object[3];
        static Loader[] loaders = {new Loader("first"), new Loader("second")};
        static Object hidden;
        static Object signed;
        static Object record;
        static Supplier<Object> lambda;
        static Runnable noCapture = () -> { };
        static Supplier<Object> method;
        static URLClassLoader jarLoader;

        static void fill() throws Exception {
            Object captured = new EmptyToo();
            twins[0] = make(Twin.class);
            twins[1] = make(loaders[0].twin(71));
            twins[2] = make(loaders[1].twin(72));
            lambda = () -> captured;
            method = captured::toString;
            lambda.get();
            noCapture.run();
            hidden = make(define());
            if (System.getProperty("jar") != null) {
                jarLoader = new URLClassLoader(
                    new URL[] {new java.io.File(System.getProperty("jar")).toURI().toURL()});
                signed = make(jarLoader.loadClass("Signed"));
            }
            try {
                record = make(Class.forName("EverythingRecord"));
            } catch (ClassNotFoundException e) {
                record = "no records in this Java";
            }
        }

        /** With Lookup.defineHiddenClass, which Java has since 15. */
        static Class<?> define() throws Exception {
            byte[] bytes = bytesOf(Hidden.class.getName());
            try {
                Class<?> option =
                    Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
                MethodHandles.Lookup made = (MethodHandles.Lookup) MethodHandles.Lookup.class
                    .getMethod("defineHiddenClass", byte[].class, boolean.class,
                        Array.newInstance(option, 0).getClass())
                    .invoke(MethodHandles.lookup(), bytes, true, Array.newInstance(option, 0));
                return made.lookupClass();
            } catch (ClassNotFoundException | NoSuchMethodException e) {
                return Hidden.class;
            }
        }
    }

    // ---- threads -----------------------------------------------------------------------------

    static class Local {
        final String name;

        Local(String name) {
            this.name = name;
        }
    }

    static final Object lock = new Empty();
    static final ReentrantLock reentrant = new ReentrantLock();
    static final CountDownLatch parked = new CountDownLatch(9);

    static void parkFor(Object local, long number) {
        Object another = new Local("of parkFor");
        parked.countDown();
        while (number != 0) {
            LockSupport.park(another);
        }
        another.hashCode();
        local.hashCode();
    }

    static void outer(int depth, Object[] held) {
        Local local = new Local("depth " + depth);
        if (depth > 0) {
            outer(depth - 1, held);
        } else {
            parkFor(local, 1);
        }
        local.hashCode();
    }

    static void holdMonitor() {
        synchronized (lock) {
            parkFor(lock, 1);
        }
    }

    static void enterMonitor() {
        Local local = new Local("wants the monitor");
        parked.countDown();
        synchronized (lock) {
            local.hashCode();
        }
    }

    static void waitForNotify() {
        Local local = new Local("waits");
        Object monitor = new Empty();
        try {
            synchronized (monitor) {
                parked.countDown();
                monitor.wait();
            }
        } catch (InterruptedException e) {
            local.hashCode();
        }
    }

    static void holdLock() {
        reentrant.lock();
        parkFor(reentrant, 1);
    }

    static void useThreadLocal() {
        References.local.get();
        parkFor(null, 1);
    }

    /** While a class is initialized, no virtual thread leaves its carrier. */
    static class Pinning {
        static Object value = "of a pinned thread";

        static {
            parkFor(value, 1);
        }
    }

    static void pin() {
        Local local = new Local("pinned");
        Object value = Pinning.value;
        local.hashCode();
        value.hashCode();
    }

    static class Named extends Thread {
        Object own = new Local("of the thread");

        Named(ThreadGroup group, Runnable body, String name) {
            super(group, body, name);
            setDaemon(true);
        }
    }

    static class Threads {
        static Named[] threads;
        static ThreadGroup outerGroup = new ThreadGroup("outer group");
        static ThreadGroup innerGroup = new ThreadGroup(outerGroup, "inner gr\u00fc\u00dfe");
        static Thread notStarted;
        static Thread[] virtual = new Thread[2];
    }

    static Thread startVirtual(String name, Runnable body) throws Exception {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            builder = type.getMethod("name", String.class).invoke(builder, name);
            return (Thread) type.getMethod("start", Runnable.class).invoke(builder, body);
        } catch (NoSuchMethodException | java.lang.reflect.InvocationTargetException e) {
            Thread thread = new Thread(body, name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }
    }

    static void startThreads() throws Exception {
        Object[] held = {new Local("in an array")};
        Threads.threads = new Named[] {
            new Named(Threads.outerGroup, () -> outer(3, held), "parks deep"),
            new Named(Threads.innerGroup, Everything::holdMonitor, "holds a monitor"),
            new Named(null, Everything::enterMonitor, "wants the monitor"),
            new Named(Threads.innerGroup, Everything::waitForNotify, "waits \u65e5\u672c"),
            new Named(null, Everything::holdLock, "holds a lock"),
            new Named(null, Everything::useThreadLocal, "thread \"local\" \ud83d\ude00"),
        };
        Threads.notStarted = new Thread("not started");
        Threads.threads[0].setPriority(3);
        for (int i = 0; i < Threads.threads.length; i++) {
            Threads.threads[i].start();
            while (i == 1 && parked.getCount() > 7) {
                Thread.sleep(10); /* first the monitor is held, then it is wanted */
            }
        }
        Threads.virtual[0] = startVirtual("virtual, unmounted", () -> outer(1, held));
        Threads.virtual[1] = startVirtual("virtual, mounted", Everything::pin);
        Thread last = new Thread(null, () -> nativeFrame(), "in a native frame");
        last.setDaemon(true);
        last.start();
        parked.await();
        Thread.sleep(300); /* until all of them really stand */
    }

    // ---- native code ---------------------------------------------------------------------------

    static native Object holdGlobals(Object strong, Object weak);

    static native void callBack(Object held, Class<?> type);

    static void parkFromNative() {
        parkFor(new Local("below a native frame"), 1);
    }

    static void nativeFrame() {
        if (System.getProperty("natives") == null) {
            parkFromNative();
        }
        callBack(new Local("held by a JNI local reference"), Everything.class);
    }

    static void useNatives() {
        if (System.getProperty("natives") != null) {
            System.load(System.getProperty("natives"));
            References.weakGlobal = new Local("held by a weak global reference");
            References.global = holdGlobals(new Local("held by a global reference only"),
                References.weakGlobal);
        }
    }

    // ---- the values, as text --------------------------------------------------------------------

    private static final List<Object> met = new ArrayList<>();

    private static final class Printer {
        final Map<Object, Integer> numbers = new IdentityHashMap<>();
        final StringBuilder out = new StringBuilder();

        /** As dumps have it: before JDK 15 without the address of an anonymous class. */
        static String name(Class<?> type) {
            String address = Runtime.version().feature() < 15 ? "" : "+$1";

            return type.isArray() ? name(type.getComponentType()) + "[]"
                : type.getName().replaceFirst("/(0x[0-9a-f]+)$", address);
        }

        static List<Field> fields(Class<?> type, boolean statics) {
            List<Field> fields = new ArrayList<>();
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) == statics) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
            fields.sort(Comparator.comparing(Field::getName));
            return fields;
        }

        /** The bits of a boxed value. */
        static String bits(Object box) {
            long bits = box instanceof Boolean ? ((Boolean) box ? 1 : 0)
                : box instanceof Character ? (Character) box
                : box instanceof Float ? Float.floatToRawIntBits((Float) box) & 0xffffffffL
                : box instanceof Double ? Double.doubleToRawLongBits((Double) box)
                : box instanceof Byte ? (Byte) box & 0xff
                : box instanceof Short ? (Short) box & 0xffff
                : box instanceof Integer ? (Integer) box & 0xffffffffL : (Long) box;
            return Long.toHexString(bits);
        }

        static boolean isBox(Object object) {
            return object instanceof Boolean || object instanceof Character
                || object instanceof Number
                    && object.getClass().getName().startsWith("java.lang.");
        }

        static String quoted(String text) {
            StringBuilder quoted = new StringBuilder("\"");
            for (char c : text.toCharArray()) {
                boolean plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
                quoted.append(plain ? "" + c : String.format("\\u%04x", (int) c));
            }
            return quoted.append('"').toString();
        }

        String value(Class<?> type, Object value) {
            if (type.isPrimitive()) {
                return type + " " + bits(value);
            }
            if (value == null) {
                return "null";
            }
            if (value instanceof Class) {
                return "class " + (((Class<?>) value).isPrimitive()
                    ? "primitive" : name((Class<?>) value));
            }
            if (value instanceof String) {
                return quoted((String) value);
            }
            String name = name(value.getClass());
            if (!name.startsWith("Everything") && !value.getClass().isArray()) {
                return name + (isBox(value) ? " " + bits(value) : "");
            }
            if (!numbers.containsKey(value)) {
                numbers.put(value, numbers.size());
                met.add(value);
            }
            return "#" + numbers.get(value);
        }

        void printStatics(Class<?> type) throws Exception {
            for (Field field : fields(type, true)) {
                out.append("static ").append(name(type)).append('.').append(field.getName())
                    .append(" = ").append(value(field.getType(), field.get(null))).append('\n');
            }
        }

        void printObject(Object object) throws Exception {
            out.append('#').append(numbers.get(object)).append(' ')
                .append(name(object.getClass()));
            if (object.getClass().isArray()) {
                printElements(object);
                return;
            }
            out.append('\n');
            for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
                for (Field field : name(c).startsWith("Everything")
                    ? fields(c, false) : List.<Field>of()) {
                    out.append("  ").append(name(c)).append('.').append(field.getName())
                        .append(" = ").append(value(field.getType(), field.get(object)))
                        .append('\n');
                }
            }
        }

        void printElements(Object array) {
            Class<?> type = array.getClass().getComponentType();
            int length = Array.getLength(array);
            int hash = 1;

            out.append(" of ").append(length);
            for (int i = 0; i < length; i++) {
                Object element = Array.get(array, i);
                if (length <= 100) {
                    out.append(' ').append(value(type, element));
                } else if (type.isPrimitive()) {
                    hash = 31 * hash + (int) Long.parseUnsignedLong(bits(element), 16);
                } else {
                    hash = 31 * hash + (element == null ? 0 : 1);
                }
            }
            out.append(length > 100 ? " sum " + Integer.toHexString(hash) : "").append('\n');
        }
    }

    /** The classes, in the order in which they are printed. */
    private static final Class<?>[] SHOWN = {Statics.class, Hierarchies.class, Arrays.class,
        Strings.class, References.class, Loaded.class, Threads.class, Root.class, Left.class,
        Right.class, Base.class, Middle.class, Leaf.class, Twin.class, Colour.class};

    private static void print() throws Exception {
        Printer printer = new Printer();

        for (Class<?> type : SHOWN) {
            printer.printStatics(type);
        }
        for (int i = 0; i < met.size(); i++) {
            printer.printObject(met.get(i));
        }
        met.clear();
        System.out.print(printer.out);
    }

    public static void main(String[] arguments) throws Exception {
        Local local = new Local("of main");

        useNatives();
        Loaded.fill();
        startThreads();
        print();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        local.hashCode();
    }
}

/* SPDX-License-Identifier: MIT */
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Collectors;

/**
 * Fills collections, prints their contents in the words of hprof-show, in the
 * order of their iterators, and waits until its standard input ends. Each is in
 * a static field, whose name stands before its rows.
 */
public final class Contents {
    enum Colour { RED, GREEN { }, BLUE }

    static final class Thing { }

    static final Map<String, Object> hashMap = new HashMap<>();
    static final Map<String, Object> treeMap = new TreeMap<>();
    static final Map<String, Object> concurrentHashMap = new ConcurrentHashMap<>();
    static final Map<String, Object> linkedHashMap = new LinkedHashMap<>();
    static final Map<String, Object> skipListMap = new ConcurrentSkipListMap<>();
    static final Map<String, Object> identityHashMap = new IdentityHashMap<>();
    static final Map<String, Object> anyWeakHashMap = new WeakHashMap<>();
    static final Map<Colour, Object> enumMap = new EnumMap<>(Colour.class);
    static final Map<Integer, Integer> collisions = new HashMap<>();
    static final Map<String, Integer> map1 = Map.of("one", 1);
    static final Map<String, Integer> anyMapN = Map.of("one", 1, "two", 2, "three", 3);
    static final Map<String, Integer> unmodifiable =
        Collections.unmodifiableMap(new TreeMap<>(anyMapN));
    static final List<Object> arrayList = new ArrayList<>();
    static final List<Object> linkedList = new LinkedList<>();
    static final List<Object> vector = new Vector<>();
    static final List<Object> copyOnWrite = new CopyOnWriteArrayList<>();
    static final List<String> asList = Arrays.asList("a", "b");
    static final List<String> list1 = List.of("a");
    static final List<String> list2 = List.of("a", "b");
    static final List<String> listN = List.of("a", "b", "c");
    static final List<String> empty = new ArrayList<>();
    static final Collection<Object> arrayDeque = new ArrayDeque<>();
    static final Collection<Object> priorityQueue = new PriorityQueue<>();
    static final Collection<Object> blockingQueue = new LinkedBlockingQueue<>();
    static final Collection<Object> boundedQueue = new ArrayBlockingQueue<>(100);
    static final Collection<Object> concurrentQueue = new ConcurrentLinkedQueue<>();
    static final Set<String> hashSet = new HashSet<>();
    static final Set<String> linkedHashSet = new LinkedHashSet<>();
    static final Set<String> treeSet = new TreeSet<>();
    static final Set<String> keySet = ConcurrentHashMap.newKeySet();
    static final Set<String> anySet2 = Set.of("a", "b");
    static final Set<String> anySetN = Set.of("a", "b", "c");
    static final BitSet bitSet = new BitSet();
    static final Set<TimeUnit> enumSet = EnumSet.of(TimeUnit.NANOSECONDS, TimeUnit.DAYS);
    static final Set<Character.UnicodeScript> jumboEnumSet =
        EnumSet.allOf(Character.UnicodeScript.class);
    static final AtomicReferenceArray<Object> references =
        new AtomicReferenceArray<>(new Object[] {"a", null, 1});
    static final AtomicIntegerArray integers = new AtomicIntegerArray(new int[] {7, 0, -1});
    static final Set<Integer> keyView = collisions.keySet();
    static final Collection<Object> valueView = treeMap.values();
    static final List<String> listView =
        new ArrayList<>(List.of("a", "b", "c", "d")).subList(1, 3);
    static final List<Object> values = new ArrayList<>();

    /** Keys of two buckets, so many that these become trees. */
    private static void collide() {
        for (int i = 0; i < 20; i++) {
            collisions.put(i << 20 | i % 2, i);
        }
    }

    private static void fillMaps() {
        for (Map<String, Object> map : List.of(hashMap, treeMap, concurrentHashMap,
            linkedHashMap, skipListMap, identityHashMap, anyWeakHashMap)) {
            for (int i = 0; i < 40; i++) {
                map.put(("user-" + i * 7919 % 40).intern(), i);
            }
            map.put("text", "caf\u00e9 \u4e2d");
            map.put("list", arrayList);
            map.put("long", 1L << 40);
            map.remove("user-3");
        }
        enumMap.put(Colour.GREEN, "green");
        enumMap.put(Colour.BLUE, 'b');
        collide();
    }

    private static void fillBits() {
        for (int i = 0; i < 20; i++) {
            bitSet.set(i * i);
        }
        bitSet.set(500, 700);
        jumboEnumSet.removeIf(script -> script.ordinal() % 3 == 1);
    }

    private static void fillOthers() {
        for (Collection<Object> all : List.of(arrayList, linkedList, vector, copyOnWrite,
            arrayDeque, priorityQueue, blockingQueue, boundedQueue, concurrentQueue)) {
            for (int i = 0; i < 30; i++) {
                all.add(i * 7919 % 31);
            }
            for (int i = 0; i < 9; i++) {
                all.remove(i);
                all.add(100 + i);
            }
        }
        for (Set<String> set : List.of(hashSet, linkedHashSet, treeSet, keySet)) {
            for (int i = 0; i < 20; i++) {
                set.add("member " + i * 7919 % 20);
            }
        }
    }

    private static void fillValues() {
        values.addAll(Arrays.asList(null, true, 'x', (byte) -1, (short) -2, -3, -4L, 1.5f,
            1e100, Double.NaN, "a \"quoted\" text", new StringBuilder("built").append('\u20ac'),
            new StringBuffer("buffered"), Colour.RED, Colour.GREEN, TimeUnit.DAYS,
            new AtomicInteger(5), new AtomicLong(-6), new AtomicReference<>("inside"),
            Optional.of(7), Optional.of(List.of(8)), new UUID(-1, 0x123456789abcdefL),
            Instant.ofEpochSecond(-1), Instant.ofEpochMilli(951_782_400_123L),
            LocalDate.of(2024, 2, 29), LocalTime.of(23, 59), LocalTime.of(1, 2, 3, 4000),
            LocalDateTime.of(1969, 12, 31, 0, 0, 1), new Date(1_700_000_000_000L),
            BigInteger.ZERO, BigInteger.ONE.shiftLeft(200).negate(),
            new BigDecimal("12345.678"), new BigDecimal("-0.00012"),
            new BigDecimal("1E-10"), new BigDecimal("12E+7"),
            new BigDecimal(BigInteger.TEN.pow(30), 3),
            new int[3], new Thing[2], String.class));
    }

    /** The words of hprof-show, without the identifiers of objects. */
    private static String brief(Object value) {
        if (value instanceof CharSequence) {
            return "\"" + value + "\"";
        } else if (value instanceof Character) {
            return "'" + value + "'";
        } else if (value instanceof Class) {
            return "class " + ((Class<?>) value).getName();
        } else if (value instanceof Enum) {
            return ((Enum<?>) value).name();
        } else if (value instanceof Date) {
            return ((Date) value).toInstant().toString();
        } else if (value instanceof AtomicReference) {
            return "AtomicReference[" + brief(((AtomicReference<?>) value).get()) + "]";
        } else if (value instanceof Optional) {
            return "Optional[" + brief(((Optional<?>) value).get()) + "]";
        } else if (value instanceof Collection) {
            int size = ((Collection<?>) value).size();
            return value.getClass().getName() + " (" + size
                + (size == 1 ? " element)" : " elements)");
        } else if (value instanceof Double) {
            return value.equals(1e100) ? "1e+100" : value.toString();
        } else if (value != null && value.getClass().isArray()) {
            return value.getClass().getComponentType().getName() + "["
                + java.lang.reflect.Array.getLength(value) + "]";
        }
        return String.valueOf(value);
    }

    /** What is no Iterable, as one. */
    private static Object iterable(Object collection) {
        if (collection instanceof BitSet) {
            return ((BitSet) collection).stream().boxed()
                .collect(Collectors.toCollection(LinkedHashSet::new));
        }
        List<Object> list = new ArrayList<>();
        if (collection instanceof AtomicReferenceArray) {
            AtomicReferenceArray<?> array = (AtomicReferenceArray<?>) collection;
            for (int i = 0; i < array.length(); i++) {
                list.add(array.get(i));
            }
            return list;
        } else if (collection instanceof AtomicIntegerArray) {
            AtomicIntegerArray array = (AtomicIntegerArray) collection;
            for (int i = 0; i < array.length(); i++) {
                list.add(array.get(i));
            }
            return list;
        }
        return collection;
    }

    private static List<String> rows(Object any) {
        Object collection = iterable(any);
        List<String> rows = new ArrayList<>();

        if (collection instanceof Map) {
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) collection).entrySet()) {
                rows.add("  " + brief(entry.getKey()) + " = " + brief(entry.getValue()));
            }
            return rows;
        }
        for (Object element : (Iterable<?>) collection) {
            String number = collection instanceof Set ? "" : "[" + rows.size() + "] ";
            rows.add("  " + number + brief(element));
        }
        return rows;
    }

    /** In those called "any", a dump does not tell the order of the iterator. */
    private static void print(String name, Object collection) {
        List<String> rows = rows(collection);

        if (name.startsWith("any")) {
            Collections.sort(rows);
        }
        System.out.println(name);
        for (String row : rows) {
            System.out.println(row);
        }
    }

    public static void main(String[] args) throws Exception {
        fillOthers();
        fillMaps();
        fillBits();
        fillValues();
        for (java.lang.reflect.Field field : Contents.class.getDeclaredFields()) {
            if (!field.isSynthetic() && !field.getName().startsWith("$")) {
                print(field.getName(), field.get(null));
            }
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
    }
}

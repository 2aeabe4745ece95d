/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * A heap like that of a business application, for make bench: a parcel service with its customers,
 * parcels, tariffs, caches and logs. The same number of objects always gives the same heap.
 *
 * <pre>java HeapBench MILLIONS DUMP.hprof [DUMP.hprof.gz]</pre>
 *
 * Makes about MILLIONS million objects and dumps them; a second dump is compressed by the JVM.
 */
public final class HeapBench {
    private static final int DEPOTS = 300;

    enum State { ANNOUNCED, COLLECTED, SORTED, DELIVERED }

    static final class Depot {
        String name;
        String city;
        Depot parent;
        final List<Depot> branches = new ArrayList<>();
    }

    static final class Contact {
        String street;
        String city;
        String email;
        int postcode;
        Depot depot;
    }

    static final class Customer {
        long number;
        String name;
        Contact contact;
        final LinkedList<Parcel> parcels = new LinkedList<>();
        Map<String, Object> settings;
        Double discount;
    }

    static final class Parcel {
        long number;
        State state;
        Customer sender;
        Long weight;
        List<Stop> stops = new ArrayList<>();
        byte[] label;
    }

    static final class Stop {
        long time;
        Depot depot;
        Parcel parcel;
        Integer gate;
    }

    /** A log that is never truncated: a long singly linked list. */
    static final class Entry {
        Entry before;
        long time;
        int code;
    }

    /** A tree with links to the parents. */
    static final class Zone {
        Zone parent;
        Zone left;
        Zone right;
        int key;
        Object price;
    }

    private static final class Service {
        final List<Depot> depots = new ArrayList<>();
        final Map<Long, Customer> customers = new HashMap<>();
        final Map<String, List<Integer>> gatesByStreet = new ConcurrentHashMap<>();
        final TreeMap<Integer, String> tariffs = new TreeMap<>();
        final Map<String, String> sessions = new LinkedHashMap<>();
        final Set<Object> seen = new HashSet<>();
        final ArrayDeque<Object> work = new ArrayDeque<>();
        final Entry[] logs = new Entry[500];
        Zone zones;
    }

    private final Random random = new Random(20);
    private final Service service = new Service();
    private long made;

    private String text(int least, int most) {
        byte[] bytes = new byte[least + random.nextInt(most - least + 1)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) ('a' + random.nextInt(26));
        }
        made += 2;
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private <T> T some(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private void makeDepots() {
        for (int i = 0; i < DEPOTS; i++) {
            Depot depot = new Depot();
            depot.name = text(6, 20);
            depot.city = text(4, 14);
            if (i > 0) {
                depot.parent = some(service.depots);
                depot.parent.branches.add(depot);
            }
            service.depots.add(depot);
            made += 2;
        }
    }

    private Contact makeContact() {
        Contact contact = new Contact();
        contact.street = text(8, 28);
        contact.depot = some(service.depots);
        contact.city = random.nextInt(3) == 0 ? text(4, 14) : contact.depot.city;
        contact.email = text(10, 30);
        contact.postcode = random.nextInt(100_000);
        made++;
        return contact;
    }

    private Map<String, Object> makeSettings() {
        Map<String, Object> settings = new HashMap<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            Object value = i % 2 == 0 ? text(4, 20) : (Object) Integer.valueOf(random.nextInt());
            settings.put(text(3, 9), value);
            made += 2;
        }
        made += 2;
        return settings;
    }

    private Parcel makeParcel(Customer sender) {
        Parcel parcel = new Parcel();
        parcel.number = random.nextLong();
        parcel.state = State.values()[random.nextInt(4)];
        parcel.sender = sender;
        parcel.weight = random.nextLong();
        for (int i = random.nextInt(6); i >= 0; i--) {
            Stop stop = new Stop();
            stop.time = random.nextLong();
            stop.depot = some(service.depots);
            stop.parcel = parcel;
            stop.gate = 1000 + random.nextInt(1 << 20);
            parcel.stops.add(stop);
            made += 2;
        }
        if (random.nextInt(12) == 0) {
            parcel.label = new byte[100 + random.nextInt(400)];
            made++;
        }
        made += 5; /* with the list, its array, and the node in the sender's list */
        return parcel;
    }

    private void makeCustomers(long until) {
        for (long number = 0; made < until; number++) {
            Customer customer = new Customer();
            customer.number = number;
            customer.name = text(8, 24);
            customer.contact = makeContact();
            for (int i = random.nextInt(4); i > 0; i--) {
                customer.parcels.add(makeParcel(customer));
            }
            if (random.nextInt(3) == 0) {
                customer.settings = makeSettings();
            }
            if (random.nextInt(4) == 0) {
                customer.discount = random.nextDouble();
                made++;
            }
            service.customers.put(number, customer);
            made += 4;
        }
    }

    private void makeMaps(long until) {
        while (made < until) {
            List<Integer> gates = new ArrayList<>();
            for (int i = random.nextInt(12); i > 0; i--) {
                gates.add(1000 + random.nextInt(1 << 20));
                made++;
            }
            service.gatesByStreet.put(text(6, 18), gates);
            service.tariffs.put(random.nextInt(), text(3, 30));
            service.sessions.put(text(32, 32), text(4, 40));
            made += 6;
        }
    }

    private void makeLogs(long until) {
        while (made < until) {
            Entry entry = new Entry();
            /* Half of them make one long list. */
            int log = random.nextBoolean() ? 0 : random.nextInt(service.logs.length);
            entry.before = service.logs[log];
            entry.time = made;
            entry.code = random.nextInt(600);
            service.logs[log] = entry;
            made++;
        }
    }

    private Zone makeZones(Zone parent, int depth) {
        if (depth == 0) {
            return null;
        }
        Zone zone = new Zone();
        zone.parent = parent;
        zone.key = random.nextInt();
        if (zone.key % 4 == 0) {
            zone.price = Float.valueOf(zone.key);
            made++;
        }
        zone.left = makeZones(zone, depth - 1);
        zone.right = makeZones(zone, depth - 1);
        made++;
        return zone;
    }

    private void makeCaches(long until) {
        while (made < until) {
            service.seen.add(random.nextBoolean() ? text(20, 160) : (Object) Long.valueOf(made));
            made++;
            if (random.nextInt(4) == 0) {
                service.work.add(new int[random.nextInt(64)]);
                service.work.add(new long[3][8]);
                service.work.add(new Object[] {some(service.depots), null, text(1, 9)});
                made += 6;
            }
        }
    }

    private void fill(long objects) {
        makeDepots();
        makeCustomers(objects * 60 / 100);
        makeMaps(objects * 80 / 100);
        makeLogs(objects * 90 / 100);
        int depth = 1;
        while (1L << depth < objects / 25) {
            depth++;
        }
        service.zones = makeZones(null, depth - 1);
        makeCaches(objects);
    }

    private static void dump(String path) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(path, true);
    }

    /** Only jcmd can request this. JVMs before 15 cannot do it; then there is no such file. */
    private static void dumpCompressed(String path) throws Exception {
        String jcmd = System.getProperty("java.home") + "/bin/jcmd";
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder(jcmd, self, "GC.heap_dump", "-gz=1", path)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    public static void main(String[] arguments) throws Exception {
        HeapBench bench = new HeapBench();
        bench.fill((long) (Double.parseDouble(arguments[0]) * 1e6));
        dump(arguments[1]);
        if (arguments.length > 2) {
            dumpCompressed(arguments[2]);
        }
        System.out.println(bench.service.customers.size() + " customers, " + bench.made + " objects");
    }
}

/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * A heap in which nearly everything is referred to from several places, for make bench: accounts that
 * follow each other, in several indexes, and a journal of what they did. Few objects dominate much, so
 * that dominators and paths cost the most.
 *
 * <pre>java IndexBench MILLIONS DUMP.hprof</pre>
 */
public final class IndexBench {
    static final class Topic {
        String title;
        final List<Account> readers = new ArrayList<>();
    }

    static final class Group {
        String title;
        Group above;
        final List<Account> members = new ArrayList<>();
        final Map<Integer, Account> byNumber = new HashMap<>();
    }

    static final class Account {
        int number;
        String name;
        String address;
        Group group;
        Account sponsor;
        Account neighbour;
        final List<Account> follows = new ArrayList<>();
        final Set<Topic> topics = new HashSet<>();
        Map<String, Object> settings;
        Account[] circle;
        Entry latest;
    }

    static final class Entry {
        long time;
        Account by;
        Account to;
        Group in;
        Topic about;
        Entry before;
        Entry after;
        Object text;
    }

    static final Random random = new Random(71);
    static final List<Account> accounts = new ArrayList<>();
    static final Map<Integer, Account> byNumber = new HashMap<>();
    static final Map<String, Account> byAddress = new HashMap<>();
    static final TreeMap<String, Account> byName = new TreeMap<>();
    static final Map<Long, Entry> recent = new ConcurrentHashMap<>();
    static final List<Entry> journal = new ArrayList<>();
    static Topic[] topics = new Topic[1000];
    static Group[] groups;
    static long objects;

    static String text(int least, int most) {
        StringBuilder text = new StringBuilder();
        for (int left = least + random.nextInt(most - least + 1); left > 0; left--) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        objects += 2;
        return text.toString();
    }

    static <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** One of the last COUNT. */
    static <T> T late(List<T> list, int count) {
        return list.get(list.size() - 1 - random.nextInt(Math.min(count, list.size())));
    }

    static void connect(Account account) {
        account.sponsor = any(accounts);
        account.neighbour = late(accounts, 100);
        for (int left = random.nextInt(10); left > 0; left--) {
            Account other = random.nextInt(4) == 0 ? any(accounts) : late(accounts, 5000);
            account.follows.add(other);
            other.follows.add(account);
        }
        if (account.number % 4 == 0) {
            account.circle = new Account[4 + random.nextInt(8)];
            objects++;
            for (int i = 0; i < account.circle.length; i++) {
                account.circle[i] = any(accounts);
            }
        }
    }

    static void choose(Account account) {
        for (int left = random.nextInt(5); left > 0; left--) {
            Topic topic = topics[random.nextInt(topics.length)];
            objects += account.topics.add(topic) ? 1 : 0;
            topic.readers.add(account);
        }
        if (account.number % 2 != 0) {
            return;
        }
        account.settings = new HashMap<>();
        objects += 2;
        for (int left = random.nextInt(6); left > 0; left--) {
            Topic topic = topics[random.nextInt(topics.length)];
            boolean shared = random.nextBoolean();
            account.settings.put(topic.title, shared ? topic : Integer.valueOf(random.nextInt()));
            objects += shared ? 1 : 2;
        }
    }

    static void index(Account account) {
        byNumber.put(account.number, account);
        byAddress.put(account.address, account);
        account.group.members.add(account);
        objects += 3;
        if (account.number % 5 == 0) {
            byName.put(account.name, account);
            objects++;
        }
        if (account.number % 3 == 0) {
            account.group.byNumber.put(account.number, account);
            objects += 2;
        }
        accounts.add(account);
    }

    static void write(Account account) {
        Entry entry = new Entry();
        entry.time = random.nextLong();
        entry.by = account;
        entry.to = any(accounts);
        entry.in = account.group;
        entry.about = topics[random.nextInt(topics.length)];
        if (!journal.isEmpty()) {
            entry.before = journal.get(journal.size() - 1);
            entry.before.after = entry;
        }
        entry.text = random.nextInt(3) == 0 ? text(4, 30) : account.name;
        account.latest = entry;
        journal.add(entry);
        objects++;
        if (random.nextInt(4) == 0) {
            recent.put(entry.time, entry);
            objects += 2;
        }
    }

    static Account make(int number) {
        Account account = new Account();
        account.number = number;
        account.name = text(6, 20);
        account.address = text(10, 24);
        account.group = groups[random.nextInt(groups.length)];
        objects += 6;
        return account;
    }

    static void makeGroups(int count) {
        groups = new Group[count];
        for (int i = 0; i < count; i++) {
            groups[i] = new Group();
            groups[i].title = text(5, 20);
            groups[i].above = i == 0 ? null : groups[random.nextInt(i)];
            objects += 5;
        }
        for (int i = 0; i < topics.length; i++) {
            topics[i] = new Topic();
            topics[i].title = text(3, 12);
            objects += 3;
        }
    }

    public static void main(String[] arguments) throws Exception {
        long target = (long) (Double.parseDouble(arguments[0]) * 1e6);
        makeGroups((int) (target / 2000) + 10);
        for (int number = 0; objects < target; number++) {
            Account account = make(number);
            if (number > 0) {
                connect(account);
            }
            choose(account);
            index(account);
            for (int left = random.nextInt(4); left > 0; left--) {
                write(account);
            }
        }
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[1], true);
        System.out.println(objects + " objects in several indexes");
    }
}

/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program that changes its heap all the time, except for 50,000 objects of a
 * class of their own, a tenth of which has an array. Prints ready; at the end of
 * its input "right" if all that it has changed is as it should be.
 */
public final class Mutating {
    static final class Item {
        final int number;
        final Item before;
        final int[] square;

        Item(int number, Item before) {
            this.number = number;
            this.before = before;
            square = number % 10 == 0 ? new int[] {number, number * number} : null;
        }
    }

    static final class Node {
        long value;
        Node next;
    }

    private static final int ITEMS = 50_000;
    private static Item last;
    private static volatile boolean ended;
    private static volatile String wrong;

    /** Builds and takes apart lists and maps. */
    private static void mutate(int seed) {
        Map<Long, Node> map = new HashMap<>();
        long added = 0;
        long removed = 0;
        for (long i = seed; !ended; i += 3) {
            Node node = new Node();
            node.value = i;
            node.next = map.get(i - 30_000);
            map.put(i, node);
            added += i;
            Node old = map.remove(i - 60_000);
            if (old != null) {
                removed += old.value;
                old.next = null;
            }
            if (old != null && old.value != i - 60_000) {
                wrong = "a node";
            }
        }
        for (Node node : map.values()) {
            removed += node.value;
        }
        if (added != removed) {
            wrong = "the sum";
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < ITEMS; i++) {
            last = new Item(i, last);
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final int seed = i;
            Thread thread = new Thread(() -> mutate(seed));
            thread.start();
            threads.add(thread);
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        ended = true;
        for (Thread thread : threads) {
            thread.join();
        }
        int count = 0;
        for (Item item = last; item != null; item = item.before) {
            count += item.number == ITEMS - 1 - count ? 1 : 0;
        }
        System.out.println(wrong != null ? wrong : count == ITEMS ? "right" : "items");
    }
}

/* SPDX-License-Identifier: MIT */
import java.io.File;

/** What hprof-dump is tried on: known numbers of objects, and a sign of life. */
public class Waiter {
    static final int ITEMS = 5000;

    static class Item {
        int number;
        String text;
        Item before;
    }

    static class Garbage {
        long number;
    }

    static Item last;
    static byte[] ballast = new byte[Integer.getInteger("ballast", 8) << 20];

    private static void makeGarbage() {
        for (int i = 0; i < 1000; i++) {
            new Garbage().number = i;
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < ITEMS; i++) {
            Item item = new Item();
            item.number = i;
            item.text = "item " + i;
            item.before = last;
            last = item;
        }
        System.gc();
        makeGarbage();
        System.out.println("ready");
        // It ends with its input, and says "alive" to each line.
        int c;
        while ((c = System.in.read()) >= 0) {
            if (c == '\n') {
                System.out.println("alive");
            }
        }
    }
}

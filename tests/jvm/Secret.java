/* SPDX-License-Identifier: MIT */
/**
 * Holds a secret in every form that a dump may show it: text, bytes, numbers, a
 * name of a thread. It is not in the class file, and is given by its halves.
 */
public final class Secret {
    static String text;
    static char[] chars;
    static byte[] bytes;
    static long number;
    static StringBuilder wide;
    static final Object[] MANY = new Object[20_000];

    private Secret() {
    }

    public static void main(String[] args) throws Exception {
        text = args[0].concat(args[1]);
        chars = text.toCharArray();
        bytes = text.getBytes("UTF-8");
        number = 0x5345435245544c21L; /* "SECRETL!" */
        wide = new StringBuilder("\u20ac").append(text);
        for (int i = 0; i < MANY.length; i++) {
            MANY[i] = text + i;
        }
        Thread.currentThread().setName(text);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(7);
    }
}

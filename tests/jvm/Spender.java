/* SPDX-License-Identifier: MIT */
/**
 * Spends memory and time in known methods until its standard input has something
 * to read, and exits with 7.
 */
public final class Spender {
    static final class Coin {
        long value;
    }

    private static final byte[][] HOARD = new byte[5_000][];
    private static volatile Object last;
    private static volatile double sum;

    private Spender() {
    }

    static byte[] mint() {
        return new byte[2000];
    }

    static Coin change() {
        return new Coin();
    }

    static void count(int rounds) {
        double s = 0;
        for (int i = 1; i <= rounds; i++) {
            s += Math.sqrt(i) / i;
        }
        sum = s;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        for (int i = 0;; i++) {
            last = mint();
            last = change();
            if (i % 1000 == 0) {
                count(200_000);
            }
            if (i % 10 == 0) {
                HOARD[i / 10 % HOARD.length] = mint();
            }
            if (i % 1000 == 0 && System.in.available() > 0) {
                break;
            }
        }
        System.out.println("spent");
        System.exit(7);
    }
}

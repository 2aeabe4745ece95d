/* SPDX-License-Identifier: MIT */
/** Keeps 1000 clones of an object and 1000 of an array, of two threads. */
public final class Cloned implements Cloneable {
    private static final Object[] KEPT = new Object[2000];

    private final int value;

    private Cloned(int value) {
        this.value = value;
    }

    private static void fill(int first) {
        try {
            Cloned one = new Cloned(first);
            int[] array = { one.value };
            for (int i = first; i < first + 500; i++) {
                KEPT[i] = one.clone();
                KEPT[1000 + i] = array.clone();
            }
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(() -> fill(500));
        thread.start();
        fill(0);
        thread.join();
    }
}

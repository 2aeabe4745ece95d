/* SPDX-License-Identifier: MIT */
/** What only Java 16 and later has; compiled where it compiles. */
record EverythingRecord(int number, double part, String text, Object other, byte small) {
    static Object recordStatic = "static of a record";

    EverythingRecord() {
        this(9, -0.0, "record", new int[] {9}, (byte) -9);
    }
}

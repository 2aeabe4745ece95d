/* SPDX-License-Identifier: MIT */
/** A class that comes from a signed jar. */
public class Signed {
    static int number = 12;
    Object own = new int[] {12};
}

/* SPDX-License-Identifier: MIT */
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Starts processes while its own is forked, see fork-reaped.sh.
 *
 * <pre>java Children</pre>
 *
 * Says ready. From the first line of its input on it starts one process after
 * another, and is told how each ends; it says begun after the first. At the end of
 * its input it says "right" and how many there were, or what was wrong.
 */
public final class Children {
    /** So that a dump does not fit into a pipe. */
    static final byte[] FILLING = new byte[16_000_000];

    private static void start(int status) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", "exit " + status).start();
        int got = process.waitFor();

        if (got != status) {
            System.out.println("a process ended with " + got + ", not " + status);
            System.exit(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        System.in.read(new byte[3], 0, 3);
        int count = 0;
        while (System.in.available() == 0) {
            start(count++ % 100);
            if (count == 1) {
                System.out.println("begun");
            }
        }
        System.out.println("right " + (count > 0 ? "many" : "none"));
        byte[] rest = System.in.readAllBytes();
        System.exit(new String(rest, StandardCharsets.US_ASCII).equals("end\n") ? 7 : 1);
    }
}

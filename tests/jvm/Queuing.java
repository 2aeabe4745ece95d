/* SPDX-License-Identifier: MIT */
/**
 * Three threads that queue for one monitor, until standard input has something
 * to read; exits with 7.
 */
public final class Queuing {
    /** What is queued for, so that its class has a name. */
    private static final class Desk { }

    private static final Desk DESK = new Desk();

    private Queuing() {
    }

    private static void serve() throws InterruptedException {
        synchronized (DESK) {
            Thread.sleep(2);
        }
    }

    private static void queue() {
        try {
            while (true) {
                serve();
                Thread.sleep(1);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(Queuing::queue);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        System.in.read();
        System.out.println("spent");
        System.exit(7);
    }
}

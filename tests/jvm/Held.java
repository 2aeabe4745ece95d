/* SPDX-License-Identifier: MIT */
/** A monitor that "holder" owns twice, "enterer" wants, and "waiter" waits on. */
public final class Held {
    static final class Lock {
    }

    static final Lock LOCK = new Lock();

    private Held() {
    }

    private static Thread start(String name, Runnable what) {
        Thread thread = new Thread(what, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void await(Thread thread, Thread.State state)
            throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    private static void hold() {
        synchronized (LOCK) {
            synchronized (LOCK) {
                rest(new Object());
            }
        }
    }

    private static void rest(Object on) {
        synchronized (on) {
            try {
                on.wait();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        await(start("waiter", () -> rest(LOCK)), Thread.State.WAITING);
        await(start("holder", Held::hold), Thread.State.WAITING);
        await(start("enterer", Held::hold), Thread.State.BLOCKED);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(7);
    }
}

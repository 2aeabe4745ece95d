/* SPDX-License-Identifier: MIT */
/**
 * A monitor that "holder" owns twice, "enterer" wants, and "waiter" waits on; and static
 * fields, some of a class that is linked, but not initialized before the end.
 */
public final class Held {
    static final class Lock {
    }

    static final class Idle {
        static int started = 7;
        static boolean known;

        static {
            System.out.println("initialized");
        }
    }

    static final Lock LOCK = new Lock();
    static boolean flag = true;
    static byte small = -2;
    static char letter = 65535;
    static short less = -32768;
    static float half = 1.5f;
    static double quarter = -0.25;
    static String none;

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
        Class<?> idle = Class.forName("Held$Idle", false, Held.class.getClassLoader());
        idle.getDeclaredMethods();
        java.lang.invoke.MethodHandles.lookup().findStaticGetter(idle, "started", int.class);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(7);
    }
}

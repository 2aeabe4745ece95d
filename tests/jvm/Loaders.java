/* SPDX-License-Identifier: MIT */
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Class loaders that are kept by a static field, by a thread, by a ThreadLocal and
 * as they should be. The first three are closed, as those of an application that
 * was stopped. Waits until its standard input ends.
 */
public final class Loaders {
    /** Defined anew by each loader. */
    public static final class Plugin {
        byte[] data = new byte[1000];
    }

    static ClassLoader kept;
    static final ThreadLocal<Object> CONTEXT = new ThreadLocal<>();
    static final List<Object> OPEN = new ArrayList<>();

    private static URLClassLoader make(String name) throws Exception {
        URL classes = Loaders.class.getProtectionDomain().getCodeSource().getLocation();
        ClassLoader parent = ClassLoader.getSystemClassLoader().getParent();

        return new URLClassLoader(name, new URL[] {classes}, parent);
    }

    private static Object plug(ClassLoader loader) throws Exception {
        return loader.loadClass("Loaders$Plugin").getConstructor().newInstance();
    }

    private static void keepByThread(URLClassLoader loader, CountDownLatch ready) {
        Thread thread = new Thread(() -> {
            ready.countDown();
            rest();
        }, "keeper");

        thread.setContextClassLoader(loader);
        thread.setDaemon(true);
        thread.start();
    }

    private static void fillContext() {
        try (URLClassLoader loader = make("local-plugin")) {
            CONTEXT.set(plug(loader));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void keepByLocal(CountDownLatch ready) {
        Thread thread = new Thread(() -> {
            fillContext();
            ready.countDown();
            rest();
        }, "worker");

        thread.setDaemon(true);
        thread.start();
    }

    private static void rest() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void fill(CountDownLatch ready) throws Exception {
        URLClassLoader loader = make("static-plugin");

        plug(loader);
        loader.close();
        kept = loader;
        loader = make("thread-plugin");
        plug(loader);
        loader.close();
        keepByThread(loader, ready);
        keepByLocal(ready);
        OPEN.add(plug(make("open-plugin")));
        URL application = Path.of("shop/WEB-INF/classes").toUri().toURL();
        OPEN.add(plug(new URLClassLoader(new URL[] {application},
                ClassLoader.getSystemClassLoader().getParent())));
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch ready = new CountDownLatch(2);

        fill(ready);
        ready.await();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
    }
}

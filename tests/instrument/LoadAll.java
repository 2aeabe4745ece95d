/* SPDX-License-Identifier: MIT */
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Loads, links, so verifies, and initializes every class of a jar, or of the JDK.
 * Prints what became of each that failed, and at the end how many there were: that
 * must be the same with an agent and without. Many fail by themselves: they need
 * classes that are not there, or a screen.
 *
 *   LoadAll JAR | jrt
 */
public final class LoadAll {
    private static final PrintStream OUT = System.out;
    private static int linked;
    private static int initialized;
    private static int failed;

    private static void say(String name, Throwable e) {
        failed++;
        OUT.println(name + ": " + e.getClass().getName()
            + (e instanceof VerifyError || e.getClass() == ClassFormatError.class
                ? ": " + e.getMessage() : ""));
    }

    private static Class<?> link(String name, ClassLoader loader) {
        try {
            Class<?> c = Class.forName(name, false, loader);
            /* To list its methods, a JVM links a class. */
            c.getDeclaredMethods();
            linked++;
            return c;
        } catch (Throwable e) {
            say(name, e);
            return null;
        }
    }

    /* Initializers are code of methods, too: they run. */
    private static void initialize(Class<?> c) {
        try {
            Class.forName(c.getName(), true, c.getClassLoader());
            initialized++;
        } catch (Throwable e) {
            say("initializing " + c.getName(), e);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean ofJdk = args[0].equals("jrt");
        /* What initializers print is not ours. */
        System.setOut(System.err);
        Map<String, Path> names = new TreeMap<>(ClassNames.of(args[0]));
        ClassLoader loader = ofJdk
            ? ClassLoader.getSystemClassLoader()
            : new URLClassLoader(new URL[] {Path.of(args[0]).toUri().toURL()});
        for (String name : names.keySet()) {
            Class<?> c = link(
                name.substring(0, name.length() - 6).replace('/', '.'), loader);
            if (c != null) {
                initialize(c);
            }
        }
        OUT.println("classes " + names.size() + " linked " + linked
            + " initialized " + initialized + " failed " + failed);
        OUT.flush();
        /* What was initialized may have started threads, and hooks for the end. */
        System.exit(0);
    }
}

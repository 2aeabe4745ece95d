/* SPDX-License-Identifier: MIT */
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Loads and links, so verifies, every class of a jar, or of the JDK, and
 * initializes none. Prints how many there were, and of each kind of failure how
 * many: classes that need others that are not there, for instance. These are the
 * same without an agent; what an agent broke is a VerifyError or ClassFormatError.
 *
 *   LoadAll JAR[:JAR...] | jrt
 */
public final class LoadAll {
    private static final Map<String, Integer> FAILURES = new TreeMap<>();
    private static int linked;

    private static void load(String name, ClassLoader loader) {
        try {
            /* To list its methods, a JVM links a class. */
            Class.forName(name, false, loader).getDeclaredMethods();
            linked++;
        } catch (ClassNotFoundException | LinkageError e) {
            String kind = e.getClass().getSimpleName();
            FAILURES.merge(kind, 1, Integer::sum);
            if (e instanceof VerifyError || e.getClass() == ClassFormatError.class) {
                System.out.println(name + ": " + e);
            }
        }
    }

    private static List<String> namesOfJdk() throws Exception {
        Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        List<String> names = new ArrayList<>();
        try (Stream<Path> all = Files.walk(root)) {
            all.map(p -> root.relativize(p)).filter(p -> p.getNameCount() > 1)
                .map(p -> p.subpath(1, p.getNameCount()).toString())
                .forEach(names::add);
        }
        return names;
    }

    private static List<String> namesOf(String jars) throws Exception {
        List<String> names = new ArrayList<>();
        for (String jar : jars.split(File.pathSeparator)) {
            try (JarFile file = new JarFile(jar)) {
                file.stream().forEach(e -> names.add(e.getName()));
            }
        }
        return names;
    }

    private static ClassLoader loaderOf(String jars) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String jar : jars.split(File.pathSeparator)) {
            urls.add(new File(jar).toURI().toURL());
        }
        return new URLClassLoader(urls.toArray(new URL[0]));
    }

    public static void main(String[] args) throws Exception {
        boolean ofJdk = args[0].equals("jrt");
        List<String> names = ofJdk ? namesOfJdk() : namesOf(args[0]);
        ClassLoader loader = ofJdk ? ClassLoader.getSystemClassLoader() : loaderOf(args[0]);
        Collections.sort(names);
        for (String name : names) {
            if (name.endsWith(".class") && !name.endsWith("-info.class")
                && !name.startsWith("META-INF/")) {
                load(name.substring(0, name.length() - 6).replace('/', '.'), loader);
            }
        }
        System.out.println("linked " + linked + ", failed " + FAILURES);
    }
}

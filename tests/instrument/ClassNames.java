/* SPDX-License-Identifier: MIT */
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.Map;
import java.util.stream.Stream;

/** The class files of a jar, or of the JDK that runs this ("jrt"). */
final class ClassNames {
    private ClassNames() { }

    /** Where each is, by its name, such as "java/lang/Object.class". */
    static Map<String, Path> of(String what) throws Exception {
        return what.equals("jrt") ? ofJdk() : ofJar(Path.of(what));
    }

    private static boolean isWanted(String name) {
        return name.endsWith(".class") && !name.endsWith("-info.class")
            && !name.startsWith("META-INF/");
    }

    private static Map<String, Path> below(Path root, int skipped) throws Exception {
        Map<String, Path> all = new TreeMap<>();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(root)) {
            walk.filter(p -> root.relativize(p).getNameCount() > skipped)
                .forEach(files::add);
        }
        for (Path file : files) {
            Path inside = root.relativize(file);
            String name =
                inside.subpath(skipped, inside.getNameCount()).toString();
            if (isWanted(name)) {
                all.put(name, file);
            }
        }
        return all;
    }

    private static Map<String, Path> ofJdk() throws Exception {
        return below(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules"), 1);
    }

    /* The file system stays open, as its paths are read later. */
    private static Map<String, Path> ofJar(Path jar) throws Exception {
        FileSystem files = FileSystems.newFileSystem(jar, (ClassLoader) null);
        return below(files.getPath("/"), 0);
    }
}

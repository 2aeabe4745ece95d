/* SPDX-License-Identifier: MIT */
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;

/**
 * Has class files rewritten by rewrite-class and all of the results read by javap, in
 * this process: to start a JVM for each would take hours. Exit status 1, and what
 * javap says, if it complains about one, though not about the original, or shows none
 * of the calls.
 *
 *   ReadBack JAR|jrt REWRITE_CLASS DIRECTORY
 */
public final class ReadBack {
    private static final int AT_ONCE = 500;
    private static final ToolProvider JAVAP = ToolProvider.findFirst("javap").orElseThrow();

    /** Keeps nothing but how many lines tell of a call of the tracker's. */
    private static final class Reader extends Writer {
        private final StringBuilder line = new StringBuilder();
        private long calls;
        private String complaint = "";

        @Override
        public void write(char[] text, int from, int count) {
            for (int i = from; i < from + count; i++) {
                if (text[i] == '\n') {
                    read(line.toString());
                    line.setLength(0);
                } else {
                    line.append(text[i]);
                }
            }
        }

        private void read(String one) {
            if (one.contains("invokestatic") && one.contains("HprofTracker")) {
                calls++;
            } else if (one.startsWith("Error:")) {
                complaint = one;
            }
        }

        @Override
        public void flush() { }

        @Override
        public void close() { }
    }

    private static void extract(Map<String, Path> files, Path to) throws Exception {
        for (Map.Entry<String, Path> e : files.entrySet()) {
            Path file = to.resolve("in").resolve(e.getKey());
            Files.createDirectories(file.getParent());
            Files.createDirectories(to.resolve("out").resolve(e.getKey()).getParent());
            Files.write(file, Files.readAllBytes(e.getValue()));
        }
        Files.write(to.resolve("names"), files.keySet());
    }

    private static int rewrite(String program, Path in) throws Exception {
        return new ProcessBuilder(program, in.resolve("out").toString())
            .directory(in.resolve("in").toFile())
            .redirectInput(in.resolve("names").toFile())
            .redirectOutput(in.resolve("said").toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start().waitFor();
    }

    /** What javap says against these, or nothing. */
    private static String complaint(List<String> names, Path folder, Reader reader) {
        List<String> args = new ArrayList<>(List.of("-v", "-p"));
        for (String name : names) {
            args.add(folder.resolve(name).toString());
        }
        PrintWriter to = new PrintWriter(reader);
        reader.complaint = "";
        int status = JAVAP.run(to, to, args.toArray(new String[0]));
        to.flush();
        return reader.complaint.isEmpty() && status != 0 ? "status " + status
            : reader.complaint;
    }

    /** The number of those that javap does not read, but did before. */
    private static int read(List<String> names, Path in, Reader reader) {
        int bad = 0;
        for (int i = 0; i < names.size(); i += AT_ONCE) {
            List<String> some = names.subList(i, Math.min(i + AT_ONCE, names.size()));
            if (complaint(some, in.resolve("out"), reader).isEmpty()) {
                continue;
            }
            for (String name : some) {
                List<String> one = List.of(name);
                String after = complaint(one, in.resolve("out"), new Reader());
                if (!after.equals(complaint(one, in.resolve("in"), new Reader()))) {
                    System.out.println(name + ": " + after);
                    bad++;
                }
            }
        }
        return bad;
    }

    public static void main(String[] args) throws Exception {
        Path to = Path.of(args[2]).toAbsolutePath();
        Map<String, Path> files = ClassNames.of(args[0]);
        Reader reader = new Reader();
        extract(files, to);
        int status = rewrite(args[1], to);
        int bad = status == 0 ? read(new ArrayList<>(files.keySet()), to, reader) : 1;
        List<String> said = Files.readAllLines(to.resolve("said"));
        System.out.println(said.get(said.size() - 1) + "; javap: " + bad + " bad, "
            + reader.calls + " calls");
        System.exit(bad == 0 && reader.calls > 0 ? 0 : 1);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * LoadBench.java - what it costs to load and link a class: processor time of
 * those in java.xml that need no other module, and of those that the JVM has in
 * its archive, in microseconds a class. Prints both.
 */
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

public class LoadBench {
	private static List<String> classesOf(String module) throws Exception {
		Path root = FileSystems.getFileSystem(URI.create("jrt:/"))
			.getPath("/modules/" + module);

		try (Stream<Path> files = Files.walk(root)) {
			return files.map(file -> root.relativize(file).toString())
				.filter(name -> name.matches(".*/[^-]*[.]class"))
				.map(name -> name.substring(0, name.length() - 6)
					.replace('/', '.'))
				.collect(Collectors.toList());
		}
	}

	/* Those that are loaded by most programs, one a line. */
	private static List<String> archived() throws Exception {
		Path list = Paths.get(System.getProperty("java.home"), "lib", "classlist");

		return Files.lines(list).filter(line -> line.matches("[\\w/]+( .*)?"))
			.map(line -> line.replaceAll(" .*", "").replace('/', '.'))
			.collect(Collectors.toList());
	}

	private static double measure(List<String> names) {
		long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();

		for (String name : names)
			try {
				Class.forName(name, false, null).getMethods();
			} catch (ClassNotFoundException | LinkageError e) {
				continue;
			}
		return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
			- start) / 1e3 / names.size();
	}

	public static void main(String[] args) throws Exception {
		List<String> others = classesOf("java.xml"), common = archived();

		System.out.printf("%.1f %.1f %d %d%n", measure(common), measure(others),
				  common.size(), others.size());
	}
}

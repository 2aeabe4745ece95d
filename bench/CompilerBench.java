/* SPDX-License-Identifier: MIT */
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;

/**
 * The heap of a compiler, for make bench: javac with the syntax trees, symbols and types of a program
 * that is made up here. Of all heaps that are often met its objects refer to each other the most.
 *
 * <pre>java CompilerBench MILLIONS DUMP.hprof</pre>
 *
 * Makes about MILLIONS million objects and dumps them.
 */
public final class CompilerBench {
    /** Of source text, measured with JDK 17; with 25 it is about the same. */
    private static final int UNITS_A_MILLION = 64;

    private static final int METHODS = 40;
    private static final String[] TYPES = {"int", "long", "String", "double", "List<String>", "Map<String, Long>"};

    /** A class of the program, from a string. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///made/" + name + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private final Random random = new Random(20);
    private final int units;

    private CompilerBench(int units) {
        this.units = units;
    }

    private String some(String[] list) {
        return list[random.nextInt(list.length)];
    }

    /** Calls a method of some class of the program. */
    private String call(String argument) {
        return "Unit" + random.nextInt(units) + ".number" + random.nextInt(METHODS) + "(" + argument + ")";
    }

    private String expression(int depth) {
        if (depth == 0) {
            return random.nextBoolean() ? "x" : random.nextInt(1000) + "L";
        }
        switch (random.nextInt(5)) {
            case 0:
                return call(expression(depth - 1));
            case 1:
                return "(" + expression(depth - 1) + " > 7 ? " + expression(depth - 1) + " : x)";
            default:
                return "(" + expression(depth - 1) + some(new String[] {" + ", " - ", " * ", " ^ "})
                        + expression(depth - 1) + ")";
        }
    }

    private void addMethod(StringBuilder text, int number) {
        text.append("    static long number").append(number).append("(long x) {\n");
        text.append("        List<Long> all = new ArrayList<>();\n");
        text.append("        for (int i = 0; i < 10; i++) {\n");
        text.append("            long a").append(number).append(" = ").append(expression(3)).append(";\n");
        text.append("            if (a").append(number).append(" > ").append(expression(2)).append(") {\n");
        text.append("                all.add(").append(expression(2)).append(");\n");
        text.append("            }\n        }\n");
        text.append("        return all.stream().filter(y -> y > ").append(random.nextInt(99));
        text.append(").mapToLong(y -> y + x).sum();\n    }\n\n");
    }

    private Source makeUnit(int number) {
        StringBuilder text = new StringBuilder("import java.util.*;\n\n");
        text.append("class Unit").append(number);
        if (number > 0) {
            text.append(" extends Unit").append(random.nextInt(number));
        }
        text.append(" {\n");
        for (int i = 0; i < 12; i++) {
            text.append("    private ").append(some(TYPES)).append(" field").append(i).append(";\n");
        }
        for (int i = 0; i < METHODS; i++) {
            addMethod(text, i);
        }
        return new Source("Unit" + number, text.append("}\n").toString());
    }

    public static void main(String[] arguments) throws Exception {
        int units = (int) Math.ceil(Double.parseDouble(arguments[0]) * UNITS_A_MILLION);
        CompilerBench bench = new CompilerBench(units);
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < units; i++) {
            sources.add(bench.makeUnit(i));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        JavacTask task = (JavacTask) compiler.getTask(complaints, null, null,
                List.of("-proc:none", "-XDshould-stop.ifError=FLOW"), null, sources);
        List<CompilationUnitTree> trees = new ArrayList<>();
        task.parse().forEach(trees::add);
        task.analyze();
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[1], true);
        if (complaints.toString().contains("error")) {
            throw new IllegalStateException(complaints.toString());
        }
        System.out.println(trees.size() + " units, task " + task.getClass().getSimpleName());
    }
}

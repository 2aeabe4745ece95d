/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints the statics of classes of a dump, and the objects behind them, in the
 * very words in which Everything.java prints its own. Objects are numbered as
 * they are met; of classes with another package or outer class, only the name
 * is told, and what boxes and strings hold. Values are bits in hexadecimal. Of
 * classes of the same name, that with the loader of the first class is taken.
 */
final class ShowObjects {
    private final HprofFile file;
    private final String prefix;
    private final Map<Integer, Integer> numbers = new HashMap<>();
    private final List<Integer> met = new ArrayList<>();
    private final StringBuilder out = new StringBuilder();

    private ShowObjects(HprofFile file, String prefix) {
        this.file = file;
        this.prefix = prefix;
    }

    static void show(HprofFile file, List<String> classes) {
        ShowObjects show = new ShowObjects(file, classes.get(0).replaceFirst("\\$.*", ""));

        long loader = -1;
        for (String name : classes) {
            for (HprofFile.Klass klass : file.classes.values()) {
                if (klass.name.equals(name) && (loader == -1 || loader == klass.loader)) {
                    loader = klass.loader;
                    show.showStatics(klass);
                }
            }
        }
        for (int i = 0; i < show.met.size(); i++) {
            show.showObject(show.met.get(i));
        }
        System.out.print(show.out);
    }

    private static List<HprofFile.Field> sorted(List<HprofFile.Field> fields) {
        List<HprofFile.Field> sorted = new ArrayList<>(fields);

        sorted.sort(Comparator.comparing(field -> field.name));
        return sorted;
    }

    private void showStatics(HprofFile.Klass klass) {
        for (HprofFile.Field field : sorted(klass.statics)) {
            if (!field.name.startsWith("<") && !field.name.startsWith("$class$")) {
                out.append("static ").append(klass.name).append('.').append(field.name)
                    .append(" = ").append(value(field.type, field.at)).append('\n');
            }
        }
    }

    private void showObject(int object) {
        out.append('#').append(numbers.get(object)).append(' ')
            .append(PairedDumps.name(file, object));
        if (file.kind(object) != HprofFile.INSTANCE) {
            showElements(object);
            return;
        }
        out.append('\n');
        int place = file.data(object);
        for (HprofFile.Klass k = file.classes.get(file.classOf(object)); k != null;
            k = file.superOf(k)) {
            for (HprofFile.Field field : sorted(k.fields)) {
                if (k.name.startsWith(prefix)) {
                    out.append("  ").append(k.name).append('.').append(field.name)
                        .append(" = ").append(value(field.type, place + field.at))
                        .append('\n');
                }
            }
            place += k.bytes;
        }
        if (place != file.data(object) + file.dataLength(object)) {
            out.append("  the record is as long as ").append(file.dataLength(object))
                .append('\n');
        }
    }

    private void showElements(int array) {
        int type = file.elementType(array);
        int length = file.length(array);
        int hash = 1;

        /* Only a sum tells of the elements of a large array. */
        for (int i = 0; i < length; i++) {
            int place = file.data(array) + i * file.widthOf(type);
            if (length <= 100) {
                out.append(' ').append(value(type, place));
            } else if (type != HprofFile.REFERENCE) {
                hash = 31 * hash + (int) file.value(type, place);
            } else {
                hash = 31 * hash + (file.id(place) == 0 ? 0 : 1);
            }
        }
        out.append(length > 100 ? " sum " + Integer.toHexString(hash) : "").append('\n');
    }

    private String value(int type, int place) {
        if (type != HprofFile.REFERENCE) {
            return HprofFile.TYPES[type] + " " + Long.toHexString(file.value(type, place));
        }
        long id = file.id(place);
        int object = id == 0 ? -1 : file.find(id);
        if (object < 0) {
            return id == 0 ? "null" : "leads nowhere";
        }
        String name = file.describe(object);
        if (file.kind(object) == HprofFile.CLASS) {
            return name;
        }
        if (name.equals("java.lang.Class")) {
            return "class primitive"; /* int and its like have no class dump */
        }
        if (name.equals("java.lang.String")) {
            return quoted(file.text(object));
        }
        if (file.kind(object) == HprofFile.INSTANCE && !name.startsWith(prefix)) {
            return name + boxed(object, name);
        }
        if (!numbers.containsKey(object)) {
            numbers.put(object, numbers.size());
            met.add(object);
        }
        return "#" + numbers.get(object);
    }

    private String boxed(int object, String name) {
        int type = Arrays.asList("", "", "", "", "java.lang.Boolean", "java.lang.Character",
            "java.lang.Float", "java.lang.Double", "java.lang.Byte", "java.lang.Short",
            "java.lang.Integer", "java.lang.Long").indexOf(name);
        return type < 0 ? "" : " " + Long.toHexString(
            file.value(type, file.field(object, "value")));
    }

    /** Plain ASCII. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");

        for (char c : text.toCharArray()) {
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}

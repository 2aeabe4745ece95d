/* SPDX-License-Identifier: MIT */
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Compares the constant-pool entries of the classes in a dump with the class
 * files, as far as they are to be found: at the index of each must be a
 * String or class constant, and the dump must refer to just that one.
 *
 * <pre>java CheckConstants DUMP</pre>
 *
 * Prints how many were right. Exit status 1 if one is not.
 */
public final class CheckConstants {
    private static final int CLASS = 7;
    private static final int STRING = 8;

    private final HprofFile file;
    private int right;
    private int wrong;
    private int added;

    private CheckConstants(HprofFile file) {
        this.file = file;
    }

    /** The constants of a class file: text for Utf8, a number for what refers to one. */
    private static Object[] read(DataInputStream in, int[] tags) throws IOException {
        Object[] values = new Object[tags.length];

        for (int i = 1; i < tags.length; i++) {
            tags[i] = in.readUnsignedByte();
            switch (tags[i]) {
            case 1:
                values[i] = in.readUTF();
                break;
            case 5: /* long and double take two places */
            case 6:
                in.readLong();
                i++;
                break;
            case CLASS:
            case STRING:
            case 16:
            case 19:
            case 20:
                values[i] = in.readUnsignedShort();
                break;
            case 15:
                in.readUnsignedByte();
                in.readUnsignedShort();
                break;
            default:
                in.readInt();
                break;
            }
        }
        return values;
    }

    private void check(HprofFile.Klass klass, DataInputStream in) throws IOException {
        in.readLong(); /* magic number, version */
        int[] tags = new int[in.readUnsignedShort()];
        Object[] values = read(in, tags);

        for (HprofFile.Field entry : klass.constants) {
            int index = Integer.parseInt(entry.name);
            if (index >= tags.length) {
                added++; /* for methods that the JVM makes, which throw an error */
                continue;
            }
            int object = file.find(file.id(entry.at));
            String said = object < 0 ? "nothing" : file.describe(object);
            String meant = null;
            if (tags[index] == STRING) {
                meant = (String) values[(Integer) values[index]];
                said = said.equals("java.lang.String") ? file.text(object) : "not a String";
            } else if (tags[index] == CLASS) {
                meant = "class "
                    + HprofFile.canonical((String) values[(Integer) values[index]]);
            }
            if (said.equals(meant)) {
                right++;
            } else if (wrong++ < 10) {
                System.out.println(klass.name + " constant " + index + ": "
                    + ShowObjects.quoted(said) + ", not "
                    + ShowObjects.quoted(String.valueOf(meant)));
            }
        }
    }

    private int checkAll() throws IOException {
        int classes = 0;

        for (HprofFile.Klass klass : file.classes.values()) {
            String name = klass.name.replace('.', '/') + ".class";
            if (klass.constants.isEmpty()) {
                continue;
            }
            try (InputStream in = ClassLoader.getSystemResourceAsStream(name)) {
                if (in != null) {
                    classes++;
                    check(klass, new DataInputStream(in));
                }
            }
        }
        System.out.println("constants: " + right + " right, " + wrong + " wrong, "
            + added + " added by the JVM, in " + classes + " classes");
        return wrong == 0 ? 0 : 1;
    }

    public static void main(String[] arguments) throws IOException {
        System.exit(new CheckConstants(new HprofFile(arguments[0])).checkAll());
    }
}

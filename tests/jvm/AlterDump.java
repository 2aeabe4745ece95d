/* SPDX-License-Identifier: MIT */
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Changes one thing in a dump of Everything, so that a comparison must find it.
 *
 * <pre>java AlterDump DUMP OUT WHAT</pre>
 */
public final class AlterDump {
    private final HprofFile file;
    private final ByteBuffer out;

    private AlterDump(HprofFile file, ByteBuffer out) {
        this.file = file;
        this.out = out;
    }

    private HprofFile.Klass klass(String name) {
        return file.classes.values().stream().filter(k -> k.name.equals(name))
            .findFirst().orElseThrow(IllegalArgumentException::new);
    }

    /** Where a static of a class within Everything is. */
    private int at(String type, String name) {
        return klass("Everything$" + type).statics.stream()
            .filter(field -> field.name.equals(name))
            .findFirst().orElseThrow(IllegalArgumentException::new).at;
    }

    private int object(String type, String name) {
        return file.find(file.id(at(type, name)));
    }

    private void put(int place, long id) {
        if (file.width == 8) {
            out.putLong(place, id);
        } else {
            out.putInt(place, (int) id);
        }
    }

    private void flip(int place) {
        out.put(place, (byte) (out.get(place) ^ 1));
    }

    /** The place of the first root of a kind on a thread. */
    private int root(int kind) {
        for (int i = file.rootCount - 1; i >= 0; i--) {
            if (file.rootKind[i] == kind && file.rootThread[i] > 1) {
                return file.rootAt[i];
            }
        }
        throw new IllegalArgumentException();
    }

    private void alter(String what) {
        int trailing = object("Arrays", "trailing");

        switch (what) {
        case "static":
            flip(at("Statics", "byteMost"));
            break;
        case "value":
            flip(file.field(object("Hierarchies", "values"), "charMost"));
            break;
        case "shadowed":
            /* The x of Base, which those of its subclasses hide. */
            flip(file.data(object("Hierarchies", "deep"))
                + file.dataLength(object("Hierarchies", "deep"))
                - klass("Everything$Base").bytes);
            break;
        case "element":
            flip(file.data(object("Arrays", "manyBytes")) + 1_500_000);
            break;
        case "string":
            flip(file.data(file.get(object("Strings", "pair"), "value")));
            break;
        case "null":
            put(file.data(trailing) + file.width, 0);
            break;
        case "another":
            /* Of the same class and content. */
            put(at("Hierarchies", "empty"), file.id(at("References", "kept")));
            break;
        case "dangling":
            put(file.at[trailing] + 1, 0x12345);
            break;
        case "super":
            put(file.at[klass("Everything$Leaf").object] + 5 + file.width,
                file.ids[klass("Everything$Base").object]);
            break;
        case "loader":
            put(file.at[klass("Everything$Leaf").object] + 5 + 2 * file.width, 0);
            break;
        case "frame":
            flip(root(0x03) + 8 + file.width);
            break;
        case "frame root":
            out.put(root(0x03), (byte) 0x02);
            break;
        case "thread":
            put(root(0x08) + 1, file.id(at("References", "kept")));
            break;
        default:
            throw new IllegalArgumentException(what);
        }
    }

    public static void main(String[] arguments) throws IOException {
        byte[] bytes = Files.readAllBytes(Path.of(arguments[0]));

        new AlterDump(new HprofFile(arguments[0]), ByteBuffer.wrap(bytes)).alter(arguments[2]);
        Files.write(Path.of(arguments[1]), bytes);
    }
}

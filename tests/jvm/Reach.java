/* SPDX-License-Identifier: MIT */
import java.util.Arrays;

/**
 * What can be reached in a dump from its roots and classes. With hidden, also
 * through statics that only the JVM knows, like <resolved_references>.
 */
final class Reach {
    private final HprofFile file;
    private final boolean[] reached;
    private int[] stack = new int[1 << 12];
    private int top;

    Reach(HprofFile file, boolean hidden) {
        this.file = file;
        reached = new boolean[file.count];
        addClasses(hidden);
        for (int i = 0; i < file.rootCount; i++) {
            add(file.rootId[i]);
        }
        while (top > 0) {
            addReferences(stack[--top]);
        }
    }

    boolean reached(int object) {
        return reached[object];
    }

    private void add(long id) {
        int object = id == 0 ? -1 : file.find(id);

        if (object < 0 || reached[object]) {
            return;
        }
        reached[object] = true;
        if (top == stack.length) {
            stack = Arrays.copyOf(stack, 2 * top);
        }
        stack[top++] = object;
    }

    private void addClasses(boolean hidden) {
        for (HprofFile.Klass klass : file.classes.values()) {
            add(file.ids[klass.object]);
            add(klass.loader);
            add(klass.signers);
            add(klass.domain);
            for (HprofFile.Field field : klass.statics) {
                if (field.type == HprofFile.REFERENCE
                    && (hidden || !field.name.startsWith("<"))) {
                    add(file.id(field.at));
                }
            }
            for (HprofFile.Field field : klass.constants) {
                add(file.id(field.at));
            }
        }
    }

    private void addReferences(int object) {
        int kind = file.kind(object);

        if (kind == HprofFile.INSTANCE) {
            for (HprofFile.Field field : file.layout(file.classOf(object))) {
                if (field.type == HprofFile.REFERENCE) {
                    add(file.id(file.data(object) + field.at));
                }
            }
        } else if (kind == HprofFile.OBJECTS) {
            for (int i = 0; i < file.length(object); i++) {
                add(file.id(file.data(object) + i * file.width));
            }
        }
    }
}

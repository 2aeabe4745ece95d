/* SPDX-License-Identifier: MIT */
import java.io.File;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.graalvm.visualvm.lib.jfluid.heap.FieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.GCRoot;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.HeapSummary;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;
import org.graalvm.visualvm.lib.jfluid.heap.JavaClass;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ObjectFieldValue;
import org.graalvm.visualvm.lib.jfluid.heap.PrimitiveArrayInstance;
import org.graalvm.visualvm.lib.jfluid.heap.ThreadObjectGCRoot;

/**
 * Opens a dump with VisualVM's library and prints all that it sees: classes
 * with static fields, roots, stacks, and a sum over every value of every
 * object. The same text for two dumps means that they say the same.
 */
public class OpenDump {
    static long sum;

    static void add(long value) {
        sum = 31 * sum + value;
    }

    static void add(FieldValue field) {
        add(field.getField().getName().hashCode());
        if (field instanceof ObjectFieldValue) {
            Instance to = ((ObjectFieldValue) field).getInstance();
            add(to == null ? 0 : to.getInstanceId());
        } else {
            add(field.getValue().hashCode());
        }
    }

    static void add(Instance instance) {
        add(instance.getInstanceId());
        add(instance.getJavaClass().getJavaClassId());
        if (instance instanceof ObjectArrayInstance) {
            for (Instance to : ((ObjectArrayInstance) instance).getValues()) {
                add(to == null ? 0 : to.getInstanceId());
            }
        } else if (instance instanceof PrimitiveArrayInstance) {
            add(((PrimitiveArrayInstance) instance).getValues().hashCode());
        } else {
            for (FieldValue field : instance.getFieldValues()) {
                add(field);
            }
        }
    }

    static void print(JavaClass type) {
        System.out.println(type.getJavaClassId() + " " + type.getName()
            + " super " + (type.getSuperClass() == null
                ? "-" : type.getSuperClass().getName())
            + " count " + type.getInstancesCount()
            + " bytes " + type.getAllInstancesSize());
        for (FieldValue field : type.getStaticFieldValues()) {
            Object value = field.getValue();
            if (field instanceof ObjectFieldValue) {
                Instance to = ((ObjectFieldValue) field).getInstance();
                value = to == null ? null : "@" + to.getInstanceId();
            }
            System.out.println("  static " + field.getField().getName()
                + " = " + value);
        }
    }

    static void printRoots(Heap heap) {
        Map<String, Integer> kinds = new TreeMap<>();
        List<String> stacks = new ArrayList<>();

        for (GCRoot root : heap.getGCRoots()) {
            kinds.merge(root.getKind(), 1, Integer::sum);
            add(root.getInstance() == null
                ? 0 : root.getInstance().getInstanceId());
            if (root instanceof ThreadObjectGCRoot) {
                StackTraceElement[] stack =
                    ((ThreadObjectGCRoot) root).getStackTrace();
                if (stack != null) {
                    for (StackTraceElement frame : stack) {
                        stacks.add("  at " + frame);
                    }
                }
            }
        }
        System.out.println("roots " + kinds);
        stacks.forEach(System.out::println);
    }

    public static void main(String[] arguments) throws Exception {
        Heap heap = HeapFactory.createHeap(new File(arguments[0]));
        HeapSummary summary = heap.getSummary();

        System.out.println("instances " + summary.getTotalLiveInstances()
            + " bytes " + summary.getTotalLiveBytes()
            + " time " + summary.getTime());
        heap.getAllClasses().stream()
            .sorted((a, b) -> Long.compareUnsigned(
                a.getJavaClassId(), b.getJavaClassId()))
            .forEach(OpenDump::print);
        printRoots(heap);
        Iterator<Instance> all = heap.getAllInstancesIterator();
        while (all.hasNext()) {
            add(all.next());
        }
        System.out.printf("sum %016x%n", sum);
    }
}

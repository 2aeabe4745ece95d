/* SPDX-License-Identifier: MIT */
import java.lang.management.ManagementFactory;
import java.util.Random;

import com.sun.management.HotSpotDiagnosticMXBean;

/**
 * The worst case for programs that read heaps, for make bench: each object refers to three others at
 * random places, so that following a reference misses all caches.
 *
 * <pre>java RandomBench MILLIONS DUMP.hprof</pre>
 */
public final class RandomBench {
    static final class Node {
        Node first;
        Node second;
        Node third;
    }

    static Node[] all;

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(20);
        Node[] nodes = new Node[(int) (Double.parseDouble(arguments[0]) * 1e6)];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = new Node();
        }
        for (Node node : nodes) {
            node.first = nodes[random.nextInt(nodes.length)];
            node.second = nodes[random.nextInt(nodes.length)];
            node.third = nodes[random.nextInt(nodes.length)];
        }
        all = new Node[] {nodes[0]};
        nodes = null;
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpHeap(arguments[1], true);
        System.out.println("random objects, dumped from the first");
    }
}

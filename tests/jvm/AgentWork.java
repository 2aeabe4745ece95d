// SPDX-License-Identifier: MIT
import java.util.ArrayList;
import java.util.List;

/*
 * What the agents of doc/examples/agents are tried with. "time": calls of step
 * that are known. "spin": uses the CPU in one method until it has used 1 s.
 * "objects": makes objects in make, and keeps some of them.
 */
public class AgentWork {
	static int sum;

	static void step(int i) throws InterruptedException {
		if (i % 100 == 0)
			throw new IllegalStateException();
		if (i == 7)
			Thread.sleep(30);
		sum += i;
	}

	static void time() throws InterruptedException {
		for (int i = 1; i <= 1000; i++)
			try {
				step(i);
			} catch (IllegalStateException e) {
				sum++;
			}
	}

	static int spin() {
		int x = 1;
		for (int i = 0; i < 1000000; i++)
			x = x * 31 + 7;
		return x;
	}

	static void spinLong() {
		var threads = java.lang.management.ManagementFactory
				.getThreadMXBean();
		long end = threads.getCurrentThreadCpuTime() + 1000000000L;
		while (threads.getCurrentThreadCpuTime() < end)
			sum += spin();
	}

	static class Kept {
		long a, b;
	}

	static class Dropped {
		long a, b, c, d;
	}

	static final List<Object> kept = new ArrayList<>();

	static void make(int i) {
		kept.add(new Kept());
		for (int n = 0; n < 3; n++)
			sum += new Dropped().hashCode();
	}

	static void objects() {
		for (int round = 0; round < 5; round++) {
			for (int i = 0; i < 100; i++)
				make(i);
			System.gc();
		}
	}

	public static void main(String[] args) throws Exception {
		switch (args[0]) {
		case "time":
			time();
			break;
		case "spin":
			spinLong();
			break;
		default:
			objects();
		}
	}
}

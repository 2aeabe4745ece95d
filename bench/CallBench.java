/* SPDX-License-Identifier: MIT */
/*
 * CallBench.java - what a call costs: processor time of recursive calls and of
 * calls in a loop, the least of five rounds, in nanoseconds a call.
 *
 * CallBench N: fib(N), and as many calls in the loop.
 */
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class CallBench {
	private static final ThreadMXBean threads =
		ManagementFactory.getThreadMXBean();
	private static int sum; /* so that nothing is left out */

	static int fib(int n) {
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
	}

	static int leaf(int x) {
		return x * 31 + 7;
	}

	static void loop(long calls) {
		for (long i = 0; i < calls; i++)
			sum = leaf(sum);
	}

	static double measure(long calls, Runnable work) {
		long least = Long.MAX_VALUE;

		for (int round = 0; round < 5; round++) {
			long start = threads.getCurrentThreadCpuTime();
			work.run();
			least = Math.min(least,
					 threads.getCurrentThreadCpuTime() -
						 start);
		}
		return (double)least / calls;
	}

	public static void main(String[] args) {
		int n = Integer.parseInt(args[0]);
		long calls = 1, before = 1;

		for (int i = 2; i <= n; i++) {
			long next = calls + before + 1;
			before = calls;
			calls = next;
		}
		long all = calls;
		System.out.printf("%.2f %.2f%n",
				  measure(all, () -> sum += fib(n)),
				  measure(all, () -> loop(all)));
	}
}

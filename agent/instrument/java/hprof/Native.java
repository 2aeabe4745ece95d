/* SPDX-License-Identifier: MIT */
package hprof;

/*
 * The tracker's native methods. This class belongs to no module of the JDK: for
 * one that does, the JVM would print a warning when an agent registers natives.
 */
public final class Native {
	private Native() {
	}

	/* Of the thread that calls it, in nanoseconds. */
	public static native long processorTime();

	public static native long threadSerial();
}

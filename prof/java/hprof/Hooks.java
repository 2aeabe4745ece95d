/* SPDX-License-Identifier: MIT */
package hprof;

/*
 * The native side of hooks. This class belongs to no module of the JDK: for one
 * that does, the JVM would print a warning when an agent registers natives.
 */
public final class Hooks {
	private Hooks() {
	}

	public static native void enter(Thread thread, int place);

	public static native void exit(Thread thread, int place);
}

/* SPDX-License-Identifier: MIT */
package java.lang;

import hprof.Hooks;

/*
 * What intercepted methods call. It is in java.lang, since every module reads
 * java.base and every class loader asks for java.* there. The thread is an
 * intrinsic here, and costs nothing; native code would have to ask for it.
 */
public final class HprofHooks {
	private HprofHooks() {
	}

	public static void enter(int place) {
		Hooks.enter(Thread.currentThread(), place);
	}

	public static void exit(int place) {
		Hooks.exit(Thread.currentThread(), place);
	}
}

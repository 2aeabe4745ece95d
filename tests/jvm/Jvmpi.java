// SPDX-License-Identifier: MIT
import java.util.function.IntUnaryOperator;

/*
 * Does what the agent of jvmpi_agent.c, whose path is the argument, is to be told of,
 * and waits for it: a thread, a class whose method is compiled and then unloaded, a
 * call of an object, a sleep. Then it says "ready", and ends with its input.
 */
public final class Jvmpi {
	// The order of jvmpi_agent.c.
	static final int THREAD_END = 1, COMPILED_LOAD = 2, COMPILED_UNLOAD = 3,
		CLASS_HOOK = 4;

	static native long told(int kind);

	static volatile int sum;

	static final class Receiver {
		int go(int x)
		{
			return x + 1;
		}
	}

	public static final class Compiled implements IntUnaryOperator {
		public int applyAsInt(int x)
		{
			int all = 0;
			for (int i = 0; i < 100; i++)
				all += compiledMethod(x + i);
			return all;
		}
		static int compiledMethod(int x)
		{
			return x * 31 % 1009;
		}
	}

	static final class Loader extends ClassLoader {
		Class<?> define() throws Exception
		{
			try (var in = Jvmpi.class.getResourceAsStream(
				"Jvmpi$Compiled.class")) {
				byte[] bytes = in.readAllBytes();
				return defineClass("Jvmpi$Compiled", bytes, 0, bytes.length);
			}
		}
	}

	static void compile() throws Exception
	{
		IntUnaryOperator work = (IntUnaryOperator)new Loader().define()
			.getDeclaredConstructor().newInstance();

		while (told(COMPILED_LOAD) == 0)
			sum += work.applyAsInt(sum);
	}

	public static void main(String[] args) throws Exception
	{
		System.load(args[0]);
		Thread known = new Thread(() -> sum++, "known");
		known.start();
		known.join();
		while (told(THREAD_END) == 0)
			Thread.onSpinWait();
		sum += new Receiver().go(1);
		Thread.sleep(1);
		compile();
		while (told(COMPILED_UNLOAD) == 0) {
			System.gc();
			sum += new int[1000].length;
		}
		System.out.println("ready");
		while (System.in.read() >= 0)
			sum++;
	}
}

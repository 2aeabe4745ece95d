// SPDX-License-Identifier: MIT
// 100 objects each live through 0, 1, 2, 3, 4, 8 and 9 collections, and 100 stay.
import java.util.ArrayList;
import java.util.List;

public final class KnownLives {
	static final class Kept { long a, b; }

	static final int[] LIVES = { 0, 1, 2, 3, 4, 8, 9 };
	static final int EACH = 100;
	static Object sink;
	static final List<Kept> stay = new ArrayList<>();

	static Kept makeKept()
	{
		return new Kept();
	}

	// The ends of a collection are told at the next allocation.
	static void collect()
	{
		System.gc();
		sink = new byte[16];
	}

	static List<Kept> makeList()
	{
		List<Kept> list = new ArrayList<>();
		for (int j = 0; j < EACH; j++)
			list.add(makeKept());
		return list;
	}

	public static void main(String[] args)
	{
		List<List<Kept>> held = new ArrayList<>();

		collect();
		for (int life : LIVES)
			held.add(makeList());
		stay.addAll(makeList());
		for (int passed = 0; passed <= 9; passed++) {
			for (int i = 0; i < LIVES.length; i++)
				if (LIVES[i] == passed)
					held.set(i, null);
			collect();
		}
		// Garbage that is still there at the end.
		for (int j = 0; j < EACH; j++)
			sink = makeKept();
		sink = null;
		System.out.println("end");
	}
}

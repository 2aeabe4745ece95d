/* SPDX-License-Identifier: MIT */
/*
 * Wasteful.java - wastes memory, so much of each kind, in classes of its own.
 * Prints what hprof-stat --waste must say of these, one line for each kind:
 *
 *     kind class objects bytes saved holder.field
 *
 * Bytes are those of a 64-bit JVM with compressed references and headers of 12
 * bytes. Then waits.
 */
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

public class Wasteful {
	static final Object[] KEYS = new Object[1000];
	static final Object[] ALL = new Object[5000];
	static int count;

	static class Named { String name; }
	static class Shared { String shared; }
	static class Raw { byte[] raw; }
	static class Both { String both; }
	static class Wide { String wide; }
	static class Bytes { int[] equal; }
	static class Boxed { Object box; }
	static class Unused { Object unused; }
	static class Emptied { Object emptied; }
	static class Single { Object single; }
	static class Small { Object small; }
	static class Sparse { Object sparse; }
	static class Colliding { Object map; }
	static class Weak { Object weak; }
	static class Empty { Plain[] empty; }
	static class One { Plain[] one; }
	static class Nulls { Plain[] nulls; }
	static class Rows { int[][] rows; }
	static class Zeros { long[] zeros; }
	static class Tails { int[] tail; }
	static class Ports { int[] ports; }
	static class Ticks { long[] ticks; }
	static class Never { Object never1, never2, never3; int number; }
	static class Counts { long ticks; int port; short code; }
	static class Fine { Object fine; }
	static class Plain { int number = 1; }

	/* All keys in one bucket. */
	static class Bad {
		public int hashCode()
		{
			return 7;
		}
	}

	static class Back { Object key; }

	static <T> T keep(T object)
	{
		ALL[count++] = object;
		return object;
	}

	static long align(long bytes)
	{
		return (bytes + 7) / 8 * 8;
	}

	static long array(long length, int width)
	{
		return align(16 + length * width);
	}

	static void expect(String kind, String type, long objects, long bytes,
			   long saved, String holder)
	{
		System.out.println(kind + " " + type + " " + objects + " "
				   + objects * bytes + " " + objects * saved
				   + " " + holder);
	}

	static void expect(String kind, String type, long objects, long bytes,
			   String holder)
	{
		expect(kind, type, objects, bytes, bytes, holder);
	}

	/* No literal, which would be one more of them. */
	static String text(int number, int length)
	{
		StringBuilder text = new StringBuilder();

		for (int i = 0; i < length; i++)
			text.append((char)('a' + (number + i * i) % 26));
		return text.append(number).toString();
	}

	/* As it was before JEP 254: two bytes for each character. */
	static String widen(String narrow) throws Exception
	{
		String wide = new String(narrow.toCharArray());
		Field value = String.class.getDeclaredField("value");
		Field coder = String.class.getDeclaredField("coder");
		byte[] bytes = narrow.getBytes("UTF-16LE");

		value.setAccessible(true);
		coder.setAccessible(true);
		value.set(wide, bytes);
		coder.set(wide, (byte)1);
		return wide;
	}

	static void strings() throws Exception
	{
		String whole = text(1000, 40);

		for (int i = 0; i < 100; i++)
			keep(new Named()).name = text(17, 30);
		expect("equal_strings", "java.lang.String", 99,
		       24 + array(32, 1), "Wasteful$Named.name");
		/* new String(String) shares the array. */
		for (int i = 0; i < 10; i++)
			keep(new Shared()).shared =
				i == 0 ? whole : new String(whole);
		expect("equal_strings", "java.lang.String", 9, 24,
		       "Wasteful$Shared.shared");
		/* An array that something else refers to first, as paths do. */
		Raw raw = keep(new Raw());

		for (int i = 0; i < 2; i++)
			keep(new Both()).both = text(21, 30);
		Field value = String.class.getDeclaredField("value");

		value.setAccessible(true);
		raw.raw = (byte[])value.get(((Both)ALL[count - 2]).both);
		expect("equal_strings", "java.lang.String", 1,
		       24 + array(32, 1), "Wasteful$Both.both");
		for (int i = 0; i < 20; i++)
			keep(new Wide()).wide = widen(text(2000 + i, 36));
		expect("high_bytes", "java.lang.String", 20, array(80, 1),
		       array(80, 1) - array(40, 1), "Wasteful$Wide.wide");
	}

	static void numbers()
	{
		for (int i = 0; i < 50; i++)
			keep(new Bytes()).equal =
				new int[] { 5, 4, 3, 2, 1, 77, 88, 99 };
		expect("equal_arrays", "int[]", 49, array(8, 4),
		       "Wasteful$Bytes.equal");
		expect("wide_arrays", "int[]", 1, array(8, 4),
		       array(8, 4) - array(8, 1), "Wasteful$Bytes.equal");
		for (int i = 0; i < 200; i++)
			keep(new Boxed()).box = Integer.valueOf(100000 + i);
		expect("boxes", "java.lang.Integer", 200, 16,
		       "Wasteful$Boxed.box");
		for (int i = 0; i < 60; i++)
			keep(new Boxed()).box = Double.valueOf(i + 0.5);
		expect("boxes", "java.lang.Double", 60, 24,
		       "Wasteful$Boxed.box");
		for (int i = 0; i < 4; i++)
			keep(new Zeros()).zeros = new long[1000];
		/* Three of them are equal arrays: no byte counts twice. */
		expect("equal_arrays", "long[]", 3, array(1000, 8),
		       "Wasteful$Zeros.zeros");
		expect("zero_arrays", "long[]", 1, array(1000, 8),
		       array(1000, 8) - 16, "Wasteful$Zeros.zeros");
		for (int i = 0; i < 6; i++) {
			int[] tail = keep(new Tails()).tail = new int[200];

			tail[0] = i + 1;
		}
		expect("zero_tails", "int[]", 6, array(200, 4),
		       array(200, 4) - array(1, 4), "Wasteful$Tails.tail");
		for (int i = 0; i < 3; i++) {
			int[] ports = keep(new Ports()).ports = new int[50];

			Arrays.fill(ports, -8080 - i);
		}
		expect("wide_arrays", "int[]", 3, array(50, 4),
		       array(50, 4) - array(50, 2), "Wasteful$Ports.ports");
		/* So long that it is not read at once; only the last one is large. */
		long[] ticks = keep(new Ticks()).ticks = new long[1000000];

		Arrays.fill(ticks, 1);
		ticks[ticks.length - 1] = 1 << 20;
		expect("wide_arrays", "long[]", 1, array(1000000, 8),
		       array(1000000, 8) - array(1000000, 4),
		       "Wasteful$Ticks.ticks");
	}

	static List<Object> list(int capacity, int size)
	{
		List<Object> list = new ArrayList<>(capacity);

		for (int i = 0; i < size; i++)
			list.add(KEYS[i]);
		return list;
	}

	static Map<Object, Object> map(int size)
	{
		Map<Object, Object> map = new HashMap<>();

		for (int i = 0; i < size; i++)
			map.put(KEYS[i], KEYS[i]);
		return map;
	}

	static void fewElements()
	{
		for (int i = 0; i < 30; i++)
			keep(new Unused()).unused = new ArrayList<Object>();
		expect("unused_collections", "java.util.ArrayList", 30, 24,
		       "Wasteful$Unused.unused");
		for (int i = 0; i < 11; i++)
			keep(new Unused()).unused = new HashMap<Object, Object>();
		expect("unused_collections", "java.util.HashMap", 11, 48,
		       "Wasteful$Unused.unused");
		for (int i = 0; i < 25; i++) {
			List<Object> list = list(10, 7);

			list.clear();
			keep(new Emptied()).emptied = list;
		}
		expect("emptied_collections", "java.util.ArrayList", 25,
		       24 + array(10, 4), "Wasteful$Emptied.emptied");
		for (int i = 0; i < 15; i++)
			keep(new Single()).single = map(1);
		expect("single_collections", "java.util.HashMap", 15,
		       48 + array(16, 4) + 32,
		       48 + array(16, 4) + 32 - array(2, 4),
		       "Wasteful$Single.single");
		for (int i = 0; i < 12; i++)
			keep(new Small()).small = list(10, 3);
		expect("small_collections", "java.util.ArrayList", 12,
		       24 + array(10, 4), 24 + array(10, 4) - array(3, 4),
		       "Wasteful$Small.small");
		/* The set and its map are one. */
		for (int i = 0; i < 9; i++)
			keep(new Small()).small = new HashSet<>(list(4, 4));
		expect("small_collections", "java.util.HashSet", 9,
		       16 + 48 + array(16, 4) + 4 * 32,
		       16 + 48 + array(16, 4) + 4 * 32 - array(4, 4),
		       "Wasteful$Small.small");
	}

	static void manyElements()
	{
		for (int i = 0; i < 5; i++)
			keep(new Sparse()).sparse = list(1000, 10);
		expect("sparse_collections", "java.util.ArrayList", 5,
		       24 + array(1000, 4), array(1000, 4) - array(10, 4),
		       "Wasteful$Sparse.sparse");
		for (int i = 0; i < 2; i++) {
			Map<Object, Object> map = new HashMap<>();

			for (int k = 0; k < 64; k++)
				map.put(new Bad(), KEYS[k]);
			keep(new Colliding()).map = map;
		}
		expect("collisions", "java.util.HashMap", 2, 48, 0,
		       "Wasteful$Colliding.map");
		for (int i = 0; i < 3; i++) {
			Map<Object, Object> map = new WeakHashMap<>();

			for (int k = 0; k < 10; k++) {
				Back back = new Back();

				back.key = new Plain();
				map.put(back.key, back);
			}
			keep(new Weak()).weak = map;
		}
		expect("weak_maps", "java.util.WeakHashMap", 3, 48, 0,
		       "Wasteful$Weak.weak");
		/* Nothing to find here. */
		keep(new Fine()).fine = list(100, 90);
		keep(new Fine()).fine = map(100);
		keep(new Fine()).fine = new ArrayDeque<>(list(15, 15));
	}

	static void arrays()
	{
		for (int i = 0; i < 40; i++)
			keep(new Empty()).empty = new Plain[0];
		expect("empty_arrays", "Wasteful$Plain[]", 39, 16,
		       "Wasteful$Empty.empty");
		for (int i = 0; i < 21; i++)
			keep(new One()).one = new Plain[1];
		expect("single_arrays", "Wasteful$Plain[]", 21, array(1, 4),
		       "Wasteful$One.one");
		for (int i = 0; i < 7; i++) {
			Plain[] nulls = keep(new Nulls()).nulls =
				new Plain[100];

			for (int k = 0; k < 10; k++)
				nulls[k * 3] = new Plain();
		}
		expect("null_arrays", "Wasteful$Plain[]", 7, array(100, 4),
		       array(100, 4) - array(10, 4), "Wasteful$Nulls.nulls");
		int[][] rows = keep(new Rows()).rows = new int[100][];

		for (int i = 0; i < rows.length; i++)
			rows[i] = new int[] { i, -i - 1 };
		expect("short_rows", "int[][]", 1,
		       array(100, 4) + 100 * array(2, 4), 100 * 16,
		       "Wasteful$Rows.rows");
		for (int i = 0; i < 50; i++)
			keep(new Never()).number = i;
		expect("null_fields", "Wasteful$Never", 50, align(12 + 3 * 4 + 4),
		       8, "-");
		for (int i = 0; i < 50; i++) {
			Counts counts = keep(new Counts());

			counts.ticks = i - 100;
			counts.port = 30000 + i;
			counts.code = (short)(i * 100);
		}
		expect("wide_fields", "Wasteful$Counts", 50,
		       align(12 + 8 + 4 + 2), 8, "-");
	}

	public static void main(String[] args) throws Exception
	{
		for (int i = 0; i < KEYS.length; i++)
			KEYS[i] = new Plain();
		strings();
		numbers();
		fewElements();
		manyElements();
		arrays();
		System.out.println("ready");
		System.in.read();
	}
}

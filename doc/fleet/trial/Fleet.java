// SPDX-License-Identifier: MIT
import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A service of a fleet: works for some days and leaves a heap dump of each.
 * A day takes no time. What a version keeps by mistake is in the table below, so
 * that it is known how many objects each dump has.
 *
 * Usage: Fleet FOLDER SERVICE VERSION HOST FIRST_DAY DAYS
 *
 * Prints a line for each dump and class: its path below the folder, the class, and
 * how many instances there are.
 */
public class Fleet {
	/** What services work with; all are kept somewhere for a while. */
	static class Item {
		final long number;
		final byte[] content;

		Item(long number, int bytes) {
			this.number = number;
			content = new byte[bytes];
			for (int i = 0; i < bytes; i += 16)
				content[i] = (byte) (number * 31 + i);
		}
	}

	static class Session extends Item {
		Session(long number) {
			super(number, 1000);
		}
	}

	static class Attachment extends Item {
		Attachment(long number) {
			super(number, 8000);
		}
	}

	static class Invoice extends Item {
		Invoice(long number) {
			super(number, 500);
		}
	}

	static class Document extends Item {
		Document(long number) {
			super(number, 100);
		}
	}

	interface Maker {
		Item make(long number);
	}

	/** How a version of a service treats its items. */
	static class Conduct {
		final Maker maker;
		/** New ones of a day, and how many of these are never let go. */
		final int perDay, leaked;

		Conduct(Maker maker, int perDay, int leaked) {
			this.maker = maker;
			this.perDay = perDay;
			this.leaked = leaked;
		}
	}

	static final Map<String, Conduct> CONDUCT = new HashMap<>();

	static {
		CONDUCT.put("shop 1.0", new Conduct(Session::new, 800, 0));
		CONDUCT.put("shop 1.1", new Conduct(Session::new, 800, 350));
		CONDUCT.put("mail 1.0", new Conduct(Attachment::new, 50, 30));
		CONDUCT.put("mail 1.1", new Conduct(Attachment::new, 50, 30));
		CONDUCT.put("billing 1.0", new Conduct(Invoice::new, 500, 500));
		CONDUCT.put("billing 1.1", new Conduct(Invoice::new, 500, 0));
		CONDUCT.put("search 1.0", new Conduct(Document::new, 2000, 0));
		CONDUCT.put("search 1.1", new Conduct(Document::new, 2000, 0));
	}

	/** Items of today; yesterday's are gone. */
	static final ArrayDeque<Item> today = new ArrayDeque<>();
	/** What nobody removes: the leak. */
	static final Map<Long, Item> registry = new HashMap<>();
	static long made;

	static void work(Conduct conduct) {
		today.clear();
		for (int i = 0; i < conduct.perDay; i++) {
			Item item = conduct.maker.make(made++);
			today.add(item);
			if (i < conduct.leaked)
				registry.put(item.number, item);
		}
	}

	static void dump(Path file) throws IOException {
		Files.createDirectories(file.getParent());
		ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
			.dumpHeap(file.toString(), true);
	}

	public static void main(String[] args) throws IOException {
		Path folder = Path.of(args[0]).toAbsolutePath();
		Conduct conduct = CONDUCT.get(args[1] + " " + args[2]);
		LocalDate first = LocalDate.parse(args[4]);
		int days = Integer.parseInt(args[5]);

		for (int day = 0; day < days; day++) {
			String path = "service=" + args[1] + "/version=" + args[2]
				+ "/date=" + first.plusDays(day) + "/" + args[3] + ".hprof";

			work(conduct);
			dump(folder.resolve(path));
			// Those of today that leak are in both places, but once.
			System.out.println(path + " " + today.peek().getClass().getName()
				+ " " + (conduct.perDay + (long) conduct.leaked * day));
		}
	}
}

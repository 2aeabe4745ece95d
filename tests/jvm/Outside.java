/* SPDX-License-Identifier: MIT */
/*
 * Outside.java - memory outside of the heap: buffers of known sizes, and views
 * that share them. Prints what the JVM itself counts of them, then waits.
 */
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Outside {
	static final List<Object> VIEWS = new ArrayList<>();
	static final List<ByteBuffer> BUFFERS = new ArrayList<>();
	static final Inflater[] INFLATERS = new Inflater[40];
	static final Deflater[] DEFLATERS = new Deflater[7];
	static MappedByteBuffer mapped;
	static Object segments;

	static void makeBuffers()
	{
		for (int i = 1; i <= 50; i++) {
			ByteBuffer buffer = ByteBuffer.allocateDirect(1000 * i);

			BUFFERS.add(buffer);
			VIEWS.add(buffer.duplicate());
			VIEWS.add(buffer.slice());
			VIEWS.add(buffer.asLongBuffer());
			VIEWS.add(buffer.asReadOnlyBuffer());
		}
	}

	static void makeZips()
	{
		for (int i = 0; i < INFLATERS.length; i++)
			INFLATERS[i] = new Inflater();
		for (int i = 0; i < DEFLATERS.length; i++)
			DEFLATERS[i] = new Deflater();
		INFLATERS[0].end();
		DEFLATERS[0].end();
	}

	static void map() throws Exception
	{
		try (FileChannel file = FileChannel.open(
			     Path.of("mapped.file"), StandardOpenOption.CREATE,
			     StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			mapped = file.map(FileChannel.MapMode.READ_WRITE, 0,
					  300000);
		}
	}

	static void makeSegments()
	{
		//22 var arena = java.lang.foreign.Arena.ofShared();
		//22 var closed = java.lang.foreign.Arena.ofShared();
		//22 var whole = arena.allocate(700000, 8);
		//22 var gone = closed.allocate(900000, 8);
		//22 closed.close();
		//22 segments = new Object[] { whole, whole.asSlice(8, 1000),
		//22	whole.asSlice(699000), gone, whole.asByteBuffer() };
	}

	static void sleep()
	{
		try {
			Thread.sleep(Long.MAX_VALUE);
		} catch (InterruptedException e) {
			return;
		}
	}

	public static void main(String[] args) throws Exception
	{
		Thread thread = new Thread(null, Outside::sleep, "deep", 3 << 20);

		makeBuffers();
		makeZips();
		map();
		makeSegments();
		thread.setDaemon(true);
		thread.start();
		for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(
			     BufferPoolMXBean.class))
			System.out.println("pool " + pool.getName() + " "
					   + pool.getCount() + " "
					   + pool.getMemoryUsed());
		System.out.println("ready");
		System.in.read();
	}
}

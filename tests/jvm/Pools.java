// SPDX-License-Identifier: MIT
// Pools of direct buffers by the names and fields that netty gives them, in a
// package of another name, as in an application that has moved it: two
// allocators with arenas, an adaptive one with magazines, and a chunk that none
// of its magazines has any more. Chunks on the heap, or without memory, count for
// nothing. Buffers that are in use refer to the memory
// too, so that no chunk dominates it.
package shaded.netty.buffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

class PooledByteBufAllocator {
	final List<PoolArena> arenas = new ArrayList<>();
}

class PoolArena {
	final PooledByteBufAllocator parent;
	final List<PoolChunk> chunks = new ArrayList<>();

	PoolArena(PooledByteBufAllocator parent) {
		this.parent = parent;
		parent.arenas.add(this);
	}
}

class PoolChunk {
	final PoolArena arena;
	final Object memory;
	final int chunkSize;
	int freeBytes;

	PoolChunk(PoolArena arena, Object memory, int size, int free) {
		this.arena = arena;
		this.memory = memory;
		chunkSize = size;
		freeBytes = free;
		arena.chunks.add(this);
	}
}

class AdaptivePoolingAllocator {
	final List<Object> chunks = new ArrayList<>();

	static class Magazine {
		final AdaptivePoolingAllocator parent;

		Magazine(AdaptivePoolingAllocator parent) {
			this.parent = parent;
		}
	}

	static class Delegate {
		final ByteBuffer buffer;

		Delegate(ByteBuffer buffer) {
			this.buffer = buffer;
		}
	}

	static class Chunk {
		final Delegate delegate;
		final Magazine magazine;
		final AdaptivePoolingAllocator allocator;
		final int capacity, allocatedBytes;

		Chunk(AdaptivePoolingAllocator allocator, Magazine magazine,
		      ByteBuffer buffer, int used) {
			this.allocator = allocator;
			this.magazine = magazine;
			delegate = new Delegate(buffer);
			capacity = buffer.capacity();
			allocatedBytes = used;
			allocator.chunks.add(this);
		}
	}
}

public class Pools {
	static final List<Object> inUse = new ArrayList<>();
	static final PooledByteBufAllocator large =
			new PooledByteBufAllocator(),
		small = new PooledByteBufAllocator();
	static final AdaptivePoolingAllocator adaptive =
		new AdaptivePoolingAllocator();

	static ByteBuffer used(int bytes) {
		ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);

		inUse.add(buffer);
		return buffer;
	}

	public static void main(String[] args) throws Exception {
		PoolArena one = new PoolArena(large), two = new PoolArena(large);

		for (int i = 0; i < 3; i++)
			new PoolChunk(one, used(100000), 100000, 1000);
		new PoolChunk(two, used(100000), 100000, 100000);
		new PoolChunk(two, new byte[5000], 5000, 0);
		new PoolChunk(two, null, 5000, 0);
		new PoolArena(large);
		new PoolChunk(new PoolArena(small), used(70000), 70000, 7);
		AdaptivePoolingAllocator.Magazine magazine =
			new AdaptivePoolingAllocator.Magazine(adaptive);
		new AdaptivePoolingAllocator.Chunk(adaptive, magazine,
						   used(40000), 30000);
		new AdaptivePoolingAllocator.Chunk(adaptive, null, used(10000),
						   0);
		System.out.println("ready");
		System.in.read();
	}
}

/* SPDX-License-Identifier: MIT */
/* parts.c - classes of nodes and other parts of collections. */
#include "base/pattern.h"
#include "hprof/collection.h"

/* A '*' stands for any text. */
static const char *const part_classes[] = {
	"java.util.HashMap$Node",
	"java.util.HashMap$Entry",
	"java.util.HashMap$TreeNode",
	"java.util.LinkedHashMap$*Entry",
	"java.util.Hashtable$*Entry",
	"java.util.WeakHashMap$Entry",
	"java.util.TreeMap$*Entry",
	"java.util.LinkedList$Node",
	"java.util.LinkedList$Entry",
	"java.lang.ThreadLocal$ThreadLocalMap$Entry",
	"java.util.concurrent.ConcurrentHashMap$*Node",
	"java.util.concurrent.ConcurrentHashMap$TreeBin",
	"java.util.concurrent.ConcurrentHashMap$Segment",
	"java.util.concurrent.ConcurrentHashMap$HashEntry",
	"java.util.concurrent.ConcurrentSkipListMap$*Index",
	"java.util.concurrent.ConcurrentSkipListMap$Node",
	"java.util.concurrent.LinkedBlockingQueue$Node",
	"java.util.concurrent.LinkedBlockingDeque$Node",
	"java.util.concurrent.ConcurrentLinkedQueue$Node",
	"java.util.concurrent.ConcurrentLinkedDeque$Node",
	"java.util.concurrent.LinkedTransferQueue$*Node",
	"com.google.common.cache.LocalCache$*Segment",
	"com.google.common.cache.LocalCache$*Entry",
	"com.google.common.cache.LocalCache$*Reference",
	"com.google.common.collect.MapMakerInternalMap$*Segment",
	"com.google.common.collect.MapMakerInternalMap$*Entry",
	"com.google.common.collect.MapMakerInternalMap$*Reference",
	"com.google.common.collect.HashBiMap$BiEntry",
	"com.google.common.collect.LinkedHashMultimap$ValueEntry",
	"com.google.common.collect.LinkedListMultimap$Node",
	"com.google.common.collect.ImmutableMapEntry*",
	"scala.collection.mutable.HashMap$Node",
	"scala.collection.mutable.HashSet$Node",
	"scala.collection.mutable.LinkedEntry",
	"scala.collection.mutable.DefaultEntry",
	"scala.collection.mutable.LinkedHashMap$LinkedEntry",
	"scala.collection.mutable.LinkedHashSet$Entry",
	"scala.collection.immutable.RedBlackTree$*Tree",
	"scala.collection.immutable.NewRedBlackTree$Tree",
	"scala.collection.immutable.BitmapIndexedMapNode",
	"scala.collection.immutable.BitmapIndexedSetNode",
	"scala.collection.immutable.HashCollision*Node",
	"scala.collection.concurrent.*Node",
	"scala.collection.mutable.RedBlackTree$Node",
	"kotlinx.collections.immutable.implementations.*TrieNode",
	"kotlinx.collections.immutable.implementations.*LinkedValue",
	"clojure.lang.PersistentHashMap$*Node",
	"clojure.lang.PersistentVector$Node",
	"clojure.lang.PersistentTreeMap$*",
	"com.google.common.collect.TreeMultiset$AvlNode",
	"io.netty.handler.codec.DefaultHeaders$HeaderEntry",
	"it.unimi.dsi.fastutil.*TreeMap$Entry",
	"it.unimi.dsi.fastutil.*TreeSet$Entry",
	"*.concurrentlinkedhashmap.ConcurrentLinkedHashMap$Node",
	"*.concurrentlinkedhashmap.ConcurrentLinkedHashMap$WeightedValue",
	"org.springframework.util.ConcurrentLruCache$Node",
	"org.springframework.util.ConcurrentLruCache$CacheEntry",
	"org.springframework.util.ConcurrentReferenceHashMap$Segment",
	"org.springframework.util.ConcurrentReferenceHashMap$Entry",
	"org.springframework.util.ConcurrentReferenceHashMap$*Reference",
};

bool hprof_collection_is_part(const struct hprof_heap *heap, size_t row)
{
	const struct hprof_summary *summary = hprof_heap_summary(heap);

	if (!summary || row >= summary->class_count)
		return false;
	for (size_t i = 0; i < sizeof part_classes / sizeof *part_classes; i++)
		if (hp_pattern_match(part_classes[i],
				     summary->class_rows[row].name))
			return true;
	return false;
}

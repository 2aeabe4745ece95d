# SPDX-License-Identifier: MIT
# deep_classes.bash - recipes of many classes above each other, $classes of them.

# deep FIELD TOP - a chain of classes, each with an instance: with a field of
# its own, or only the first with one, and above all of them TOP.
deep() {
	awk -v n=$classes -v field="$1" -v above="$2" '
	function id(i) { return sprintf("0x%x", 16777216 + 16 * i) }
	BEGIN {
		print "header \"JAVA PROFILE 1.0.2\" id_size=8"
		print "UTF8 string_id=1 text=\"value\""
		print "UTF8 string_id=2 text=\"java/lang/ref/Reference\""
		print "UTF8 string_id=3 text=\"deep\""
		for (i = 0; i < n; i++)
			print "LOAD_CLASS class_serial=" i + 1,
				"class_id=" id(i), "name_id=" (i == 1) + 2 + !i
		print "HEAP_DUMP_SEGMENT {"
		for (i = 0; i < n; i++) {
			own = field == "each" || i == 0
			print "CLASS_DUMP class_id=" id(i),
				"super_id=" (i ? id(i - 1) : above),
				"instance_size=" (own ? 8 * (i + 1) : 8),
				"fields=[" (own ? "1:object" : "") "]"
			print "INSTANCE_DUMP object_id=" id(n + i),
				"class_id=" id(i), "data=[object:" id(1) "]"
			print "ROOT_UNKNOWN object_id=" id(n + i)
		}
		print "}"
		print "HEAP_DUMP_END"
	}'
}

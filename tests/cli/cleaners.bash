# SPDX-License-Identifier: MIT
# cleaners [RECORD] - 100 objects that their own Cleaners hold, which is what a backlog begins with;
# and RECORD.
cleaners() {
	local i elements=

	cat <<-'END'
	header "JAVA PROFILE 1.0.2" id_size=4 time_ms=1700000000000
	UTF8 string_id=0x10 text="java/lang/Object"
	UTF8 string_id=0x11 text="java/lang/ref/Reference"
	UTF8 string_id=0x12 text="java/lang/ref/PhantomReference"
	UTF8 string_id=0x13 text="jdk/internal/ref/PhantomCleanable"
	UTF8 string_id=0x14 text="app/Thing"
	UTF8 string_id=0x15 text="[Ljava/lang/Object;"
	UTF8 string_id=0x16 text="referent"
	UTF8 string_id=0x17 text="action"
	LOAD_CLASS class_serial=1 class_id=0x1000 name_id=0x10
	LOAD_CLASS class_serial=2 class_id=0x1010 name_id=0x11
	LOAD_CLASS class_serial=3 class_id=0x1020 name_id=0x12
	LOAD_CLASS class_serial=4 class_id=0x1030 name_id=0x13
	LOAD_CLASS class_serial=5 class_id=0x1040 name_id=0x14
	LOAD_CLASS class_serial=6 class_id=0x1050 name_id=0x15
	HEAP_DUMP_SEGMENT {
	CLASS_DUMP class_id=0x1000
	CLASS_DUMP class_id=0x1010 super_id=0x1000 instance_size=4 fields=[0x16:object]
	CLASS_DUMP class_id=0x1020 super_id=0x1010 instance_size=4
	CLASS_DUMP class_id=0x1030 super_id=0x1020 instance_size=8 fields=[0x17:object]
	CLASS_DUMP class_id=0x1040 super_id=0x1000 instance_size=4 fields=[0x17:object]
	CLASS_DUMP class_id=0x1050 super_id=0x1000
	ROOT_JNI_GLOBAL object_id=0x2000
	END
	for ((i = 0; i < 100; i++)); do
		printf 'INSTANCE_DUMP object_id=0x%x class_id=0x1030 data=[object:0x%x object:0x%x]\n' \
			$((0x10000 + 16 * i)) $((0x30000 + 16 * i)) \
			$((0x20000 + 16 * i))
		printf 'INSTANCE_DUMP object_id=0x%x class_id=0x1040 data=[object:0]\n' \
			$((0x20000 + 16 * i))
		printf 'INSTANCE_DUMP object_id=0x%x class_id=0x1040 data=[object:0x%x]\n' \
			$((0x30000 + 16 * i)) $((0x20000 + 16 * i))
		elements+=$(printf ' 0x%x' $((0x10000 + 16 * i)))
	done
	echo "OBJ_ARRAY_DUMP object_id=0x2000 class_id=0x1050 elements=[${elements# }]"
	echo "${1:-}"
	echo "}"
	echo "HEAP_DUMP_END"
}

# SPDX-License-Identifier: MIT
# Dumps of one program at several times, for the tests of hprof-diff. Nothing
# but names is the same in two of them: ids, numbers of generated classes and
# the order of classes are others.
#
# snapshot NAME BASE SESSIONS NOTES [ID_SIZE] writes NAME.hprof: so many
# com.acme.Session, each with a byte[1000], in the array of a static Cache.TABLE;
# so many com.acme.Note, which an object in a local variable holds. BASE is
# added to every id; with an odd one lambdas are numbered as in JDK 17.
snapshot() {
	local name=$1 base=$(($2)) sessions=$3 notes=$4 width=${5:-8} i
	local ids= lambda=com/acme/Main'$$Lambda'

	if ((base & 1)); then
		lambda+="\$$((base % 50))+0x0000000800$(printf %06x $base)"
		base=$((base & ~15))
	else
		lambda+="+0x00007f0000$(printf %06x $base)"
	fi
	id() { printf '0x%x' $((base + $1)); }
	{
		echo "header \"JAVA PROFILE 1.0.2\" id_size=$width time_ms=1700000000000"
		i=1
		for class in java/lang/Object java/lang/Class com/acme/Session \
			com/acme/Cache com/acme/Note '[B' '[Ljava/lang/Object;' \
			"$lambda" java/lang/Thread 'jdk/proxy'$((base % 7))'/$Proxy'$((base % 9))
		do
			echo "UTF8 string_id=$i text=\"$class\""
			echo "LOAD_CLASS class_serial=$i class_id=$(id $((i * 16))) name_id=$i"
			i=$((i + 1))
		done
		echo 'UTF8 string_id=30 text="data"'
		echo 'UTF8 string_id=31 text="TABLE"'
		echo 'UTF8 string_id=32 text="next"'
		echo 'UTF8 string_id=33 text="main"'
		echo "FRAME frame_id=1 method_id=33 signature_id=0 source_id=0 class_serial=4 line=1"
		echo "TRACE trace_serial=1 thread_serial=1 frames=[1]"
		echo "HEAP_DUMP_SEGMENT {"
		echo "	ROOT_STICKY_CLASS object_id=$(id 64)"
		echo "	ROOT_THREAD_OBJ object_id=$(id 0x200) thread_serial=1 trace_serial=1"
		echo "	ROOT_JAVA_FRAME object_id=$(id 0x220) thread_serial=1 frame=0"
		for i in 1 2 6 7 8 9 10; do
			echo "	CLASS_DUMP class_id=$(id $((i * 16))) super_id=$((i == 1 ? 0 : base + 16))"
		done
		echo "	CLASS_DUMP class_id=$(id 48) super_id=$(id 16) instance_size=$width fields=[30:object]"
		echo "	CLASS_DUMP class_id=$(id 64) super_id=$(id 16) statics=[31:object:$(id 0x240)]"
		echo "	CLASS_DUMP class_id=$(id 80) super_id=$(id 16) instance_size=$width fields=[32:object]"
		echo "	INSTANCE_DUMP object_id=$(id 0x200) class_id=$(id 144) data=[]"
		for i in 1 2 3; do
			echo "	INSTANCE_DUMP object_id=$(id $((0x260 + i * 16))) class_id=$(id 128) data=[]"
		done
		echo "	INSTANCE_DUMP object_id=$(id 0x2a0) class_id=$(id 160) data=[]"
		for ((i = 0; i < sessions; i++)); do
			echo "	INSTANCE_DUMP object_id=$(id $((0x10000 + i * 2048))) class_id=$(id 48) data=[object:$(id $((0x10000 + i * 2048 + 16)))]"
			echo "	PRIM_ARRAY_DUMP object_id=$(id $((0x10000 + i * 2048 + 16))) type=byte elements=[0*1000]"
			ids+=" $(id $((0x10000 + i * 2048)))"
		done
		echo "	OBJ_ARRAY_DUMP object_id=$(id 0x240) class_id=$(id 112) elements=[$ids]"
		ids=0
		for ((i = 0; i < notes; i++)); do
			echo "	INSTANCE_DUMP object_id=$(id $((0x8000 + i * 32))) class_id=$(id 80) data=[object:$ids]"
			ids=$(id $((0x8000 + i * 32)))
		done
		echo "	INSTANCE_DUMP object_id=$(id 0x220) class_id=$(id 80) data=[object:$ids]"
		echo "}"
		echo "HEAP_DUMP_END"
	} >"$name.recipe"
	recipe-tool assemble "$name.recipe" "$name.hprof"
}

try() {
	echo "--- ${*@Q}"
	hprof-diff "$@"
	echo "status $?"
}

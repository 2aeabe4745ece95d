# SPDX-License-Identifier: MIT
# What the tests of hprof-dump share: a JVM that fake-jvm plays. Each ends as
# the test wants, and never by hprof-dump.
. "$srcdir/tests/await.bash"
recipe-tool assemble "$recipes/objects_jdk25.recipe" dump.hprof || exit 1
size=$(stat -c %s dump.hprof)
help='reply=0\n -all : x\n -overwrite : y\n'
runner=() # a command before fake-jvm, which must not fork

# begin OPTION... ACTION... - starts one, in $pid.
begin() {
	"${runner[@]}" fake-jvm "$@" >pid 2>log &
	await test -s pid || cat log
	pid=$(cat pid)
	rm -f out out.part
}

# dump ARGUMENT... - dumps it to out; shows what is said, and the status.
# $patience is how long it is waited for; only the silence of one that does not
# answer is not worth two minutes.
patience=120
dump() {
	local status

	timeout 900 hprof-dump -o out --timeout $patience "$@" "$pid" >stdout 2>err
	status=$?
	show_err
	cat stdout log
	echo "status $status"
	show_files
}

# What differs from run to run is replaced.
show_err() {
	sed "s/hprof-dump-$pid-[0-9a-f]*/FOLDER/; s/\<$pid\>/PID/g
		s/java_pid$pid/java_pidPID/; s/attach_pid$pid/attach_pidPID/
		s/x\{100,\}/x.../
		s/in [0-9.]* s\([;,]\)/in TIME\1/" err
}

show_files() {
	local file

	for file in out out.part; do
		[ -e $file ] || continue
		echo "$file: $(stat -c '%s bytes, mode %a' $file | sed "s/^$size /all /")"
		[ $file = out ] && [ "$(stat -c %s out)" = "$size" ] &&
			! cmp out dump.hprof
	done
}

# finish - ends it. Nothing of it and of hprof-dump may be left in /tmp.
finish() {
	kill "$pid" 2>/dev/null || echo "it had ended"
	kill -CONT "$pid" 2>/dev/null
	wait "$pid"
	ls -d /tmp/.attach_pid"$pid" /tmp/.java_pid"$pid" \
		/tmp/hprof-dump-"$pid"-* 2>/dev/null
	rm -rf pid log old lib*.so* ld-musl* hsperfdata_fake
}

# try OPTION... ACTION... -- ARGUMENT... - all of that.
try() {
	local fake=() patience=120

	while [ "$1" != -- ]; do
		fake+=("$1")
		shift
	done
	shift
	echo "--- ${fake[*]//$PWD/.} | $*"
	case " ${fake[*]} " in
	*' hang '* | *' stall='* | *' stop='* | *' -n '* | *' -b '*)
		patience=2
		;;
	*' trickle='*) patience=5 ;;
	esac
	begin "${fake[@]}"
	dump "$@"
	finish
}

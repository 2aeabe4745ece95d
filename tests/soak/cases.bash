# SPDX-License-Identifier: MIT
# cases.bash - a JVM that works, is dumped many times, and must be none the worse
# for it. To be sourced, in an empty directory; classes, agent, builddir, JAVA_HOME
# and PATH are as in tests/jvm.tap, $soak_count is the number of dumps in a row, $soak_preload
# perhaps a library for the JVM.
#
# Each case is a function that takes a collector. It ends with "verdict", which
# prints a line "CASE dumps failed again rss descriptors threads ok|FAIL ..." to
# the file rows. What the columns mean: dumps that were whole; attempts that
# failed as they had to (a full disk, a killed process, a client that is none);
# attempts that were repeated, as the fork waited for a thread; what the JVM grew
# by, in MiB, descriptors and threads.
#
# A JVM grows while it gets warm, so growth counts from the first third of the
# dumps on. The Java heap is all there from the start: what grows is malloc's,
# the metaspace, and code.
. "$srcdir/tests/await.bash"

# Growth that is still fine. A dump of the workload has 10 MB in tables: what
# is kept of each of them shows. glibc's arenas and the JVM's own pools grow by
# some MiB in an hour, whatever is done.
soak_rss_mib=32
soak_descriptors=0
soak_threads=1

soak_pid=
trap end_children EXIT

# bad TEXT - the case has failed; the first reason is told.
bad() {
	[ -n "$why" ] || why=$*
}

# ---- the JVM ------------------------------------------------------------------

# open_case NAME GC JAVA_OPTION... [-- THREADS] - false if the JVM has no such
# collector. Nothing grows later that need not: the heap is touched, and so many
# compiler and collector threads there are from the start.
open_case() {
	local options=()

	case_name=$1
	gc=$2
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	why= whole=0 failed=0 again=0 refused=
	rm -rf work
	mkdir work
	mkfifo work/input
	LD_PRELOAD=${soak_preload:-} java "-XX:+Use${gc}GC" -Xms96m -Xmx96m -Xss256k -XX:+AlwaysPreTouch \
		-XX:+IgnoreUnrecognizedVMOptions -XX:MaxMetaspaceSize=96m \
		-XX:ReservedCodeCacheSize=48m -XX:CICompilerCount=2 \
		-XX:-UseDynamicNumberOfCompilerThreads \
		-XX:-UseDynamicNumberOfGCThreads \
		-XX:-UsePerfData -Xlog:disable -Xlog:all=error \
		-XX:+EnableDynamicAgentLoading "${options[@]}" -cp "$classes" \
		Workload "$@" <work/input >work/out 2>work/err &
	soak_pid=$!
	exec {soak_in}>work/input
	await said_or_gone ready work/out $soak_pid
	grep -qs '^ready' work/out && return
	exec {soak_in}>&-
	wait $soak_pid
	grep -qE 'Unrecognized VM option|not supported' work/out work/err &&
		return 1
	bad "it did not start: $(tail -n 3 work/out work/err)"
	verdict
	return 1
}

said_times() {
	[ "$(grep -cx "$1" work/out)" -ge "$2" ] || ! kill -0 $soak_pid 2>/dev/null
}

# tell COMMAND ANSWER - the program obeys.
tell() {
	local before

	before=$(grep -cx "$2" work/out)
	echo "$1" >&"$soak_in"
	await said_times "$2" $((before + 1)) || bad "no $2"
}

children() {
	grep -lsx "PPid:[[:space:]]*$soak_pid" /proc/[0-9]*/status | wc -l
}
has_no_child() {
	[ "$(children)" = 0 ]
}

# look - "KIB DESCRIPTORS THREADS" to $measured.
look() {
	measured=$(awk '/^VmRSS:/ { rss = $2 } /^Threads:/ { threads = $2 }
		END { print rss, threads }' /proc/$soak_pid/status 2>/dev/null)
	measured="${measured% *} $(ls /proc/$soak_pid/fd 2>/dev/null | wc -l) ${measured#* }"
}

# measure - the same, while the program rests.
measure() {
	tell pause paused
	look
	tell go going
}

# growth FROM TO - compares what was measured; sets rss, descriptors, threads.
growth() {
	local a b

	read -ra a <<<"$1"
	read -ra b <<<"$2"
	rss=$(((b[0] - a[0]) / 1024))
	descriptors=$((b[1] - a[1]))
	threads=$((b[2] - a[2]))
	[ $rss -le $soak_rss_mib ] || bad "$rss MiB more"
	[ $descriptors -le $soak_descriptors ] || bad "descriptors: $descriptors more"
	[ $threads -le $soak_threads ] || bad "threads: $threads more"
}

# The program ends, with the right result; nothing is left.
close_case() {
	local status left

	await has_no_child || bad "a process is left"
	exec {soak_in}>&-
	wait $soak_pid
	status=$?
	grep -q '^right [1-9]' work/out || bad "$(tail -n 1 work/out)"
	[ $status = 0 ] || bad "exit status $status"
	# Others may have files in /tmp, too.
	left=$(find . -maxdepth 2 \( -name '*.part*' -o -name 'hs_err*' -o \
		-name 'core*' \)
		find /tmp -maxdepth 1 \( -name "hprof-dump-$soak_pid-*" -o \
			-name ".java_pid$soak_pid" -o \
			-name ".attach_pid$soak_pid" -o \
			-name "hs_err_pid$soak_pid.*" -o \
			-name "core.$soak_pid" \) 2>/dev/null)
	[ -z "$left" ] || bad "left: $left"
}

# verdict - the line of the case.
verdict() {
	echo "$case_name $whole $failed $again ${rss:--} ${descriptors:--}" \
		"${threads:--} ${why:+FAIL }${why:-ok${refused:+, refused: $refused}}" |
		tr '\n' ' ' >>rows
	echo >>rows
	[ -z "$why" ] || tail -n 5 work/out work/err 2>/dev/null
	rss= descriptors= threads=
	rm -rf work
}

# ---- dumps ---------------------------------------------------------------------

items() {
	hprof-stat --csv --top 0 "$1" |
		awk -F, '$1 == "Workload$Item" { print $2 }'
}

# check FILE - it is whole, and has what does not change.
check() {
	hprof-check -q "$1" >work/check 2>&1 || bad "$(head -n 3 work/check)"
	[ "$(items "$1")" = 20000 ] || bad "$(items "$1") items, not 20000"
}

# ask ENGINE FILE OPTION... - hprof-dump, with the agent that was built.
ask() {
	local engine=$1 file=$2 options=(--agent "$agent")

	shift 2
	[ "$engine" != vm ] || options=()
	hprof-dump -q --engine "$engine" "${options[@]}" "$@" -o "$file" \
		$soak_pid
}

# dump ENGINE - one dump; every tenth is read. Sets bad if it is none.
dump() {
	local try

	for ((try = 0; try < 20; try++)); do
		rm -f work/dump
		if ask "$1" work/dump >work/said 2>&1; then
			[ $((whole % 10)) != 0 ] || check work/dump
			whole=$((whole + 1))
			rm -f work/dump
			return
		fi
		rm -f work/dump.part
		grep -q 'waited for a thread' work/said || break
		again=$((again + 1))
	done
	bad "$1: $(cat work/said)"
}

# is_refused ENGINE - the JVM cannot be forked, and says why: to $refused. Only
# that its heap is shared, as with ZGC, is fine.
is_refused() {
	[ "$1" = fork ] || return 1
	ask fork work/dump >work/said 2>&1
	rm -f work/dump*
	grep -qE 'cannot be forked|can be forked' work/said || return 1
	refused=$(sed 's/.*forked: //' work/said | tr '\n' ' ')
	grep -q 'shared memory' work/said || bad "refused: $(cat work/said)"
}

# in_a_row ENGINE GC - dumps while the program changes all the time.
in_a_row() {
	local i early

	open_case "$1" "$2" || return 0
	if is_refused "$1"; then
		failed=1
	else
		for ((i = 0; i < soak_count && ${#why} == 0; i++)); do
			dump "$1"
			[ $i != $((soak_count / 3)) ] || {
				measure
				early=$measured
			}
		done
		measure
		growth "${early:-$measured}" "$measured"
	fi
	close_case
	verdict
}

# many_threads GC - a few dumps by each engine, of 5,000 threads more. The first
# ones touch the stack of each thread; later ones may come upon it when it is
# some pages deeper. And when it tells its stack, each thread takes a chunk for
# HotSpot's arenas: 47 KiB, «Arena Chunk» of NMT, of which it depends on HotSpot's
# pool and on malloc when the system sees them again.
many_threads() {
	local engine round early
	local soak_rss_mib=$((soak_rss_mib + 5000 * (16 + 48) / 1024))

	open_case threads "$1" -- 5000 || return 0
	for ((round = 0; round < soak_count / 20 + 2; round++)); do
		for engine in walk vm fork; do
			is_refused $engine || dump $engine
		done
		[ $round != 0 ] || {
			measure
			early=$measured
		}
	done
	measure
	growth "$early" "$measured"
	close_case
	verdict
}

# ---- trouble -------------------------------------------------------------------

agent_lines() {
	grep -c '^hprof-agent: ' work/err
}
more_lines() {
	[ "$(agent_lines)" -gt "$1" ] || ! kill -0 $soak_pid 2>/dev/null
}

# request - a dump by SIGQUIT; waits for what the agent says about it.
request() {
	local before

	before=$(agent_lines)
	kill -QUIT $soak_pid
	await more_lines "$before" || bad "no answer to SIGQUIT"
}

no_part() {
	[ -z "$(find work -name 'full*')" ]
}

# full ENGINE GC - no file may be larger than half a MiB: the engine cannot write
# its dump, nor leaves a part of it.
full() {
	local i early

	open_case "full-$1" "$2" \
		"-agentpath:$agent=file=work/full.hprof,doe=n,engine=$1" || return 0
	prlimit --pid $soak_pid --fsize=524288
	for ((i = 0; i < soak_count / 5 + 1; i++)); do
		request
		failed=$((failed + 1))
		[ $i != 0 ] || {
			measure
			early=$measured
		}
	done
	grep 'hprof-agent: ' work/err | grep -v ' no dump: ' >work/other
	[ ! -s work/other ] || bad "$(head -n 1 work/other)"
	# What is said comes before the file is removed.
	await no_part || bad "$(ls work)"
	measure
	growth "$early" "$measured"
	close_case
	verdict
}

disk_full() {
	local engine

	for engine in walk vm fork; do
		full $engine "$1"
	done
}

forked() {
	local each

	child=
	for each in $(grep -lsx hprof-fork /proc/[0-9]*/comm); do
		each=${each%/comm}
		! grep -qsx "PPid:[[:space:]]*$soak_pid" "$each/status" ||
			child=${each#/proc/}
	done
	[ -n "$child" ]
}
forked_or_over() {
	forked || ! kill -0 "$1" 2>/dev/null
}

# killed GC - the forked process is killed, at any time, and sometimes stopped
# for longer than its limit. Who asked gets an answer, and the next dump is whole.
killed() {
	local i asking early signal

	open_case killed "$1" || return 0
	if is_refused fork; then
		failed=1
		close_case
		verdict
		return
	fi
	for ((i = 0; i < soak_count / 5 + 2 && ${#why} == 0; i++)); do
		rm -f work/pipe
		mkfifo work/pipe
		# Nobody reads on: the forked process cannot end by itself.
		signal=KILL
		[ $((i % 10)) != 1 ] || signal=STOP
		ask fork - --limit $([ $signal = KILL ] && echo 100 || echo 1) \
			>work/pipe 2>work/said &
		asking=$!
		exec {reader}<work/pipe
		await forked_or_over $asking
		if [ -n "$child" ]; then
			kill -$signal "$child" 2>/dev/null
		fi
		cat <&"$reader" >/dev/null
		exec {reader}<&-
		# It may have been faster.
		if wait $asking; then
			whole=$((whole + 1))
		else
			grep -qE 'ended by a signal|waited for a thread|time limit' work/said ||
				bad "$(cat work/said)"
			failed=$((failed + 1))
		fi
		dump fork
		[ $i != $((soak_count / 15)) ] || {
			measure
			early=$measured
		}
	done
	measure
	growth "${early:-$measured}" "$measured"
	close_case
	verdict
}

# The silent ones are thrown out in time.
clients_end() {
	local each

	for each in $(jobs -p); do
		[ "$each" = "$soak_pid" ] || wait "$each"
	done
}

# hostile GC - clients that send garbage, half frames, nothing, wrong secrets,
# and two at a time.
hostile() {
	local i port early

	open_case hostile "$1" \
		"-agentpath:$agent=listen=0,token=work/token" || return 0
	await grep -q 'listening on' work/err
	port=$(sed -n 's/.*listening on 127.0.0.1://p' work/err)
	(umask 077; echo 0123456789abcdef0123456789abcdef >work/wrong)
	for ((i = 0; i < soak_count / 5 + 2 && ${#why} == 0; i++)); do
		tcp-peer $port "send=$(head -c 400 /dev/urandom | od -An -v -tx1 |
			tr -d ' \n')" gone >work/one 2>&1 </dev/null &
		tcp-peer $port send=80000000 gone >work/two 2>&1 </dev/null &
		tcp-peer $port gone >work/three 2>&1 </dev/null &
		tcp-peer $port "token=work/wrong" gone >work/four 2>&1 </dev/null &
		tcp-peer $port token=work/token read=31 send=020000 \
			>work/five 2>&1 </dev/null &
		tcp-peer $port token=work/token read=31 \
			"send=42000000007fffffff" gone >work/six 2>&1 </dev/null &
		tcp-peer $port token=work/token read=31 \
			send=020000000000000000 read=100000 \
			>work/seven 2>&1 </dev/null &
		failed=$((failed + 7))
		rm -f work/dump
		hprof-dump -q --token-file work/token -o work/dump \
			127.0.0.1:$port >work/said 2>&1 ||
			bad "no dump: $(cat work/said)"
		[ ${#why} != 0 ] || check work/dump
		whole=$((whole + 1))
		rm -f work/dump*
		[ $((i % 8)) != 0 ] || clients_end
		[ $i != $((soak_count / 15)) ] || {
			measure
			early=$measured
		}
	done
	clients_end
	measure
	growth "${early:-$measured}" "$measured"
	close_case
	verdict
}

# ---- profiles ------------------------------------------------------------------

# has_report - the file of a report is whole; its name to $report.
has_report() {
	report=$(find work -name 'profile*' ! -name '*.part' -size +0)
	[ -n "$report" ] || return 1
	if head -n 1 "$report" | grep -aq ', created '; then # format=a
		grep -q ' END$' "$report"
	else
		hprof-check -q "$report" >work/check 2>&1
	fi
}

# A report gets its name when it is whole.
reported() {
	has_report || ! kill -0 $soak_pid 2>/dev/null
}

# profiled PROFILE GC - reports in a row, of a profile that is taken all the time.
# A profile keeps what it has seen, so its tables grow with classes that come and
# go: the same growth is allowed as of the other cases.
profiled() {
	local i early name=${1##*=}

	[ "$name" != y ] || name=${1%%=*}
	open_case "p-$name" "$2" \
		"-agentpath:$agent=$1,file=work/profile,force=y,doe=n" || return 0
	for ((i = 0; i < soak_count / 2 + 3 && ${#why} == 0; i++)); do
		kill -QUIT $soak_pid
		await reported
		has_report || bad "no report: $(tail -n 1 work/err) $(cat work/check)"
		rm -f work/profile*
		whole=$((whole + 1))
		[ $i != $((soak_count / 3)) ] || {
			measure
			early=$measured
		}
	done
	measure
	growth "${early:-$measured}" "$measured"
	close_case
	verdict
}

# native - what the JVM has of the system beside its heap, by its own count, in KiB:
# "CLASSES CODE OTHER" to $native, zeros without jcmd. What grows and is in none of
# them is what its libraries allocate, the agent's tables first of all.
native() {
	native=$("$JAVA_HOME/bin/jcmd" $soak_pid VM.native_memory summary 2>/dev/null |
		awk -F 'committed=' '/^- / { sub(/KB.*/, "", $2)
			# The stacks of threads come and go, and are hardly touched.
			if ($1 ~ /Java Heap|Thread/) next
			if ($1 ~ /Class|Metaspace/) classes += $2
			else if ($1 ~ /  Code /) code += $2
			else other += $2 }
		END { print classes + 0, code + 0, other + 0 }')
}

# split FROM TO FROM_NATIVE TO_NATIVE - tells which part of the JVM grew.
split() {
	echo "$1 $2 $3 $4" | awk -v name="${JAVA_HOME##*/} $gc" '{
		all = $4 - $1
		printf "# %s grew by %d KiB: classes %d, code %d, others of the JVM %d, the rest %d\n",
			name, all, $10 - $7, $11 - $8, $12 - $9,
			all - ($10 + $11 + $12 - $7 - $8 - $9) }' >&2
}

# keep_crash - the folder will be removed: what the JVM said of its crash is shown,
# and kept whole in $SOAK_KEEP, if that is set.
keep_crash() {
	cat hs_err* 2>/dev/null | sed -n '1,20p; /^Current thread/,/^Registers/p' >&2
	[ -n "$why" ] && [ -n "${SOAK_KEEP:-}" ] || return 0
	mkdir -p "$SOAK_KEEP/$soak_pid"
	cp -r work hs_err* core* "$SOAK_KEEP/$soak_pid" 2>/dev/null
}

# sampled GC - each millisecond a stack from a signal handler, for $SOAK_SECONDS,
# while Churn loads and unloads classes, has them compiled, collects, throws through
# deep stacks, and starts threads; each round checks its own result. Threads come and
# go, with a descriptor each; the heap is all there from the start.
sampled() {
	local soak_rss_mib=64 soak_descriptors=40 soak_threads=40
	local seconds=${SOAK_SECONDS:-60} early= early_native= status native=

	[ "$(uname -m)" = x86_64 ] || return 0
	case_name=sampled gc=$1 why= whole=0 failed=0 again=0
	rm -rf work
	mkdir work
	java "-XX:+Use${gc}GC" -Xms192m -Xmx192m -XX:+AlwaysPreTouch \
		-XX:NativeMemoryTracking=summary -Xlog:disable -Xlog:all=error \
		"-agentpath:$agent=cpu=samples,sampler=async,interval=1,depth=64,file=work/profile.hprof" \
		-cp "$classes" Churn "$seconds" >work/out 2>work/err </dev/null &
	soak_pid=$!
	SECONDS=0
	while kill -0 $soak_pid 2>/dev/null && [ $SECONDS -lt "$seconds" ]; do
		sleep 1
		look
		[ $SECONDS -ge $((seconds / 3)) ] || continue
		[ $((SECONDS % 10)) != 0 ] && [ -n "$early" ] || native
		[ -n "$early" ] || early=$measured early_native=$native
	done
	growth "${early:-$measured}" "$measured"
	split "$early" "$measured" "$early_native" "$native"
	wait $soak_pid
	status=$?
	[ $status = 7 ] || bad "exit status $status: $(tail -n 1 work/err)"
	[ -z "$(find . -name 'hs_err*' -o -name 'core*')" ] || bad "it crashed"
	keep_crash
	hprof-check -q work/profile.hprof >work/check 2>&1 ||
		bad "no profile: $(head -n 1 work/check)"
	whole=$(hprof-stat --profile work/profile.hprof |
		sed -n 's/^CPU SAMPLES, \([0-9]*\) in all$/\1/p')
	[ "${whole:-0}" -gt $((seconds * 20)) ] || bad "only $whole samples"
	verdict
}

# ---- libhprof-prof -------------------------------------------------------------

# soak_compile NAME.c OPTION... - with the options of a library to be loaded.
soak_compile() {
	local source=$srcdir/tests/soak/$1

	shift
	# shellcheck disable=SC2086 # a command with options
	${CC:-cc} -O2 -shared -fPIC -I"$srcdir/prof" -I"$JAVA_HOME/include" \
		-I"$JAVA_HOME/include/linux" "$source" "$@" 2>toggle.err
}

# toggle_agent - builds it, and the count of the library's memory.
toggle_agent() {
	local library=$builddir/prof/.libs

	soak_compile toggle_agent.c -o toggle.so -L"$library" -lhprof-prof \
		-Wl,-rpath,"$library" && soak_compile counted.c -o counted.so -ldl
}

rounds() {
	sed -n 's/^toggled //p' work/err | tail -n 1
}
toggled_times() {
	[ "$(rounds)0" -ge "${1}0" ] || ! kill -0 $soak_pid 2>/dev/null
}

held_times() {
	[ "$(grep -c '^held' work/err)" -ge "$1" ] || ! kill -0 $soak_pid 2>/dev/null
}

# measure_off - while nothing is on: a sampled thread has a descriptor. Sets $measured,
# $native (which has the JVM start a thread) and $own, what the library has of malloc,
# in KiB.
measure_off() {
	local before

	before=$(grep -c '^held' work/err)
	touch hold
	await held_times $((before + 1)) || bad "it goes on"
	native
	measure
	own=$(($(od -An -td8 work/own) / 1024))
	rm -f hold
}

# without_code MEASURED NATIVE - "KIB DESCRIPTORS THREADS" without the JVM's classes
# and code.
without_code() {
	echo "$1 $2" | awk '{ print $1 - $4 - $5, $2, $3 }'
}

# toggled GC - hooks, samples and events of memory come and go all the time, for
# $SOAK_SECONDS if that is set, else for three rounds per dump of other cases; of the
# three only those of which $SOAK_PARTS has the first letter (hsm).
#
# What grows is the JVM's first of all: it keeps something of each version of a method
# that was changed, and compiles methods anew, some 50 KiB a round. Its own count of
# both is taken off. What the library has is counted on its own: with each class that is
# loaded and unloaded sites, methods and stacks are more, 1 to 5 KiB a round, and there
# are records of the objects that live just then.
toggled() {
	local end early early_native early_own first=0 grown allowed

	toggle_agent || {
		[ -n "${1:-}" ] && echo "# no toggle agent: $(head -n 1 toggle.err)"
		return 0
	}
	export COUNTED=work/own
	soak_preload=$PWD/counted.so open_case toggled "$1" \
		-XX:NativeMemoryTracking=summary \
		"-agentpath:$PWD/toggle.so${SOAK_PARTS:+=$SOAK_PARTS}" || return 0
	end=$((SECONDS + ${SOAK_SECONDS:-0}))
	await toggled_times $((soak_count + 1))
	while [ $SECONDS -lt $((end - ${SOAK_SECONDS:-0} * 2 / 3)) ] &&
		kill -0 $soak_pid 2>/dev/null; do
		sleep 1
	done
	first=$(rounds)
	measure_off
	early=$measured early_native=$native early_own=$own
	await toggled_times $((soak_count * 3))
	while [ $SECONDS -lt "$end" ] && kill -0 $soak_pid 2>/dev/null; do
		sleep 1
	done
	measure_off
	whole=$(rounds)
	grown=$((own - early_own)) allowed=$((2048 + 4 * (whole - first)))
	growth "$(without_code "$early" "$early_native")" \
		"$(without_code "$measured" "$native")"
	split "$early" "$measured" "$early_native" "$native"
	echo "# $((whole - first)) rounds, of the rest the library's: $grown KiB" >&2
	[ "$own" -gt 0 ] || bad "the library's memory was not counted"
	[ "$grown" -le "$allowed" ] || bad "the library has $grown KiB more"
	close_case
	! grep '^toggle: ' work/err >work/wrong || bad "$(head -n 1 work/wrong)"
	grep '^told' work/err
	verdict
}

# all_cases GC
all_cases() {
	in_a_row walk "$1"
	in_a_row vm "$1"
	in_a_row fork "$1"
	many_threads "$1"
	disk_full "$1"
	killed "$1"
	hostile "$1"
	toggled "$1"
}

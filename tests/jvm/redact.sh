# SPDX-License-Identifier: MIT
# hprof-dump --redact: what the JVM holds is in no byte of what is written, by
# each engine, in each form, into files and pipes, and over a network.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/classes.bash"

# hide OPTIONS... - starts a JVM with a secret that is not on its command line as
# a whole.
hide() {
	rm -f input out err
	mkfifo input
	java -Xmx128m -XX:+IgnoreUnrecognizedVMOptions \
		-XX:+EnableDynamicAgentLoading "$@" -cp "$classes" Secret \
		hush-hush- 31415926 <input >out 2>err &
	pid=$!
	exec 3>input
	await said_or_gone ready out $pid
	grep -q '^ready' out || die "did not start: $*"
}

# secrets FILE - how often one of its forms is in the dump, whatever its
# compression. UTF-16 is as a big-endian machine has it, which dumps are.
secrets() {
	case $1 in
	*.gz) zcat "$1" ;;
	*.zst) hprof-convert -q -c none --to hprof "$1" - ;;
	*) cat "$1" ;;
	esac >plain
	LC_ALL=C grep -aoP 'hush-hush-31415926|SECRETL!|h\0u\0s\0h\0-\0h\0u' \
		plain | wc -l
}

# blank FILE - a whole dump without the secret, of the same objects.
blank() {
	[ "$(secrets "$1")" = 0 ] || die "$1 has the secret"
	hprof-check -q "$1" >check 2>&1 || die "$1: $(cat check)"
	[ "$(hprof-stat --csv --top 0 "$1" |
		awk -F , '$1 == "java.lang.String" { print ($2 > 20000) }')" = 1 ] ||
		die "$1: the strings are missing"
}

hide
# The test sees the secret where it is.
hprof-dump -q -o open.hprof $pid || die "no dump"
[ "$(secrets open.hprof)" -gt 20000 ] || die "the secret is not in the dump"
hprof-dump -q --redact primitives -o numbers.hprof $pid || die "no dump"
[ "$(secrets numbers.hprof)" -gt 20000 ] || die "text is no number"
grep -aq 'SECRETL!' numbers.hprof && die "a number is left"
engines="vm walk"
[ "$java_feature" -lt 17 ] || engines+=" fork"
for engine in $engines; do
	options=(--engine $engine)
	[ $engine = vm ] || options+=(--agent "$agent")
	for form in hprof hprof.gz hprof.zst; do
		hprof-dump -q "${options[@]}" --redact all -o $engine.$form \
			$pid 2>said || die "$engine: $(cat said)"
		[ -s said ] && die "-q says $(cat said)"
		blank $engine.$form
	done
	hprof-dump -q "${options[@]}" --redact all -c gz -o - $pid \
		>pipe.hprof.gz 2>said || die "$engine: $(cat said)"
	blank pipe.hprof.gz
	hprof-dump "${options[@]}" --redact strings -o - $pid 2>said |
		cat >pipe.hprof
	grep -q "engine $engine" said || die "$(cat said)"
	LC_ALL=C grep -aq 'hush-hush-31415926' pipe.hprof &&
		die "$engine: text by a pipe"
	# Whether the JVM itself puts it on a disk is said.
	warned=$(grep -c 'not redacted, to a file in its /tmp' said)
	case $engine:$((java_feature >= 17 && java_feature < 22)) in
	vm:0) [ "$warned" = 1 ] ;;
	*) [ "$warned" = 0 ] ;;
	esac || die "$engine on $java_feature: $(cat said)"
	rm -f ./*.hprof*
done
stop

# ---- over a network --------------------------------------------------------------

hide "-agentpath:$agent=listen=0,token=token"
wait_for grep -q 'listening on 127.0.0.1:' err
port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
hprof-dump -q --redact all --token-file token -o a.hprof.zst 127.0.0.1:$port ||
	die "no dump"
blank a.hprof.zst
stop
rm -f said
hprof-dump --redact all --listen 0 --wait -o - >b.hprof 2>said &
listening=$!
wait_for grep -q 'listening on' said
hide "-agentpath:$agent=net=$(sed -n 's/.*listening on //p' said),doe=n"
kill -QUIT $pid
wait $listening || die "$(cat said)"
chmod 600 b.hprof
blank b.hprof
stop

# ---- cut short ---------------------------------------------------------------------

# What came before is there, and blank, too.
hide
mkfifo slow
hprof-dump --redact all --engine walk --agent "$agent" -f -o slow $pid \
	2>said &
dumping=$!
exec 4<slow
head -c 100000 <&4 >first
kill -KILL $pid
wait $pid
cat <&4 >>first
wait $dumping
[ $? = 2 ] || die "half a dump: $(cat said)"
[ "$(secrets first)" = 0 ] || die "half a dump has the secret"
rm -f ./*.hprof*

# SPDX-License-Identifier: MIT
# What each option of the agent means: each has a test that shows it, here or in
# another script, which is named below and must try it.
. "$srcdir/tests/jvm/agent.bash"

here=agent-options
declare -A shown_by=(
	[heap]=sites [cpu]=cpu-times [monitor]=monitors [format]=agent-text
	[file]=agent [force]=agent [doe]=agent [oome]=agent-oome
	[engine]=engines [limit]=fork [live]=walk [ids]=walk
	[level]=levels [constpool]=agent [depth]=$here [interval]=$here
	[sampler]=cpu-samples [sites-interval]=sites [profile]=prof
	[cutoff]=$here [lineno]=$here [thread]=$here [net]=agent-net
	[listen]=agent-net [token]=agent-net [exit]=agent-net
	[verbose]=$here [msa]=$here [gc_okay]=$here [defaults]=agent-text
)
options=$(sed -n 's/^	{ "\([a-z_-]*\)", .*/\1/p' \
	"$srcdir/agent/common/option_table.c")
[ "$(wc -w <<<"$options")" -gt 25 ] || die "no table: $options"
for option in $options; do
	script=${shown_by[$option]-}
	[ -n "$script" ] || die "nothing shows what $option means"
	# hprof-prof is asked for a profile, and asks the agent.
	[ "$option" = profile ] ||
		grep -q -- "$option=" "$srcdir/tests/jvm/$script.sh" ||
		die "$script.sh does not try $option"
done

# ---- as the old agent had it -----------------------------------------------------------

# Each row of the manual's table of the old agent's options, with each value that has a
# name, is tried with defaults=old: here, or in what follows.
sed -n '/^\.It Sy Option Ta Sy Values Ta Sy Old default/,/^\.El/p' \
	"$srcdir/man/hprof-agent.7" | sed -n 's/^\.It \([a-z_]*\) Ta \([^;]*\) Ta .* Ta .*/\1 \2/p' |
	sed 's/; [A-Z].*//' >manual
[ "$(wc -l <manual)" = 16 ] || die "not 16 old options: $(cat manual)"
while read -r option values; do
	for value in ${values//,/ }; do
		case $value in
		# Of these the values are not words.
		file | host:port | frames | ms | share) echo "$option=" ;;
		*) echo "$option=$value" ;;
		esac
	done
done <manual >rows
while read -r row; do
	grep -qE "^(old|report|.*samples) (cutoff=0,(depth=1,)?)?(verbose=n,)?$row" "$0" ||
		[[ $row == @(msa|gc_okay)=* ]] ||
		die "defaults=old,$row is not tried"
done <rows

# old OPTION SECTIONS [FILE] - defaults=old and that option: what the report has, the
# beginnings of its parts, in the file or where the old agent had it.
old() {
	local file=${3-java.hprof.txt}

	rm -rf old
	mkdir old
	[ "$1" != force=n ] && [ "$1" != force=y ] || echo before >old/java.hprof.txt
	(cd old && java -Xmx64m "-agentpath:$agent=defaults=old,$1" -cp "$classes" \
		Cloned >../out 2>../err) || die "$1: exit status $?"
	[ -z "$file" ] || [ -s "old/$file" ] || die "$1: no $file, but $(ls old)"
	cat old/* 2>/dev/null | grep -aoE '^(count callee|(HEAP DUMP|SITES|MONITOR [A-Z]*|CPU [A-Z()ms ]*) BEGIN|JAVA PROFILE 1.0.2|before)' |
		sed 's/ BEGIN//' | paste -sd, >sections
	[ "$(cat sections)" = "$2" ] || die "$1: $(cat sections), not $2"
}
old heap=dump 'HEAP DUMP'
old heap=sites SITES
old heap=all 'HEAP DUMP,SITES'
old cpu=samples 'CPU SAMPLES'
old cpu=times 'CPU TIME (ms)'
old cpu=old 'count callee'
old monitor=y 'MONITOR DUMP,MONITOR TIME'
old monitor=n 'HEAP DUMP,SITES'
old format=a 'HEAP DUMP,SITES'
old format=b 'JAVA PROFILE 1.0.2' java.hprof
hprof-stat --records old/java.hprof >out || die "format=b"
grep -q ALLOC_SITES out || die "format=b has no sites"
old file=other.txt 'HEAP DUMP,SITES' other.txt
old net=127.0.0.1:9 '' '' # where nobody listens
said '*127.0.0.1:9: cannot connect*' 'no dump: nobody is connected'
old doe=y 'HEAP DUMP,SITES'
old doe=n '' ''
old force=y 'HEAP DUMP,SITES'
old force=n 'before,HEAP DUMP,SITES' java.hprof.txt.1
for refused in monitor=y cpu=times cpu=old; do
	old format=b,$refused '' ''
	grep -q 'the binary format has no record for it' err || die "$refused: $(cat err)"
done

# report OPTIONS - the text of a profile of sites, in x.txt, of defaults=old.
report() {
	rm -f x.txt
	java -Xmx64m "-agentpath:$agent=defaults=old,heap=sites,file=x.txt,$1" \
		-cp "$classes" Cloned >out 2>err || die "$1: exit status $?"
	[ -s x.txt ] || die "$1: no report"
}

# frames - how many the longest trace has.
frames() {
	awk '/^TRACE/ { n = 0 } /^\t.*\(.*\)$/ && ++n > most { most = n }
		END { print most + 0 }' x.txt
}

# ---- depth ---------------------------------------------------------------------------

report cutoff=0
[ "$(frames)" = 4 ] || die "not 4 frames by default: $(frames)"
report cutoff=0,depth=2
[ "$(frames)" = 2 ] || die "depth=2: $(frames)"
report cutoff=0,depth=9
[ "$(frames)" -gt 4 ] || die "depth=9: $(frames)"
report cutoff=0,depth=0
[ "$(frames)" = 0 ] || die "depth=0: $(frames)"

# ---- lineno --------------------------------------------------------------------------

report cutoff=0,lineno=y
grep -q '^	Cloned\.fill(Cloned\.java:[0-9]*)$' x.txt || die "no lines"
report cutoff=0,lineno=n
grep -q '^	Cloned\.fill(Cloned\.java:Unknown line)$' x.txt || die "lineno=n"
grep -Eq '^	.*:[0-9]+\)$' x.txt && die "lines with lineno=n"

# ---- thread --------------------------------------------------------------------------

# What two threads do at one place are two traces.
traces() {
	awk '/^TRACE/ { head = $0 } /^\tCloned\.fill\(/ && head != last {
		n++; last = head } END { print n + 0 }' x.txt
}
report cutoff=0,depth=1,thread=n
grep -q '^TRACE.*(thread=' x.txt && die "threads without thread=y"
together=$(traces)
report cutoff=0,depth=1,thread=y
grep -Eq '^TRACE 3[0-9]+: \(thread=200[0-9]+\)$' x.txt || die "no threads"
[ "$(traces)" -gt "$together" ] || die "thread=y: $(traces), not > $together"

# ---- cutoff --------------------------------------------------------------------------

rows() {
	sed -n '/^SITES BEGIN/,/^SITES END/p' x.txt | grep -c '%'
}
report cutoff=0
all=$(rows)
report cutoff=0.01
[ "$(rows)" -gt 0 ] && [ "$(rows)" -lt "$all" ] || die "cutoff: $(rows) of $all"
awk '/^SITES BEGIN/ { on = 1 } on && $2 ~ /%$/ && $2 + 0 < 0.99 { print }' \
	x.txt >small
[ ! -s small ] || die "below the cutoff: $(cat small)"
report cutoff=1
[ "$(rows)" = 0 ] || die "cutoff=1: $(rows)"

# ---- interval ------------------------------------------------------------------------

# Ten times the interval, a tenth of the samples for the same work.
samples() {
	java -Xmx64m "-agentpath:$agent=defaults=old,cpu=samples,file=s.txt,$1" \
		-cp "$classes" HotSpots 1 >out 2>err ||
		die "$1: exit status $?"
	sed -n 's/^CPU SAMPLES BEGIN (total = \([0-9]*\)) .*/\1/p' s.txt
}
often=$(samples interval=2)
rarely=$(samples interval=20ms)
echo "$often samples, $rarely samples"
[ "$often" -gt $((rarely * 3)) ] || die "interval: $often and $rarely"

# ---- verbose, and those that do nothing ------------------------------------------------

report verbose=n
said
report verbose=y
said '* profile, *'
for option in msa=y msa=n gc_okay=y gc_okay=n; do
	report verbose=n,$option
	said
done

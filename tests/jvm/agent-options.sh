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

# report OPTIONS - the text of a profile of sites, in x.txt.
report() {
	rm -f x.txt
	java -Xmx64m "-agentpath:$agent=heap=sites,format=a,file=x.txt,$1" \
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
report cutoff=0,depth=1
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
	java -Xmx64m "-agentpath:$agent=cpu=samples,format=a,file=s.txt,force=y,$1" \
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

# SPDX-License-Identifier: MIT
# hprof-prof on a terminal of 80 columns and 24 lines: tables are drawn anew while
# the profile is taken, fit, and the last ones stay.
. "$srcdir/tests/cli/terminal.bash"
. "$srcdir/tests/jvm/agent.bash"

end_all() {
	on kill-server 2>/dev/null
	rm -rf "$folder"
	end_children
}
trap end_all EXIT

rm -f input out err
mkfifo input
java -Xmx100m -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
	-cp "$classes" Spender <input >out 2>err &
pid=$!
exec 3>input
await said_or_gone ready out $pid

screen() {
	on capture-pane -p -t "$session" >screen
}
shows() {
	screen
	grep -q -- "$1" screen
}
# seconds - how long the profile runs, by the table that is shown; -1: none is.
seconds() {
	screen
	sed -n "1s/^$pid: \([0-9]*\) s\$/\1/p" screen | grep . || echo -1
}
later_than() {
	[ "$(seconds)" -gt "$1" ]
}

# drawn ROWS... - there are tables of so many rows, or more: a screen may be
# looked at while the terminal still takes it in.
drawn() {
	screen
	awk -v wanted="$*" '
		/^ *[0-9.]+%/ { rows++ }
		/^ *share / { tables++ }
		END { n = split(wanted, least, " ")
			for (i = 1; i <= n; i++) sum += least[i]
			exit tables != n || rows < sum }' screen
}

# fits ROWS... - tables of so many rows, or more, come, a line each; nothing else
# is shown, and no line is broken.
fits() {
	await drawn "$@" || { cat screen; die "the tables"; }
	awk '
		length > 80 { print "too wide: " $0 }
		/^ *[0-9.]+%/ || /^ *share / { next }
		/^$|^[0-9]+: [0-9]+ s$|^status 0$/ { next }
		/^CPU, [0-9,]+ samples$|^(Allocated|Live) bytes / { next }
		{ print "no line of a table: " $0 }' screen >wrong
	[ ! -s wrong ] || { cat screen wrong; die "the screen"; }
}

# live NAME OPTIONS... - draws anew by itself, until it is told to end.
live() {
	local name=$1 before

	shift
	begin C.UTF-8 screen "hprof-prof --agent '$agent' --duration 3600 $* $pid" "$name"
	wait_for later_than -1
	before=$(seconds)
	wait_for later_than "$before"
	cp screen "$name.live"
}

finish() {
	press C-c
	wait_for shows '^status 0$'
	screen
}

live cpu --cpu --top 5
fits 2
grep -q ' Spender\.[a-z]*$' screen || { cat screen; die "no method"; }
finish
fits 2
grep -q '^CPU, ' screen || { cat screen; die "no last table"; }
! grep -q "^$pid: " screen || { cat screen; die "the time stays"; }

# Two tables share what room there is: the heads of both are seen.
live both --cpu --alloc --alloc-interval 16K --top 0
fits 1 2
grep -q '^CPU, ' screen && grep -q '^Allocated bytes ' screen ||
	{ cat screen; die "not both tables"; }
grep -q ' byte\[\]  *Spender\.mint$' screen || { cat screen; die "no class"; }
finish
on kill-server

echo >&3
exec 3>&-
wait $pid
[ $? = 7 ] || die "the program did something else"

# SPDX-License-Identifier: MIT
# A leak with the places that made it: of a dump with heap=all, offline, the
# programs say who holds it, and where it was allocated.
. "$srcdir/tests/jvm/agent.bash"

# leaking HOW FILE - a program that leaks so, dumped by the agent at its end.
leaking() {
	java -Xmx128m -XX:+UseSerialGC \
		"-agentpath:$agent=heap=all,depth=6,file=$2" \
		-cp "$classes" Leaking "$1" >out 2>err </dev/null ||
		die "Leaking $1: exit status $?"
	good "$2"
}

# The line of the source where sessions are made.
made=$(awk '/case "map":/ { on = 1 } on && /new Session/ { print NR; exit }' \
	"$srcdir/tests/jvm/Leaking.java")
[ -n "$made" ] || die "Leaking.java makes no sessions"
leaking none none.hprof
leaking map leak.hprof

# has FILE LINE... - the lines follow each other somewhere in FILE; each is a
# pattern of awk, without the indentation.
has() {
	local file=$1

	shift
	awk 'BEGIN { for (i = 1; i < ARGC; i++) wanted[i] = ARGV[i]
			n = ARGC - 1; ARGC = 1; at = 1 }
		{ sub(/^[ \t]+/, ""); at = $0 ~ wanted[at] ? at + 1 : $0 ~ wanted[1] ? 2 : 1
			if (at > n) { found = 1; exit } }
		END { exit !found }' "$@" <"$file" ||
		{ cat "$file"; die "$file lacks: $*"; }
}
stack=("^Leaking.leak\\(Leaking.java:$made\\)\$" '^Leaking.main\(Leaking.java:[0-9]+\)$')

# Who holds it and who made it, in one report.
hprof-stat --leaks leak.hprof >leaks || die "--leaks"
has leaks '^1\. Leaking\$Registry.byNumber: HashMap of 20,000 Leaking\$Session'
has leaks '^It is held by class Leaking.REGISTRY\.'
has leaks '^Allocated at, 20,000 objects of class Leaking\$Session, ' "${stack[@]}"
hprof-stat --leaks --json leak.hprof >json || die "--leaks --json"
has json '"allocated_at": [{]' '"class": "Leaking[$]Session",' '"objects": 20000,'
hprof-stat --allocations leak.hprof >allocations || die "--allocations"
has allocations '^[0-9]+\. 20,000 objects of class Leaking\$Session, ' "${stack[@]}"
has allocations '^[0-9]+\. 20,000 objects of class byte\[\], ' \
	'^Leaking\$Session.<init>\(Leaking.java:[0-9]+\)$' "${stack[@]}"

# One of the objects, by the name that another view gives it.
hprof-show --top 1 leak.hprof 'Leaking$Session' >class || die "hprof-show"
object=$(sed -n 's/^ .*\(@0x[0-9a-f]*\)$/\1/p' class | tail -n 1)
[ -n "$object" ] || { cat class; die "no object"; }
hprof-show leak.hprof "$object" >shown || die "hprof-show $object"
has shown '^allocated at$' "${stack[@]}"
hprof-show --json leak.hprof "$object" >json || die "hprof-show --json"
has json '"allocated_at": [{]' '"class": "Leaking[$]Session",'

# What grew, and who made it, without being asked.
hprof-diff none.hprof leak.hprof >diff || die "hprof-diff"
has diff '^What grew was allocated at:$' '^$' \
	'^[a-zA-Z.$]+[^:]*: \+[0-9.]+ [KM]iB, to [0-9.]+ [KM]iB; from 0 to 20,000 objects$'
has diff '^Leaking\$Session: \+468.75 KiB, to 468.75 KiB; from 0 to 20,000 objects$' \
	"${stack[@]}"
hprof-diff --json none.hprof leak.hprof >json || die "hprof-diff --json"
has json '^"allocated_at": \[$'
has json '^"class": "Leaking[$]Session",$' '^"bytes": \[0, 480000\],$' \
	'^"instances": \[0, 20000\],$'
hprof-diff --html none.hprof leak.hprof >page.html || die "hprof-diff --html"
has page.html '^<h4>Leaking[$]Session: \+468.75 KiB, to ' \
	'^<pre>at Leaking.leak\(Leaking.java:[0-9]+\)$' '^at Leaking.main'

# What was added since a dump before, by where it was made.
hprof-diff --profile allocations none.hprof leak.hprof >diff || die "hprof-diff"
has diff '^[0-9]+\. \+480,000, from 0 to 480,000$' '^Leaking\$Session$' \
	'^Leaking.leak$' '^Leaking.main$'

# A dump without such traces says so, and no view invents any.
run wait "-agentpath:$agent=file=plain.hprof"
hprof-stat --allocations plain.hprof >plain 2>&1
has plain '^the dump does not say where objects were allocated$'
hprof-show plain.hprof java.lang.System >plain || die "hprof-show"
! grep -qi 'allocated at' plain || die "$(cat plain)"

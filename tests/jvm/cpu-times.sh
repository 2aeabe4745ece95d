# SPDX-License-Identifier: MIT
# cpu=times and cpu=old against a program that counts its own calls: every count
# is exact, also with exceptions, recursion, constructors that fail, lambdas,
# static initializers, threads and virtual threads; and times are those that the
# program measures. All with every class verified.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

failed=0
bad() {
	echo "FAILED: $*"
	failed=$((failed + 1))
}

verify=(-XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal
	-XX:+BytecodeVerificationRemote)

# run OPTIONS ARGUMENT...
run() {
	local options=$1
	shift
	java "${verify[@]}" "-agentpath:$agent=$options,verbose=n" -cp "$classes" \
		Calls "$@" >said 2>errors || bad "$options: $(cat errors)"
	[ "$(tail -n 1 said)" = end ] || bad "$options: $(cat said)"
	[ ! -s errors ] || bad "$options: $(cat errors)"
}

# Compilers number lambdas each in its own way.
without_numbers() {
	sed 's/\(lambda\$[A-Za-z]*\)\$[0-9]*/\1/' | LC_ALL=C sort
}

# expect_counts GOT - the program's own counts are all there.
expect_counts() {
	grep '^Calls' said | without_numbers >want
	without_numbers <"$1" >sorted
	mv sorted "$1"
	[ -s want ] || bad "no counts"
	LC_ALL=C comm -23 want "$1" >missing
	[ ! -s missing ] || bad "$1: not as counted: $(cat missing)"
}

# Sums of the columns of a report's rows with cpu=times: METHOD COUNT.
counts() {
	awk '/^CPU TIME/ { on = 1 } on && $6 ~ /^Calls/ { n[$6] += $4 }
	END { for (m in n) print m, n[m] }' "$1"
}

for depth in 1 4; do
	run "cpu=times,cutoff=0,depth=$depth,file=times-$depth.txt"
	counts "times-$depth.txt" >got
	expect_counts got
done
run "cpu=times,cutoff=0,thread=y,file=by-thread.txt"
counts by-thread.txt >got
expect_counts got
grep -q '^TRACE [0-9]*: (thread=[0-9]*)$' by-thread.txt ||
	bad "no trace has a thread"

# ---- traces -------------------------------------------------------------------

# The four methods on top, as they called each other.
awk '/^TRACE/ { n = 0; t = "" }
/^\t/ { sub(/\(.*/, ""); t = t $0; if (++n == 4) print t }' times-4.txt >traces
for trace in \
	'Calls.fail Calls.passOn Calls.passOn Calls.passOn' \
	'Calls$Square.area Calls$Shape.twice Calls.plain Calls.all' \
	'Calls$Base.<init> Calls$Derived.<init> Calls.constructors Calls.all' \
	'Calls.afterFailures Calls.constructors Calls.all Calls.main'; do
	tr '\t' ' ' <traces | grep -qxF " $trace" || bad "no trace $trace"
done

# ---- cpu=old -------------------------------------------------------------------

run cpu=old,file=old.txt
head -n 1 old.txt | grep -qx 'count callee caller time' ||
	bad "head of cpu=old: $(head -n 1 old.txt)"
awk 'NR > 1 && $2 ~ /^Calls/ { sub(/\(.*/, "", $2); n[$2] += $1 }
END { for (m in n) print m, n[m] }' old.txt >got
expect_counts got
grep -q '^[0-9]* Calls.fail()V Calls.passOn(I)V [0-9]*$' old.txt ||
	bad "cpu=old: no call of fail by passOn"
awk 'NR > 2 && $1 > last { exit 1 } { last = $1 }' old.txt ||
	bad "cpu=old: not ordered by count"

# ---- time ----------------------------------------------------------------------

# With what they called: rows of cpu=old. Other threads may disturb the clocks
# of both a little; a method that sleeps takes nothing.
run cpu=old,file=time.txt time
while read -r _ method ms; do
	got=$(awk -v m="$method" 'index($2, m "(") == 1 { s += $NF }
		END { print s + 0 }' time.txt)
	[ $((got > ms ? got - ms : ms - got)) -le $((ms / 20 + 10)) ] ||
		bad "$method: $got ms, by its own clock $ms"
done < <(grep '^ms ' said)

[ $failed = 0 ]

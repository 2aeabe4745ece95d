# SPDX-License-Identifier: MIT
# The agents of doc/examples/agents tell what a known program does.
agents=$builddir/doc/examples/agents/.libs
[ -e "$agents/02_time.so" ] || { echo "the examples were not built"; exit 77; }

failed=0
bad() {
	echo "FAILED: $*"
	cat said
	failed=$((failed + 1))
}

# run AGENT OPTIONS WHAT
run() {
	java "-agentpath:$agents/$1.so=$2" -cp "$classes" AgentWork "$3" \
		>said 2>&1 || bad "$*: exit status $?"
}

run 02_time AgentWork.step time
pattern='^AgentWork\.step: 1000 calls, [0-9.]* ms each, [0-9.]* ms at most$'
grep -q "$pattern" said || bad "calls of step"
awk '{ exit !($6 >= 30 && $3 < $6) }' said || bad "the longest one sleeps"
run 02_time 'AgentWork.no*' time
grep -qx 'AgentWork.no\*: 0 calls' said || bad "calls of none"

# Of a second in samples of 5 ms; the rest is the JVM's beginning.
run 01_sample 5 spin
awk 'NR == 1 { n = $1 } NR == 2 { top = $1; name = $3 " " $4 }
	END { exit !(n >= 50 && name == "LAgentWork; spin" && top > n / 2) }' \
	said || bad "samples of spin"

# Five rounds of 100 calls: one object each that is kept, three that are not, and
# a collection.
run 03_objects AgentWork.make objects
awk '$4 == "LAgentWork$Kept;" && $1 == 500 && $3 == 500 { kept = 1 }
	$4 == "LAgentWork$Dropped;" && $1 == 1500 && $3 <= 300 { dropped = 1 }
	END { exit !(kept && dropped) }' said || bad "objects of make"
run 04_ages AgentWork.make objects
awk 'NR == 1 { made = $1; collections = $3 }
	/ended after/ { ended += $1 }
	/are left/ { left = $1 }
	END { exit !(made >= 2000 && collections >= 5 && left >= 500 &&
		ended >= 1200 && left + ended == made) }' said || bad "ages"
exit $((failed > 0))

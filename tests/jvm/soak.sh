# SPDX-License-Identifier: MIT
# The short form of make soak: a few dumps in a row by each engine, many threads,
# killed forks, a full disk, hostile clients, hooks and events that come and go,
# beside a program whose result is known. See tests/soak/cases.bash.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

soak_count=5
collectors=(G1)
. "$srcdir/tests/soak/cases.bash"

for gc in "${collectors[@]}"; do
	all_cases "$gc"
done
cat rows
# Each case has its row, and none a reason why not.
[ "$(wc -l <rows)" = $((10 * ${#collectors[@]})) ] || exit 1
! grep -q ' FAIL ' rows

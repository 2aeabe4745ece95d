# SPDX-License-Identifier: MIT
# samples.bash - what the tests of cpu=samples share. To be sourced after
# agent.bash, in a directory of its own.

# on_x86 - can sampler=async be had here?
on_x86() {
	[ "$(uname -m)" = x86_64 ]
}

# text FILE - the samples of a file, to the file text.
text() {
	hprof-check -q "$1" || die "$1 is damaged"
	hprof-convert -f --to text "$1" text || die "$1 is not converted"
	grep -q '^CPU SAMPLES END' text || die "$1 has no samples"
}

# samples_of METHOD - all samples in text whose innermost frame is that.
samples_of() {
	awk -v wanted="$1" '/^CPU SAMPLES BEGIN/ { on = 1 }
		on && NF >= 6 && $NF == wanted { sum += $4 }
		END { print sum + 0 }' text
}

samples_total() {
	sed -n 's/^CPU SAMPLES BEGIN (total = \([0-9]*\)).*/\1/p' text
}

samples_unknown() {
	awk '/<empty trace>/ { sum += $4 } END { print sum + 0 }' text
}

# check_shares WHAT FEWEST - the three methods of HotSpots in text have the
# shares that the program (its output is out) gives them, within 3 %.
check_shares() {
	local name

	for name in sixty thirty ten; do
		echo "$name $(samples_of "HotSpots.$name")"
	done >shares
	awk -v what="$1" -v fewest="$2" '
		NR == FNR { used[$1] = $2; next }
		{ got[$1] = $2; sum += $2 }
		END {
			all = used["sixty"] + used["thirty"] + used["ten"]
			for (name in got) {
				a = 100 * got[name] / (sum ? sum : 1)
				b = 100 * used[name] / all
				printf "%s %s: %.1f %%, by its clock %.1f %%\n",
					what, name, a, b
				if (a - b > 3 || b - a > 3)
					wrong = 1
			}
			if (sum < fewest) {
				print what ": only " sum " samples"
				wrong = 1
			}
			exit wrong
		}' out shares || die "$1: wrong shares"
}

# SPDX-License-Identifier: MIT
# classes.bash - the class tables of jcmd GC.class_histogram and hprof-stat in one
# form, for diff. To be sourced.

java_feature=$(java -version 2>&1 |
	sed -n 's/.*version "\(1\.\)\?\([0-9]*\).*/\2/p' | head -n 1)

# Ends a test of forks, untried, where JVMs are not forked.
needs_fork() {
	[ "$java_feature" = 11 ] || [ "$java_feature" -ge 17 ] || {
		echo "JDK $java_feature is not forked"
		exit 77
	}
}

# "class instances bytes", names as Java source writes them, fillers as int[].
# Before JDK 15 only jcmd knows the addresses of anonymous classes.
from_jcmd() {
	awk -v anonymous=$((java_feature < 15)) '
	function name(n,    depth, t) {
		if (anonymous) sub(/\/(0x[0-9a-f]+|[0-9]+)$/, "", n)
		while (substr(n, 1, 1) == "[") { depth++; n = substr(n, 2) }
		if (depth) {
			t = index("ZCFDBSIJ", n)
			n = t ? word[t] : substr(n, 2, length(n) - 2)
		}
		if (depth == 1 && n == "jdk.internal.vm.FillerElement")
			n = "int"
		while (depth-- > 0) n = n "[]"
		return n
	}
	BEGIN { split("boolean char float double byte short int long", word) }
	$1 ~ /^[0-9]+:$/ && NF >= 4 {
		n = name($4); count[n] += $2; bytes[n] += $3
	}
	END {
		for (n in count)
			if (n != "java.lang.Class") print n, count[n], bytes[n]
	}' | LC_ALL=C sort
}

from_stat() {
	tr -d '\r' | awk -F, '
	NR > 1 && $1 != "java.lang.Class" { count[$1] += $2; bytes[$1] += $3 }
	END { for (n in count) print n, count[n], bytes[n] }' | LC_ALL=C sort
}

# The stacks of jcmd Thread.print and hprof-stat --threads in one form: a line
# for each thread that has one. Other characters than ASCII are left out, since
# jcmd replaces some of them. A virtual thread has no name: jcmd tells none.
stacks_from_jcmd() {
	tr -cd '[:print:]\n\t' | awk -v anonymous=$((java_feature < 15)) '
	function flush() { if (stack != "") print name stack; stack = "" }
	anonymous { sub(/\/0x[0-9a-f]+/, "") }
	/^"/ { flush(); name = $0; sub(/" #[0-9].*/, "\"", name) }
	/^   Mounted virtual thread/ { flush(); name = "virtual" }
	/^\tat / { sub(/\([a-z.]+@[^\/]*\//, "("); stack = stack " <- " $2 " " $3 }
	/^JNI global/ { flush() }
	END { flush() }' | LC_ALL=C sort
}

stacks_from_stat() {
	tr -cd '[:print:]\n\t' | awk '
	function flush() { if (stack != "") print name stack; stack = "" }
	/^"/ {
		flush()
		name = $0
		sub(/" #[0-9].*/, "\"", name)
		if (/java.lang.VirtualThread@/) name = "virtual"
	}
	/^\tat / { stack = stack " <- " $2 " " $3 }
	END { flush() }' | LC_ALL=C sort
}

# differing_sizes THEIRS OURS - the classes of which the agent's dump has all
# instances, and other bytes. Of arrays as many need not be the same ones, nor as
# long.
differing_sizes() {
	LC_ALL=C join "$1" "$2" | awk '
	$1 ~ /\[\]/ { next }
	$2 == $4 { same++ }
	$2 == $4 && $3 != $5 { print $1, $3, "but the agent has", $5 }
	END { if (same < 100) print "only", same, "classes compared" }'
}

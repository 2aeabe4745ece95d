# SPDX-License-Identifier: MIT
# Where a fork would need more than there is, it is refused with the reason, and
# the JVM goes on: control groups of memory and of processes, the kernel's limit
# on what is promised (vm.overcommit_memory=2), huge pages. Real groups where
# they can be made; what the kernel says otherwise is also put in front of /proc
# and /sys/fs/cgroup, in a mount namespace. Each part that cannot be had says so.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/sample.bash"
. "$srcdir/tests/jvm/classes.bash"
needs_fork
# The JVM itself does not look at the groups: JDK 25 crashes when it starts
# with those that are put in front of it here.
late=(-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading
	-XX:-UseContainerSupport -XX:+UseSerialGC -Xmx64m)
tried=0
groups=()
leave_groups() {
	wait
	[ ${#groups[@]} = 0 ] || rmdir "${groups[@]}" 2>/dev/null
	[ -z "${pages:-}" ] || echo "$pages" >/proc/sys/vm/nr_hugepages
}
trap 'end_children; leave_groups' EXIT

# The JVM is started in the group $group, or with $in_front run before.
group='' in_front=''
java() {
	[ -z "$group" ] || echo $BASHPID >"$group/cgroup.procs"
	if [ -n "$in_front" ]; then
		exec unshare -m sh -c "$in_front"' && exec java "$@"' sh "$@"
	fi
	exec java "$@"
}

# begin - the program runs, and has been walked once.
begin() {
	start fill "${late[@]}" || die "it did not start"
}

# refused CODE TEXT - it is not forked, and the JVM runs on.
refused() {
	attach_fork "file=refused.hprof" && die "it was forked"
	grep -q "return code: $1\$" attach || die "$(cat attach)"
	stop
	said "no dump: $2"
	no_files
	tried=$((tried + 1))
}

# forked - there is room enough.
forked() {
	attach_fork "file=fork.hprof" || die "$(cat attach) $(tail -n 3 err)"
	stop
	good fork.hprof
	rm -f fork.hprof
	tried=$((tried + 1))
}

little='a forked process might need more memory than there is: up to * MiB, and * MiB are free'

# ---- groups --------------------------------------------------------------------

# new_group CONTROLLER - a group below that of this shell, to $group; *old says
# whether it is of version 1. False if there can be none.
new_group() {
	local path

	group=
	if [ -d "/sys/fs/cgroup/$1" ]; then
		path=$(sed -n "s/^[0-9]*:$1://p" /proc/self/cgroup)
		old=yes
		path=/sys/fs/cgroup/$1$path
	else
		path=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
		old=
		grep -qsw "$1" "$path/cgroup.subtree_control" || return 1
	fi
	mkdir "${path%/}/hprof-test-$$-$1" 2>/dev/null || return 1
	group=${path%/}/hprof-test-$$-$1
	groups+=("$group")
}

set_memory() {
	echo "$1" >"$group/$([ -n "$old" ] && echo memory.limit_in_bytes ||
		echo memory.max)"
}

if new_group memory; then
	set_memory $((1500 << 20))
	begin
	forked
	set_memory $((1500 << 20))
	begin
	set_memory $((180 << 20))
	refused 17 "$little"
	echo "a memory group of version $([ -n "$old" ] && echo 1 || echo 2)"
else
	echo "no memory groups can be made here"
fi
if new_group pids; then
	begin
	attach "file=first.hprof,verbose=n" # by a thread that is new
	cat "$group/pids.current" >"$group/pids.max"
	attach_fork "file=refused.hprof" && die "it was forked"
	grep -q 'return code: 18$' attach || die "$(cat attach)"
	echo max >"$group/pids.max"
	attach_fork "file=fork.hprof" || die "$(cat attach)"
	stop
	good fork.hprof
	said "*refused.hprof: no dump: the process cannot be forked" \
		"*fork.hprof: $taken"
	rm -f ./*.hprof
	tried=$((tried + 1))
	echo "a group of processes"
else
	echo "no groups of processes can be made here"
fi
group=

# ---- what the kernel might say ---------------------------------------------------

mounts() {
	unshare -m true 2>/dev/null
}

# A group of version 2, whose limit is above it.
v2() {
	rm -rf groups
	mkdir -p groups/above/jvm
	echo "0::/above/jvm" >groups/self
	echo max >groups/above/jvm/memory.max
	echo $((100 << 20)) >groups/above/jvm/memory.current
	echo "$1" >groups/above/memory.max
	echo $((300 << 20)) >groups/above/memory.current
	echo "inactive_file $2" >groups/above/memory.stat
	in_front="mount --bind groups /sys/fs/cgroup &&
		mount --bind groups/self /proc/\$\$/cgroup"
	begin
	in_front=
}

# overcommit KIB - the kernel promises no more than KIB more, used or not.
overcommit() {
	echo 2 >mode
	sed -e "s/^CommitLimit:.*/CommitLimit: $((4000000 + $1)) kB/" \
		-e 's/^Committed_AS:.*/Committed_AS: 4000000 kB/' \
		/proc/meminfo >meminfo
	in_front="mount --bind mode /proc/sys/vm/overcommit_memory &&
		mount --bind meminfo /proc/meminfo"
	begin
	in_front=
}

if mounts; then
	v2 $((350 << 20)) 0
	refused 17 "$little"
	v2 $((350 << 20)) $((290 << 20)) # pages of files make room
	forked
	v2 max 0
	forked
	overcommit 100000
	refused 17 "$little"
	overcommit 4000000
	forked
	echo "groups of version 2 and limits on promises, as the kernel tells them"
else
	echo "no mount namespaces can be had here"
fi

# ---- huge pages --------------------------------------------------------------------

# The number of huge pages is the machine's: only the long form changes it, and
# the trap changes it back.
if is_long && [ -w /proc/sys/vm/nr_hugepages ]; then
	pages=$(cat /proc/sys/vm/nr_hugepages)
	echo $((pages + 64)) >/proc/sys/vm/nr_hugepages
fi
if [ "$(awk '/^HugePages_Free:/ { print $2 }' /proc/meminfo)" -ge 64 ]; then
	late+=(-XX:+UseLargePages)
	begin
	refused 14 'its heap is of huge pages, or a file: *'
	echo "huge pages"
else
	echo "no huge pages can be had here"
fi
[ $tried != 0 ] || exit 77

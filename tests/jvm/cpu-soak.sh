# SPDX-License-Identifier: MIT
# Both samplers each millisecond under compilation, collections, class unloading,
# exceptions and short threads, beside known results:
#
#   make check TESTS=tests/jvm.tap JVM_SCRIPTS=cpu-soak SOAK_SECONDS=3600
#
# is an hour for each. The program must end as it does by itself, and the samples
# be those of its CPU time.
. "$srcdir/tests/jvm/agent.bash"
. "$srcdir/tests/jvm/samples.bash"

seconds=${SOAK_SECONDS:-5}
samplers=(thread)
! on_x86 || samplers+=(async)

for sampler in "${samplers[@]}"; do
	java -Xmx256m "-agentpath:$agent=cpu=samples,sampler=$sampler,interval=1,depth=64,file=$sampler.hprof" \
		-cp "$classes" Churn "$seconds" >out 2>err </dev/null
	status=$?
	[ $status = 7 ] || die "$sampler: exit status $status"
	text "$sampler.hprof"
	echo "$sampler: $(cat out), $(samples_total) samples," \
		"$(samples_unknown) without a stack"
	# A busy machine gives it a fraction of its time.
	[ "$(samples_total)" -ge $((seconds * 20)) ] || die "hardly a sample"
	grep -q 'Churn\$Unit\.' text || die "no method that was unloaded"
done

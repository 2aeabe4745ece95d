# SPDX-License-Identifier: MIT
# An installed tree that was moved takes a dump with its own agent.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }
. "$srcdir/tests/jvm/waiter.bash"

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$builddir" \
	install-libLTLIBRARIES install-binPROGRAMS DESTDIR="$PWD/staged" \
	>install.log 2>&1 || { cat install.log; fail "make install"; }
bin=$(dirname "$(find "$PWD/staged" -name hprof-dump)")
mv "$(dirname "$bin")" moved || fail "there is no tree"
bin=$PWD/moved/$(basename "$bin")
library=$(dirname "$(find "$PWD/moved" -name libhprof-agent.so)")
start -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading
LD_LIBRARY_PATH=$library "$bin/hprof-dump" -v --engine walk -o moved.hprof \
	$pid 2>err || { cat err; fail "the dump"; }
cat err
grep -qF "the agent is $library/libhprof-agent.so" err || fail "which agent"
grep -q "moved/.*libhprof-agent.so" /proc/$pid/maps || fail "it is not loaded"
[ "$(count moved.hprof 'Waiter$Item')" = 5000 ] || fail "its items"
finish

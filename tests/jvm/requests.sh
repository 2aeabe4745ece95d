# SPDX-License-Identifier: MIT
# One object, one monitor, one thread on request: what the agent answers over its
# socket, to hprof-dump and to peers that send frames which are none.
. "$srcdir/tests/jvm/agent.bash"

options=heap=dump,doe=n
serve() {
	start fill "-agentpath:$agent=listen=0,token=token,$options$1"
	wait_for grep -q 'listening on 127.0.0.1:' err
	port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
}

# ask OPTIONS... - in the file answer.
ask() {
	hprof-dump --token-file token "$@" 127.0.0.1:$port >answer 2>said ||
		die "$*: $(cat said)"
	LC_ALL=C grep -q '[^ -~]' answer && die "$*: not ASCII"
	[ "$(wc -l <answer)" = 1 ] || die "$*: $(wc -l <answer) lines"
}

# wants TEXT... - each is in the answer.
wants() {
	local text

	for text; do
		grep -qF -- "$text" answer || die "no $text in $(cat answer)"
	done
}

# number PATTERN - the number that follows the first such text.
number() {
	grep -oE -- "$1[0-9]+" answer | head -n 1 | grep -oE '[0-9]+$'
}

serve ''

# ---- threads ---------------------------------------------------------------------

ask --thread all
wants '{"threads":[{"id":' '"name":"main"'
main=$(grep -oE '"id":[0-9]+,"name":"main"' answer | grep -oE '[0-9]+')
ask --thread $main
wants "{\"thread\":{\"id\":$main,\"name\":\"main\",\"priority\":5,\"daemon\":false" \
	'"class":"AgentRun","method":"main","signature":"([Ljava/lang/String;)V","file":"AgentRun.java","line":'
# It reads standard input, and has a stream's monitor, or that of a lock.
ask --object $main
wants "{\"id\":$main,\"class\":\"java.lang.Thread\",\"size\":" '"fields":[{' \
	'"of":"java.lang.Thread","name":"'

# ---- objects -----------------------------------------------------------------------

ask --instances java.lang.Thread
[ "$(number '"instances":')" -gt 2 ] || die "$(cat answer)"
ask --instances java.util.Properties
properties=$(number '"ids":\[')
ask --object $properties
wants '"class":"java.util.Properties"' '"name":"map"'
map=$(number '"name":"map","type":"[^"]*","value":{"id":')
ask --object $map
wants '"of":"java.util.concurrent.ConcurrentHashMap","name":"table"'
table=$(number '"name":"table","type":"[^"]*","value":{"id":')
ask --object $table
wants '"length":' '"elements":['
node=$(grep -oE '"id":[0-9]+,"class":"[a-zA-Z.]*HashMap.Node"' answer |
	head -n 1 | grep -oE '[0-9]+')
ask --object $node
key=$(number '"name":"key","type":"[^"]*","value":{"id":')
ask --object $key
wants '"class":"java.lang.String"' '"characters":' '"text":"'
# The same object has the same number, whoever asks.
ask --instances java.util.Properties
[ "$(number '"ids":\[')" = "$properties" ] || die "another number"
ask --instances no.such.Class
wants '{"class":"no.such.Class","loaded":[]}'

# A class has its static fields; of an object there are none.
grep -q statics answer && die "$(cat answer)"
ask --instances java.lang.Thread
ask --object "$(number '"class_id":')"
wants '"class":"java.lang.Class"' '"describes":"java.lang.Thread"' \
	'"superclass":{"id":' '"loader":null' \
	'"statics":[{"of":"java.lang.Thread","name":"' \
	'"name":"MAX_PRIORITY","type":"I","value":10}'

# ---- monitors --------------------------------------------------------------------

ask --monitor $properties
wants "{\"object\":{\"id\":$properties," '"owner":null,"entry_count":0,' \
	'"waiters":[]' '"notify_waiters":[]'

# ---- what there is not -------------------------------------------------------------

for id in 999999999 9223372036854775807; do
	for kind in object monitor thread; do
		ask --$kind $id
		wants '{"error":"there is no such object, or it is gone"}'
	done
done
ask --thread $properties
wants '{"error":"that object is no thread"}'
hprof-dump --token-file token --object 1 --thread all 127.0.0.1:$port 2>said
[ $? = 2 ] || die "two requests"

# ---- hostile frames ----------------------------------------------------------------

# frame LENGTH BODY
frame() {
	printf '8100000000%08x%s' "$1" "$2"
}
# Too short, too long, and of a kind that there is not; names without an end and
# of bytes that are no text; half a frame.
for bad in "$(frame 0 '')" "$(frame 8 0100000000000000)" \
	"$(frame 4294967295 01)" "$(frame 1034 01)"; do
	tcp-peer $port token=token read=31 "send=$bad" gone \
		>peer 2>&1 </dev/null || die "$(cat peer)"
done
wait_for grep -q 'a request of a wrong length' err
# An answer, and then the end, for a frame that is none.
reply() {
	rm -f reply
	tcp-peer $port token=token read=31 "send=$1$(frame 0 '')" read=9 \
		rest=reply >peer 2>&1 </dev/null || die "$(cat peer)"
}
none=0000000000000000
for kind in 00 05 ff; do
	reply "$(frame 9 "$kind$none")"
	[ "$(cat reply)" = '{"error":"there is no such request"}' ] ||
		die "$(cat reply)"
done
reply "$(frame 13 "04${none}ff00225c")"
[ "$(cat reply)" = '{"class":"\u00ff","loaded":[]}' ] || die "$(cat reply)"
ask --thread $main
wants '"name":"main"'
stop

# A level of dumps is one of answers, too.
serve ,level=1
ask --instances java.lang.String
string=$(number '"ids":\[')
ask --object $string
grep -q '"text"' answer && die "$(cat answer)"
wants '"name":"value","type":"[B","value":{"id":' '"name":"hash","type":"I"}'
stop
serve ,level=0
ask --instances java.lang.String
ask --object "$(number '"ids":\[')"
grep -q '"value":' <(sed 's/"name":"value"//' answer) && die "$(cat answer)"
stop

# A monitor that is held twice, is wanted, and is waited on; static fields.
rm -f input out err
mkfifo input
java -Xmx64m "-agentpath:$agent=listen=0,token=token,doe=n" -cp "$classes" Held \
	<input >out 2>err &
pid=$!
exec 3>input
await said_or_gone ready out $pid
port=$(sed -n 's/.*listening on 127.0.0.1://p' err)
ask --instances 'Held$Lock'
lock=$(number '"ids":\[')
ask --monitor $lock
wants '"owner":{"id":' '"name":"holder"' '"entry_count":2' \
	'"name":"enterer"' '"notify_waiters":[{"id":'
grep -qE '"notify_waiters":\[\{"id":[0-9]+,"name":"waiter",' answer ||
	die "$(cat answer)"
enterer=$(grep -oE '"id":[0-9]+,"name":"enterer"' answer | head -n 1 |
	grep -oE '[0-9]+')
ask --thread $enterer
wants '"name":"enterer"' '"state":"blocked"' '"class":"Held","method":"hold"'
ask --instances Held
ask --object "$(number '"class_id":')"
wants '"describes":"Held"' '"superclass":{"id":' '"loader":{"id":' \
	'"name":"flag","type":"Z","value":true}' \
	'"name":"small","type":"B","value":-2}' \
	'"name":"letter","type":"C","value":65535}' \
	'"name":"less","type":"S","value":-32768}' \
	'"name":"half","type":"F","value":1.5}' \
	'"name":"quarter","type":"D","value":-0.25}' \
	'"name":"LOCK","type":"LHeld$Lock;","value":{"id":' \
	'"name":"none","type":"Ljava/lang/String;","value":null}'
# To ask does not initialize a class.
ask --instances 'Held$Idle'
ask --object "$(number '"class_id":')"
wants '"statics":[' '"of":"Held$Idle","name":"started","type":"I","value":0}'
grep initialized out && die "a class was initialized"
stop

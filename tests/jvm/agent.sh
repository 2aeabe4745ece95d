# The agent loads at the start of a JVM and later, says that it does nothing,
# and lets the JVM end as it likes.
[ -n "$agent" ] || { echo "the agent was not built"; exit 77; }

cat >Exit.java <<'J'
public class Exit {
    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(7);
    }
}
J
javac Exit.java || exit 1

java -agentpath:"$agent"=some,options=1 Exit >out 2>err </dev/null
status=$?
cat out err
[ $status = 7 ] || { echo "exit status $status with the agent"; exit 1; }
[ "$(cat out)" = ready ] || exit 1
[ "$(grep -c '^hprof-agent: ' err)" = 1 ] || exit 1

# Into a JVM that runs.
mkfifo input
java Exit <input >out 2>err &
pid=$!
exec 3>input
for _ in $(seq 100); do
	grep -q ready out && break
	sleep 0.1
done
jcmd $pid JVMTI.agent_load "$agent" >attach 2>&1 || {
	cat attach
	kill $pid
	exit 1
}
exec 3>&-
wait $pid
status=$?
cat attach out err
[ $status = 7 ] || { echo "exit status $status after loading"; exit 1; }
[ "$(grep -c '^hprof-agent: ' err)" = 1 ] || exit 1

# SPDX-License-Identifier: MIT
# Reads what the writer wrote with an independent reader, the library of
# VisualVM. It must see the same in a JVM's own dump and in a copy with segments
# of the writer, and the right content in a dump written from scratch.
jar=${VISUALVM_HEAP_JAR:-/usr/share/visualvm/visualvm/modules}
[ -f "$jar" ] || jar=$jar/org-graalvm-visualvm-lib-jfluid-heap.jar
[ -f "$jar" ] || { echo "no VisualVM (Debian: visualvm)"; exit 77; }
examples=$builddir/doc/examples

cat >Dump.java <<'J'
import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

public class Dump {
    // The writer gives it a segment for itself, a JVM does not.
    static byte[] large = new byte[700 << 10];

    public static void main(String[] arguments) throws Exception {
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .dumpHeap(arguments[0], true);
    }
}
J
javac -nowarn -cp "$jar" -d . "$srcdir/tests/jvm/OpenDump.java" Dump.java ||
	exit 1

# Its index files go to the temporary directory.
mkdir temporary
look() {
	java -Xmx512m -Djava.io.tmpdir=temporary -cp "$jar:." OpenDump "$1" \
		>"$1.seen" 2>"$1.err" || { cat "$1.err"; exit 1; }
}

java -Xmx64m Dump original.hprof || exit 1
"$examples/01_copy" original.hprof copy.hprof || exit 1
"$examples/01_copy" -e original.hprof exact.hprof.gz || exit 1
gzip -dc exact.hprof.gz | cmp - original.hprof || exit 1
look original.hprof
look copy.hprof
cmp -s original.hprof copy.hprof && { echo "nothing changed"; exit 1; }
diff original.hprof.seen copy.hprof.seen | head -n 20
cmp original.hprof.seen copy.hprof.seen || exit 1
head -n 1 copy.hprof.seen
grep -q '^instances [1-9]' copy.hprof.seen || exit 1

# It refuses the dump when cut and opens it when repaired.
convert=$builddir/tools/hprof-convert
head -c -1000 original.hprof >cut.hprof
java -Xmx512m -Djava.io.tmpdir=temporary -cp "$jar:." OpenDump cut.hprof \
	>cut.seen 2>&1 && { echo "a cut dump opens"; exit 1; }
"$convert" -q --repair cut.hprof mended.hprof
[ $? = 1 ] || { echo "repair: not status 1"; exit 1; }
look mended.hprof
grep -q '^instances [1-9]' mended.hprof.seen || exit 1
"$convert" --redact all original.hprof redacted.hprof || exit 1
look redacted.hprof
# It guesses the width of references by what is blanked: other bytes.
cmp <(head -n 1 original.hprof.seen | cut -d ' ' -f 1,2) \
	<(head -n 1 redacted.hprof.seen | cut -d ' ' -f 1,2) || exit 1

"$examples/03_write" made.hprof || exit 1
look made.hprof
cat made.hprof.seen made.hprof.err
wanted() {
	grep -qxF -- "$1" made.hprof.seen || { echo "not seen: $1"; exit 1; }
}
wanted "4176 demo.Node super java.lang.Object count 2 bytes 32"
wanted "  static head = @8192"
wanted "roots {Java frame=1, sticky class=7, thread object=1}"
wanted "  at demo.Node.run(Node.java:42)"

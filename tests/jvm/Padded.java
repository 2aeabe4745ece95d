/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import jdk.internal.vm.annotation.Contended;

/**
 * A heap with objects that are larger than their fields: padded by @Contended,
 * by what a superclass inherits, and with fields that the JVM injects; some in
 * numbers, some alone. Class objects with static fields of every width. Waits
 * until its input ends.
 */
public class Padded {
    static class Named extends Thread { int x; long y; Object o; }
    static class NamedByte extends Named { byte b; }
    static class NamedAgain extends NamedByte { Object a; int c; }
    static class NamedAlone extends NamedAgain { boolean z; }
    static class Plain extends Thread { }
    static class PlainPlain extends Plain { }
    static class PlainInt extends PlainPlain { int i; }
    static class PlainAlone extends PlainInt { }
    static class Worker extends ForkJoinWorkerThread {
        long z;
        Worker(ForkJoinPool pool) { super(pool); }
    }
    @Contended static class Cell { long value; }
    static class CellMore extends Cell { int a; }
    static class CellMost extends CellMore { byte b; }
    static class CellEmpty extends CellMore { }
    static class Group {
        int a;
        @Contended int b;
        @Contended("g") long c;
        @Contended("g") Object d;
        Object e;
    }
    static class GroupMore extends Group { short s; }
    static class GroupTwice extends GroupMore { @Contended boolean z; Object o; }
    static class Loader extends ClassLoader { byte b; int i; }
    static class LoaderAlone extends Loader { Object o; short s; }
    static class Failure extends InternalError { byte b; }
    static class FailureAlone extends Failure { long l; }

    static class StaticByte { static byte a = 1; }
    static class StaticLong { static Object a = "a"; static long b = 2; }
    static class StaticMany {
        static Object a = "a", b = "b", c = "c";
        static double d = 1;
        static int e = 2;
        static char f = 'f';
        static boolean g = true;
    }

    static final List<Object> kept = new ArrayList<>();
    static final CountDownLatch end = new CountDownLatch(1);

    static void fill(int rounds, ForkJoinPool pool) {
        for (int i = 0; i < rounds; i++) {
            kept.add(new Named());
            kept.add(new NamedByte());
            kept.add(new NamedAgain());
            kept.add(new Plain());
            kept.add(new PlainPlain());
            kept.add(new PlainInt());
            kept.add(new Worker(pool));
            kept.add(new Cell());
            kept.add(new CellMore());
            kept.add(new CellMost());
            kept.add(new CellEmpty());
            kept.add(new Group());
            kept.add(new GroupMore());
            kept.add(new GroupTwice());
            kept.add(new Loader());
            kept.add(new Failure());
        }
        kept.add(new NamedAlone());
        kept.add(new PlainAlone());
        kept.add(new LoaderAlone());
        kept.add(new FailureAlone());
        kept.add(new StaticByte());
        kept.add(new StaticLong());
        kept.add(new StaticMany());
    }

    static void await() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void startVirtual(int count) throws ReflectiveOperationException {
        Runnable wait = Padded::await;
        for (int i = 0; i < count; i++) {
            try {
                kept.add(Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, wait));
            } catch (NoSuchMethodException e) {
                return; /* before 21 */
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        fill(Integer.parseInt(arguments[0]), new ForkJoinPool(2));
        startVirtual(Integer.parseInt(arguments[1]));
        System.out.println("ready");
        while (System.in.read() >= 0) {
            continue;
        }
        end.countDown();
    }
}

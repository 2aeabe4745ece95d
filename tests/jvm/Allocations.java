// SPDX-License-Identifier: MIT
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Allocates known numbers of objects in every way there is, each in a method of
 * its own, called make...; prints "METHOD CLASS ALLOCATED LIVE" for each. Every
 * object is stored where all threads can see it, so that no compiler can do
 * without it. Arguments: how many; a library with AllocationsNative.c, or "none".
 */
public class Allocations {
    static class Plain { int a; }
    static class Held { int a; }
    static class Copied implements Cloneable {
        @Override
        public Copied clone() throws CloneNotSupportedException {
            return (Copied) super.clone();
        }
    }
    static class Reflected { Reflected() {} }
    static class Handled { Handled() {} }
    static class Referred { }
    static class Threaded { int a; }
    static class Virtual { int a; }
    static class Native { int a; }

    static volatile Object sink;
    static final List<Object> kept = new ArrayList<>();
    static int n;

    static native void allocate(Class<?> type, int count);

    static void told(String method, String type, int count, int live) {
        System.out.println(method + " " + type + " " + count + " " + live);
    }

    static void makePlain() {
        for (int i = 0; i < n; i++)
            sink = new Plain();
    }

    static void makeHeld() {
        for (int i = 0; i < n / 10; i++)
            kept.add(new Held());
    }

    static void makeClones() throws Exception {
        Copied first = new Copied();
        for (int i = 1; i < n; i++)
            sink = first.clone();
    }

    static void makeReflected() throws Exception {
        Constructor<Reflected> c = Reflected.class.getDeclaredConstructor();
        for (int i = 0; i < n; i++)
            sink = c.newInstance();
    }

    static void makeHandled() throws Throwable {
        MethodHandle h = MethodHandles.lookup().findConstructor(Handled.class,
            MethodType.methodType(void.class));
        for (int i = 0; i < n; i++)
            sink = (Handled) h.invokeExact();
    }

    static void makeReferred() {
        Supplier<Object> s = Referred::new;
        for (int i = 0; i < n; i++)
            sink = s.get();
    }

    static Supplier<Object> lambda(int i) {
        return () -> i;
    }

    static void makeLambdas() {
        for (int i = 0; i < n; i++)
            sink = lambda(i);
    }

    static void makePrimitiveArrays() {
        for (int i = 0; i < n; i++) {
            sink = new boolean[i % 5];
            sink = new byte[i % 5];
            sink = new char[i % 5];
            sink = new short[i % 5];
            sink = new int[i % 5];
            sink = new long[i % 5];
            sink = new float[i % 5];
            sink = new double[i % 5];
        }
    }

    static void makeObjectArrays() {
        for (int i = 0; i < n; i++)
            sink = new Plain[i % 5];
    }

    static void makeMultiArrays() {
        for (int i = 0; i < n; i++)
            sink = new Plain[3][2];
    }

    static void makeArraysByReflection() {
        for (int i = 0; i < n; i++) {
            sink = Array.newInstance(Held.class, 4);
            sink = Array.newInstance(int.class, 4);
        }
    }

    static void makeArrayClones() {
        Reflected[] first = new Reflected[3];
        for (int i = 1; i < n; i++)
            sink = first.clone();
    }

    static void makeArrayCopies() {
        Handled[] first = new Handled[3];
        for (int i = 1; i < n; i++)
            sink = Arrays.copyOf(first, 4);
    }

    static void makeNative() {
        allocate(Native.class, n);
    }

    static void makeThreaded() {
        for (int i = 0; i < n / 4; i++)
            sink = new Threaded();
    }

    static void makeVirtual() {
        for (int i = 0; i < n; i++)
            sink = new Virtual();
    }

    /** False before JDK 21. */
    static boolean runVirtual() throws Exception {
        Thread t;
        try {
            t = (Thread) Thread.class.getMethod("startVirtualThread",
                Runnable.class).invoke(null, (Runnable) Allocations::makeVirtual);
        } catch (NoSuchMethodException | InvocationTargetException e) {
            return false;
        }
        t.join();
        return true;
    }

    static void runThreads() throws Exception {
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(Allocations::makeThreaded);
            all[i].start();
        }
        for (Thread t : all)
            t.join();
    }

    static void makeArrays() {
        makePrimitiveArrays();
        for (String type : "Z B C S I J F D".split(" "))
            told("makePrimitiveArrays", "[" + type, n, 0);
        makeObjectArrays();
        told("makeObjectArrays", "[LAllocations$Plain;", n, 0);
        makeMultiArrays();
        told("makeMultiArrays", "[[LAllocations$Plain;", n, 0);
        told("makeMultiArrays", "[LAllocations$Plain;", 3 * n, 0);
        makeArraysByReflection();
        told("makeArraysByReflection", "[LAllocations$Held;", n, 0);
        told("makeArraysByReflection", "[I", n, 0);
        makeArrayClones();
        told("makeArrayClones", "[LAllocations$Reflected;", n, 0);
        makeArrayCopies();
        told("makeArrayCopies", "[LAllocations$Handled;", n, 0);
    }

    static void makeObjects() throws Throwable {
        makePlain();
        told("makePlain", "Allocations$Plain", n, 0);
        makeHeld();
        told("makeHeld", "Allocations$Held", n / 10, n / 10);
        makeClones();
        told("makeClones", "Allocations$Copied", n, 0);
        makeReflected();
        told("makeReflected", "Allocations$Reflected", n, 0);
        makeHandled();
        told("makeHandled", "Allocations$Handled", n, 0);
        makeReferred();
        told("makeReferred", "Allocations$Referred", n, 0);
        makeLambdas();
        told("makeLambdas", "Allocations$$Lambda", n, 0);
    }

    public static void main(String[] args) throws Throwable {
        n = Integer.parseInt(args[0]);
        makeObjects();
        makeArrays();
        runThreads();
        told("makeThreaded", "Allocations$Threaded", n / 4 * 4, 0);
        if (runVirtual())
            told("makeVirtual", "Allocations$Virtual", n, 0);
        if (!args[1].equals("none")) {
            System.load(args[1]);
            allocate(Native.class, 0); // finds it, which makes strings
            makeNative();
            told("makeNative", "Allocations$Native", n, 0);
            told("makeNative", "[LAllocations$Native;", n, 0);
            told("makeNative", "[J", n, 0);
            told("makeNative", "java/lang/String", n, 0);
        }
        sink = null;
    }
}

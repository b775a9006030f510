package dev.msgrelay.server.cli;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * SIGHUP, the signal that tells a service to read its configuration again. The JDK's class for signals is not part of
 * Java's API, and the compiler warns of it, so it is loaded by name.
 */
final class Hangup {
    private Hangup() {}

    /**
     * Runs an action at each SIGHUP, on a thread of its own.
     *
     * @return false if this system or JVM has no such signal, or ignores it: nohup starts a process so, and the JVM
     *     keeps to it
     */
    static boolean handle(Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            MethodHandle run = MethodHandles.publicLookup()
                    .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                    .bindTo(action);
            Object runs = MethodHandleProxies.asInterfaceInstance(handler, MethodHandles.dropArguments(run, 0, signal));
            Object before = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), runs);
            return before != handler.getField("SIG_IGN").get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }
}

package dev.msgrelay.server.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

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
            InvocationHandler calls = (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                    action.run();
                    return null;
                }
                // Methods of Object: nothing uses the proxy as a key.
                return method.getName().equals("hashCode") ? (Object) System.identityHashCode(proxy) : proxy == args[0];
            };
            Object proxy = Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[] {handler}, calls);
            Object before = signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
            return before != handler.getField("SIG_IGN").get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }
}

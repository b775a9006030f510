package dev.msgrelay.server.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * SIGHUP: what tells a service to read its configuration again. The JDK's class for signals is not part of Java's API, and the
 * compiler warns of it, so it is asked for by name.
 */
final class Hangup {
    private Hangup() {}

    /**
     * Has an action run whenever the process is told, on a thread of its own.
     *
     * @return false where this system or JVM has no such signal
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
                // Of Object: the proxy is a key of nobody's.
                return method.getName().equals("hashCode") ? (Object) System.identityHashCode(proxy) : proxy == args[0];
            };
            Object proxy = Proxy.newProxyInstance(Hangup.class.getClassLoader(), new Class<?>[] {handler}, calls);
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
            return true;
        } catch (ReflectiveOperationException | LinkageError e) {
            return false;
        }
    }
}

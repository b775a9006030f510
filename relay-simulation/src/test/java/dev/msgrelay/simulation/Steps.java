package dev.msgrelay.simulation;

import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.producers.Producer;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.subscribe.PinRelief;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Which step of a connection, or of who cuts off many, a channel is called in. */
final class Steps {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private static final String OF_TLS = "dev.msgrelay.server.tls.";

    private static final Map<String, String> CONNECTIONS = Map.ofEntries(
            Map.entry(Session.class.getName(), ""),
            Map.entry(PublisherConnection.class.getName(), "publisher."),
            Map.entry("dev.msgrelay.server.publish.Intake", "publisher."),
            Map.entry(Producer.class.getName(), "publisher."),
            Map.entry(SubscriberConnection.class.getName(), "subscriber."),
            Map.entry(PinRelief.class.getName(), "relief."),
            Map.entry(OF_TLS + "TlsHandshake", "handshake."),
            Map.entry(OF_TLS + "TlsHandler", "tls."),
            Map.entry(OF_TLS + "TlsInput", "tls."));

    private static final Set<Class<?>> OF_THE_CHANNEL =
            Set.of(Steps.class, SimChannel.class, AbstractChannel.class, Channel.class);

    private static final String ON_ITS_THREAD = "execute|walled|lambda.execute.*";

    /** A subscriber asks for memory with each read, so often that no other step would have its turn. */
    private static final String TOO_OFTEN = "subscriber.whereToRead";

    private Steps() {}

    /**
     * The step by its role and method, as "subscriber.send": the outermost method of a connection on the stack. Null
     * where somebody else calls the channel, Netty or the simulation.
     */
    static String ofCaller() {
        return STACK.walk(Steps::find);
    }

    /** Whether this is one of those that are cut off to free the log's memory. */
    static boolean ofRelief() {
        return STACK.walk(s -> s.anyMatch(f -> f.getDeclaringClass() == PinRelief.class));
    }

    private static String find(Stream<StackWalker.StackFrame> stack) {
        String role = "";
        String step = null;
        for (StackWalker.StackFrame frame : stack.dropWhile(f -> OF_THE_CHANNEL.contains(f.getDeclaringClass()))
                .toList()) {
            Class<?> at = frame.getDeclaringClass();
            if (step == null && (!ofTheRelay(at) || asksWhoseItIs(frame))) {
                return null;
            }
            String of = CONNECTIONS.get(at.getName());
            if (of != null && !isOfItsThread(frame)) {
                role = of.isEmpty() ? role : of;
                step = frame.getMethodName();
            } else if (step == null) {
                step = frame.getMethodName();
            }
        }
        String name = role + step.replaceFirst("^lambda\\$(\\w+)\\$.*", "$1");
        return role.isEmpty() || name.equals(TOO_OFTEN) ? null : name;
    }

    private static boolean isOfItsThread(StackWalker.StackFrame frame) {
        // A move is a step of who begins it.
        String method = frame.getMethodName();
        return method.matches(ON_ITS_THREAD)
                || frame.getDeclaringClass() == Session.class && method.matches("moveTo|lambda.moveTo.*");
    }

    /** Others ask for the loop of a connection, to have it do something: no step of its own. */
    private static boolean asksWhoseItIs(StackWalker.StackFrame frame) {
        String method = frame.getMethodName();
        return frame.getDeclaringClass() == Session.class && (method.contains("execute") || method.equals("isHere"));
    }

    private static boolean ofTheRelay(Class<?> type) {
        return type.getName().startsWith("dev.msgrelay.server.") && type.getPackage() != Steps.class.getPackage();
    }
}

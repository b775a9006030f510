package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.ListeningSockets;
import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Any relay that speaks the plain protocol, started by a shell command. Placeholders tell the command where to listen:
 *
 * <pre>
 *  {publish}      port on 127.0.0.1 that publishers connect to; with Unix sockets: a path
 *  {subscribe}    the same for subscribers
 *  {publishers}   how many of them will connect
 *  {subscribers}  likewise
 * </pre>
 *
 * The shell becomes the command, so the text must be one command. The relay is ready when it listens at both places.
 */
public record CommandContestant(String command) implements Contestant {
    public static final String PUBLISH = "{publish}";
    public static final String SUBSCRIBE = "{subscribe}";

    private static final long POLL_MILLIS = 20;

    @Override
    public String name() {
        return "command";
    }

    @Override
    public boolean stays() {
        return true;
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        Endpoint publish = endpoint(children, load, "publish");
        Endpoint subscribe = endpoint(children, load, "subscribe");
        String text = command.replace(PUBLISH, place(publish))
                .replace(SUBSCRIBE, place(subscribe))
                .replace("{publishers}", "" + load.publishers())
                .replace("{subscribers}", "" + load.subscribers());
        Child child = children.startCommand(name(), Site.guarded(List.of("sh", "-c", "exec " + text)));
        awaitListening(child, publish);
        awaitListening(child, subscribe);
        return new Started(child, publish, subscribe);
    }

    /** A Unix socket, or a port of this host that was free a moment ago. */
    private static Endpoint endpoint(Children children, Load load, String name) throws IOException {
        if (load.unix()) {
            return Endpoint.unix(Path.of(children.socketPath(name)));
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return Endpoint.parse("127.0.0.1:" + free.getLocalPort());
        }
    }

    private static String place(Endpoint endpoint) {
        return endpoint.isUnix() ? endpoint.toString().substring("unix:".length()) : "" + endpoint.port();
    }

    /** Waits without connecting, since a further connection may end a simple relay. */
    private static void awaitListening(Child child, Endpoint endpoint)
            throws IOException, RunException, InterruptedException {
        long deadline = System.nanoTime() + Contestants.READY_NANOS;
        while (!(endpoint.isUnix()
                ? ListeningSockets.hasPath(place(endpoint))
                : ListeningSockets.hasPort(endpoint.port()))) {
            child.checkHealthy();
            if (System.nanoTime() > deadline) {
                throw new RunException(child.name() + " did not listen at " + endpoint + " within "
                        + TimeUnit.NANOSECONDS.toSeconds(Contestants.READY_NANOS) + " s");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}

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
 * Any relay that supports connections without HELLO, started by a shell command. Placeholders in the command are
 * replaced:
 *
 * <pre>
 *  {publish}      TCP port on 127.0.0.1 for publishers; with Unix sockets a path
 *  {subscribe}    the same, for subscribers
 *  {publishers}   number of publishers that will connect
 *  {subscribers}  number of subscribers that will connect
 * </pre>
 *
 * The text must be one command, since the shell runs it with exec. The relay is ready when it listens at both
 * endpoints.
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
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        Endpoint publish = endpoint(children, load, "publish");
        Endpoint subscribe = endpoint(children, load, "subscribe");
        String text = command.replace(PUBLISH, address(publish))
                .replace(SUBSCRIBE, address(subscribe))
                .replace("{publishers}", "" + load.publishers())
                .replace("{subscribers}", "" + load.subscribers());
        Child child = children.startCommand(name(), Site.guarded(List.of("sh", "-c", "exec " + text)));
        awaitListening(child, publish);
        awaitListening(child, subscribe);
        return new Started(child, publish, subscribe);
    }

    private static Endpoint endpoint(Children children, Load load, String name) throws IOException {
        if (load.unix()) {
            return Endpoint.unix(Path.of(children.socketPath(name)));
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return Endpoint.parse("127.0.0.1:" + free.getLocalPort());
        }
    }

    private static String address(Endpoint endpoint) {
        return endpoint.isUnix() ? endpoint.toString().substring("unix:".length()) : "" + endpoint.port();
    }

    /** Waits until the relay listens. This does not connect, since a simple relay may end after an extra connection. */
    private static void awaitListening(Child child, Endpoint endpoint)
            throws IOException, RunException, InterruptedException {
        long deadline = System.nanoTime() + Contestants.READY_NANOS;
        while (!(endpoint.isUnix()
                ? ListeningSockets.hasPath(address(endpoint))
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

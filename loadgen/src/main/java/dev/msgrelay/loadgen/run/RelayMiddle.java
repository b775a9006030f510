package dev.msgrelay.loadgen.run;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.worker.Endpoint;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.protocol.FrameLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Our relay, in a process of its own, on ports (or Unix sockets) that nobody else uses.
 *
 * @param relayArgs further arguments of the relay-server command
 * @param javaOptions of its JVM
 * @param publishOverUnix whether publishers connect to a Unix socket whatever the load says of subscribers
 */
public record RelayMiddle(List<String> relayArgs, List<String> javaOptions, boolean publishOverUnix) implements Middle {
    /** As in bin/relay-server: a small fixed heap, touched at the start, and a JVM that does next to nothing idle. */
    public static final List<String> JAVA_OPTIONS =
            List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms160m", "-Xmx160m", "-Xmn128m", "-XX:+AlwaysPreTouch");

    /** Both sides as the load says. */
    public RelayMiddle(List<String> relayArgs, List<String> javaOptions) {
        this(relayArgs, javaOptions, false);
    }

    @Override
    public String name() {
        return "relay";
    }

    @Override
    public String transport(Load load) {
        return Middles.transport(load.unix() || publishOverUnix, load.unix());
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        List<String> args = new ArrayList<>(List.of("--publish-port", "0", "--subscribe-port", "0", "--json"));
        args.addAll(Middles.bind(children));
        String publishSocket = load.unix() || publishOverUnix ? children.socketPath("publish") : null;
        String subscribeSocket = load.unix() ? children.socketPath("subscribe") : null;
        if (publishSocket != null) {
            args.addAll(List.of("--publish-socket", publishSocket));
        }
        if (subscribeSocket != null) {
            args.addAll(List.of("--subscribe-socket", subscribeSocket));
        }
        if (load.body().max() > FrameLayout.DEFAULT_MAX_BODY) {
            args.addAll(List.of("--max-body", "" + load.body().max()));
        }
        args.addAll(relayArgs);
        Child child = children.start(
                children.placement().relay(),
                "relay",
                new JavaProgram(withNativeAccess(javaOptions), RelayMain.class.getName(), args));
        JsonObject ready = child.await("ready", Middles.READY_NANOS);
        return new Started(
                child,
                endpoint(publishSocket, ready.getString("publish")),
                endpoint(subscribeSocket, ready.getString("subscribe")));
    }

    private static Endpoint endpoint(String socket, String address) {
        return socket == null ? Endpoint.parse(address) : Endpoint.unix(Path.of(socket));
    }

    /** Netty's native transports: newer JDKs want to be told that this is meant. */
    static List<String> withNativeAccess(List<String> javaOptions) {
        List<String> options = new ArrayList<>(javaOptions);
        int jdk = Runtime.version().feature();
        options.add("--enable-native-access=ALL-UNNAMED");
        if (jdk >= 24) {
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        return options;
    }
}

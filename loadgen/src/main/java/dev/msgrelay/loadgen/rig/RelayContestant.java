package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.cli.JvmLimits;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Our relay, in a process of its own, on ports (or Unix sockets) that nobody else uses.
 *
 * @param build another build than this one
 */
public record RelayContestant(List<String> relayArgs, List<String> javaOptions, Optional<Build> build)
        implements Contestant {
    /** The options of bin/relay-server: a heap that is touched at the start, and a JVM that does next to nothing idle. */
    public static final List<String> JAVA_OPTIONS = javaOptions(List.of());

    static final String NAME = "relay";

    public static final String POLICY = "--slow-subscriber";

    public static final String JOURNAL = "--journal";

    /** In place of a journal's directory: a new one, which goes with the relay; with a colon and the directory that it is in. */
    public static final String TEMPORARY = "temp";

    private static final String KEEP = "--journal-keep";

    /** Size of a temporary one: some seconds of a stream at full speed. */
    private static final String TEMPORARY_KEEP = "1g";

    /** The relay of this build. */
    public RelayContestant(List<String> relayArgs, List<String> javaOptions) {
        this(relayArgs, javaOptions, Optional.empty());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean stays() {
        return true;
    }

    public Policy policy() {
        return policy(relayArgs);
    }

    /** The policy of these arguments; without a word the relay disconnects. */
    static Policy policy(List<String> relayArgs) {
        int at = relayArgs.lastIndexOf(POLICY);
        return at < 0 || at + 1 == relayArgs.size() ? Policy.DISCONNECT : Policy.ofFlag(relayArgs.get(at + 1));
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        boolean tls = load.clients().tls();
        String address = children.placement().relay().address();
        // Workers that have to share their machine may take long to their first word; a run does not fail by that.
        List<String> args = new ArrayList<>(List.of("--json", "--handshake-timeout", "60s", "--bind", address));
        // Free ports: plain ones, or those of TLS and no others.
        String kind = tls ? "--tls-" : "--";
        args.addAll(List.of(kind + "publish-port", "0", kind + "subscribe-port", "0"));
        OwnCertificate own = tls ? OwnCertificate.at(address) : null;
        if (tls) {
            args.addAll(List.of("--publish-port", "none", "--subscribe-port", "none"));
            args.addAll(own.args());
        }
        if (build.isEmpty()) {
            // On a lane or between hosts whoever gets there may do everything: it lives as long as the run.
            args.add("--insecure");
        }
        String publishSocket = load.transport().isUnixIn() ? children.socketPath("publish") : null;
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
        args.addAll(withJournal(relayArgs, children));
        Child child = start(children, args);
        JsonNode ready = child.await("ready", Contestants.READY_NANOS);
        return new Started(
                child,
                endpoint(publishSocket, ready.path(tls ? "tlsPublish" : "publish")),
                endpoint(subscribeSocket, ready.path(tls ? "tlsSubscribe" : "subscribe")),
                tls ? own.clients() : Access.OPEN,
                null);
    }

    /** These arguments with a directory in place of a temporary one. */
    static List<String> withJournal(List<String> relayArgs, Children children) throws IOException {
        int at = relayArgs.indexOf(JOURNAL) + 1;
        String[] place = at == 0 || at == relayArgs.size()
                ? new String[1]
                : relayArgs.get(at).split(":", 2);
        if (!TEMPORARY.equals(place[0])) {
            return relayArgs;
        }
        List<String> args = new ArrayList<>(relayArgs);
        args.set(
                at,
                children.directory(place.length == 1 ? RunDirectory.TEMPORARY : Path.of(place[1]))
                        .toString());
        if (!args.contains(KEEP)) {
            args.addAll(List.of(KEEP, TEMPORARY_KEEP));
        }
        return args;
    }

    private Child start(Children children, List<String> args) throws IOException {
        List<String> options = javaOptions.equals(JAVA_OPTIONS) ? javaOptions(args) : javaOptions;
        if (build.isPresent()) {
            if (options != javaOptions) {
                // Another build counts otherwise; it is a limit, and costs nothing.
                options.add("-XX:MaxDirectMemorySize=4g");
            }
            // By the environment: a build from before the option does not know it.
            List<String> command = new ArrayList<>(List.of("env", "RELAY_INSECURE=true"));
            command.addAll(build.get().relay(options));
            command.addAll(args);
            return children.startCommand("relay", Site.guarded(command));
        }
        return children.start(
                children.placement().relay(),
                "relay",
                new Site.JavaProgram(Site.JavaProgram.withNativeAccess(options), RelayMain.class.getName(), args));
    }

    private static Endpoint endpoint(String socket, JsonNode told) {
        return socket == null ? Endpoint.parse(told.asString("")) : Endpoint.unix(Path.of(socket));
    }

    /** For a relay with these arguments: the limits of memory follow from them. */
    public static List<String> javaOptions(List<String> relayArgs) {
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:+AlwaysPreTouch"));
        options.addAll(JvmLimits.of(relayArgs.toArray(String[]::new)));
        return options;
    }

    /** Another build of this project: the root of a checkout in which it was built. */
    public record Build(Path directory) {
        List<String> relay(List<String> javaOptions) throws IOException {
            List<String> command = new ArrayList<>(List.of(Site.java()));
            command.addAll(Site.JavaProgram.withNativeAccess(javaOptions));
            command.addAll(List.of("-jar", jar("relay-server").toString()));
            return command;
        }

        /** The newest jar of a module with all that it needs. */
        public Path jar(String module) throws IOException {
            File[] jars = directory
                    .resolve(module)
                    .resolve("target")
                    .toFile()
                    .listFiles((target, name) -> name.startsWith(module + "-") && name.endsWith("-all.jar"));
            return Stream.of(jars == null ? new File[0] : jars)
                    .max(Comparator.comparingLong(File::lastModified))
                    .map(jar -> jar.toPath().toAbsolutePath())
                    .orElseThrow(() -> new IOException("no " + module + "/target/" + module + "-*-all.jar in "
                            + directory + ": build it there with mvn -DskipTests package"));
        }
    }
}

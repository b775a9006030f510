package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Site;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Congestion;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.rig.Contestant.Started;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.server.cli.JvmLimits;
import dev.msgrelay.server.net.CongestionControl;
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
 * Our relay in a process of its own, with free TCP ports or new Unix sockets.
 *
 * @param build a build in another checkout; empty: this build
 */
public record RelayContestant(List<String> relayArgs, List<String> javaOptions, Optional<Build> build)
        implements Contestant {
    public static final List<String> JAVA_OPTIONS = javaOptions(List.of());

    static final String NAME = "relay";

    public static final String POLICY = "--slow-subscriber";

    public static final String JOURNAL = "--journal";

    static final String STATE = "--state";

    public static final String LOCAL_CONGESTION = "--local-congestion";

    /** The value of --journal for a new directory, in PARENT if ":PARENT" follows. It is removed after the run. */
    public static final String TEMPORARY = "temp";

    private static final String KEEP = "--journal-keep";

    private static final List<String> PATIENCE = List.of("--handshake-timeout", "--frame-timeout", "--stall-timeout");

    /** Size of a temporary journal, enough for some seconds at full speed. */
    private static final String TEMPORARY_KEEP = "1g";

    public RelayContestant(List<String> relayArgs, List<String> javaOptions) {
        this(relayArgs, javaOptions, Optional.empty());
    }

    @Override
    public String name() {
        return NAME;
    }

    public Policy policy() {
        return policy(relayArgs);
    }

    static Policy policy(List<String> relayArgs) {
        int at = relayArgs.lastIndexOf(POLICY);
        return at < 0 || at + 1 == relayArgs.size() ? Policy.DISCONNECT : Policy.ofFlag(relayArgs.get(at + 1));
    }

    @Override
    public Started start(Children children, Load load) throws IOException, RunException, InterruptedException {
        boolean tls = load.clients().tls();
        String address = children.placement().relay().address();
        List<String> args = new ArrayList<>(List.of("--json", "--bind", address));
        args.addAll(patience(relayArgs));
        // Port 0 means a free TCP port. With TLS, the relay has only TLS ports.
        String kind = tls ? "--tls-" : "--";
        args.addAll(List.of(kind + "publish-port", "0", kind + "subscribe-port", "0"));
        OwnCertificate own = tls ? OwnCertificate.at(address) : null;
        if (tls) {
            args.addAll(List.of("--publish-port", "none", "--subscribe-port", "none"));
            args.addAll(own.args());
        }
        if (build.isEmpty()) {
            // The relay accepts clients without authentication, as it only exists for one run.
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
        if (load.fromState() && !relayArgs.contains(STATE)) {
            args.addAll(List.of(STATE, "" + load.stateBytes()));
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

    /**
     * Returns the limits on what a client does late, unless these arguments set them. On a busy machine a worker may
     * send HELLO late, or stand still for some seconds. That must not make a run fail.
     */
    static List<String> patience(List<String> relayArgs) {
        return PATIENCE.stream()
                .filter(option -> relayArgs.stream().noneMatch(arg -> arg.startsWith(option)))
                .flatMap(option -> Stream.of(option, "60s"))
                .toList();
    }

    /** Returns the congestion control that the relay reports. An older build reports none, and uses the system's. */
    @Override
    public Congestion congestion(Started started) {
        if (started.subscribe().isUnix()) {
            return Congestion.NONE;
        }
        JsonNode ready = started.process().latest("ready").json();
        String report = started.subscribe().isWithinHost() ? "localCongestion" : "congestion";
        return Congestion.ofChoice(ready.path(report).asString(CongestionControl.SYSTEM));
    }

    /** Replaces the word {@link #TEMPORARY} in these arguments with a new directory. */
    static List<String> withJournal(List<String> relayArgs, Children children) throws IOException {
        int at = relayArgs.indexOf(JOURNAL) + 1;
        String[] word = at == 0 || at == relayArgs.size()
                ? new String[1]
                : relayArgs.get(at).split(":", 2);
        if (!TEMPORARY.equals(word[0])) {
            return relayArgs;
        }
        List<String> args = new ArrayList<>(relayArgs);
        args.set(
                at,
                children.directory(word.length == 1 ? RunDirectory.TEMPORARY : Path.of(word[1]))
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
                // Another build may need more direct memory than this build; a higher limit costs nothing.
                options.add("-XX:MaxDirectMemorySize=4g");
            }
            return children.startCommand("relay", Site.guarded(build.get().relay(options, args)));
        }
        return children.start(
                children.placement().relay(),
                "relay",
                new Site.JavaProgram(Site.JavaProgram.withNativeAccess(options), RelayMain.class.getName(), args));
    }

    private static Endpoint endpoint(String socket, JsonNode told) {
        return socket == null ? Endpoint.parse(told.asString("")) : Endpoint.unix(Path.of(socket));
    }

    /** Returns the JVM options for a relay with these arguments, from which its memory limits follow. */
    public static List<String> javaOptions(List<String> relayArgs) {
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:+AlwaysPreTouch"));
        options.addAll(JvmLimits.of(relayArgs.toArray(String[]::new)));
        return options;
    }

    /** A build of this project in another checkout, whose root is {@code directory}. */
    public record Build(Path directory) {
        /**
         * Returns the command that starts the relay of this build. Settings that an older build may not know are in the
         * environment.
         */
        List<String> relay(List<String> javaOptions, List<String> args) throws IOException {
            List<String> command = new ArrayList<>(List.of("env", "RELAY_INSECURE=true"));
            List<String> known = new ArrayList<>(args);
            int at = known.indexOf(LOCAL_CONGESTION);
            if (at >= 0) {
                known.remove(at);
                command.add("RELAY_LOCAL_CONGESTION=" + known.remove(at));
            }
            command.add(Site.java());
            command.addAll(Site.JavaProgram.withNativeAccess(javaOptions));
            command.addAll(List.of("-jar", jar("relay-server").toString()));
            command.addAll(known);
            return command;
        }

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

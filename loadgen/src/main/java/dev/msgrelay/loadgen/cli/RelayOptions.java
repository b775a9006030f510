package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.worker.Endpoint;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which relay, and how it is started. */
final class RelayOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "Of the relay: auto, epoll, nio or io_uring (the relay's default).")
    private String transport;

    @Option(names = "--event-loops", paramLabel = "N", description = "Of the relay (the relay's default).")
    private Integer eventLoops;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Of the relay (the relay's default).")
    private Integer mtu;

    @Option(
            names = "--slow-subscriber",
            paramLabel = "POLICY",
            defaultValue = "backpressure",
            description = "What the relay does with a slow subscriber: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}: at"
                    + " full speed somebody is always slow). With --connect: what that relay is known to do.")
    private SlowPolicy policy;

    @Option(
            names = "--relay-arg",
            paramLabel = "ARG",
            description = "Any further argument of relay-server; repeatable.")
    private List<String> relayArgs = new ArrayList<>();

    @Option(
            names = "--relay-java-opts",
            paramLabel = "OPTS",
            description = "Options of the relay's JVM, instead of the usual ones; separated by spaces.")
    private String javaOptions;

    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description = "Publish to a relay that already runs, instead of starting one; or unix:/path.")
    private String connect;

    @Option(
            names = "--connect-subscribe",
            paramLabel = "HOST:PORT",
            description = "Where to subscribe with --connect (the same host, one port below).")
    private String connectSubscribe;

    SlowPolicy policy() {
        return policy;
    }

    /**
     * @throws ParameterException naming what does not fit
     */
    Middle middle() {
        if (connect == null) {
            if (connectSubscribe != null) {
                throw new ParameterException(spec.commandLine(), "--connect-subscribe needs --connect");
            }
            return new RelayMiddle(arguments(), jvmOptions());
        }
        Endpoint publish = endpoint("--connect", connect);
        if (connectSubscribe != null) {
            return Middles.remote(publish, endpoint("--connect-subscribe", connectSubscribe));
        }
        if (publish.port() < 2) {
            throw new ParameterException(
                    spec.commandLine(), "--connect " + connect + " has no port below; give --connect-subscribe too");
        }
        return Middles.remote(publish, publish.withPort(publish.port() - 1));
    }

    /**
     * The relay embedded in the publishers' process.
     *
     * @throws ParameterException naming what does not fit
     */
    Middle inProcess(int runLength) {
        if (connect != null || connectSubscribe != null) {
            throw new ParameterException(spec.commandLine(), "--in-process and --connect exclude each other");
        }
        if (!relayArgs.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--in-process takes no --relay-arg " + String.join(" ", relayArgs));
        }
        return new InProcessMiddle(runLength, arguments(), jvmOptions());
    }

    private List<String> arguments() {
        List<String> args = new ArrayList<>(List.of("--slow-subscriber", policy.toString()));
        add(args, "--transport", transport);
        add(args, "--event-loops", eventLoops);
        add(args, "--mtu", mtu);
        args.addAll(relayArgs);
        return args;
    }

    private static void add(List<String> args, String option, Object value) {
        if (value != null) {
            args.addAll(List.of(option, value.toString()));
        }
    }

    private List<String> jvmOptions() {
        return javaOptions == null
                ? RelayMiddle.JAVA_OPTIONS
                : List.of(javaOptions.trim().split("\\s+"));
    }

    private Endpoint endpoint(String option, String value) {
        try {
            return Endpoint.parse(value);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}

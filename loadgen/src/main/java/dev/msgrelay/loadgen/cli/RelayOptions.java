package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which relay, and how it is started. */
final class RelayOptions {
    /** How a relay of the run's own is started. */
    private static final List<String> START =
            List.of("--transport", "--event-loops", "--mtu", "--relay-arg", "--relay-java-opts");

    /** Which relay it is, and what is known of it. */
    private static final List<String> WHICH = List.of("--connect", "--connect-subscribe", "--slow-subscriber");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Mixin
    private RelayStartOptions start;

    @Option(names = "--mtu", paramLabel = "BYTES", description = "Of the relay (the relay's default).")
    private Integer mtu;

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

    Policy policy() {
        return start.policy();
    }

    /**
     * @throws ParameterException naming what does not fit
     */
    Middle middle() {
        if (connect == null) {
            if (connectSubscribe != null) {
                throw new ParameterException(spec.commandLine(), "--connect-subscribe needs --connect");
            }
            return new RelayMiddle(start.arguments(mtu), start.jvmOptions());
        }
        Limits.exclude(spec, START, "--connect");
        Limits.exclude(spec, List.of("--unix"), "--connect");
        Endpoint publish = endpoint("--connect", connect);
        return Middles.remote(publish, subscribe(publish), policy());
    }

    private Endpoint subscribe(Endpoint publish) {
        if (connectSubscribe != null) {
            return endpoint("--connect-subscribe", connectSubscribe);
        }
        if (publish.port() < 2) {
            throw new ParameterException(
                    spec.commandLine(), "--connect " + connect + " has no port below; give --connect-subscribe too");
        }
        return publish.withPort(publish.port() - 1);
    }

    /**
     * Refuses all that speaks of a relay, where there is none.
     *
     * @param otherwise what there is instead: "--through plain"
     */
    void refuseAll(String otherwise) {
        Limits.exclude(spec, WHICH, otherwise);
        Limits.exclude(spec, START, otherwise);
    }

    /**
     * The load as the relay gets it, and with what it does to slow subscribers: one that runs already says by its addresses
     * whether they are Unix sockets.
     */
    Load asConnected(Load load) {
        Load through = load.withPolicy(start.policy());
        if (connect == null) {
            return through;
        }
        Endpoint publish = endpoint("--connect", connect);
        return through.withUnix(publish.isUnix() && subscribe(publish).isUnix());
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
        if (!start.relayArgs().isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "--in-process takes no --relay-arg " + String.join(" ", start.relayArgs()));
        }
        return new InProcessMiddle(runLength, start.arguments(mtu), start.jvmOptions());
    }

    private Endpoint endpoint(String option, String value) {
        try {
            return Endpoint.parse(value);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}

package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.InProcessMiddle;
import dev.msgrelay.loadgen.run.Middle;
import dev.msgrelay.loadgen.run.Middles;
import dev.msgrelay.loadgen.run.RelayMiddle;
import dev.msgrelay.loadgen.run.SlowPolicy;
import dev.msgrelay.loadgen.worker.Endpoint;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which relay, and how it is started. */
final class RelayOptions {
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

    SlowPolicy policy() {
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

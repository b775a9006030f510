package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.rig.RelayContestant;
import dev.msgrelay.protocol.Policy;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options for a relay that loadgen starts. */
final class RelayStartOptions extends Options {
    @Option(
            names = "--slow-subscriber",
            paramLabel = "POLICY",
            defaultValue = "backpressure",
            completionCandidates = Policy.DefaultWords.class,
            description = "Policy of the relay for slow subscribers: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private Policy policy;

    @Option(
            names = "--relay-arg",
            paramLabel = "ARG",
            description = "Any argument of relay-server, repeatable: --relay-arg=--journal=temp.")
    private List<String> relayArgs = new ArrayList<>();

    @Option(
            names = "--relay-java-opts",
            paramLabel = "OPTS",
            description = "Options of the relay's JVM instead of the usual ones, separated by spaces.")
    private String javaOptions;

    Policy policy() {
        return policy;
    }

    /** Returns the arguments for relay-server except those for ports and sockets. MTU 0 means the default MTU. */
    List<String> arguments(int mtu, CongestionOption congestion) {
        List<String> args = new ArrayList<>(List.of(RelayContestant.POLICY, policy.flag()));
        if (mtu > 0) {
            args.addAll(List.of("--mtu", "" + mtu));
        }
        args.addAll(congestion.ofRelay());
        relayArgs.forEach(arg -> args.addAll(word(arg)));
        checkRelay(args);
        return args;
    }

    List<String> jvmOptions() {
        return javaOptions == null
                ? RelayContestant.JAVA_OPTIONS
                : List.of(javaOptions.trim().split("\\s+"));
    }
}

package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** Options of {@link ClientConfig}. */
final class ClientOptions {
    @Option(
            names = "--slow-subscriber",
            paramLabel = "POLICY",
            defaultValue = "disconnect",
            completionCandidates = Candidates.Policies.class,
            description = "What to do when the log is about to overwrite bytes that a subscriber has not read: "
                    + "${COMPLETION-CANDIDATES}. disconnect: the subscriber is cut off; backpressure: publishers wait; skip: it "
                    + "misses messages; replay: it gets them from the journal.")
    private Policy slowSubscriber;

    @Option(
            names = "--allow-policies",
            paramLabel = "POLICY",
            split = ",",
            defaultValue = "disconnect,skip,replay",
            completionCandidates = Candidates.Policies.class,
            description =
                    "Policies that subscribers may ask for in HELLO, beside that of --slow-subscriber. A subscriber "
                            + "that asks for another policy gets the one of --slow-subscriber, and so does one that asks for "
                            + "replay without a journal.")
    private List<Policy> allowPolicies;

    @Option(
            names = "--heartbeat",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "Interval of PINGs to clients that sent HELLO. A client may ask for another interval.")
    private Duration heartbeat;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            defaultValue = "15s",
            converter = TimeSpan.class,
            description = "The relay closes a client that sent HELLO and is silent for this time.")
    private Duration idleTimeout;

    @Option(
            names = "--handshake-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "Time for a client to complete a HELLO that it has begun, or a TLS handshake.")
    private Duration handshakeTimeout;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "" + ClientConfig.DEFAULT_MAX_CONNECTIONS,
            description = "Most publishers and subscribers together; further ones are refused.")
    private int maxConnections;

    @Option(
            names = "--max-publishers",
            paramLabel = "N",
            defaultValue = "" + ClientConfig.DEFAULT_MAX_PUBLISHERS,
            description = "Most publishers; further ones are refused.")
    private int maxPublishers;

    @Option(
            names = "--peer-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeSpan.class,
            description = "The relay closes a client whose host acknowledges nothing for this time, because it was "
                    + "switched off or its link is cut. TCP only, as far as the system can; at least 2s.")
    private Duration peerTimeout;

    @Option(
            names = "--stall-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "The relay closes a subscriber that makes publishers (backpressure) or other readers of the "
                    + "journal wait, and reads nothing for this time.")
    private Duration stallTimeout;

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "Time for subscribers to read the rest of the stream after SIGTERM.")
    private Duration drainTimeout;

    void applyTo(RelayConfig.Builder config) {
        Set<Policy> allowed = EnumSet.noneOf(Policy.class);
        allowed.addAll(allowPolicies);
        config.slowSubscriber(slowSubscriber)
                .allowPolicies(allowed)
                .heartbeat(heartbeat)
                .idleTimeout(idleTimeout)
                .handshakeTimeout(handshakeTimeout)
                .peerTimeout(peerTimeout)
                .stallTimeout(stallTimeout)
                .drainTimeout(drainTimeout)
                .maxConnections(maxConnections)
                .maxPublishers(maxPublishers);
    }
}

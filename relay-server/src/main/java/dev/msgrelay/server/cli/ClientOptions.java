package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Option;

/** The options of {@link ClientConfig}. */
final class ClientOptions {
    @Option(
            names = "--slow-subscriber",
            paramLabel = "POLICY",
            defaultValue = "disconnect",
            completionCandidates = Candidates.Policies.class,
            description =
                    "When the log is about to overwrite what a subscriber has not read: ${COMPLETION-CANDIDATES}. disconnect:"
                            + " it is cut off; backpressure: publishers wait; skip: it misses messages; replay: it gets them from the"
                            + " journal.")
    private Policy slowSubscriber;

    @Option(
            names = "--allow-policies",
            paramLabel = "POLICY",
            split = ",",
            defaultValue = "disconnect,skip,replay",
            completionCandidates = Candidates.Policies.class,
            description =
                    "What subscribers may ask for in their HELLO, beside that one; who asks for another gets that one, and so does who"
                            + " asks for replay where there is no journal.")
    private List<Policy> allowPolicies;

    @Option(
            names = "--heartbeat",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "Interval of PINGs to clients that said HELLO. They may ask for another one.")
    private Duration heartbeat;

    @Option(
            names = "--idle-timeout",
            paramLabel = "TIME",
            defaultValue = "15s",
            converter = TimeSpan.class,
            description = "A client that said HELLO and is not heard of for this long is cut off.")
    private Duration idleTimeout;

    @Option(
            names = "--handshake-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "A HELLO that was begun must be complete within this.")
    private Duration handshakeTimeout;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "" + ClientConfig.DEFAULT_MAX_CONNECTIONS,
            description = "Publishers and subscribers together; one more is refused.")
    private int maxConnections;

    @Option(
            names = "--max-publishers",
            paramLabel = "N",
            defaultValue = "" + ClientConfig.DEFAULT_MAX_PUBLISHERS,
            description = "Publishers; one more is refused.")
    private int maxPublishers;

    @Option(
            names = "--peer-timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeSpan.class,
            description =
                    "A client whose host acknowledges nothing for this long is taken for dead: one that was switched off, or"
                            + " whose link is cut. TCP only, as far as the system can; at least 2s.")
    private Duration peerTimeout;

    @Option(
            names = "--stall-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description =
                    "A subscriber that makes publishers wait (backpressure), or others who get the journal, and reads nothing"
                            + " for this long is cut off.")
    private Duration stallTimeout;

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = TimeSpan.class,
            description = "On SIGTERM: how long subscribers may take to read what is on its way.")
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

package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;

/** The options of {@link LimitsConfig}. */
final class LimitOptions {
    @Option(
            names = "--pin-size",
            paramLabel = "SIZE",
            defaultValue = "16m",
            converter = ByteSize.class,
            description =
                    "Chunks of the log that slow subscribers may keep from being used anew. Beyond it those that lag most are"
                            + " cut off. At least 1m and the longest frame.")
    private int pinBytes;

    @Option(
            names = "--assembly-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description =
                    "Memory for frames that have arrived in part. A publisher that finds none waits its turn, and is not read"
                            + " meanwhile. At least two of the longest frames.")
    private int assemblyBytes;

    @Option(
            names = "--filter-size",
            paramLabel = "SIZE",
            defaultValue = "16m",
            converter = ByteSize.class,
            description = "Memory for what is being written to subscribers that want some types only.")
    private int filterBytes;

    @Option(
            names = "--replay-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description =
                    "Memory for what is read from the journal for subscribers, about a megabyte each. One that finds none waits"
                            + " its turn. With --journal only.")
    private int replayBytes;

    @Option(
            names = "--control-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description = "Control frames and type ranges kept for all clients together; of the Java heap.")
    private int controlBytes;

    @Option(
            names = "--control-size-per-connection",
            paramLabel = "SIZE",
            defaultValue = "64k",
            converter = ByteSize.class,
            description = "Of them, for one client. At least 32k.")
    private int controlBytesPerConnection;

    @Option(
            names = "--frame-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = TimeSpan.class,
            description =
                    "A frame that was begun must be complete within this, or bring at least --min-rate in each such time,"
                            + " else its connection is closed. Time in which the relay does not read it does not count.")
    private Duration frameTimeout;

    @Option(
            names = "--min-rate",
            paramLabel = "SIZE",
            defaultValue = "1k",
            converter = ByteSize.class,
            description = "Bytes a second that a frame under way must bring; see --frame-timeout.")
    private int minRate;

    @Option(
            names = "--max-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.ANY_NUMBER,
            showDefaultValue = Help.Visibility.NEVER,
            description =
                    "Connections of one address (of IPv6: of one /64 network); one more is refused.%n  Default: as many as"
                            + " --max-connections.")
    private int maxPerAddress;

    @Option(
            names = "--handshakes-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.DEFAULT_HANDSHAKES_PER_SECOND,
            description = "Connections that one address may open in a second; one more is refused.")
    private int handshakesPerSecond;

    @Option(
            names = "--replays-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.DEFAULT_REPLAYS_PER_SECOND,
            description =
                    "How often in a second subscribers of one address may start at the earliest message, a sequence or a"
                            + " time; one more is refused.")
    private int replaysPerSecond;

    @Option(
            names = "--max-heartbeat",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeSpan.class,
            description = "Longest heartbeat interval: a client that asks for a longer one gets this.")
    private Duration maxHeartbeat;

    @Option(
            names = "--publisher-silence",
            paramLabel = "TIME",
            defaultValue = "0",
            converter = TimeSpan.class,
            description =
                    "A publisher that said no HELLO and sends nothing for this long is closed, since nothing else tells whether"
                            + " it is still there. 0: never.")
    private Duration publisherSilence;

    @Option(
            names = "--name-hold",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = TimeSpan.class,
            description =
                    "How long a name stays with the acknowledged publisher that had it last, after its connection has ended.")
    private Duration nameHold;

    void applyTo(RelayConfig.Builder config) {
        config.pinBytes(pinBytes)
                .assemblyBytes(assemblyBytes)
                .filterBytes(filterBytes)
                .replayBytes(replayBytes)
                .controlBytes(controlBytes)
                .controlBytesPerConnection(controlBytesPerConnection)
                .frameTimeout(frameTimeout)
                .minRate(minRate)
                .maxPerAddress(maxPerAddress)
                .handshakesPerSecond(handshakesPerSecond)
                .replaysPerSecond(replaysPerSecond)
                .maxHeartbeat(maxHeartbeat)
                .publisherSilence(publisherSilence)
                .nameHold(nameHold);
    }
}

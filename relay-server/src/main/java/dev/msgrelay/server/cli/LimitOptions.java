package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import java.time.Duration;
import picocli.CommandLine.Help;
import picocli.CommandLine.Option;

/** Options of {@link LimitsConfig}. */
final class LimitOptions {
    @Option(
            names = "--pin-size",
            paramLabel = "SIZE",
            defaultValue = "16m",
            converter = ByteSize.class,
            description =
                    "Memory of the log that slow subscribers may keep from reuse. Beyond it the subscribers that lag most are "
                            + "cut off. At least 1m and the longest frame.")
    private int pinBytes;

    @Option(
            names = "--assembly-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description = "Memory for frames that have arrived in part. If it is used up, the relay does not read the "
                    + "next publisher until its turn comes. At least two of the longest frames.")
    private int assemblyBytes;

    @Option(
            names = "--filter-size",
            paramLabel = "SIZE",
            defaultValue = "16m",
            converter = ByteSize.class,
            description = "Memory for writes to subscribers that chose types.")
    private int filterBytes;

    @Option(
            names = "--replay-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description = "Memory for pages read from the journal, about a megabyte for each subscriber. If it is used "
                    + "up, the next subscriber waits its turn. With --journal only.")
    private int replayBytes;

    @Option(
            names = "--control-size",
            paramLabel = "SIZE",
            defaultValue = "32m",
            converter = ByteSize.class,
            description = "Java heap for the control frames and type ranges of all clients together.")
    private int controlBytes;

    @Option(
            names = "--control-size-per-connection",
            paramLabel = "SIZE",
            defaultValue = "64k",
            converter = ByteSize.class,
            description = "The part of --control-size that one client may use. At least 32k.")
    private int controlBytesPerConnection;

    @Option(
            names = "--frame-timeout",
            paramLabel = "TIME",
            defaultValue = "10s",
            converter = TimeSpan.class,
            description =
                    "A begun frame must be complete within this time, or have brought --min-rate for each second of it; "
                            + "then the time starts anew. Otherwise the relay closes the connection. Time in which the relay does not read "
                            + "the connection does not count.")
    private Duration frameTimeout;

    @Option(
            names = "--min-rate",
            paramLabel = "SIZE",
            defaultValue = "1k",
            converter = ByteSize.class,
            description = "Least bytes a second of a frame under way; see --frame-timeout.")
    private int minRate;

    @Option(
            names = "--max-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.ANY_NUMBER,
            showDefaultValue = Help.Visibility.NEVER,
            description = "Most connections of one address (IPv6: of one /64 network); further ones are refused.%n  "
                    + "Default: as many as --max-connections.")
    private int maxPerAddress;

    @Option(
            names = "--handshakes-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.DEFAULT_HANDSHAKES_PER_SECOND,
            description = "Most connections that one address may open in a second; further ones are refused.")
    private int handshakesPerSecond;

    @Option(
            names = "--replays-per-address",
            paramLabel = "N",
            defaultValue = "" + LimitsConfig.DEFAULT_REPLAYS_PER_SECOND,
            description = "Most starts at the earliest message, a sequence "
                    + "or a time that subscribers of one address may make in a second; further starts are refused.")
    private int replaysPerSecond;

    @Option(
            names = "--max-heartbeat",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = TimeSpan.class,
            description = "Longest heartbeat interval that a client gets, even if it asks for a longer one.")
    private Duration maxHeartbeat;

    @Option(
            names = "--publisher-silence",
            paramLabel = "TIME",
            defaultValue = "0",
            converter = TimeSpan.class,
            description = "The relay closes a publisher without HELLO that sends nothing for this time, since nothing "
                    + "else shows whether the publisher is still there. 0: never.")
    private Duration publisherSilence;

    @Option(
            names = "--name-hold",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description =
                    "Time for which a name stays reserved for its last acknowledged publisher after the end of the "
                            + "connection. A cluster allows only 30s.%n  Default: 10s, in a cluster 30s.")
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

package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import picocli.CommandLine.Option;

/** Options of {@link StreamConfig}. */
final class StreamOptions {
    @Option(
            names = "--log-size",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description =
                    "Bytes that a subscriber may fall behind; a multiple of 512k. Default: 16m, or what --max-body"
                            + " needs.")
    private int logSize;

    @Option(
            names = "--ring-size",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Bytes that may wait between publishers and the log; a power of two. Default: 4m, or what"
                    + " --max-body needs.")
    private int ringSize;

    @Option(
            names = "--max-body",
            paramLabel = "SIZE",
            defaultValue = "1m",
            converter = ByteSize.class,
            description =
                    "Longest body of a message. The relay closes the connection of a publisher that sends a longer "
                            + "one.")
    private int maxBody;

    @Option(
            names = "--mtu",
            paramLabel = "BYTES",
            defaultValue = "" + StreamConfig.DEFAULT_MTU,
            converter = ByteSize.class,
            description =
                    "MTU of the links. A packet is 40 bytes smaller, for the IP and TCP headers. 9000: jumbo frames.")
    private int mtu;

    void applyTo(RelayConfig.Builder config) {
        config.logSize(logSize).ringSize(ringSize).maxBody(maxBody).mtu(mtu);
    }
}

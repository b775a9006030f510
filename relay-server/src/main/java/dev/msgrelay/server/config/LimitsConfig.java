package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.server.journal.read.BlockReader;
import java.time.Duration;

/**
 * Limits on the cost of clients: memory beside that of the stream, time for a frame to arrive, and numbers for each
 * address.
 *
 * @param pinBytes bytes of the log's chunks that slow subscribers may keep from reuse; beyond this limit the
 *     subscribers that lag most are disconnected
 * @param assemblyBytes bytes of direct memory for frames that have arrived in part; while no memory is left, further
 *     connections wait in a line and are not read
 * @param filterBytes bytes of direct memory for writes to subscribers that want only some types
 * @param replayBytes bytes of direct memory for pages of the journal, about 1 MiB for each subscriber that gets them
 * @param controlBytes bytes of the Java heap for control frames and type ranges of all clients together
 * @param controlBytesPerConnection the part of {@code controlBytes} that one client may use
 * @param frameTimeout time within which a begun frame must be complete. The time starts anew if the frame's bytes have
 *     arrived at {@code minRate} or faster. Only time in which the connection is read counts
 * @param minRate smallest rate, in bytes per second, of a frame that has arrived in part
 * @param maxPerAddress most connections of one address; {@link #ANY_NUMBER} for no such limit
 * @param handshakesPerSecond connections that one address may open in a second
 * @param replaysPerSecond subscribers of one address that may start in the journal in a second
 * @param maxHeartbeat longest interval of PINGs that a client may ask for, or the relay's interval if that is longer
 * @param publisherSilence silence after which a publisher that sent no HELLO is closed; zero for never
 * @param nameHold time for which a name stays reserved for its last publisher after the connection's end
 */
public record LimitsConfig(
        int pinBytes,
        int assemblyBytes,
        int filterBytes,
        int replayBytes,
        int controlBytes,
        int controlBytesPerConnection,
        Duration frameTimeout,
        int minRate,
        int maxPerAddress,
        int handshakesPerSecond,
        int replaysPerSecond,
        Duration maxHeartbeat,
        Duration publisherSilence,
        Duration nameHold) {
    /** No limit for one address, since all clients behind a proxy have the same address. */
    public static final int ANY_NUMBER = ClientConfig.MOST_CONNECTIONS;
    /** Longer than the usual pause between two attempts to connect, but shorter than the deployment of a version. */
    public static final Duration DEFAULT_NAME_HOLD = Duration.ofSeconds(10);

    /** As much as the default log, 32 chunks. So slow subscribers can double the log's memory, but not more. */
    private static final int DEFAULT_PIN = 16 << 20;
    /** Enough for about 30 frames at once, each with the longest body of the defaults. */
    private static final int DEFAULT_ASSEMBLY = 32 << 20;
    /** Enough for a page of the journal for each of 30 subscribers at once. */
    private static final int DEFAULT_REPLAY = 32 << 20;

    private static final int MOST_BYTES = 1 << 30;
    /** Enough for one write to a subscriber that wants only some types. */
    private static final int LEAST_FILTER = 64 << 10;
    /** Enough for three SUBSCRIBEs with the most ranges, and other control frames. */
    private static final int LEAST_CONTROL = 32 << 10;

    private static final int MOST_PER_SECOND = 1_000_000;
    static final long MOST_MILLIS = Duration.ofHours(24).toMillis();

    public LimitsConfig {
        // Here without the sizes whose least value depends on the longest body, which checkFor checks.
        Range.check("filter size", filterBytes, LEAST_FILTER, MOST_BYTES);
        Range.check("control size per connection", controlBytesPerConnection, LEAST_CONTROL, MOST_BYTES);
        Range.check("control size", controlBytes, controlBytesPerConnection, MOST_BYTES);
        Range.checkMillis("frame timeout", frameTimeout, 1, MOST_MILLIS);
        Range.check("min rate", minRate, 1, MOST_BYTES);
        Range.check("max per address", maxPerAddress, 1, ANY_NUMBER);
        Range.check("handshakes per address", handshakesPerSecond, 1, MOST_PER_SECOND);
        Range.check("replays per address", replaysPerSecond, 1, MOST_PER_SECOND);
        Range.checkMillis("max heartbeat", maxHeartbeat, Protocol.MIN_HEARTBEAT_MILLIS, Protocol.MAX_HEARTBEAT_MILLIS);
        Range.checkMillis("publisher silence", publisherSilence, 0, MOST_MILLIS);
        Range.checkMillis("name hold", nameHold, 0, MOST_MILLIS);
    }

    /** Checks that the longest frame can be received and written. */
    void checkFor(StreamConfig stream, JournalConfig journal) {
        int maxBody = stream.maxBody();
        String why = " (max body " + maxBody + ")";
        Range.check("pin size", pinBytes, leastPin(maxBody), MOST_BYTES, why);
        if (journal.on()) {
            Range.check("replay size", replayBytes, leastReplay(maxBody), MOST_BYTES, why);
        }
        Range.check("assembly size", assemblyBytes, leastAssembly(maxBody), MOST_BYTES, why);
    }

    /** Room for the longest frame, which a subscriber pins until it is sent, and for the chunks at both ends. */
    private static int leastPin(int maxBody) {
        return 2 * StreamConfig.CHUNK_BYTES + FrameLayout.frameLength(maxBody);
    }

    /** Two of the longest frames, since a second frame may begin while the first one is put into the ring. */
    private static int leastAssembly(int maxBody) {
        return 2 * FrameLayout.frameLength(maxBody);
    }

    /** A page of the journal, and a frame that begins at the page's end, since a page has whole frames only. */
    private static int leastReplay(int maxBody) {
        return BlockReader.PAGE_BYTES + FrameLayout.frameLength(maxBody);
    }

    static int usualPin(int maxBody) {
        return orMore(DEFAULT_PIN, leastPin(maxBody));
    }

    static int usualAssembly(int maxBody) {
        return orMore(DEFAULT_ASSEMBLY, leastAssembly(maxBody));
    }

    static int usualReplay(int maxBody) {
        return orMore(DEFAULT_REPLAY, leastReplay(maxBody));
    }

    private static int orMore(int usual, int least) {
        return (int) Math.max(usual, StreamConfig.wholeChunks(least));
    }
}

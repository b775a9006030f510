package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.server.journal.read.BlockReader;
import java.time.Duration;

/**
 * Limits on the cost of clients: memory beside that of the stream, time for a frame under way, and the share of one
 * address.
 *
 * @param pinBytes bytes of the log's chunks that slow subscribers may keep from reuse; beyond it the subscribers that
 *     lag most are cut off
 * @param assemblyBytes bytes of direct memory for frames that have arrived in part; while it is used up, further
 *     connections wait for their turn unread
 * @param filterBytes bytes of direct memory for writes to subscribers that want some types only
 * @param replayBytes bytes of direct memory for pages of the journal, about 1 MiB for each subscriber that is sent them
 * @param controlBytes bytes of the Java heap for control frames and type ranges of all clients together
 * @param controlBytesPerConnection the part of {@code controlBytes} that one client may use
 * @param frameTimeout time within which a begun frame must be complete, or have brought {@code minRate} for each second
 *     of that time; then the time starts anew. Only time in which the connection is read counts
 * @param minRate bytes per second of a frame that has arrived in part
 * @param maxPerAddress most connections of one address; {@link #ANY_NUMBER}: no limit of its own
 * @param handshakesPerSecond connections that one address may open a second
 * @param replaysPerSecond subscribers of one address a second that may start in the journal
 * @param maxHeartbeat longest interval of PINGs that a client may ask for; the relay's own interval if that is longer
 * @param publisherSilence silence after which a publisher that sent no HELLO is closed; zero: never
 * @param nameHold time for which a name stays with its last publisher after the end of the connection
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
    /** No limit by address but {@link ClientConfig#maxConnections}: all clients of a proxy have one address. */
    public static final int ANY_NUMBER = ClientConfig.MOST_CONNECTIONS;
    /** Ten seconds: longer than a client's usual longest wait between two attempts, shorter than a deployment. */
    public static final Duration DEFAULT_NAME_HOLD = Duration.ofSeconds(10);

    /** As much as the default log, 32 chunks: slow subscribers at many places of the log double its memory at most. */
    private static final int DEFAULT_PIN = 16 << 20;
    /** About 30 frames of the longest default body at once. */
    private static final int DEFAULT_ASSEMBLY = 32 << 20;
    /** A page of the journal for each of 30 subscribers at once. */
    private static final int DEFAULT_REPLAY = 32 << 20;

    private static final int MOST_BYTES = 1 << 30;
    /** One write to a subscriber that wants some types. */
    private static final int LEAST_FILTER = 64 << 10;
    /** Three SUBSCRIBEs of the most ranges, and other control frames. */
    private static final int LEAST_CONTROL = 32 << 10;

    private static final int MOST_PER_SECOND = 1_000_000;
    static final long MOST_MILLIS = Duration.ofHours(24).toMillis();

    public LimitsConfig {
        // pinBytes and assemblyBytes depend on the longest body: checkFor checks them.
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

    /** The longest frame, which a subscriber pins until all of it is sent, and the chunks of its two ends. */
    private static int leastPin(int maxBody) {
        return 2 * StreamConfig.CHUNK_BYTES + FrameLayout.frameLength(maxBody);
    }

    /** Two of the longest frames: the second one has begun while the first one goes into the ring. */
    private static int leastAssembly(int maxBody) {
        return 2 * FrameLayout.frameLength(maxBody);
    }

    /** A page of the journal, and a frame that begins at its end: a page has whole frames. */
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

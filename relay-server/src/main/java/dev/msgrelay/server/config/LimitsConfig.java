package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.server.journal.read.JournalFeed;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Limits on the cost of clients: memory beside that of the stream, time for a frame under way, and the share of one
 * address.
 *
 * @param pinBytes bytes of the log's chunks that slow subscribers may hold after the log has dropped them; beyond it
 *     the subscribers that lag most are cut off
 * @param assemblyBytes bytes of direct memory for frames that have arrived in part; a connection that finds none waits
 *     for its turn, and is not read meanwhile
 * @param filterBytes bytes of direct memory for writes to subscribers that want some types only
 * @param replayBytes bytes of direct memory for pages of the journal on the way to subscribers: about 1 MiB for each of
 *     them while it is sent
 * @param controlBytes bytes of the Java heap for control frames and type ranges of all clients together
 * @param controlBytesPerConnection bytes of these for one client
 * @param frameTimeout time within which a begun frame must be complete, or have brought {@code minRate} for each second
 *     of that time; then the time starts anew. Only time in which the connection is read counts
 * @param minRate bytes per second that a frame under way must bring
 * @param maxPerAddress most connections of one address; {@link #ANY_NUMBER}: no limit of its own
 * @param handshakesPerSecond connections that one address may open a second
 * @param replaysPerSecond subscribers of one address a second that may start at the earliest message or at a sequence
 * @param maxHeartbeat longest interval of PINGs that a client gets, even if it asks for a longer one; the relay's own
 *     interval if that is longer
 * @param publisherSilence silence after which a publisher that sent no HELLO is closed; zero: never
 * @param nameHold time for which a name stays with its last publisher after the connection has ended
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
    /** As much as the default log, 32 chunks: slow readers at many places hold one more log, and no more. */
    public static final int DEFAULT_PIN_BYTES = 16 << 20;
    /** About 30 frames of the longest default body at once; further ones take turns. */
    public static final int DEFAULT_ASSEMBLY_BYTES = 32 << 20;
    /** 256 writes of 64 KiB under way at once. */
    public static final int DEFAULT_FILTER_BYTES = 16 << 20;
    /** Thirty subscribers with a page of the journal on the way at once; further ones take turns. */
    public static final int DEFAULT_REPLAY_BYTES = 32 << 20;
    /** 512 clients that use up their share; a client that reads its control frames needs a hundred bytes. */
    public static final int DEFAULT_CONTROL_BYTES = 32 << 20;
    /** Seven SUBSCRIBEs of the most ranges (8 KiB each), and other control frames. */
    public static final int DEFAULT_CONTROL_BYTES_PER_CONNECTION = 64 << 10;
    /** Ten seconds: longer than any retransmission on a link that still works, shorter than a person's patience. */
    public static final Duration DEFAULT_FRAME_TIMEOUT = Duration.ofSeconds(10);
    /** The speed of a modem of 1990: no serious client is slower. */
    public static final int DEFAULT_MIN_RATE = 1 << 10;
    /** No limit by address: {@link ClientConfig#maxConnections} holds. Behind a proxy all clients have one address. */
    public static final int ANY_NUMBER = ClientConfig.MOST_CONNECTIONS;
    /** A thousand clients of one host that all reconnect after a cut are served within a second. */
    public static final int DEFAULT_HANDSHAKES_PER_SECOND = 1000;
    /** Each start may send out the whole log; a hundred a second is a large group that reconnects. */
    public static final int DEFAULT_REPLAYS_PER_SECOND = 100;
    /** One minute: a dead peer is noticed within minutes, whatever interval it asked for. */
    public static final Duration DEFAULT_MAX_HEARTBEAT = Duration.ofSeconds(60);
    /** Off: a plain publisher may have no messages for days. */
    public static final Duration DEFAULT_PUBLISHER_SILENCE = Duration.ZERO;
    /** Ten seconds: longer than a client's usual longest wait between two attempts, shorter than a deployment. */
    public static final Duration DEFAULT_NAME_HOLD = Duration.ofSeconds(10);

    private static final int MOST_BYTES = 1 << 30;
    /** One write of a subscriber that wants some types. */
    private static final int LEAST_FILTER = 64 << 10;
    /** Three SUBSCRIBEs of the most ranges, and other control frames. */
    private static final int LEAST_CONTROL = 32 << 10;

    private static final int MOST_PER_SECOND = 1_000_000;
    static final long MOST_MILLIS = Duration.ofHours(24).toMillis();

    public LimitsConfig {
        // pinBytes and assemblyBytes depend on the longest body: checkFor checks them.
        within("filter size", filterBytes, LEAST_FILTER, MOST_BYTES);
        within("control size per connection", controlBytesPerConnection, LEAST_CONTROL, MOST_BYTES);
        within("control size", controlBytes, controlBytesPerConnection, MOST_BYTES);
        millisWithin("frame timeout", frameTimeout, 1, MOST_MILLIS);
        within("min rate", minRate, 1, MOST_BYTES);
        within("max per address", maxPerAddress, 1, ANY_NUMBER);
        within("handshakes per address", handshakesPerSecond, 1, MOST_PER_SECOND);
        within("replays per address", replaysPerSecond, 1, MOST_PER_SECOND);
        millisWithin("max heartbeat", maxHeartbeat, Protocol.MIN_HEARTBEAT_MILLIS, Protocol.MAX_HEARTBEAT_MILLIS);
        millisWithin("publisher silence", publisherSilence, 0, MOST_MILLIS);
        millisWithin("name hold", nameHold, 0, MOST_MILLIS);
    }

    /**
     * Checks that the longest frame can be received and written.
     *
     * @throws IllegalArgumentException the message names the setting, its value and the limit
     */
    void checkFor(StreamConfig stream, JournalConfig journal) {
        int frame = FrameLayout.frameLength(stream.maxBody());
        String why = " (max body " + stream.maxBody() + ")";
        // A subscriber that was sent part of a frame holds it to its end: the frame, and the chunks that it begins and
        // ends in.
        within("pin size", pinBytes, 2 * StreamConfig.CHUNK_BYTES + frame, MOST_BYTES, why);
        // A page of the journal ends behind a whole frame.
        if (journal.on()) {
            within("replay size", replayBytes, JournalFeed.PAGE_BYTES + frame, MOST_BYTES, why);
        }
        // Two frames: the next one has begun while the first one goes into the ring.
        within("assembly size", assemblyBytes, 2 * frame, MOST_BYTES, why);
    }

    static void millisWithin(String what, Duration value, long least, long most) {
        // Long.MAX_VALUE for a duration that is too long to count in milliseconds.
        long millis = TimeUnit.MILLISECONDS.convert(value);
        if (millis < least || millis > most) {
            throw new IllegalArgumentException(
                    what + " " + millis + " ms is not within " + least + ".." + most + " ms");
        }
    }

    private static void within(String what, int value, int least, int most) {
        within(what, value, least, most, "");
    }

    private static void within(String what, int value, int least, int most, String why) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + " " + value + " is not within " + least + ".." + most + why);
        }
    }
}

package dev.msgrelay.server.config;

import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Protocol;
import dev.msgrelay.server.journal.read.JournalFeed;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What clients may cost: memory beside that of the stream, time that a frame may be under way, and how much one address
 * gets.
 *
 * @param pinBytes chunks of the log, in bytes of direct memory, that slow subscribers may keep from being used anew; beyond
 *     it those that lag most are cut off
 * @param assemblyBytes of direct memory for frames that have arrived in part; a connection that finds none waits its turn,
 *     and is not read meanwhile
 * @param filterBytes of direct memory for what is being written to subscribers that want some types only
 * @param replayBytes of direct memory for what is read from the journal for subscribers: about a mebibyte each while it is sent
 * @param controlBytes of the Java heap for control frames and type ranges that are kept for clients, all together
 * @param controlBytesPerConnection of them, for one client
 * @param frameTimeout the time within which a frame that was begun must be complete, or have brought {@code minRate} for
 *     each second of it; then it starts anew. Only time in which the connection is read counts
 * @param minRate bytes per second that a frame under way must bring
 * @param maxPerAddress connections of one address; {@link #ANY_NUMBER}: as many as there may be at all
 * @param handshakesPerSecond of one address: connections that it may open
 * @param replaysPerSecond of one address: subscribers that start at the earliest message, or at a sequence
 * @param maxHeartbeat longest interval of PINGs that a client gets that asks for a longer one; where the relay's own is
 *     longer, that one
 * @param publisherSilence after which a publisher that said no HELLO is closed; zero: never
 * @param nameHold how long a name stays with the publisher that had it last, after its connection has ended
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
    /** As much as the log by default: 32 chunks, so that many slow readers at many places are one more log, and no more. */
    public static final int DEFAULT_PIN_BYTES = 16 << 20;
    /** About 30 frames of the longest body by default at once; more of them take turns. */
    public static final int DEFAULT_ASSEMBLY_BYTES = 32 << 20;
    /** 256 writes of 64 KiB under way at once. */
    public static final int DEFAULT_FILTER_BYTES = 16 << 20;
    /** Thirty subscribers that have what was read for them on the way at once; more of them take turns. */
    public static final int DEFAULT_REPLAY_BYTES = 32 << 20;
    /** 512 clients that use up all they may; who reads what it is told needs a hundred bytes. */
    public static final int DEFAULT_CONTROL_BYTES = 32 << 20;
    /** Seven SUBSCRIBEs of the most ranges there may be (8 KiB each), and what is to be said besides. */
    public static final int DEFAULT_CONTROL_BYTES_PER_CONNECTION = 64 << 10;
    /** Longer than any retransmission on a link that still works, shorter than a person's patience. */
    public static final Duration DEFAULT_FRAME_TIMEOUT = Duration.ofSeconds(10);
    /** A modem of 1990: slower is nobody who means it. */
    public static final int DEFAULT_MIN_RATE = 1 << 10;
    /** No limit of its own: {@link ClientConfig#maxConnections} holds. Behind a proxy all clients have one address. */
    public static final int ANY_NUMBER = ClientConfig.MOST_CONNECTIONS;
    /** A thousand clients of one host that all come back after a cut are served within a second. */
    public static final int DEFAULT_HANDSHAKES_PER_SECOND = 1000;
    /** Each may send out the whole log; a hundred resumes a second are a large group that comes back. */
    public static final int DEFAULT_REPLAYS_PER_SECOND = 100;
    /** A dead peer is noticed within minutes, whatever it asked for when it was alive. */
    public static final Duration DEFAULT_MAX_HEARTBEAT = Duration.ofSeconds(60);
    /** Off: a plain publisher may have nothing to say for days. */
    public static final Duration DEFAULT_PUBLISHER_SILENCE = Duration.ZERO;
    /** Longer than a client's longest wait between two attempts in the usual case, shorter than a deployment. */
    public static final Duration DEFAULT_NAME_HOLD = Duration.ofSeconds(10);

    private static final int MOST_BYTES = 1 << 30;
    /** One write of a subscriber that wants some types. */
    private static final int LEAST_FILTER = 64 << 10;
    /** Three SUBSCRIBEs of the most ranges, and what is to be said besides. */
    private static final int LEAST_CONTROL = 32 << 10;

    private static final int MOST_PER_SECOND = 1_000_000;
    static final long MOST_MILLIS = Duration.ofHours(24).toMillis();

    public LimitsConfig {
        // Pins and assembly are checked beside the longest body, which is not known here.
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
     * Whether the longest frame can be written and received at all.
     *
     * @throws IllegalArgumentException naming the setting, its value and the limit
     */
    void checkFor(StreamConfig stream, JournalConfig journal) {
        int frame = FrameLayout.frameLength(stream.maxBody());
        String why = " (max body " + stream.maxBody() + ")";
        // A frame that a subscriber's write has cut is held to its end, whatever chunks it begins and ends in.
        within("pin size", pinBytes, 2 * StreamConfig.CHUNK_BYTES + frame, MOST_BYTES, why);
        // A block of the journal is cut behind its last frame.
        if (journal.on()) {
            within("replay size", replayBytes, JournalFeed.PAGE_BYTES + frame, MOST_BYTES, why);
        }
        // While the frame in front goes into the ring, the next one has begun.
        within("assembly size", assemblyBytes, 2 * frame, MOST_BYTES, why);
    }

    static void millisWithin(String what, Duration value, long least, long most) {
        // For what is too long to be counted in milliseconds, the largest number.
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

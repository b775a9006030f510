package dev.msgrelay.server.figures;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All figures of a relay. The statistics line, {@code --json} and the admin port show them. A total only grows; a gauge
 * is a present value.
 */
public enum Counter {
    MESSAGES_IN("messages", true, "messages in the stream"),
    BYTES_IN("bytes", true, "of the messages in the stream, headers included"),
    MESSAGES_OUT("messages", true, "messages handed to subscribers' sockets, summed over the subscribers"),
    BYTES_OUT("bytes", true, "of the messages handed to subscribers' sockets, headers included"),
    MESSAGES_SKIPPED("messages", true, "messages that subscribers with the policy skip have missed", true),
    PUBLISHERS("connections", false, "publishers connected"),
    SUBSCRIBERS("connections", false, "subscribers connected"),
    LARGEST_LAG_BYTES(
            "bytes",
            false,
            "lag of the slowest subscriber, without those that get the journal or have the policy latest"),
    LARGEST_LAG_MESSAGES("messages", false, "lag of the slowest subscriber, by the packet index"),
    DUPLICATES(
            "messages", true, "messages of acknowledged publishers that were in the stream already, and were dropped"),
    HELD_BACK("times", true, "a publisher was not read because there was no room for what it sent", true),
    HELD_BACK_MILLIS("ms", true, "at least one publisher was not read, because there was no room"),
    BACKPRESSURE_MILLIS(
            "ms", true, "the slowest subscriber with the policy backpressure kept the log from growing", true),
    RING_CELLS("cells", false, "of the ring"),
    RING_USED_CELLS("cells", false, "claimed and not consumed yet"),
    CHUNKS_ASIDE("chunks", false, "dropped by the log, and held by slow subscribers"),
    LOCAL_PUBLISHERS("publishers", false, "producer threads of the relay's own process"),
    ASSEMBLY_WAITS("times", true, "a publisher waited for memory for a long frame", true),
    ASSEMBLY_WAITING("connections", false, "publishers that wait for memory for a long frame"),
    FILTER_UNBUFFERED("writes", true, "of chosen types that found no buffer, and went out from the log", true),
    PINS_EVICTED("connections", true, "subscribers cut off because the log's memory that they held was needed", true),
    PROBES("connections", true, "connections that their peer ended before the first byte, as probes do"),
    PROXY_HEADERS("connections", true, "connections whose PROXY header told the address of the client"),
    PROXY_LOCAL("connections", true, "connections whose PROXY header named no client, as in a proxy's checks"),
    PROXY_REFUSED("connections", true, "connections of proxies without a PROXY header that could be used"),
    PROXY_UNTRUSTED("connections", true, "connections from other addresses than those of --proxy-from"),
    TLS_HANDSHAKES("connections", true, "TLS handshakes that succeeded"),
    TLS_FAILURES("connections", true, "connections of the TLS ports whose handshake failed"),
    TLS_SMALL_WRITES("writes", true, "of TLS connections that found no memory for a large buffer", true),
    PLAIN_ON_TLS_PORT("connections", true, "clients that did not speak TLS on a TLS port"),
    TLS_ON_PLAIN_PORT("connections", true, "clients that spoke TLS on a plain port"),
    TLS_RELOADS("times", true, "certificate and key were loaded anew"),
    JOURNAL_POSITION("bytes", false, "of the stream that the journal has, from the first one there ever was"),
    JOURNAL_WRITTEN_LAG_BYTES("bytes", false, "of the stream that are not written to the journal yet"),
    JOURNAL_WRITTEN_LAG_MILLIS("ms", false, "age of the oldest message that is not written yet; give or take 0.1 s"),
    JOURNAL_FORCED_LAG_BYTES("bytes", false, "of the stream that are not forced to the disk yet"),
    JOURNAL_FORCED_LAG_MILLIS("ms", false, "age of the oldest message that is not forced yet; give or take 0.1 s"),
    JOURNAL_WAITS("times", true, "publishers waited for the journal", true),
    JOURNAL_WAIT_MILLIS("ms", true, "publishers waited for the journal"),
    JOURNAL_FULL_MILLIS("ms", true, "the journal's disk was full", true),
    JOURNAL_UNPREPARED_MILLIS("ms", true, "the journal waited for the files of its next segment"),
    JOURNAL_FORCES("times", true, "the journal was forced to the disk"),
    JOURNAL_FORCE_MILLIS("ms", true, "spent forcing the journal to the disk"),
    JOURNAL_SEGMENTS("segments", false, "of the journal"),
    JOURNAL_FILE_BYTES("bytes", false, "of the files of the journal's segments"),
    JOURNAL_FREE_BYTES("bytes", false, "free on the journal's disk; -1: not known yet"),
    JOURNAL_REPLAYS("subscribers", false, "that get the stream from the journal, or have not caught up yet"),
    JOURNAL_REPLAYS_BEGUN("times", true, "a subscriber began to get the stream from the journal"),
    JOURNAL_REPLAY_BYTES("bytes", true, "handed to the sockets of subscribers that get the journal"),
    JOURNAL_REPLAY_LAG_BYTES("bytes", false, "lag of the slowest subscriber that gets the journal"),
    JOURNAL_REPLAY_WAITS("times", true, "a subscriber that gets the journal waited for memory", true),
    JOURNAL_REPLAY_MISSED(
            "messages", true, "that subscribers missed because the journal had dropped or lost them", true),
    JOURNAL_UNHELD("segments", true, "dropped before the snapshot of the state had their messages", true),
    JOURNAL_FAILED("truth", false, "1: the journal has failed, and nothing is written any more"),
    STATE_TYPES("types", false, "whose newest message the state has"),
    STATE_BYTES("bytes", false, "that these messages take of --state"),
    STATE_FORGOTTEN("types", true, "forgotten because the state was full", true),
    STATE_FORGOTTEN_VALUE("sequence", false, "newest message that the state has lost; 0: none, the state is whole"),
    STATE_FORGOTTEN_TOMBSTONE("sequence", false, "newest empty message that the state has lost"),
    STATE_SNAPSHOT("sequence", false, "last message that the state's snapshot on the disk knows of; 0: there is none"),
    STATE_SNAPSHOT_FORGOTTEN("sequence", false, "newest message that this snapshot has lost; 0: none"),
    STATE_JOINS("times", true, "a subscriber began with the state"),
    STATE_READERS("subscribers", false, "that get the state, and not the stream yet"),
    STATE_LATE("times", true, "a subscriber had not got all of the state 10 s after its first part", true),
    STATE_CONFLATIONS("times", true, "a subscriber with the policy latest was too far behind, and got the state"),
    STATE_CONFLATED(
            "messages", true, "that newer ones replaced for subscribers with the policy latest, or ranges left out"),
    STATE_INTERVAL_READERS("subscribers", false, "that get the state at an interval"),
    STATE_TICKS_MISSED(
            "ticks",
            true,
            "of a subscriber's interval that passed while it was still sent the state of an earlier one"),
    FAILURES("faults", true, "faults of the relay's own, each of which ended one connection"),
    LOG_LINES_SUPPRESSED(
            "lines", true, "lines of the log that were left out because there were too many of their kind", true),
    ADMIN_REFUSED("requests", true, "of the admin port that were wrong, too slow, or too many", true),
    CORE_CPU_MILLIS("ms", true, "processor time of the thread that makes the order"),
    LOG_BYTES("bytes", false, "of the stream that the log holds: a subscriber may be this far behind"),
    MEMORY_DIRECT_BYTES("bytes", false, "direct memory taken or reserved"),
    MEMORY_HEAP_BYTES("bytes", false, "Java heap reserved for clients");

    private final String unit;
    private final boolean total;
    private final String help;
    private final boolean limit;
    private final String key;

    Counter(String unit, boolean total, String help) {
        this(unit, total, help, false);
    }

    Counter(String unit, boolean total, String help, boolean limit) {
        this.unit = unit;
        this.total = total;
        this.help = help;
        this.limit = limit;
        Matcher words = Pattern.compile("_(.)").matcher(name().toLowerCase(Locale.ROOT));
        this.key = words.replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
    }

    /** Whether only a relay with a journal has this figure. */
    public boolean ofJournal() {
        return name().startsWith("JOURNAL_");
    }

    /** Whether only a relay with {@code --state} has this figure. */
    public boolean ofState() {
        return name().startsWith("STATE_");
    }

    /** The name in JSON, such as {@code messagesIn}. */
    public String key() {
        return key;
    }

    public String unit() {
        return unit;
    }

    public boolean total() {
        return total;
    }

    /** Whether the figure grows when a limit is reached. An operator looks at such figures first. */
    public boolean limit() {
        return limit;
    }

    /** A description of the figure, as the end of a sentence. */
    public String help() {
        return help;
    }
}

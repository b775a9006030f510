package dev.msgrelay.server.figures;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.server.access.Peer;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the end of every connection under its reason, and logs it: a few lines a second for each reason, then the
 * number of lines left out. So strangers cannot flood the log. The relay's own faults are logged once for each distinct
 * cause; the number of their repeats is logged once a minute.
 *
 * <p>Any thread.
 */
public final class CloseLog {
    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final int LINES_PER_SECOND = 2;
    private static final int LINES_AT_ONCE = 20;
    private static final int DECISIONS_PER_SECOND = 20;
    private static final int DECISIONS_AT_ONCE = 200;
    private static final int MOST_CAUSES = 50;
    private static final String OTHER_CAUSES = "causes that are not told apart";
    private static final long REPEATS_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Ends remembered for each reason, so that a flood of one reason does not push out the others. */
    private static final int MOST_RECENT = 5;

    /**
     * The end of one connection.
     *
     * @param time time of the end
     * @param who role, peer and name, printable
     * @param detail value and limit, printable; may be empty
     */
    public record Ended(Instant time, String who, CloseReason reason, String detail) {}

    /** Repeats of the same exception at the same place since its last line, and the time of that line. */
    private static final class Fault {
        private long repeats;
        private long lineNanos;

        private Fault(long nowNanos) {
            lineNanos = nowNanos;
        }
    }

    private final Counters counters;
    private final Map<CloseReason, LongAdder> closes = new EnumMap<>(CloseReason.class);
    // Guarded by this object's lock.
    private final Map<CloseReason, TokenBucket> lines = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, Long> suppressed = new EnumMap<>(CloseReason.class);
    private final Map<String, Fault> faults = new LinkedHashMap<>();
    private final Map<CloseReason, ArrayDeque<Ended>> recent = new EnumMap<>(CloseReason.class);
    private final ProbeLog probes = new ProbeLog();
    // Key exchanges that were logged; the TLS library knows a handful.
    private final Set<String> keyExchanges = new HashSet<>();
    private final TokenBucket decisions = new TokenBucket(DECISIONS_PER_SECOND, DECISIONS_AT_ONCE);
    private long decisionsLeftOut;

    public CloseLog(Counters counters) {
        this.counters = counters;
        for (CloseReason reason : CloseReason.values()) {
            closes.put(reason, new LongAdder());
            lines.put(reason, new TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE));
            recent.put(reason, new ArrayDeque<>(MOST_RECENT));
        }
    }

    /**
     * Counts and logs a connection that has ended or was not let in.
     *
     * @param who role and peer, printable
     * @param detail value and limit; may be empty
     */
    public void closed(String who, CloseReason reason, String detail, long nowNanos) {
        closes.get(reason).increment();
        remember(new Ended(Instant.now(), who, reason, Peer.printable(detail)));
        switch (reason) {
            case PEER_CLOSED, SHUTDOWN -> LOG.debug("{}: {}", who, reason.text());
            default -> {
                if (mayLog(reason, nowNanos)) {
                    LOG.atWarn()
                            .addKeyValue("event", "closed")
                            .addKeyValue("reason", reason.name())
                            .log("{}: {}{}", who, reason.text(), detail.isEmpty() ? "" : ": " + Peer.printable(detail));
                }
            }
        }
    }

    /**
     * Counts a connection that its peer has ended before the first byte, as probes of load balancers do; logs one an
     * hour for an address.
     *
     * @param who role and peer, printable
     */
    public void probed(String who, SocketAddress peer, long nowNanos) {
        closes.get(CloseReason.PEER_CLOSED).increment();
        counters.increment(Counter.PROBES);
        long earlier = probes.note(ProbeLog.network(peer), nowNanos);
        if (earlier != ProbeLog.NOT_NOW) {
            LOG.info(
                    "{}: ended before its first byte, as probes do{}; told once an hour for an address",
                    who,
                    earlier == 0 ? "" : ", and " + earlier + " more of its address before");
        }
    }

    private synchronized void remember(Ended ended) {
        ArrayDeque<Ended> alike = recent.get(ended.reason());
        if (alike.size() == MOST_RECENT) {
            alike.removeFirst();
        }
        alike.addLast(ended);
    }

    /** The last {@value #MOST_RECENT} ends of each reason, the newest first. */
    public synchronized List<Ended> recent() {
        return recent.values().stream()
                .flatMap(ArrayDeque::stream)
                .sorted(Comparator.comparing(Ended::time).reversed())
                .toList();
    }

    /** Logs a line about something other than an end; it counts with the lines of reason {@code like}. */
    public void warn(CloseReason like, long nowNanos, String line) {
        if (mayLog(like, nowNanos)) {
            LOG.warn("{}", line);
        }
    }

    /** Logs that a client was let in as an identity, unless there are too many such lines. */
    public void decided(String line, long nowNanos) {
        long before;
        synchronized (this) {
            if (!decisions.tryTake(nowNanos)) {
                decisionsLeftOut++;
                counters.increment(Counter.LOG_LINES_SUPPRESSED);
                return;
            }
            before = decisionsLeftOut;
            decisionsLeftOut = 0;
        }
        if (before > 0) {
            LOG.info(
                    "{} {} suppressed: identities of clients that were let in",
                    before,
                    ShortText.plural(before, "line"));
        }
        LOG.info("{}", line);
    }

    /**
     * Logs the first connection with each key exchange of TLS. Later ones have it in the line about their identity; a
     * line for each would be those of a balancer's probes.
     */
    public void agreed(String who, String keyExchange) {
        synchronized (this) {
            if (!keyExchanges.add(keyExchange)) {
                return;
            }
        }
        LOG.info("{}: TLS with the key exchange {}, the first connection with it", who, keyExchange);
    }

    /** Counts and logs a fault of the relay's own, which has ended one connection. */
    public void failed(String who, Throwable cause, long nowNanos) {
        counters.increment(Counter.FAILURES);
        StackTraceElement[] trace = cause.getStackTrace();
        String key = cause.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
        if (isNew(key, nowNanos)) {
            LOG.error("{}: a fault of the relay; repeats are counted, and logged once a minute", who, cause);
        }
    }

    private synchronized boolean isNew(String cause, long nowNanos) {
        String key = faults.containsKey(cause) || faults.size() < MOST_CAUSES ? cause : OTHER_CAUSES;
        if (faults.containsKey(key)) {
            faults.get(key).repeats++;
            return false;
        }
        faults.put(key, new Fault(nowNanos));
        return true;
    }

    /**
     * Lines about repeated faults that are due.
     *
     * @param all true: includes faults whose last line is less than a minute old
     */
    synchronized List<String> takeRepeats(long nowNanos, boolean all) {
        List<String> lines = new ArrayList<>();
        faults.forEach((cause, fault) -> {
            if (fault.repeats > 0 && (all || nowNanos - fault.lineNanos >= REPEATS_NANOS)) {
                lines.add("a fault of the relay, " + fault.repeats + " times more: " + cause);
                fault.repeats = 0;
                fault.lineNanos = nowNanos;
            }
        });
        return lines;
    }

    /** Logs the repeats not logged yet. Called once, at the relay's end. */
    public void logRemainingRepeats() {
        takeRepeats(0, true).forEach(LOG::error);
    }

    private synchronized boolean mayLog(CloseReason reason, long nowNanos) {
        if (lines.get(reason).tryTake(nowNanos)) {
            return true;
        }
        suppressed.merge(reason, 1L, Long::sum);
        counters.increment(Counter.LOG_LINES_SUPPRESSED);
        return false;
    }

    /** Logs how many lines were left out, for each reason that may have a line again. Called a few times a second. */
    public void tick(long nowNanos) {
        Map<CloseReason, Long> told = new EnumMap<>(CloseReason.class);
        synchronized (this) {
            suppressed.entrySet().removeIf(entry -> {
                boolean air = lines.get(entry.getKey()).tryTake(nowNanos);
                if (air) {
                    told.put(entry.getKey(), entry.getValue());
                }
                return air;
            });
        }
        told.forEach((reason, count) ->
                LOG.warn("{} {} suppressed: {}", count, ShortText.plural(count, "line"), reason.text()));
        takeRepeats(nowNanos, false).forEach(LOG::error);
    }

    /** Number of closed connections by reason; only reasons that have occurred. */
    public Map<CloseReason, Long> closes() {
        Map<CloseReason, Long> result = new EnumMap<>(CloseReason.class);
        closes.forEach((reason, count) -> {
            if (count.sum() > 0) {
                result.put(reason, count.sum());
            }
        });
        return result;
    }
}

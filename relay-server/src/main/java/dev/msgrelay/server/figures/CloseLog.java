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
 * Counts the ends of connections by reason, and logs them. Each reason may log only a few lines a second, so strangers
 * cannot flood the log. A later line reports how many were left out. A fault of the relay itself is logged once for
 * each cause, and the number of its repeats once a minute. Any thread.
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
    private static final int MOST_RECENT = 5;

    /** The end of a connection. {@code who} is role, peer and name; {@code detail} may be empty. Both are printable. */
    public record Ended(Instant time, String who, CloseReason reason, String detail) {}

    /**
     * The connections that ended for one reason. Each reason has a list of its own, so many ends for one reason do not
     * push out those for another.
     */
    private static final class Ends {
        private final LongAdder count = new LongAdder();
        private final ArrayDeque<Ended> recent = new ArrayDeque<>(MOST_RECENT);
        private final TokenBucket lines = new TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE);
        private long linesLeftOut;
    }

    /** The repeats of an exception at one place since it was last logged, and the time when it was last logged. */
    private static final class Fault {
        private long repeats;
        private long lineNanos;
    }

    private final Counters counters;
    // This object's lock guards all following fields, except the counts in Ends.
    private final Map<CloseReason, Ends> ends = new EnumMap<>(CloseReason.class);
    private final Map<String, Fault> faults = new LinkedHashMap<>();
    // The key exchanges that were logged. The TLS library knows only a few.
    private final Set<String> keyExchanges = new HashSet<>();
    private final TokenBucket decisions = new TokenBucket(DECISIONS_PER_SECOND, DECISIONS_AT_ONCE);
    private long decisionsLeftOut;
    private final ProbeLog probes = new ProbeLog();
    private final ProbeLog proxies = new ProbeLog();

    public CloseLog(Counters counters) {
        this.counters = counters;
        for (CloseReason reason : CloseReason.values()) {
            ends.put(reason, new Ends());
        }
    }

    /** Counts and logs a connection that has ended or was not let in. {@code who} is role and peer, printable. */
    public void closed(String who, CloseReason reason, String detail, long nowNanos) {
        ends.get(reason).count.increment();
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

    /** Counts a probe: a connection that ended before its first byte. Logs one line an hour for each address. */
    public void probed(String who, SocketAddress peer, long nowNanos) {
        counters.increment(Counter.PROBES);
        noted(probes, who, "ended before its first byte, as probes do", peer, nowNanos);
    }

    /** Counts a connection that a proxy has opened for itself. Logs one line an hour for each address. */
    public void ofProxy(String who, SocketAddress proxy, long nowNanos) {
        counters.increment(Counter.PROXY_LOCAL);
        noted(proxies, who, "its PROXY header names no client, as in a proxy's checks", proxy, nowNanos);
    }

    private void noted(ProbeLog lines, String who, String what, SocketAddress peer, long nowNanos) {
        ends.get(CloseReason.PEER_CLOSED).count.increment();
        long earlier = lines.note(ProbeLog.network(peer), nowNanos);
        if (earlier != ProbeLog.NOT_NOW) {
            LOG.info(
                    "{}: {}{}; told once an hour for an address",
                    who,
                    what,
                    earlier == 0 ? "" : ", and " + earlier + " more of its address before");
        }
    }

    private synchronized void remember(Ended ended) {
        ArrayDeque<Ended> alike = ends.get(ended.reason()).recent;
        if (alike.size() == MOST_RECENT) {
            alike.removeFirst();
        }
        alike.addLast(ended);
    }

    /** The last {@value #MOST_RECENT} ended connections for each reason, the newest first. */
    public synchronized List<Ended> recent() {
        return ends.values().stream()
                .flatMap(each -> each.recent.stream())
                .sorted(Comparator.comparing(Ended::time).reversed())
                .toList();
    }

    /** Logs a line that is not about an ended connection. It counts towards the limit of reason {@code like}. */
    public void warn(CloseReason like, long nowNanos, String line) {
        if (mayLog(like, nowNanos)) {
            LOG.warn("{}", line);
        }
    }

    /** Logs a line about a client's identity at its admission, unless there are too many such lines. */
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

    /** Logs the first connection with each key exchange of TLS. */
    public void agreed(String who, String keyExchange) {
        synchronized (this) {
            if (!keyExchanges.add(keyExchange)) {
                return;
            }
        }
        LOG.info("{}: TLS with the key exchange {}, the first connection with it", who, keyExchange);
    }

    /** Counts and logs a fault of the relay itself, which has ended a connection. */
    public void failed(String who, Throwable cause, long nowNanos) {
        counters.increment(Counter.FAILURES);
        StackTraceElement[] trace = cause.getStackTrace();
        String key = cause.getClass().getName() + (trace.length == 0 ? "" : " at " + trace[0]);
        synchronized (this) {
            if (!faults.containsKey(key) && faults.size() >= MOST_CAUSES) {
                key = OTHER_CAUSES;
            }
            if (faults.containsKey(key)) {
                faults.get(key).repeats++;
                return;
            }
            Fault first = new Fault();
            first.lineNanos = nowNanos;
            faults.put(key, first);
        }
        LOG.error("{}: a fault of the relay; repeats are counted, and logged once a minute", who, cause);
    }

    /** @param all true: returns lines also for faults that were logged less than a minute ago */
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

    /** Logs how often each fault was repeated since the last line about it. Called once, at the relay's end. */
    public void logRemainingRepeats() {
        takeRepeats(0, true).forEach(LOG::error);
    }

    private synchronized boolean mayLog(CloseReason reason, long nowNanos) {
        if (ends.get(reason).lines.tryTake(nowNanos)) {
            return true;
        }
        ends.get(reason).linesLeftOut++;
        counters.increment(Counter.LOG_LINES_SUPPRESSED);
        return false;
    }

    /** Logs for each reason that may log again how many lines were left out. Called a few times a second. */
    public void tick(long nowNanos) {
        Map<CloseReason, Long> leftOut = new EnumMap<>(CloseReason.class);
        synchronized (this) {
            ends.forEach((reason, each) -> {
                if (each.linesLeftOut > 0 && each.lines.tryTake(nowNanos)) {
                    leftOut.put(reason, each.linesLeftOut);
                    each.linesLeftOut = 0;
                }
            });
        }
        leftOut.forEach((reason, count) ->
                LOG.warn("{} {} suppressed: {}", count, ShortText.plural(count, "line"), reason.text()));
        takeRepeats(nowNanos, false).forEach(LOG::error);
    }

    /** The number of ended connections by reason; only reasons that have occurred. */
    public Map<CloseReason, Long> closes() {
        Map<CloseReason, Long> result = new EnumMap<>(CloseReason.class);
        ends.forEach((reason, each) -> {
            if (each.count.sum() > 0) {
                result.put(reason, each.count.sum());
            }
        });
        return result;
    }
}

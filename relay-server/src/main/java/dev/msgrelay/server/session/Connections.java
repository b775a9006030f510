package dev.msgrelay.server.session;

import dev.msgrelay.protocol.CloseReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is connected, and what is counted of connections: every close under its reason, everything that was skipped or
 * refused. Told by sessions on any thread; read by reports.
 */
public final class Connections {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    private final Set<PublisherSession> publishers = ConcurrentHashMap.newKeySet();
    private final Set<SubscriberSession> subscribers = ConcurrentHashMap.newKeySet();
    private final Map<CloseReason, LongAdder> closes = new EnumMap<>(CloseReason.class);
    private final LongAdder messagesSentByClosed = new LongAdder();
    private final LongAdder bytesSentByClosed = new LongAdder();
    private final LongAdder skippedByClosed = new LongAdder();
    private final LongAdder timesHeldBack = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final AtomicInteger channels = new AtomicInteger();
    private volatile boolean draining;

    public Connections() {
        for (CloseReason reason : CloseReason.values()) {
            closes.put(reason, new LongAdder());
        }
    }

    void opened(PublisherSession session) {
        channels.incrementAndGet();
        publishers.add(session);
        LOG.debug("publisher {} connected", session.peer());
    }

    /**
     * From now on no publisher is read any more, nor one that is about to connect. Any thread.
     *
     * @param closesInMillis what they are told of how long it will take
     */
    public void stopPublishers(int closesInMillis) {
        // Before the look at who is there: who comes later sees it.
        draining = true;
        for (PublisherSession session : publishers) {
            session.execute(() -> session.stopReading(closesInMillis));
        }
    }

    /** Tells publishers the time, a few times a second. On their loop. */
    public void tickPublishers(long nowNanos) {
        for (PublisherSession session : publishers) {
            session.tick(nowNanos);
        }
    }

    /** Whether all publishers have stopped, and what was read of them is in the ring. Any thread. */
    public boolean publishersStopped() {
        for (PublisherSession session : publishers) {
            if (!session.quiet()) {
                return false;
            }
        }
        return draining;
    }

    /** A channel is gone, and its session has given its memory back. */
    void channelGone() {
        channels.decrementAndGet();
    }

    /** Whether nobody is connected any more, down to the last channel. Any thread. */
    public boolean allGone() {
        return channels.get() == 0 && publishers.isEmpty() && subscribers.isEmpty();
    }

    boolean draining() {
        return draining;
    }

    void opened(SubscriberSession session) {
        channels.incrementAndGet();
        subscribers.add(session);
        LOG.debug("subscriber {} connected", session.peer());
    }

    void closed(PublisherSession session, CloseReason reason, String detail) {
        if (publishers.remove(session)) {
            count("publisher", session.peer(), reason, detail);
        }
    }

    void closed(SubscriberSession session, CloseReason reason, String detail) {
        if (subscribers.remove(session)) {
            messagesSentByClosed.add(session.messagesSent());
            bytesSentByClosed.add(session.bytesSent());
            skippedByClosed.add(session.messagesSkipped());
            count("subscriber", session.peer(), reason, detail);
        }
    }

    /** A connection was not admitted. */
    void refused(String peer, CloseReason reason, String detail) {
        count("connection", peer, reason, detail);
    }

    /** A subscriber has missed messages, and counts them; logged the first time. */
    void skipped(SubscriberSession session, long from, long to, boolean first) {
        if (first) {
            LOG.warn(
                    "subscriber {} is too slow: it skips messages {} to {} (logged once, counted always)",
                    session.peer(),
                    from,
                    to);
        }
    }

    /** Messages were sent again that are in the stream already: dropped. */
    void duplicates(long messages) {
        duplicates.add(messages);
    }

    void heldBack() {
        timesHeldBack.increment();
    }

    private void count(String role, String peer, CloseReason reason, String detail) {
        closes.get(reason).increment();
        switch (reason) {
            case PEER_CLOSED, SHUTDOWN -> LOG.debug("{} {}: {}", role, peer, reason.text());
            default -> LOG.warn("{} {}: {}{}", role, peer, reason.text(), detail.isEmpty() ? "" : ": " + detail);
        }
    }

    public Set<PublisherSession> publishers() {
        return publishers;
    }

    public Set<SubscriberSession> subscribers() {
        return subscribers;
    }

    /** Closed connections by reason; only reasons that have occurred. */
    public Map<CloseReason, Long> closes() {
        Map<CloseReason, Long> result = new EnumMap<>(CloseReason.class);
        closes.forEach((reason, count) -> {
            if (count.sum() > 0) {
                result.put(reason, count.sum());
            }
        });
        return result;
    }

    /** Messages handed to the sockets of all subscribers there have been. */
    public long messagesSent() {
        long sum = messagesSentByClosed.sum();
        for (SubscriberSession s : subscribers) {
            sum += s.messagesSent();
        }
        return sum;
    }

    /** Bytes handed to the sockets of all subscribers there have been. */
    public long bytesSent() {
        long sum = bytesSentByClosed.sum();
        for (SubscriberSession s : subscribers) {
            sum += s.bytesSent();
        }
        return sum;
    }

    /** Messages that subscribers have missed because their policy is to skip. */
    public long messagesSkipped() {
        long sum = skippedByClosed.sum();
        for (SubscriberSession s : subscribers) {
            sum += s.messagesSkipped();
        }
        return sum;
    }

    /** Messages of acknowledged publishers that were in the stream already. */
    public long duplicates() {
        return duplicates.sum();
    }

    /** How often a publisher was not read because the ring had no room. */
    public long timesHeldBack() {
        return timesHeldBack.sum();
    }
}

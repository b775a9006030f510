package dev.msgrelay.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.PlainSubscriber;
import dev.msgrelay.server.harness.Received;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher that keeps to a schedule and a subscriber that reads, while others attack. It must lose nothing, get nothing
 * twice, keep order and bytes, and deliver what its schedule asks for, at all times: see {@link Pace}.
 *
 * <pre>
 *   probes until one arrives | schedule .................................................... | finish
 *                                  | begin() ... the attack ... end() |
 *                                        push(): as fast as it is read, in between
 * </pre>
 *
 * Others may publish beside it, as {@link Frames} with a publisher of {@link #FIRST_OTHER} or above: they are checked
 * likewise, but may be incomplete.
 */
final class HealthyPair implements AutoCloseable {
    /** Connections of it that publish. */
    static final int PUBLISHERS = 2;

    /** The first number that others may have as a publisher. */
    static final int FIRST_OTHER = 10;

    private static final int SCHEDULED = 0;
    private static final int PROBES = 1;
    static final int PUSHED = 2;

    private static final int MOST_PROBES = 2000;

    static final int PER_SECOND = 2000;
    private static final int MOST_AT_ONCE = 200;
    private static final int MOST_BYTES = 400;
    /** Larger ones than a read, a segment, and what is copied for a filter. */
    private static final int[] PUSH_BYTES = {100, 9000, 20, 1400, 70_000, 0, 3000, 300};

    private static final int STEP_BYTES = 100_000;

    /** An attack that is over sooner is looked at for this long. */
    private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What was sent just now may be on its way. */
    private static final long ON_ITS_WAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final double LEAST_SHARE = 0.95;
    /** Where others take both cores for as long as the scheduler lets them, and the collector stops everybody. */
    private static final long MOST_BEHIND_MILLIS = 1000;

    private static final long LOOK_NANOS = 2_000_000;
    private static final long PUSH_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final PlainSubscriber subscriber;
    private final PlainPublisher publisher;
    private final PlainPublisher pusher;
    private final Workers workers = new Workers();
    private final long scheduleStart;
    private volatile boolean stopped;
    private volatile int sent;
    private int pushed;
    private long begun;
    private int dueAtBegin;
    private volatile boolean over;
    private Pace pace;
    private Workers watch;

    HealthyPair(SocketAddress publish, SocketAddress subscribe) throws IOException {
        subscriber = PlainSubscriber.connect(subscribe);
        publisher = PlainPublisher.connect(publish);
        pusher = PlainPublisher.connect(publish);
        // A plain subscriber is told nothing: it is there once something arrives.
        for (int i = 0; Await.staysTrue(10, () -> received().count() == 0); i++) {
            assertThat(i).as("probes that did not arrive").isLessThan(MOST_PROBES);
            pusher.send(new Frames().frame(Frames.type(PROBES, i), 10));
        }
        scheduleStart = System.nanoTime();
        workers.start("scheduled-publisher", this::publish);
    }

    private void publish() throws IOException {
        while (!stopped) {
            int until = Math.min(due(System.nanoTime()), sent + MOST_AT_ONCE);
            if (until > sent) {
                Frames frames = new Frames();
                for (int i = sent; i < until; i++) {
                    frames.frame(Frames.type(SCHEDULED, i), i * 37 % MOST_BYTES);
                }
                publisher.send(frames);
                sent = until;
            } else {
                LockSupport.parkNanos(500_000);
            }
        }
    }

    /** What the subscriber has got, others' messages included. */
    Received received() {
        return subscriber.received();
    }

    /** The attack begins, once the pair is on its schedule: what comes before may have been more than there is time for. */
    void begin() {
        Await.until(() -> "on schedule, " + late() + " messages late", () -> late() < PER_SECOND / 100);
        begun = System.nanoTime();
        dueAtBegin = due(begun);
        over = false;
        pace = new Pace(PER_SECOND, begun, received().countOf(SCHEDULED));
        watch = new Workers().start("pair-watch", this::watch);
    }

    private void watch() {
        while (!over) {
            LockSupport.parkNanos(LOOK_NANOS);
            long now = System.nanoTime();
            pace.look(now, received().countOf(SCHEDULED), due(now));
        }
    }

    /**
     * The attack is over: fails unless nearly everything that the schedule asked for has arrived, in each second, and never
     * much later.
     */
    void end(String attack) throws InterruptedException {
        end(attack, 0);
    }

    /** Likewise; the relay is told to do something that holds publishers back for so long, which is no fault of it. */
    void end(String attack, long heldMillis) throws InterruptedException {
        while (System.nanoTime() - begun < LEAST_NANOS) {
            assertAlive();
            LockSupport.parkNanos(1_000_000);
        }
        long now = System.nanoTime();
        double asked = (double) (now - begun) * PER_SECOND / TimeUnit.SECONDS.toNanos(1);
        while (share(asked) < LEAST_SHARE && System.nanoTime() - now < ON_ITS_WAY_NANOS) {
            LockSupport.parkNanos(1_000_000);
        }
        over = true;
        watch.join();
        double share = share(asked);
        System.out.printf(
                "%s: %.1f s, %.1f %% of the schedule, %.1f %% in the middle second, at most %d ms behind%n",
                attack, (now - begun) / 1e9, 100 * share, 100 * pace.median(), pace.mostBehindMillis());
        assertAlive();
        assertThat(share)
                .as("%s: share of %.0f messages that arrived in time", attack, asked)
                .isGreaterThanOrEqualTo(LEAST_SHARE);
        assertThat(pace.mostBehindMillis())
                .as("%s: milliseconds that the pair was behind its schedule at worst", attack)
                .isLessThanOrEqualTo(MOST_BEHIND_MILLIS + heldMillis);
        assertThat(pace.median())
                .as("%s: share of a second's messages, in the middle one of all seconds", attack)
                .isGreaterThanOrEqualTo(LEAST_SHARE);
    }

    /** Messages that the schedule has asked for and that have not arrived. */
    int late() {
        return due(System.nanoTime()) - received().countOf(SCHEDULED);
    }

    /** Messages that the schedule has asked for up to then. */
    private int due(long now) {
        return (int) ((now - scheduleStart) * PER_SECOND / TimeUnit.SECONDS.toNanos(1));
    }

    private double share(double asked) {
        return (received().countOf(SCHEDULED) - dueAtBegin) / asked;
    }

    /** Publishes so many bytes beside the schedule, as fast as the pair's subscriber reads them: the log goes round. */
    void push(long bytes) throws IOException {
        push(bytes, PUSH_BYTES);
    }

    /** Likewise, in messages of these lengths in turn. */
    void push(long bytes, int... lengths) throws IOException {
        long left = bytes;
        while (left > 0) {
            Frames frames = new Frames();
            while (frames.size() < Math.min(left, STEP_BYTES)) {
                frames.frame(Frames.type(PUSHED, pushed), lengths[pushed % lengths.length]);
                pushed++;
            }
            pusher.send(frames);
            left -= frames.size();
            awaitPushed();
        }
    }

    /** Messages pushed so far. */
    int pushed() {
        return pushed;
    }

    /** Those that {@link #push} publishes, and no others. */
    static TypeRanges pushedTypes() {
        return TypeRanges.of(Frames.type(PUSHED, 0), Frames.type(PUSHED + 1, 0) - 1);
    }

    private void awaitPushed() {
        long deadline = System.nanoTime() + PUSH_NANOS;
        while (received().countOf(PUSHED) < pushed) {
            assertAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(received().countOf(PUSHED) + " of " + pushed + " pushed messages within 20 s");
            }
            LockSupport.parkNanos(50_000);
        }
    }

    /** Fails when the pair has suffered already. */
    void assertAlive() {
        assertThat(subscriber.received().wrong())
                .as("what the subscriber got wrong")
                .isNull();
        assertThat(subscriber.end())
                .as("the end of the subscriber's connection")
                .isNull();
        if (workers.failed()) {
            throw new AssertionError("the publisher failed: " + workers.failure(), workers.failure());
        }
    }

    /** Ends the schedule; fails unless every message has arrived, once, in its order, as it was sent. */
    void finish() throws InterruptedException {
        assertAlive();
        stopped = true;
        workers.join();
        Await.until(
                () -> sent + " scheduled messages, has " + received().countOf(SCHEDULED),
                () -> received().countOf(SCHEDULED) >= sent || subscriber.end() != null);
        assertAlive();
        received().assertOrderOnly();
        assertThat(received().countOf(SCHEDULED)).isEqualTo(sent);
        assertThat(received().countOf(PUSHED)).isEqualTo(pushed);
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        over = true;
        publisher.close();
        pusher.close();
        subscriber.close();
    }
}

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
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher that sends 2,000 messages a second where it has a core, and a subscriber that reads, while others attack.
 * It must lose nothing, get nothing twice, keep order and bytes, and go on: the next {@link #GOES_ON} messages arrive
 * while the attack lasts, sooner or later.
 *
 * <pre>
 *   probes until one arrives | messages all the time ................................................ | finish
 *                                  | begin() ... the attack ... goesOn() ... end() |
 *                                        push(): as fast as it is read, in between
 * </pre>
 *
 * Others may publish beside it, as {@link Frames} with a publisher of {@link #FIRST_OTHER} or above: they are checked
 * likewise, but may be incomplete.
 */
final class HealthyPair implements AutoCloseable {
    static final int PUBLISHERS = 2;

    /** The first number that others may have as a publisher. */
    static final int FIRST_OTHER = 10;

    private static final int SCHEDULED = 0;
    private static final int PROBES = 1;
    static final int PUSHED = 2;

    private static final int MOST_PROBES = 2000;

    /** Messages that show that the pair goes on. */
    private static final int GOES_ON = 1000;

    private static final int AT_ONCE = 10;
    private static final long BETWEEN_NANOS = 5_000_000;
    private static final int MOST_BYTES = 400;
    /** Larger ones than a read, a segment, and what is copied for a filter. */
    private static final int[] PUSH_BYTES = {100, 9000, 20, 1400, 70_000, 0, 3000, 300};

    private static final int STEP_BYTES = 100_000;

    private final PlainSubscriber subscriber;
    private final PlainPublisher publisher;
    private final PlainPublisher pusher;
    private final Workers workers = new Workers();
    private volatile boolean stopped;
    private volatile int sent;
    private int pushed;
    private long begun;
    private int arrivedAtBegin;

    HealthyPair(SocketAddress publish, SocketAddress subscribe) throws IOException {
        subscriber = PlainSubscriber.connect(subscribe);
        publisher = PlainPublisher.connect(publish);
        pusher = PlainPublisher.connect(publish);
        // A plain subscriber is told nothing: it is there once something arrives.
        for (int i = 0; Await.staysTrue(10, () -> received().count() == 0); i++) {
            assertThat(i).as("probes that did not arrive").isLessThan(MOST_PROBES);
            pusher.send(new Frames().frame(Frames.type(PROBES, i), 10));
        }
        workers.start("scheduled-publisher", this::publish);
    }

    private void publish() throws IOException {
        while (!stopped) {
            Frames frames = new Frames();
            for (int i = sent; i < sent + AT_ONCE; i++) {
                frames.frame(Frames.type(SCHEDULED, i), i * 37 % MOST_BYTES);
            }
            publisher.send(frames);
            sent += AT_ONCE;
            LockSupport.parkNanos(BETWEEN_NANOS);
        }
    }

    /** What the subscriber has got, others' messages included. */
    Received received() {
        return subscriber.received();
    }

    void begin() {
        begun = System.nanoTime();
        arrivedAtBegin = received().countOf(SCHEDULED);
    }

    /** Returns once the next messages have arrived, from those on that are not sent yet. */
    void goesOn() {
        await(SCHEDULED, sent + GOES_ON);
    }

    private void await(int publisher, int count) {
        Await.until(() -> received().countOf(publisher) + " of " + count + " messages of " + publisher, () -> {
            assertAlive();
            return received().countOf(publisher) >= count;
        });
    }

    /**
     * The attack has come as far as it will: the pair goes on beside it. Prints how fast it was, which nothing judges.
     */
    void end(String attack) {
        goesOn();
        double seconds = (System.nanoTime() - begun) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "%s: %.1f s, %.0f messages of the pair a second%n",
                attack,
                seconds,
                (received().countOf(SCHEDULED) - arrivedAtBegin) / seconds);
    }

    /** Publishes so many bytes beside the schedule, as fast as the pair's subscriber reads them: the log goes round. */
    void push(long bytes) throws IOException {
        push(bytes, PUSH_BYTES);
    }

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
            await(PUSHED, pushed);
        }
    }

    int pushed() {
        return pushed;
    }

    /** Those that {@link #push} publishes, and no others. */
    static TypeRanges pushedTypes() {
        return TypeRanges.of(Frames.type(PUSHED, 0), Frames.type(PUSHED + 1, 0) - 1);
    }

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

    /** Stops publishing; fails unless every message has arrived, once, in its order, as it was sent. */
    void finish() throws InterruptedException {
        assertAlive();
        stopped = true;
        workers.join();
        await(SCHEDULED, sent);
        received().assertOrderOnly();
        assertThat(received().countOf(SCHEDULED)).isEqualTo(sent);
        assertThat(received().countOf(PUSHED)).isEqualTo(pushed);
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        publisher.close();
        pusher.close();
        subscriber.close();
    }
}

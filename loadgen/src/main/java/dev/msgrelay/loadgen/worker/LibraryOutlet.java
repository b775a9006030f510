package dev.msgrelay.loadgen.worker;

import dev.msgrelay.client.AckListener;
import dev.msgrelay.client.PublishException;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * A publisher of module relay-client: each frame is published as one message. With acknowledgements it answers for all of
 * them. Its thread owns it; acknowledgements come on the library's own.
 */
final class LibraryOutlet implements Outlet {
    /** So long at most a message waits for room, and the last one for its acknowledgement; below the controller's patience. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long LOOK_NANOS = 1_000_000;

    private final RelayPublisher publisher;
    private final Acknowledged acknowledged;
    private final Duration lastWord;
    private long published;

    /**
     * Connects.
     *
     * @param acknowledged hears of the acknowledgements that the options ask for; null: they ask for none
     * @param lastWord how long a relay that has acknowledged everything is listened to: one that acknowledges messages that
     *     it has not had yet goes on, and gets beyond what was sent
     */
    LibraryOutlet(PublisherOptions.Builder options, Acknowledged acknowledged, Duration lastWord) throws IOException {
        this.acknowledged = acknowledged;
        this.lastWord = acknowledged == null ? Duration.ZERO : lastWord;
        if (acknowledged != null) {
            options.onAck(acknowledged);
        }
        publisher = RelayPublisher.connect(options.build());
    }

    /** The usual ones. A connection that ends is not made again: a run tells of it. */
    static PublisherOptions.Builder options(Endpoint relay, Access access) throws IOException {
        return access.to(PublisherOptions.builder(relay).reconnect(ReconnectPolicy.none()));
    }

    @Override
    public void write(ByteBuffer frames) throws IOException {
        int end = frames.limit();
        int at = frames.position();
        while (at < end) {
            int type = FrameLayout.type(frames, at);
            int body = at + FrameLayout.HEADER_LENGTH;
            at = body + FrameLayout.bodyLength(frames, at);
            publish(type, frames.limit(at).position(body));
            frames.limit(end).position(at);
        }
    }

    private void publish(int type, ByteBuffer body) throws IOException {
        if (acknowledged != null) {
            // Counted here: asking the library takes a lock.
            acknowledged.publishing(published++, body);
        }
        PublishOutcome outcome = publisher.publish(type, body);
        if (outcome == PublishOutcome.FULL) {
            try {
                outcome = publisher.publish(type, body, PATIENCE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
        if (outcome != PublishOutcome.ACCEPTED) {
            throw publisher
                    .failure()
                    .orElseGet(() -> new IOException("no message was taken for " + PATIENCE.toSeconds() + " s"));
        }
    }

    /**
     * Waits until everything is acknowledged, or else read by the relay.
     *
     * @throws IOException it was not in time, or the acknowledgements are not those of what was published
     */
    @Override
    public void settle() throws IOException, InterruptedException {
        publisher.flush(PATIENCE);
        if (acknowledged != null) {
            listen();
            acknowledged.check(publisher.firstNumber() + publisher.messages() - 1);
        }
    }

    /** Everything is acknowledged: listens on for a while, for an acknowledgement of what was never sent. */
    private void listen() throws IOException {
        long end = System.nanoTime() + lastWord.toNanos();
        while (System.nanoTime() - end < 0 && publisher.failure().isEmpty()) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        if (publisher.failure().isPresent()) {
            throw publisher.failure().get();
        }
    }

    @Override
    public long acknowledged() {
        return publisher.settled();
    }

    @Override
    public Histogram acknowledgedAfter() {
        return acknowledged == null ? null : acknowledged.after();
    }

    @Override
    public void close() {
        try {
            publisher.close();
        } catch (PublishException e) {
            // settle has told what a run counts on; the relay may have ended since.
        }
    }

    /**
     * Acknowledgements of one publisher: numbers have to go up from one acknowledgement to the next,
     * sequences by as much at least, and never beyond what was published; and how long that took. Thread-safe.
     */
    static final class Acknowledged implements AckListener {
        private final long first;
        private final long samplingMask;
        private final Supplier<Window> window;
        private final Histogram after = Histograms.sparse();

        /** Those that are timed and under way, no more than the library keeps: their numbers and times. */
        private final Deque<long[]> underWay = new ArrayDeque<>();

        private long number;
        private long sequence;
        private String fault;

        /** @param sampling one message in so many is timed, a power of two */
        Acknowledged(long first, int sampling, Supplier<Window> window) {
            this.first = first;
            this.samplingMask = sampling - 1L;
            this.window = window;
            this.number = first - 1;
        }

        /** A message goes to the library, after so many others. */
        void publishing(long before, ByteBuffer body) {
            long stamp = LoadMessage.stampAt(body, body.position());
            if ((stamp & samplingMask) == 0) {
                begins(first + before, LoadMessage.timeAt(body, body.position(), System.nanoTime()));
            }
        }

        private synchronized void begins(long newNumber, long time) {
            underWay.add(new long[] {newNumber, time});
        }

        private void time(long upTo) {
            long now = System.nanoTime();
            Window measured = window.get();
            while (!underWay.isEmpty() && underWay.element()[0] <= upTo) {
                long time = underWay.remove()[1];
                if (time >= measured.begin() && time < measured.end()) {
                    after.recordValue(Math.min(after.getHighestTrackableValue(), Math.max(0, now - time)));
                }
            }
        }

        /**
         * Nanoseconds from the time that a message was meant for, or at full speed was given to the library, to this; 100 s where
         * it was longer.
         */
        synchronized Histogram after() {
            return after;
        }

        /** The number of the last message that is acknowledged. */
        synchronized long number() {
            return number;
        }

        @Override
        public synchronized void onAck(long newNumber, long newSequence) {
            time(newNumber);
            // Sequence 0: it was told when the connection was made again, and may be told twice.
            boolean again = newSequence == 0;
            if (fault == null
                    && (again
                            ? newNumber < number
                            : newNumber <= number || newSequence - sequence < newNumber - number)) {
                fault = "acknowledged up to message " + newNumber + ", sequence " + newSequence + ", after message "
                        + number + ", sequence " + sequence;
            }
            number = newNumber;
            sequence = again ? sequence : newSequence;
        }

        /** Throws where that was not all in order, up to the number of the last message that was published. */
        synchronized void check(long last) throws IOException {
            if (fault != null) {
                throw new IOException(fault);
            }
            if (number != last) {
                throw new IOException("acknowledged up to message " + number + ", published up to " + last);
            }
        }
    }
}

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
 * Sends each frame as a message, through a publisher of relay-client. One thread owns it; acknowledgements arrive on
 * another thread.
 */
final class LibraryOutlet implements Outlet {
    /**
     * Time limit for room in the library's buffer, and for the last acknowledgement. The controller waits longer.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final long LOOK_NANOS = 1_000_000;

    private final RelayPublisher publisher;
    private final Acknowledged acknowledged;
    private final Duration lastWord;
    private long published;

    /**
     * @param acknowledged receives the acknowledgements; null: none are asked for
     * @param lastWord time to wait after the last acknowledgement, in which a faulty relay may acknowledge messages
     *     that were never sent
     */
    LibraryOutlet(PublisherOptions.Builder options, Acknowledged acknowledged, Duration lastWord) throws IOException {
        this.acknowledged = acknowledged;
        this.lastWord = acknowledged == null ? Duration.ZERO : lastWord;
        if (acknowledged != null) {
            options.onAck(acknowledged);
        }
        publisher = RelayPublisher.connect(options.build());
    }

    /** Returns options without reconnection, since a run must report the end of the first connection. */
    static PublisherOptions.Builder options(Endpoint relay, Access access) throws IOException {
        return access.to(PublisherOptions.builder(relay)
                .reconnect(ReconnectPolicy.none())
                .connectTimeout(Sockets.CONNECT_TIMEOUT)
                .handshakeTimeout(Sockets.CONNECT_TIMEOUT));
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
            // The messages are counted here, as the library's counter takes a lock.
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
     * Waits until all messages are acknowledged; without acknowledgements, until the relay has read them.
     *
     * @throws IOException the wait took too long, or the acknowledgements do not match the messages
     */
    @Override
    public void settle() throws IOException, InterruptedException {
        publisher.flush(PATIENCE);
        if (acknowledged != null) {
            listen();
            acknowledged.check(publisher.firstNumber() + publisher.messages() - 1);
        }
    }

    /** Waits a while in case the relay acknowledges messages that were never sent. */
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
            // The result is known already; the relay may have ended meanwhile.
        }
    }

    /**
     * Checks acknowledgements, and measures how long they take. Message numbers must grow, and sequence numbers at
     * least as much. Thread-safe.
     */
    static final class Acknowledged implements AckListener {
        private final long first;
        private final long samplingMask;
        private final Supplier<Window> window;
        private final InForce inForce = new InForce();
        private final Histogram after = Histograms.sparse();

        /** Number and sending time of each timed message that is not acknowledged yet. */
        private final Deque<long[]> underWay = new ArrayDeque<>();

        private long number;
        private long sequence;
        private String fault;

        /** @param sampling one of this many messages is timed; a power of two */
        Acknowledged(long first, int sampling, Supplier<Window> window) {
            this.first = first;
            this.samplingMask = sampling - 1L;
            this.window = window;
            this.number = first - 1;
        }

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
            move(now);
            Window measured = inForce.window();
            while (!underWay.isEmpty() && underWay.element()[0] <= upTo) {
                long time = underWay.remove()[1];
                if (time >= measured.begin() && time < measured.end()) {
                    after.recordValue(Math.min(after.getHighestTrackableValue(), Math.max(0, now - time)));
                }
            }
        }

        private void move(long to) {
            if (inForce.changes(window.get(), to)) {
                after.reset();
            }
        }

        /**
         * Returns the nanoseconds to the acknowledgement: from the intended sending time, or at full speed from the
         * call of the library. Times above 100 s are recorded as 100 s.
         */
        synchronized Histogram after() {
            move(window.get().end());
            return after;
        }

        synchronized long number() {
            return number;
        }

        @Override
        public synchronized void onAck(long newNumber, long newSequence) {
            time(newNumber);
            // An acknowledgement with sequence 0 follows a reconnection, and may repeat a message number.
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

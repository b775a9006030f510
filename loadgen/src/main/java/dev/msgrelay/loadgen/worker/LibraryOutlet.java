package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.client.AckListener;
import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A publisher of module relay-client: each frame is published as one message. With acknowledgements it answers for all of
 * them. Its thread owns it; acknowledgements come on the library's own.
 */
final class LibraryOutlet implements Outlet {
    /** So long at most a message waits for room, and the last one for its acknowledgement; below the controller's patience. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final RelayPublisher publisher;
    private final Acknowledged acknowledged = new Acknowledged();
    private final boolean acks;

    /**
     * Connects.
     *
     * @param tls how it speaks TLS; null: it does not
     * @param name under which the relay counts its messages; null: without acknowledgements
     * @param producer by which the relay knows it again under that name
     */
    LibraryOutlet(Endpoint relay, Tls tls, String name, ProducerId producer) throws IOException {
        acks = name != null;
        PublisherOptions.Builder options = PublisherOptions.builder(relay);
        if (tls != null) {
            options.tls(tls.ofLibrary());
        }
        if (acks) {
            options.acks(name).producer(producer).onAck(acknowledged);
        }
        publisher = RelayPublisher.connect(options.build());
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
            throw publisher.failure().orElseGet(() -> new IOException("no message was taken for " + patience()));
        }
    }

    /**
     * Waits until everything is acknowledged, or else handed to the system.
     *
     * @throws IOException it was not in time, or the acknowledgements are not those of what was published
     */
    @Override
    public void settle() throws IOException, InterruptedException {
        if (!publisher.flush(PATIENCE)) {
            String what = acks ? "acknowledged" : "sent";
            throw publisher
                    .failure()
                    .orElseGet(() -> new IOException(publisher.messages() - publisher.settled() + " of "
                            + publisher.messages() + " messages were not " + what + " within " + patience()));
        }
        if (acks) {
            acknowledged.check(publisher.firstNumber() + publisher.messages() - 1);
        }
    }

    @Override
    public void addTo(JsonObject result) {
        result.put("acknowledged", acks ? publisher.settled() : 0);
    }

    private static String patience() {
        return PATIENCE.toSeconds() + " s";
    }

    @Override
    public void close() {
        publisher.close();
    }

    /**
     * What a relay has acknowledged of one publisher: numbers and their sequences have to go up, from one acknowledgement to
     * the next, and never beyond what was published. Thread-safe.
     */
    static final class Acknowledged implements AckListener {
        private long number;
        private long sequence;
        private String fault;

        @Override
        public synchronized void onAck(long newNumber, long newSequence) {
            // Sequence 0: it was told when the connection was made again, and may be told twice.
            boolean again = newSequence == 0;
            if (fault == null && (again ? newNumber < number : newNumber <= number || newSequence <= sequence)) {
                fault = "acknowledged up to message " + newNumber + ", sequence " + newSequence + ", after message "
                        + number + ", sequence " + sequence;
            }
            number = newNumber;
            sequence = again ? sequence : newSequence;
        }

        /**
         * Whether that was all in order.
         *
         * @param last the number of the last message that was published
         * @throws IOException it was not; says what was acknowledged
         */
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

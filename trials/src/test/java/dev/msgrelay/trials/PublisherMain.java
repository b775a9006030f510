package dev.msgrelay.trials;

import dev.msgrelay.client.PublisherOptions;
import dev.msgrelay.client.ReconnectPolicy;
import dev.msgrelay.client.RelayPublisher;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.loadgen.plan.Window;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.PublishOutcome;
import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A publisher with acknowledgements that may be killed at any time: what it was told stands in its {@link Notebook},
 * and the next process of the same name goes on from there. It publishes until it is told the window, and then waits
 * until all of it is acknowledged.
 */
public final class PublisherMain {
    static final ReconnectPolicy QUICK =
            ReconnectPolicy.endless().withDelays(Duration.ofMillis(10), Duration.ofMillis(100));

    /** Bursts, so that there is always something under way. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long SAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final Duration FLUSH = Duration.ofSeconds(120);

    private final Client.Job job;
    private final Control control;
    private final AtomicLong acknowledged = new AtomicLong();

    /** Of the last acknowledgement; 0: it told none, or what it told may be gone. */
    private volatile long lastSequence;

    private long epoch;
    private Notebook notebook;

    private PublisherMain(Client.Job job, Control control) {
        this.job = job;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(Client.Job.class, (job, control) -> new PublisherMain(job, control).run());
    }

    private void run() throws IOException, InterruptedException {
        Path path = Path.of(job.notebook());
        Notebook.read(path, this::remember);
        notebook = Notebook.open(path);
        long number = acknowledged.get() + 1;
        PublisherOptions options = PublisherOptions.builder(job.to())
                .acks(job.name(), job.level())
                .producer(ProducerId.parse(job.producer()))
                .firstNumber(epoch, number)
                .reconnect(QUICK)
                .closeTimeout(FLUSH)
                .onAck(this::onAck)
                .onEvent(this::onEvent)
                .build();
        try (RelayPublisher publisher = RelayPublisher.open(options)) {
            control.say("ready", Map.of("number", number));
            control.say("progress", Map.of("acknowledged", number - 1));
            number = publish(publisher, number);
            publisher.flush(FLUSH);
        }
        control.say(
                "result",
                Map.of("published", number - 1, "acknowledged", acknowledged.get(), "sequence", lastSequence));
    }

    /** What the process before this one had been told. */
    private void remember(Kind kind, long a, long b, long c) {
        if (kind == Kind.ACKNOWLEDGED) {
            acknowledged.set(a);
            lastSequence = c;
        } else {
            epoch = c;
            lastSequence = 0;
        }
    }

    /** Answers the number of the next message. */
    private long publish(RelayPublisher publisher, long first) throws IOException, InterruptedException {
        long id = job.publisher();
        long burst = Math.max(1, job.rate() * BURST_NANOS / TimeUnit.SECONDS.toNanos(1));
        long stepNanos = burst * TimeUnit.SECONDS.toNanos(1) / job.rate();
        ByteBuffer body = ByteBuffer.allocateDirect(NumberedBody.MAX_LENGTH);
        long number = first;
        long said = System.nanoTime();
        long due = said;
        while (control.window() == Window.NONE) {
            for (long i = 0; i < burst; i++) {
                NumberedBody.write(body, id, number);
                PublishOutcome outcome = publisher.publish(
                        NumberedBody.typeOf(NumberedBody.packed(id, number)), body, Duration.ofMillis(100));
                if (outcome == PublishOutcome.CLOSED) {
                    throw publisher.failure().orElseGet(() -> new IOException("the publisher has closed"));
                }
                if (outcome == PublishOutcome.FULL) {
                    break;
                }
                number++;
            }
            long now = System.nanoTime();
            if (now - said > SAY_NANOS) {
                said = now;
                control.say("progress", Map.of("acknowledged", acknowledged.get()));
            }
            // What was missed while the relay was away is not made good.
            due = Math.max(due + stepNanos, now - stepNanos);
            LockSupport.parkNanos(due - now);
        }
        return number;
    }

    // ---- on the publisher's own thread -------------------------------------------------------------------------

    private void onAck(long number, long sequence) {
        note(Kind.ACKNOWLEDGED, number, System.nanoTime(), sequence);
        lastSequence = sequence;
        acknowledged.set(number);
    }

    private void onEvent(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected
                && !connected.welcome().epochChanged()) {
            note(Kind.EPOCH, 0, 0, connected.welcome().epoch());
        } else if (event instanceof SessionEvent.AcknowledgedGone gone) {
            note(Kind.GONE, gone.from(), gone.to(), gone.epoch());
            lastSequence = 0;
        } else if (event instanceof SessionEvent.RelayRestarted restarted) {
            note(Kind.CHANGED, 0, 0, restarted.epoch());
            lastSequence = 0;
        }
    }

    private void note(Kind kind, long a, long b, long c) {
        try {
            notebook.note(kind, a, b, c);
            notebook.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

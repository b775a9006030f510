package dev.msgrelay.trials;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A subscriber that may be killed at any time: what it has had, and what it was told, stands in its {@link Notebook},
 * and the next process goes on from there.
 */
public final class SubscriberMain {
    /** A PING as often shows where a quiet stream stands. */
    static final Duration HEARTBEAT = Duration.ofMillis(200);

    private static final long SAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Client.Job job;
    private final Control control;
    private long epoch;
    private long next;
    private Notebook notebook;

    private SubscriberMain(Client.Job job, Control control) {
        this.job = job;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(Client.Job.class, (job, control) -> new SubscriberMain(job, control).run());
    }

    private void run() throws IOException {
        Path path = Path.of(job.notebook());
        Notebook.read(path, this::remember);
        notebook = Notebook.open(path);
        SubscriberOptions options = SubscriberOptions.builder(job.to())
                .name(job.name())
                .fromSequence(epoch, Math.max(1, next))
                .durableOnly(job.level())
                .heartbeat(HEARTBEAT)
                .reconnect(PublisherMain.QUICK)
                .onGap(gap -> note(Kind.GAP, gap.from(), gap.to(), gap.code()))
                .onEvent(this::onEvent)
                .build();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            control.say("ready", Map.of("next", next));
            long said = System.nanoTime();
            // The end of stdin ends the process.
            while (subscriber.poll(this::onMessage) >= 0) {
                notebook.flush();
                long now = System.nanoTime();
                if (now - said > SAY_NANOS) {
                    said = now;
                    control.say("progress", Map.of("next", subscriber.next(), "epoch", subscriber.epoch()));
                }
            }
        }
    }

    /** What the process before this one had. */
    private void remember(Kind kind, long a, long b, long c) {
        switch (kind) {
            case MESSAGE, WRONG -> next = a + 1;
            case GAP -> next = b + 1;
            case ROLLED_BACK, CHANGED -> {
                next = a;
                epoch = c;
            }
            default -> epoch = c;
        }
    }

    private void onMessage(long sequence, int type, ByteBuffer body) {
        if (NumberedBody.is(type, body)) {
            note(Kind.MESSAGE, sequence, NumberedBody.publisher(body), NumberedBody.number(body));
        } else {
            note(Kind.WRONG, sequence, 0, 0);
        }
    }

    /** A change of the epoch and what follows from it are one entry: the process may be killed between two. */
    private void onEvent(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected
                && (epoch == 0 || !connected.welcome().epochChanged())) {
            epoch = connected.welcome().epoch();
            note(Kind.EPOCH, 0, 0, epoch);
        } else if (event instanceof SessionEvent.StreamRolledBack back) {
            note(Kind.ROLLED_BACK, back.fork(), back.had(), back.epoch());
        } else if (event instanceof SessionEvent.StreamChanged changed) {
            note(Kind.CHANGED, changed.next(), changed.lostFrom(), changed.epoch());
        }
    }

    private void note(Kind kind, long a, long b, long c) {
        try {
            notebook.note(kind, a, b, c);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

package dev.msgrelay.trials;

import dev.msgrelay.client.RelaySubscriber;
import dev.msgrelay.client.SessionEvent;
import dev.msgrelay.client.StateView;
import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.loadgen.worker.Control;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.trials.Client.Role;
import dev.msgrelay.trials.Notebook.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A subscriber that starts with the state and keeps a view of it, and may be killed at any time: what came, and what
 * the view had at each PING, stands in its {@link Notebook}. The next process begins with the whole state. A {@link
 * Role#SCREEN} has the policy latest, and pauses so long that it needs that.
 */
public final class ViewerMain {
    private static final long SAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long READS_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSES_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Client.Job job;
    private final Control control;
    private final StateView view = new StateView(StateView.DEFAULT_BYTES, this::onMoved);
    private long epoch;
    private Notebook notebook;

    private ViewerMain(Client.Job job, Control control) {
        this.job = job;
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(Client.Job.class, (job, control) -> new ViewerMain(job, control).run());
    }

    private void run() throws IOException {
        notebook = Notebook.open(Path.of(job.notebook()));
        boolean pauses = job.role() == Role.SCREEN;
        SubscriberOptions options = SubscriberOptions.builder(job.to())
                .name(job.name())
                .fromState()
                .view(view)
                .policy(pauses ? Policy.LATEST : Policy.RELAY_DEFAULT)
                .heartbeat(SubscriberMain.HEARTBEAT)
                .reconnect(PublisherMain.QUICK)
                .onGap(gap -> note(Kind.GAP, gap.from(), gap.to(), gap.code()))
                .onEvent(this::onEvent)
                .build();
        try (RelaySubscriber subscriber = RelaySubscriber.open(options)) {
            control.say("ready", Map.of());
            long said = System.nanoTime();
            long paused = said;
            // The end of stdin ends the process.
            while (subscriber.poll(this::onMessage) >= 0) {
                notebook.flush();
                long now = System.nanoTime();
                if (now - said > SAY_NANOS) {
                    said = now;
                    control.say("progress", Map.of("next", view.next()));
                }
                if (pauses && now - paused > READS_NANOS) {
                    LockSupport.parkNanos(PAUSES_NANOS);
                    paused = System.nanoTime();
                }
            }
        }
    }

    private void onMessage(long sequence, int type, ByteBuffer body) {
        if (NumberedBody.is(type, body)) {
            note(Kind.MESSAGE, sequence, NumberedBody.publisher(body), NumberedBody.number(body));
        } else {
            note(Kind.WRONG, sequence, 0, 0);
        }
    }

    private void onMoved(long next, Set<Integer> types) {
        for (int type : types) {
            ByteBuffer body = view.get(type).orElseThrow();
            note(Kind.VIEWED, type, NumberedBody.publisher(body), NumberedBody.number(body));
        }
        note(Kind.PING, next, view.types().size(), epoch);
    }

    private void onEvent(SessionEvent event) {
        if (event instanceof SessionEvent.Connected connected) {
            epoch = connected.welcome().epoch();
            note(connected.anew() ? Kind.ANEW : Kind.EPOCH, connected.welcome().next(), 0, epoch);
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

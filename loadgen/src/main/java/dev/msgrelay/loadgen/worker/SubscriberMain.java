package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.plan.Clients;
import dev.msgrelay.loadgen.plan.Got;
import dev.msgrelay.loadgen.plan.Got.Received;
import dev.msgrelay.loadgen.plan.Job;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.protocol.FrameReader;
import dev.msgrelay.protocol.Policy;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A subscriber process. It has one or more connections, each with its own blocking thread. */
public final class SubscriberMain {
    /** The longest pause between messages at the end of a run. It is longer than a disk usually stalls. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long DRAIN_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(120);
    /** The longest wait for the first messages. The controller's own limit is shorter. */
    private static final long PRIME_LIMIT_MILLIS = 150_000;

    private static final long WELCOME_LIMIT_MILLIS = 60_000;
    /** Time to wait after the last message, for duplicates and foreign messages. */
    private static final long AFTER_END_MILLIS = 100;

    private static final long POLL_MILLIS = 2;

    private final Job job;
    private final Load load;
    private final Control control;
    private final List<Receiver> receivers = new ArrayList<>();

    private SubscriberMain(Job job, Control control) {
        this.job = job;
        this.load = job.load();
        this.control = control;
    }

    public static void main(String[] args) {
        Control.main(Job.class, (job, control) -> new SubscriberMain(job, control).run());
    }

    private void run() throws IOException, InterruptedException {
        connect();
        control.say("ready", Map.of());
        if (!job.slow()) {
            awaitPrimed();
        }
        Heartbeat heartbeat = new Heartbeat(control, receivers);
        control.say("primed", Map.of());
        control.awaitWindow();
        Map<Integer, Long> sent = control.awaitSent();
        // A slow reader does not wait for the last messages, since it would never reach them.
        long waited = !job.slow() && load.isChecked()
                ? drain(sent.values().stream().mapToLong(Long::longValue).sum())
                : 0;
        for (Receiver receiver : receivers) {
            receiver.stop();
        }
        heartbeat.last();
        control.say("result", results(job.slow() ? Map.of() : sent, waited));
    }

    private void connect() throws IOException, InterruptedException {
        boolean library = load.clients().kind() == Clients.Kind.LIBRARY;
        // Subscribers that may miss messages send HELLO, so that the relay reports missing messages.
        boolean says = job.startsWithState() || load.isChecked() && load.policy() != Policy.BACKPRESSURE;
        Policy usual = load.hasInterval() ? Policy.LATEST : says ? load.policy() : null;
        Policy wanted = job.slow() ? load.slow().policy() : usual;
        for (int i = 0; i < job.connections(); i++) {
            ByteChannel channel = library
                    ? new LibraryChannel(
                            LibraryChannel.options(job.relay(), job.access(), wanted), FrameReader.DEFAULT_BUFFER)
                    : Sockets.connect(job.relay());
            String name = (job.slow() ? "slow-" : "subscriber-") + (job.first() + i);
            receivers.add(
                    new Receiver(channel, job, library ? null : wanted, FrameReader.DEFAULT_BUFFER, control, name));
        }
        for (Receiver receiver : receivers) {
            if (!receiver.awaitWelcome(WELCOME_LIMIT_MILLIS)) {
                throw new IOException("no answer to HELLO: "
                        + (receiver.closed() == null ? "waited " + WELCOME_LIMIT_MILLIS + " ms" : receiver.closed()));
            }
        }
    }

    private void awaitPrimed() throws IOException, InterruptedException {
        for (Receiver receiver : receivers) {
            if (!receiver.awaitPrimed(PRIME_LIMIT_MILLIS)) {
                throw new IOException("nothing heard of all publishers: "
                        + (receiver.closed() == null ? "timed out" : receiver.closed()));
            }
        }
    }

    private long drain(long sent) throws InterruptedException {
        long start = System.nanoTime();
        long lastChange = start;
        long lastBytes = -1;
        while (!receivers.stream().allMatch(receiver -> receiver.isComplete(sent))) {
            long now = System.nanoTime();
            long bytes = receivers.stream().mapToLong(Receiver::bytes).sum();
            if (bytes != lastBytes) {
                lastBytes = bytes;
                lastChange = now;
            }
            if (now - lastChange > SILENCE_NANOS || now - start > DRAIN_LIMIT_NANOS) {
                return TimeUnit.NANOSECONDS.toMillis(now - start);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        TimeUnit.MILLISECONDS.sleep(AFTER_END_MILLIS);
        return 0;
    }

    private Got results(Map<Integer, Long> sent, long waitedMillis) {
        List<Received> all = new ArrayList<>();
        for (Receiver receiver : receivers) {
            all.add(receiver.result(job.first() + all.size(), sent, waitedMillis));
        }
        return new Got(all);
    }
}

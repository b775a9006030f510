package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Figure;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.batching.Sender.Way;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.SizeTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The worked example: a burst of ten messages, each from a thread of its own, to a device that takes 100 us a packet.
 * Latency is from a thread's call until the device has the packet.
 *
 * @param bursts how many a go
 */
record Burst(Way way, int bursts) {
    static final int MESSAGES = 10;

    static final Column BEST = Column.lower("best", "us");
    static final Column AVERAGE = Column.lower("average", "us");
    static final Column WORST = Column.lower("worst", "us");
    static final Column PACKETS = Column.lower("packets a burst", "");

    private static final long BURST_MILLIS = 5_000;

    /**
     * The latencies of bursts, one message of each producer. The device's thread, or whichever thread writes to it, hands
     * over messages one at a time; the controlling thread waits for whole bursts.
     */
    static final class Tally {
        private final MessageCheck check;
        private final long[] latencies = new long[MESSAGES];
        private final Semaphore whole = new Semaphore(0);
        private final List<Latency> bursts = new ArrayList<>();
        private int come;

        Tally(MessageCheck check) {
            this.check = check;
        }

        /**
         * @param body between position and limit
         * @param nanos when the packet was acknowledged
         */
        synchronized void message(int type, ByteBuffer body, long nanos) {
            int at = body.position();
            if (!check.onMessage(type, body)) {
                return;
            }
            latencies[come++] = nanos - LoadMessage.timeAt(body, at, nanos);
            if (come == latencies.length) {
                LongSummaryStatistics burst = Arrays.stream(latencies).summaryStatistics();
                bursts.add(new Latency(burst.getMin(), burst.getAverage(), burst.getMax()));
                come = 0;
                whole.release();
            }
        }

        synchronized List<Latency> bursts() {
            return List.copyOf(bursts);
        }
    }

    /** The latencies of one burst, in nanoseconds. */
    record Latency(double best, double average, double worst) {}

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        MessageCheck check = new MessageCheck(MESSAGES, SizeTable.fixed(Sender.BODY));
        Tally tally = new Tally(check);
        SlowDevice device = new SlowDevice(SlowDevice::pass, tally);
        List<Semaphore> released =
                Stream.generate(() -> new Semaphore(0)).limit(MESSAGES).toList();
        long[] sent;
        try (Sender sender = way == Way.RELAY ? new RelaySender().to(device) : way.open(device);
                Producers producers = new Producers(MESSAGES, sender, (id, frame, outlet) -> {
                    for (long number = 0; number < bursts; number++) {
                        released.get(id).acquire();
                        outlet.send(frame.of(number, System.nanoTime()));
                    }
                    return bursts;
                })) {
            for (int i = 0; i < bursts; i++) {
                released.forEach(Semaphore::release);
                if (!tally.whole.tryAcquire(BURST_MILLIS, TimeUnit.MILLISECONDS)) {
                    producers.checkHealthy();
                    throw new WrongResultException("burst " + (i + 1) + " did not arrive whole");
                }
            }
            sent = producers.awaitEnd();
        }
        Frame.verify(check, sent);
        return Measurement.of(BEST, median(tally, Latency::best))
                .and(AVERAGE, median(tally, Latency::average))
                .and(WORST, median(tally, Latency::worst))
                .and(PACKETS, (double) device.packets() / bursts);
    }

    private static double median(Tally tally, ToDoubleFunction<Latency> figure) {
        return Figure.of(tally.bursts().stream().mapToDouble(figure)).median() / 1e3;
    }
}

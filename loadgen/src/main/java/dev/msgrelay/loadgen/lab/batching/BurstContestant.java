package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Figure;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The worked example: a burst of ten messages, each from a thread of its own, to a device that takes 100 us a packet.
 * Latency is from a thread's call until the device has the packet.
 */
final class BurstContestant implements Contestant {
    static final int MESSAGES = 10;
    static final long PACKET_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    static final Column BEST = Column.lower("best", "us");
    static final Column AVERAGE = Column.lower("average", "us");
    static final Column WORST = Column.lower("worst", "us");
    static final Column PACKETS = Column.lower("packets a burst", "");
    static final List<Column> COLUMNS = List.of(BEST, AVERAGE, WORST, PACKETS);

    private static final long BURST_MILLIS = 5_000;
    private static final double MICRO = 1e3;

    private final Way way;
    private final BatchingOptions options;
    private final int bursts;

    BurstContestant(Way way, BatchingOptions options, int bursts) {
        this.way = way;
        this.options = options;
        this.bursts = bursts;
    }

    @Override
    public String name() {
        return way == Way.RELAY ? "relay, the device its subscriber" : way.text();
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        FrameCheck check = new FrameCheck(MESSAGES, options.body());
        BurstTally tally = new BurstTally(MESSAGES, check);
        SlowDevice device = new SlowDevice(PACKET_NANOS, DeviceTime.REAL, tally);
        try (DeviceLink link = DeviceLink.open(way, device, options);
                BurstProducers producers = new BurstProducers(MESSAGES, options.body(), link.sender())) {
            for (int i = 0; i < bursts; i++) {
                producers.release(i);
                if (!tally.whole().tryAcquire(BURST_MILLIS, TimeUnit.MILLISECONDS)) {
                    producers.checkHealthy();
                    throw new WrongResultException("burst " + (i + 1) + " did not arrive whole");
                }
            }
        }
        long[] sent = new long[MESSAGES];
        Arrays.fill(sent, bursts);
        check.verify(sent);
        return Measurement.of(BEST, median(tally, BurstTally.Burst::best))
                .and(AVERAGE, median(tally, BurstTally.Burst::average))
                .and(WORST, median(tally, BurstTally.Burst::worst))
                .and(PACKETS, (double) device.packets() / bursts);
    }

    private static double median(BurstTally tally, ToDoubleFunction<BurstTally.Burst> figure) {
        return Figure.of(tally.bursts().stream().mapToDouble(figure).toArray()).median() / MICRO;
    }
}

package dev.msgrelay.lab.batching;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Figure;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.batching.Sender.Way;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.MessageCheck.Order;
import dev.msgrelay.loadgen.message.SizeTable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Semaphore;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * The article's worked example: a burst of ten messages, each from its own thread, to a device that takes 100 us for a
 * packet. The latency of a message is the time from the thread's call until the device has acknowledged the packet.
 */
record Burst(Way way, int bursts) {
    static final Column BEST = Column.lower("best", "us");
    static final Column AVERAGE = Column.lower("average", "us");
    static final Column WORST = Column.lower("worst", "us");
    static final Column PACKETS = Column.lower("packets a burst", "");

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        MessageCheck check = new MessageCheck(SlowDevice.MESSAGES, SizeTable.fixed(Sender.BODY), Order.UNHEARD);
        SlowDevice device = new SlowDevice(SlowDevice::pass, check);
        List<Semaphore> released = Stream.generate(() -> new Semaphore(0))
                .limit(SlowDevice.MESSAGES)
                .toList();
        long[] sent;
        try (Sender sender = way == Way.RELAY ? new RelaySender().to(device) : way.open(device);
                Producers producers = new Producers(SlowDevice.MESSAGES, sender, (id, frame, outlet) -> {
                    for (long number = 0; number < bursts; number++) {
                        released.get(id).acquire();
                        outlet.send(frame.of(number, System.nanoTime()));
                    }
                    return bursts;
                })) {
            for (int i = 0; i < bursts; i++) {
                released.forEach(Semaphore::release);
                if (!device.awaitBurst()) {
                    producers.checkHealthy();
                    throw new WrongResultException("burst " + (i + 1) + " did not arrive whole");
                }
            }
            sent = producers.awaitEnd(Duration.ZERO);
        }
        Producers.verify(check, sent);
        return Measurement.of(BEST, median(device, LongSummaryStatistics::getMin))
                .and(AVERAGE, median(device, LongSummaryStatistics::getAverage))
                .and(WORST, median(device, LongSummaryStatistics::getMax))
                .and(PACKETS, (double) device.packets() / bursts);
    }

    private static double median(SlowDevice device, ToDoubleFunction<LongSummaryStatistics> figure) {
        return Figure.of(device.bursts().stream().mapToDouble(figure)).median() / 1e3;
    }
}

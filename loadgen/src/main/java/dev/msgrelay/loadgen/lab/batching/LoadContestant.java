package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;
import java.util.Locale;

/** One way over a real socket, with so many threads that send as fast as they can, or with so much load. */
final class LoadContestant implements Contestant {
    static final Column PRODUCERS = Column.plain("threads", "");
    static final Column LOAD = Column.plain("load", "msg/s");
    static final Column DELIVERED = Column.higher("delivered", "msg/s");
    static final Column MEDIAN = Column.lower("median", "us");
    static final Column P99 = Column.lower("p99", "us");
    static final Column BATCH = Column.higher("messages a read", "");

    private static final double MICRO = 1e3;
    private static final double SECOND = 1e9;

    /** One part in so many of a go is its beginning, and not in the latencies. */
    private static final int BEGINNING = 5;

    private static final double HALF = 50;
    private static final double NEARLY_ALL = 99;

    private final Way way;
    private final BatchingOptions options;
    private final int producers;
    private final int load;

    /**
     * @param load messages a second of all threads together; 0 for as fast as they can
     */
    LoadContestant(Way way, BatchingOptions options, int producers, int load) {
        this.way = way;
        this.options = options;
        this.producers = producers;
        this.load = load;
    }

    @Override
    public String name() {
        return way.text();
    }

    @Override
    public String setting() {
        return load == 0 ? threads(producers) : load(load);
    }

    static String threads(int producers) {
        return producers == 1 ? "1 thread" : producers + " threads";
    }

    static String load(int load) {
        return String.format(Locale.ROOT, "%,d msg/s", load);
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        FrameCheck check = new FrameCheck(producers, options.body());
        try (SocketLink link = SocketLink.open(way, options);
                LoadReceiver receiver = new LoadReceiver(link.receiving(), check)) {
            long nanos = options.duration().toNanos();
            long start;
            long[] sent;
            try (LoadProducers threads = new LoadProducers(producers, options.body(), link.sender())) {
                start = threads.start(nanos, load / producers);
                receiver.countFrom(start + nanos / BEGINNING);
                sent = threads.awaitEnd();
            }
            link.end();
            receiver.awaitEnd();
            check.verify(sent);
            if (receiver.messages() == 0) {
                throw new IOException(
                        "no thread had a core for " + options.duration().toMillis() + " ms");
            }
            return figures(receiver, start);
        }
    }

    private Measurement figures(LoadReceiver receiver, long start) {
        double seconds = (receiver.lastNanos() - start) / SECOND;
        return Measurement.of(load == 0 ? PRODUCERS : LOAD, load == 0 ? producers : load)
                .and(DELIVERED, receiver.messages() / seconds)
                .and(MEDIAN, receiver.latency().getValueAtPercentile(HALF) / MICRO)
                .and(P99, receiver.latency().getValueAtPercentile(NEARLY_ALL) / MICRO)
                .and(BATCH, (double) receiver.messages() / Math.max(1, receiver.reads()));
    }
}

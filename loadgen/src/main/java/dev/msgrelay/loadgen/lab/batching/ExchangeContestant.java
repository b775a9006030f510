package dev.msgrelay.loadgen.lab.batching;

import dev.msgrelay.loadgen.lab.Column;
import dev.msgrelay.loadgen.lab.Contestant;
import dev.msgrelay.loadgen.lab.Go;
import dev.msgrelay.loadgen.lab.Measurement;
import dev.msgrelay.loadgen.lab.WrongResultException;
import java.io.IOException;

/** What it costs to hand messages from one thread to another, without any device: nanoseconds a message. */
final class ExchangeContestant implements Contestant {
    static final Column COST = Column.lower("a message", "ns");

    private final String name;
    private final Source source;
    private final int messages;

    /** Makes a structure with its two ends. */
    @FunctionalInterface
    interface Source {
        Exchange open();
    }

    /** A structure between one producer and one consumer. */
    interface Exchange {
        /** By the producing thread: hands over a number, waits where there is no room. */
        void put(long value);

        /**
         * By the consuming thread: takes so many numbers.
         *
         * @return whether they were 0, 1, 2 ... in this order
         */
        boolean takeAll(int count);
    }

    ExchangeContestant(String name, Source source, int messages) {
        this.name = name;
        this.source = source;
        this.messages = messages;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        Exchange exchange = source.open();
        Thread producer = new Thread(
                () -> {
                    for (int i = 0; i < messages; i++) {
                        exchange.put(i);
                    }
                },
                "producer");
        producer.setDaemon(true);
        long start = System.nanoTime();
        producer.start();
        boolean right = exchange.takeAll(messages);
        long nanos = System.nanoTime() - start;
        Ending.join(producer);
        if (!right) {
            throw new WrongResultException("numbers came out of order");
        }
        return Measurement.of(COST, (double) nanos / messages);
    }
}

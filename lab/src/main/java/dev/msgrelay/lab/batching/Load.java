package dev.msgrelay.lab.batching;

import static dev.msgrelay.loadgen.render.Unit.format;

import dev.msgrelay.lab.Column;
import dev.msgrelay.lab.Contestant.Go;
import dev.msgrelay.lab.Measurement;
import dev.msgrelay.lab.Threads;
import dev.msgrelay.lab.WrongResultException;
import dev.msgrelay.lab.batching.Sender.Way;
import dev.msgrelay.loadgen.message.LoadMessage;
import dev.msgrelay.loadgen.message.MessageCheck;
import dev.msgrelay.loadgen.message.MessageCheck.Order;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.loadgen.plan.Histograms;
import dev.msgrelay.loadgen.result.RunRecord.Delays;
import dev.msgrelay.loadgen.worker.Waiter;
import dev.msgrelay.protocol.FrameReader;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Measures one way over a loopback connection. A number of threads send at full speed, or at a fixed rate.
 *
 * @param rate messages a second of all threads together, which send at the same moments; 0: full speed
 */
record Load(Way way, int producers, int rate, Duration duration) {
    static final Column PRODUCERS = Column.plain("threads", "");
    static final Column LOAD = Column.plain("load", "msg/s");
    static final Column DELIVERED = Column.higher("delivered", "msg/s");
    static final Column MEDIAN = Column.lower("median", "us");
    static final Column P99 = Column.lower("p99", "us");
    static final Column BATCH = Column.higher("messages a read", "");

    /** Time before the start in which all threads fall asleep. */
    private static final long START_NANOS = 5_000_000;

    String setting() {
        return rate == 0 ? threads(producers) : load(rate);
    }

    static String threads(int producers) {
        return producers == 1 ? "1 thread" : producers + " threads";
    }

    static String load(int load) {
        return format("%,d msg/s", load);
    }

    Measurement go(Go go) throws IOException, InterruptedException, WrongResultException {
        if (way == Way.RELAY) {
            RelaySender relay = new RelaySender();
            return measure(relay, relay.subscriber(), relay::close);
        }
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel sending = SocketChannel.open(server.getLocalAddress());
            sending.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Sender sender = way.open(packet -> {
                while (packet.hasRemaining()) {
                    sending.write(packet);
                }
            });
            return measure(sender, server.accept(), () -> {
                try (sending) {
                    sender.close();
                }
            });
        }
    }

    /**
     * Runs the go. {@code end} sends all messages that were handed over and then closes the stream; it may be called
     * twice.
     */
    private Measurement measure(Sender sender, SocketChannel receiving, Closeable end)
            throws IOException, InterruptedException, WrongResultException {
        try (Receiver receiver = new Receiver(receiving, producers)) {
            AtomicLong start = new AtomicLong();
            CyclicBarrier ready = new CyclicBarrier(producers, () -> {
                start.set(System.nanoTime() + START_NANOS);
                // The latencies of the first fifth of a go are not recorded.
                receiver.countFrom = start.get() + duration.toNanos() / 5;
            });
            long[] sent;
            try (Producers threads = new Producers(producers, sender, (id, frame, outlet) -> {
                Waiter.sharpenTimer();
                Waiter waiter = new Waiter(0);
                await(ready);
                return send(start.get(), frame, outlet, waiter);
            })) {
                sent = threads.awaitEnd(duration);
            }
            end.close();
            Threads.join(receiver.thread);
            Threads.check(receiver.failure);
            Producers.verify(receiver.check, sent);
            if (receiver.reader.frames() == 0) {
                throw new IOException("no thread had a core for " + duration.toMillis() + " ms");
            }
            return figures(receiver, start.get());
        } finally {
            // The receiver is closed before: after a failure, that ends a write which waits for it.
            end.close();
        }
    }

    private static void await(CyclicBarrier ready) throws InterruptedException {
        try {
            ready.await();
        } catch (BrokenBarrierException e) {
            throw new InterruptedException("another producer was interrupted");
        }
    }

    private long send(long start, Producers.Frame frame, Sender.Outlet outlet, Waiter waiter)
            throws IOException, InterruptedException {
        long end = start + duration.toNanos();
        waiter.awaitMoment(start);
        long number = 0;
        if (rate == 0) {
            for (long now = System.nanoTime(); now < end && !Thread.interrupted(); now = System.nanoTime()) {
                outlet.send(frame.of(number++, now));
            }
            return number;
        }
        // A message that becomes due while its thread is busy carries the time at which it was due.
        double interval = 1e9 * producers / rate;
        long due;
        while ((due = start + (long) (number * interval)) < end
                && waiter.awaitMoment(due) < end
                && !Thread.interrupted()) {
            outlet.send(frame.of(number++, due));
        }
        return number;
    }

    private Measurement figures(Receiver receiver, long start) {
        double seconds = (receiver.now - start) / 1e9;
        long messages = receiver.reader.frames();
        return Measurement.of(rate == 0 ? PRODUCERS : LOAD, rate == 0 ? producers : rate)
                .and(DELIVERED, messages / seconds)
                .and(MEDIAN, Delays.at(receiver.latency, 50) / 1e3)
                .and(P99, Delays.at(receiver.latency, 99) / 1e3)
                .and(BATCH, (double) messages / Math.max(1, receiver.reader.reads()));
    }

    /** Reads a connection to its end, on a thread of its own. Its fields are read after that thread has ended. */
    private static final class Receiver implements AutoCloseable {

        private final SocketChannel channel;
        private final MessageCheck check;
        private final FrameReader reader = new FrameReader();
        private final Histogram latency = Histograms.recording();
        private final Thread thread = Threads.daemon("receiver", this::run);

        /** Latencies of messages that were sent before this time are not recorded. */
        private volatile long countFrom = Long.MAX_VALUE;

        /** The time of the last read that completed a message, and the number of that read. */
        private long now;

        private long read;
        private IOException failure;

        Receiver(SocketChannel channel, int producers) {
            this.channel = channel;
            this.check = new MessageCheck(producers, SizeTable.fixed(Sender.BODY), Order.UNHEARD);
            thread.start();
        }

        private void run() {
            int n;
            try {
                do {
                    n = reader.read(channel, this::onMessage);
                } while (n >= 0);
            } catch (IOException e) {
                failure = e;
            }
        }

        private void onMessage(int type, ByteBuffer body) {
            if (read != reader.reads()) {
                read = reader.reads();
                now = System.nanoTime();
            }
            int at = body.position();
            if (check.onMessage(type, body)) {
                long sent = LoadMessage.timeAt(body, at, now);
                if (sent >= countFrom) {
                    latency.recordValue(Math.min(Histograms.LONGEST_NANOS, Math.max(0, now - sent)));
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}

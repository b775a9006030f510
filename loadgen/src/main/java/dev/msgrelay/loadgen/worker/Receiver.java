package dev.msgrelay.loadgen.worker;

import com.grack.nanojson.JsonObject;
import dev.msgrelay.loadgen.load.Arrivals;
import dev.msgrelay.loadgen.load.SequenceCheck;
import dev.msgrelay.protocol.FrameConsumer;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.FrameReader;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One subscriber: a blocking connection, the compacting reader, and a thread of its own. Other threads may ask for
 * {@link #accepted} and {@link #bytes} at any time, and for the rest once {@link #stop} has returned.
 */
final class Receiver implements Runnable {
    private static final FrameConsumer IGNORE = (type, body) -> {};
    private static final long JOIN_MILLIS = 2_000;

    private final SocketChannel channel;
    private final FrameReader reader;
    private final MeasuredChannel measured;
    private final SequenceCheck check;
    private final Verifier verifier;
    private final int publishers;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final CountDownLatch primed = new CountDownLatch(1);
    private final Thread thread;
    private volatile String closed;

    Receiver(SocketChannel channel, Expected expected, int bufferSize, Control control) {
        this.channel = channel;
        this.publishers = expected.publishers();
        this.reader = new FrameReader(bufferSize, FrameLayout.MAX_MAX_BODY);
        this.measured = new MeasuredChannel(channel, reader, control);
        this.check = new SequenceCheck(Math.max(0, publishers));
        this.verifier = expected.countOnly() ? null : new Verifier(measured, check, expected);
        this.thread = new Thread(this, "subscriber");
        thread.start();
    }

    @Override
    public void run() {
        FrameConsumer consumer = verifier == null ? IGNORE : verifier;
        try {
            boolean waiting = publishers != 0;
            while (reader.read(measured, consumer) >= 0) {
                // One writer: ordered stores are enough, and cost nothing.
                bytes.lazySet(reader.bytes());
                accepted.lazySet(verifier == null ? reader.frames() : check.accepted());
                if (waiting && heardOfAll()) {
                    waiting = false;
                    primed.countDown();
                }
            }
            closed = "closed by the relay";
        } catch (ClosedChannelException e) {
            // stop() closed it, while we were reading or between two reads
        } catch (IOException | RuntimeException e) {
            closed = e.getMessage() == null ? e.toString() : e.getMessage();
        } finally {
            primed.countDown();
        }
    }

    private boolean heardOfAll() {
        return verifier == null ? reader.frames() > 0 : check.publishersSeen() == publishers;
    }

    /** Waits until a message of every publisher has come. False when the time is over or the connection is closed. */
    boolean awaitPrimed(long millis) throws InterruptedException {
        return publishers == 0 || primed.await(millis, TimeUnit.MILLISECONDS) && closed == null;
    }

    /** Messages received, without duplicates. */
    long accepted() {
        return accepted.get();
    }

    long bytes() {
        return bytes.get();
    }

    /** Why the relay's side ended, or null while it has not. */
    String closed() {
        return closed;
    }

    /** How many messages ought to have come when the publishers have sent this. Valid once primed. */
    long expected(Map<Integer, Long> sent) {
        long sum = 0;
        for (Map.Entry<Integer, Long> publisher : sent.entrySet()) {
            sum += check.expected(publisher.getKey(), publisher.getValue());
        }
        return sum;
    }

    /** Waits for the end of the stream; true when it has come. */
    boolean awaitEnd(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }

    /** Closes the connection and ends the thread. */
    void stop() throws IOException, InterruptedException {
        channel.close();
        if (!awaitEnd(JOIN_MILLIS)) {
            throw new IOException("subscriber thread did not end within " + JOIN_MILLIS + " ms");
        }
    }

    private String whyClosed() {
        boolean told = verifier != null && verifier.error() != null;
        return told ? verifier.error() : closed;
    }

    /** Adds when it got which messages, after {@link #stop}. */
    void addTo(Arrivals arrivals, long clockAheadNanos) {
        if (verifier != null) {
            arrivals.add(verifier.arrivals(), clockAheadNanos);
        }
    }

    /** All there is to say, after {@link #stop}. */
    JsonObject result(int index, Map<Integer, Long> sent) {
        JsonObject result = new JsonObject();
        result.put("index", index);
        result.put("messages", measured.messagesMeasured());
        result.put("bytes", measured.bytesMeasured());
        result.put("reads", reader.reads());
        result.put("total", reader.frames());
        result.put("closed", whyClosed());
        if (verifier != null) {
            long lostBefore = check.lost();
            sent.forEach(check::onEnd);
            result.put("tail", check.lost() - lostBefore);
            result.put("lost", check.lost());
            result.put("duplicated", check.duplicated());
            result.put("reordered", check.reordered());
            result.put("corrupted", verifier.corrupted());
            result.put("foreign", verifier.foreign() + check.unknown());
            result.put("closeReason", verifier.closeReason());
            result.put("latency", Histograms.encode(verifier.latency()));
        }
        return result;
    }
}

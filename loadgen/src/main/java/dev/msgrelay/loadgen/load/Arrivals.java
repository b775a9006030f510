package dev.msgrelay.loadgen.load;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * When the first and the last of several subscribers got a message, for a sample of the messages; and from that the
 * <em>fan-out skew</em>: how long after the first of all subscribers the last one got the same message. Joined within
 * each process, then across them. Not thread-safe.
 */
public final class Arrivals {
    /** Most messages that an encoded form may hold: more is no result of this program. */
    private static final int MAX_MESSAGES = 1 << 20;

    private static final long MAX_SKEW_NANOS = 100_000_000_000L;
    private static final int PRECISION_DIGITS = 3;

    private final TreeMap<Long, Span> spans = new TreeMap<>();
    private long sampling = 1;
    private int subscribers;

    /**
     * One message.
     *
     * @param first when the first subscriber got it, nanoseconds
     * @param last when the last one did
     * @param subscribers how many did
     */
    record Span(long first, long last, int subscribers) {
        Span and(Span other) {
            return new Span(Math.min(first, other.first), Math.max(last, other.last), subscribers + other.subscribers);
        }
    }

    /**
     * The skew of all messages that every subscriber got.
     *
     * @param nanos a value for each of these messages
     * @param incomplete messages that at least one subscriber did not get; they are left out
     * @param sampling one message in so many of each publisher was looked at
     */
    public record Skew(
            Histogram nanos,
            long incomplete,
            @JsonProperty("oneMessageIn") long sampling) {
        public static final Skew NONE = new Skew(new PackedHistogram(MAX_SKEW_NANOS, PRECISION_DIGITS), 0, 1);
    }

    /**
     * Adds what one subscriber noted.
     *
     * @param clockAheadNanos by how much its clock is ahead of the one that all are compared in
     */
    public void add(Log log, long clockAheadNanos) {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < log.size(); i++) {
            // A duplicate is counted elsewhere; here the message arrived when it came first.
            if (seen.add(log.stamp(i))) {
                long nanos = log.nanos(i) - clockAheadNanos;
                spans.merge(log.stamp(i), new Span(nanos, nanos, 1), Span::and);
            }
        }
        subscribers++;
        thinTo(log.sampling());
    }

    /** Adds what was found of other subscribers. */
    public void add(Arrivals other) {
        other.spans.forEach((stamp, span) -> spans.merge(stamp, span, Span::and));
        subscribers += other.subscribers;
        thinTo(other.sampling);
    }

    private void thinTo(long atLeast) {
        sampling = Math.max(sampling, atLeast);
        spans.keySet().removeIf(stamp -> (stamp & (sampling - 1)) != 0);
    }

    /** What came of it; nothing with fewer than two subscribers. */
    public Skew skew() {
        if (subscribers < 2) {
            return Skew.NONE;
        }
        Histogram nanos = new PackedHistogram(MAX_SKEW_NANOS, PRECISION_DIGITS);
        long incomplete = 0;
        for (Span span : spans.values()) {
            if (span.subscribers() == subscribers) {
                nanos.recordValue(Math.min(MAX_SKEW_NANOS, span.last() - span.first()));
            } else {
                incomplete++;
            }
        }
        return new Skew(nanos, incomplete, sampling);
    }

    /** All of it as text, to be handed to another process: differences from one message to the next, deflated. */
    public String encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeInt(subscribers);
            out.writeLong(sampling);
            out.writeInt(spans.size());
            long stamp = 0;
            long first = 0;
            for (Map.Entry<Long, Span> entry : spans.entrySet()) {
                Span span = entry.getValue();
                out.writeLong(entry.getKey() - stamp);
                out.writeLong(span.first() - first);
                out.writeLong(span.last() - span.first());
                out.writeInt(span.subscribers());
                stamp = entry.getKey();
                first = span.first();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * @throws IllegalArgumentException it is no such text
     */
    public static Arrivals decode(String text) {
        Arrivals arrivals = new Arrivals();
        byte[] bytes = Base64.getDecoder().decode(text);
        try (DataInputStream in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(bytes)))) {
            arrivals.subscribers = in.readInt();
            arrivals.sampling = in.readLong();
            int count = in.readInt();
            if (count < 0 || count > MAX_MESSAGES) {
                throw new IllegalArgumentException(
                        "arrivals of " + count + " messages are not within 0.." + MAX_MESSAGES);
            }
            long stamp = 0;
            long first = 0;
            for (int i = 0; i < count; i++) {
                stamp += in.readLong();
                first += in.readLong();
                arrivals.spans.put(stamp, new Span(first, first + in.readLong(), in.readInt()));
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("not the arrivals of messages: " + e.getMessage(), e);
        }
        return arrivals;
    }

    /**
     * When one subscriber got some of the messages: those whose number is a multiple of {@link #sampling}, a power of two.
     * Memory is taken once; when it is full every second message is forgotten and the sampling doubles. Which messages are
     * kept depends on their numbers alone, so that what several subscribers have kept is the same up to the coarser
     * sampling. Not thread-safe: the subscriber's thread owns it.
     */
    public static final class Log {
        /** No coarser: as many messages of one publisher in a run are years of it. */
        private static final long MAX_MASK = (1L << 40) - 1;

        private final long[] stamps;
        private final long[] nanos;
        private int size;
        private long mask;

        /**
         * @param capacity messages that are kept at most; 0 to keep none
         * @param sampling to begin with, a power of two
         */
        public Log(int capacity, int sampling) {
            this.stamps = new long[capacity];
            this.nanos = new long[capacity];
            this.mask = sampling - 1L;
        }

        /** One message that has arrived. */
        public void add(long stamp, long arrivalNanos) {
            while (size == stamps.length && size > 0 && (stamp & mask) == 0 && mask < MAX_MASK) {
                thin();
            }
            if (size < stamps.length && (stamp & mask) == 0) {
                stamps[size] = stamp;
                nanos[size++] = arrivalNanos;
            }
        }

        private void thin() {
            mask = mask << 1 | 1;
            int kept = 0;
            for (int i = 0; i < size; i++) {
                if ((stamps[i] & mask) == 0) {
                    stamps[kept] = stamps[i];
                    nanos[kept++] = nanos[i];
                }
            }
            size = kept;
        }

        /** One message in so many of each publisher is kept by now. */
        public long sampling() {
            return mask + 1;
        }

        public int size() {
            return size;
        }

        /** The {@code i}-th message that is kept, in the order of arrival. */
        public long stamp(int i) {
            return stamps[i];
        }

        public long nanos(int i) {
            return nanos[i];
        }
    }
}

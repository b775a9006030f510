package dev.msgrelay.client.cli;

import dev.msgrelay.client.SubscriberOptions;
import dev.msgrelay.protocol.text.Durations;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.Optional;

/**
 * The place to start at.
 *
 * @param sequence {@link #LIVE}, {@link #EARLIEST}, {@link #STATE}, or a sequence
 * @param time a time to start at; empty: {@code sequence} counts
 * @param newest start with so many of the stream's newest messages; 0: {@code sequence} counts
 * @param epoch epoch of the stream that {@code sequence} belongs to; 0: any
 */
record Start(long sequence, Optional<Instant> time, long newest, long epoch) {
    private static final long LIVE = 0;
    private static final long EARLIEST = -1;
    private static final long STATE = -2;
    private static final String LAST = "last:";

    private static Start of(long sequence) {
        return new Start(sequence, Optional.empty(), 0, 0);
    }

    /** Whether it is new messages. */
    boolean isLive() {
        return sequence == LIVE && time.isEmpty() && newest == 0;
    }

    /** Whether it is the newest message of each type. */
    boolean isState() {
        return sequence == STATE;
    }

    /** Whether a relay is to be asked for the end of its stream. */
    boolean isAsked() {
        return newest > 0;
    }

    /** The start with the newest messages in a stream with this epoch and next sequence. */
    Start in(long streamEpoch, long next) {
        return new Start(Math.max(1, next - newest), Optional.empty(), 0, streamEpoch);
    }

    /** The start in words: "new messages", "the oldest message held", and so on. */
    String words() {
        if (time.isPresent()) {
            return "messages since " + time.get();
        }
        if (newest > 0) {
            return "the last " + newest + " messages and new ones";
        }
        if (isState()) {
            return "the newest message of each type and new ones";
        }
        return sequence == EARLIEST
                ? "messages from the oldest on"
                : sequence == LIVE ? "new messages" : "messages from " + sequence + " on";
    }

    void apply(SubscriberOptions.Builder options) {
        if (time.isPresent()) {
            options.fromTime(time.get());
        } else if (sequence == EARLIEST) {
            options.fromEarliest();
        } else if (isState()) {
            options.fromState();
        } else if (sequence != LIVE) {
            options.fromSequence(epoch, sequence);
        }
    }

    /** @throws IllegalArgumentException the text is none of these starts; the message names them */
    static Start parse(String text) {
        if (text.equals("live") || text.equals("earliest")) {
            return of(text.equals("live") ? LIVE : EARLIEST);
        }
        if (text.equals("state")) {
            return of(STATE);
        }
        try {
            boolean last = text.startsWith(LAST);
            String digits = last ? text.substring(LAST.length()) : text;
            if (digits.matches("\\d+")) {
                long number = Long.parseLong(digits);
                if (number >= 1) {
                    return last ? new Start(LIVE, Optional.empty(), number, 0) : of(number);
                }
            } else if (!last) {
                Instant time = time(text);
                if (time.toEpochMilli() >= 1) {
                    return new Start(LIVE, Optional.of(time), 0, 0);
                }
            }
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            // Refused below, like numbers below 1 and times before 1970.
        }
        throw new IllegalArgumentException("'" + text
                + "' is neither live, nor earliest, nor state, nor a number from 1, nor last:100, nor a time after 1970 such as"
                + " 2026-11-23T05:30:00Z, nor one such as 15m, so long ago");
    }

    /**
     * The time that a text names.
     *
     * @throws IllegalArgumentException it names none; so do the following
     */
    static Instant time(String text) {
        if (!text.contains("T")) {
            return Instant.now().minus(Durations.parse(text));
        }
        TemporalAccessor read =
                DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from, LocalDateTime::from);
        return read instanceof LocalDateTime local
                ? local.atZone(ZoneId.systemDefault()).toInstant()
                : Instant.from(read);
    }
}

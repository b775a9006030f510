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
 * @param sequence {@link #LIVE}, {@link #EARLIEST}, or a sequence
 * @param time a time to start at; empty: {@code sequence} counts
 */
record Start(long sequence, Optional<Instant> time) {
    private static final long LIVE = 0;
    private static final long EARLIEST = -1;

    /** The start in words: "new messages", "the oldest message held", and so on. */
    String words() {
        if (time.isPresent()) {
            return "messages since " + time.get();
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
        } else if (sequence != LIVE) {
            options.fromSequence(0, sequence);
        }
    }

    /** @throws IllegalArgumentException the text is neither live, nor earliest, nor a number from 1, nor a time */
    static Start parse(String text) {
        if (text.equals("live") || text.equals("earliest")) {
            return new Start(text.equals("live") ? LIVE : EARLIEST, Optional.empty());
        }
        try {
            if (text.matches("\\d+")) {
                long number = Long.parseLong(text);
                if (number >= 1) {
                    return new Start(number, Optional.empty());
                }
            } else {
                Instant time = text.contains("T") ? time(text) : Instant.now().minus(Durations.parse(text));
                if (time.toEpochMilli() >= 1) {
                    return new Start(0, Optional.of(time));
                }
            }
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
            // Refused below, like numbers below 1 and times before 1970.
        }
        throw new IllegalArgumentException("'" + text
                + "' is neither live, nor earliest, nor a number from 1, nor a time after 1970 such as"
                + " 2026-11-23T05:30:00Z, nor one such as 15m, so long ago");
    }

    private static Instant time(String text) {
        TemporalAccessor read =
                DateTimeFormatter.ISO_DATE_TIME.parseBest(text, ZonedDateTime::from, LocalDateTime::from);
        return read instanceof LocalDateTime local
                ? local.atZone(ZoneId.systemDefault()).toInstant()
                : Instant.from(read);
    }
}

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
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The place to start at.
 *
 * @param sequence {@link #LIVE}, {@link #EARLIEST}, or a sequence
 * @param time a time to start at; null: {@code sequence} counts
 */
record Start(long sequence, Instant time) {
    private static final long LIVE = 0;
    private static final long EARLIEST = -1;

    /** The start in words: "new messages", "the oldest message held", and so on. */
    String words() {
        return time != null
                ? "messages since " + time
                : sequence == EARLIEST
                        ? "messages from the oldest on"
                        : sequence == LIVE ? "new messages" : "messages from " + sequence + " on";
    }

    void apply(SubscriberOptions.Builder options) {
        if (time != null) {
            options.fromTime(time);
        } else if (sequence == EARLIEST) {
            options.fromEarliest();
        } else if (sequence != LIVE) {
            options.fromSequence(0, sequence);
        }
    }

    /** Converts {@code live}, {@code earliest}, a number from 1, or a time. */
    static final class Converter implements ITypeConverter<Start> {
        @Override
        public Start convert(String value) {
            if (value.equals("live") || value.equals("earliest")) {
                return new Start(value.equals("live") ? LIVE : EARLIEST, null);
            }
            try {
                if (value.matches("\\d+")) {
                    long number = Long.parseLong(value);
                    if (number >= 1) {
                        return new Start(number, null);
                    }
                } else {
                    Instant time =
                            value.contains("T") ? time(value) : Instant.now().minus(Durations.parse(value));
                    if (time.toEpochMilli() >= 1) {
                        return new Start(0, time);
                    }
                }
            } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
                // Refused below, like numbers below 1 and times before 1970.
            }
            throw new TypeConversionException("'" + value
                    + "' is neither live, nor earliest, nor a number from 1, nor a time after 1970 such as"
                    + " 2026-11-23T05:30:00Z, nor one such as 15m, so long ago");
        }

        private static Instant time(String value) {
            TemporalAccessor read =
                    DateTimeFormatter.ISO_DATE_TIME.parseBest(value, ZonedDateTime::from, LocalDateTime::from);
            return read instanceof LocalDateTime local
                    ? local.atZone(ZoneId.systemDefault()).toInstant()
                    : Instant.from(read);
        }
    }
}
